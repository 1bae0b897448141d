"""The alert desk on the real store: acts are stored, two at once make one history, and others hear of it."""

import threading

from store.connect import Store
from store.read.alerts import claimants
from store.rows.alerts import Alert
from store.write.alerts import claim_place
from streams.alerting.acts import Act, Refusal, SystemAct
from streams.alerting.desk import DeskWatch, Done, alert_with_steps, open_alerts, perform, record_raised
from streams.alerting.life import life_of

RAISED_MS = 1_760_000_000_000


def alert(number: int = 1) -> Alert:
    name = f"{number:032x}"
    return Alert(
        id=name,
        finding=name,
        table="BT1",
        shoe="S1",
        round=number,
        code="late-bet",
        severity="critical",
        pit="P1",
        game="no_commission",
        message="Bet b1 came 2 s late.",
        time=RAISED_MS * 1_000 - 300_000,
        raised=RAISED_MS,
    )


def seen(by: str, at: int = 1) -> Act:
    return Act(deed="acknowledge", by=by, role="shift_manager", at=RAISED_MS * 1_000 + at)


def test_an_act_is_stored_with_who_and_when(store: Store) -> None:
    record_raised(store, [alert()])
    record_raised(store, [alert()])
    done = perform(store, alert().id, seen("anna", 7))
    assert isinstance(done, Done)
    history = alert_with_steps(store, alert().id)
    assert history == done.history
    assert history is not None
    assert [(step.action, step.by, step.at - RAISED_MS * 1_000) for step in history.steps] == [
        ("raised", "tablewatch", 0),
        ("acknowledged", "anna", 7),
    ]
    refusal = perform(store, alert().id, seen("bob", 9))
    assert isinstance(refusal, Refusal)
    assert "anna (shift manager) was first" in refusal.reason


def test_what_the_store_has_not_heard_of_yet_can_be_acted_upon(store: Store) -> None:
    assert perform(store, alert().id, seen("anna")) == Refusal("There is no such alert.")
    assert isinstance(perform(store, alert().id, seen("anna"), alert()), Done)
    record_raised(store, [alert()])
    (history,) = open_alerts(store)
    assert [step.action for step in history.steps] == ["raised", "acknowledged"]


def test_many_who_acknowledge_at_once_make_one_history_and_all_but_one_are_told(store: Store) -> None:
    people = [f"person-{number}" for number in range(6)]
    for number in range(1, 6):
        record_raised(store, [alert(number)])
        ready = threading.Barrier(len(people))
        answers: dict[str, Done | Refusal] = {}

        def one(
            by: str,
            name: str = alert(number).id,
            ready: threading.Barrier = ready,
            said: dict[str, Done | Refusal] = answers,
        ) -> None:
            ready.wait()
            # Clocks differ: the order of the moments is not that of the writing.
            said[by] = perform(store, name, seen(by, at=1_000 - int(by[-1]) * 100))

        threads = [threading.Thread(target=one, args=(by,)) for by in people]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        done = [by for by, answer in answers.items() if isinstance(answer, Done)]
        history = alert_with_steps(store, alert(number).id)
        assert history is not None
        life = life_of(history.steps)
        assert life.acknowledged is not None
        assert done == [life.acknowledged.by]
        for by, answer in answers.items():
            assert isinstance(answer, Done) or f"{done[0]} (shift manager) was first" in answer.reason, by


def test_the_service_closes_what_a_person_is_busy_with_and_both_steps_stand(store: Store) -> None:
    record_raised(store, [alert()])
    acts: list[Act | SystemAct] = [
        Act(deed="take", by="anna", role="operator", at=RAISED_MS * 1_000 + 5),
        SystemAct(deed="clear", at=RAISED_MS * 1_000 + 4),
    ]
    threads = [threading.Thread(target=perform, args=(store, alert().id, act)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    history = alert_with_steps(store, alert().id)
    assert history is not None
    assert life_of(history.steps).state == "cleared"
    assert life_of(history.steps).standing == history.steps
    assert open_alerts(store) == []


def test_a_writer_who_died_between_claim_and_step_holds_nobody_up_for_long(store: Store) -> None:
    record_raised(store, [alert()])
    claim_place(store, alert().id, 1, 0, RAISED_MS * 1_000, "dead")
    claim_place(store, alert().id, 1, 0, RAISED_MS * 1_000, "second")
    assert claimants(store, alert().id, 1) == {0: "dead"}
    assert isinstance(perform(store, alert().id, seen("anna")), Done)


def test_a_console_hears_of_new_alerts_of_steps_and_of_closings(store: Store) -> None:
    record_raised(store, [alert(1), alert(2)])
    watch = DeskWatch(store)
    assert [each.alert.id for each in watch.poll()] == [alert(1).id, alert(2).id]
    assert watch.poll() == []
    perform(store, alert(2).id, seen("anna"))
    (changed,) = watch.poll()
    assert life_of(changed.steps).state == "acknowledged"
    perform(store, alert(2).id, SystemAct(deed="clear", at=RAISED_MS * 1_000 + 4))
    record_raised(store, [alert(3)])
    assert [life_of(each.steps).state for each in watch.poll()] == ["cleared", "raised"]
    assert watch.poll() == []
