"""Devices that lose events, lose time, fall silent, or send what is no event; and the rounds that suffer from it."""

import orjson

from simulator.acts import (
    BETS_CLOSED,
    CORRECTED,
    DEALER,
    DISPLAY,
    DISPLAYED,
    DRAWN,
    HEARTBEAT,
    OPENED,
    PLACED,
    READER,
    RFID,
    ROUND_CLOSED,
    SETTLED,
    Content,
    Contradicted,
    Noise,
    Payload,
    Spoiled,
    Unsent,
)
from simulator.betting import begin
from simulator.faults.announcements import goes_on
from simulator.faults.variant import Variant, begin_with_bet, plain
from simulator.round import Round
from simulator.settling import finish
from simulator.state import TableState

_WATCHED = (READER, RFID, DISPLAY, DEALER)
"""The devices that send heartbeats, and so will always send a further event."""


def events_lost(round: Round) -> None:
    """Events of which nobody misses anything, such as heartbeats, are lost: one hole, one finding."""
    plain(round)
    source = round.chance.pick(_WATCHED)
    start = round.closed_at - round.chance.between(2000, 9000)
    for place in range(round.chance.between(1, 3)):
        round.note(start + place, source, HEARTBEAT, Unsent())
    round.blame_device("device-gap", "heartbeats lost")


def display_lost(round: Round) -> None:
    """A display of the outcome is lost; none at all is no finding."""
    plain(round)
    round.note(round.now - 900, DISPLAY, DISPLAYED, Unsent())
    round.blame_device("device-gap", "display lost")


def clock_wrong(round: Round) -> None:
    """The clock of a device is off by more than two seconds for a heartbeat or two: one episode, one finding."""
    device = round.state.devices.devices[round.chance.pick(_WATCHED)]
    device.clock_error = round.chance.between(2300, 20_000) * round.chance.pick((-1, 1))
    device.error_until = round.now + round.chance.between(45_000, 85_000)
    plain(round)
    round.blame_device("device-clock", "ahead" if device.clock_error > 0 else "behind")


def _lasts(state: TableState) -> bool:
    """Whether the table plays on for a few minutes, so that every device will send something more."""
    return state.rounds_left > 3


def _has_beaten(state: TableState) -> bool:
    """Whether every device has sent a heartbeat: only then its silence is a fault."""
    return _lasts(state) and (state.rounds > 0 or state.shoes > 1)


def display_silent(round: Round) -> None:
    """The display sends nothing for more than a minute while the game goes on."""
    device = round.state.devices.devices[DISPLAY]
    device.silent_from = round.now
    device.silent_until = round.now + round.chance.between(65_000, 100_000)
    plain(round)
    round.blame_device("device-silent", "display in play")


def silent_in_a_pause(round: Round) -> None:
    """During a pause of the game one device sends no heartbeats, and the others do."""
    plain(round)
    device = round.state.devices.devices[round.chance.pick((READER, RFID, DEALER))]
    device.silent_from = round.now + 1
    device.silent_until = round.now + 100_000
    round.now += 130_000
    round.blame_device("device-silent", "in a pause")


def _noise(round: Round) -> bytes:
    """Bytes that are no JSON text, different each time."""
    chance = round.chance
    number = chance.below(1 << 40)
    half = orjson.dumps({"id": f"{number:010x}", "specversion": "1.0", "source": "/tables", "data": {"shoe": "1"}})
    return chance.pick(
        (
            b"%016x" % number + b"\xff\xfe\x00garbage",
            half[: chance.between(18, len(half) - 1)],
            b'{"specversion":"1.0","sequence":NaN,"id":"%x"}' % number,
            b"ERR %d: card reader jammed" % number,
            b'[{"id":"%x"' % number,
        )
    )


def noise(round: Round) -> None:
    """Bytes that tell nothing, perhaps sent twice: identical bytes are one finding."""
    plain(round)
    raw = _noise(round)
    at = round.closed_at + round.chance.between(1000, 5000)
    round.note(at, round.chance.pick(_WATCHED), HEARTBEAT, Noise(raw))
    if round.chance.happens(0.3):
        round.note(at + 700, DEALER, HEARTBEAT, Noise(raw))
    round.blame_device("event-rejected", "no event", table=False)


def _spoil(round: Round, payload: Payload) -> Spoiled:
    """An event that the contract refuses, whose source, subject and sequence can still be read."""
    wrongs: tuple[tuple[Payload, Payload], ...] = (
        ({**payload, "colour": "red"}, {}),
        ({**payload, "shoe": 7}, {}),
        ({**payload, "round": -1}, {}),
        ({**payload, "round": "12"}, {}),
        ({**payload, "shoe": ""}, {}),
        ({name: value for name, value in payload.items() if name != "shoe"}, {}),
        (payload, {"type": "result.shouted.v1"}),
        (payload, {"specversion": "0.3"}),
        (payload, {"time": "2026-03-02T12:00:00+08:00"}),
        (payload, {"time": None}),
        (payload, {"priority": "high"}),
        (payload, {"id": 5}),
        (payload, {"data": None}),
    )
    content, attributes = round.chance.pick(wrongs)
    return Spoiled(content, attributes)


def _payload(round: Round, **more: object) -> Payload:
    return {"shoe": round.shoe.id, "round": round.number, **more}


def refused_display(round: Round) -> None:
    """A display event that the contract does not allow; its place in the sequence is filled."""
    plain(round)
    wrong = _spoil(round, _payload(round, winner="tie", totals=None))
    round.note(round.now - 800, DISPLAY, DISPLAYED, wrong)
    round.blame_device("event-rejected", "a display against the contract")


def refused_bet(round: Round) -> None:
    """A bet with a negative, broken or missing amount; nothing else speaks of it."""
    plain(round)
    bet = _payload(round, bet="x1", position=1, player=None, wager="tie", amount=500)
    wrong = round.chance.pick(
        (
            {**bet, "amount": -500},
            {**bet, "amount": 0},
            {**bet, "amount": 5.5},
            {**bet, "amount": "500"},
            {**bet, "amount": 2**53},
            {**bet, "wager": "roulette"},
            {**bet, "position": 0},
            {name: value for name, value in bet.items() if name != "player"},
        )
    )
    round.note(round.closed_at - 3000, RFID, PLACED, Spoiled(wrong, {}))
    round.blame_device("event-rejected", "a bet against the contract")


def refused_without_place(round: Round) -> None:
    """The sequence number itself cannot be read: the event is refused, and its place is a hole."""
    plain(round)
    payload = _payload(round, winner="tie", totals=None)
    round.note(round.now - 800, DISPLAY, DISPLAYED, Spoiled(payload, {"sequence": "next"}))
    round.blame_device("event-rejected", "no sequence number", "device-gap")


def contradiction(round: Round) -> None:
    """Two displays with one id and different content are both refused."""
    plain(round)
    first = _payload(round, winner=round.game.hands[0], totals=None)
    round.note(round.now - 800, DISPLAY, DISPLAYED, Contradicted(first, {**first, "winner": round.game.hands[1]}))
    round.blame_device("event-rejected", "two contents for one id", "event-rejected")


def _replace(round: Round, place: int, content: Content) -> None:
    at, source, kind, _ = round.acts[place]
    round.acts[place] = (at, source, kind, content)


def _places(round: Round, kind: str, bet: str | None = None) -> list[int]:
    """Where the acts of this kind, and of this bet, are."""
    return [
        place
        for place, (_, _, name, content) in enumerate(round.acts)
        if name == kind and isinstance(content, dict) and (bet is None or content["bet"] == bet)
    ]


def draw_lost(round: Round) -> None:
    """A card was drawn and its event is lost."""
    begin(round)
    finish(round)
    _replace(round, round.chance.pick(_places(round, DRAWN)), Unsent())
    round.shoe.null_account = True
    round.blame("round-incomplete", "a draw", "device-gap")


def draw_refused(round: Round) -> None:
    """A card was drawn and its event is refused."""
    begin(round)
    finish(round)
    place = round.chance.pick(_places(round, DRAWN))
    content = round.acts[place][3]
    if isinstance(content, dict):
        _replace(round, place, Spoiled({**content, "card": round.chance.pick(("ZZ", "11H", "1S", ""))}, {}))
    round.shoe.null_account = True
    round.blame("round-incomplete", "a draw that was refused", "event-rejected")


def settlement_lost(round: Round) -> None:
    """A settlement is lost."""
    bet = begin_with_bet(round, 1, -1, 0)
    finish(round)
    for place in reversed(_places(round, CORRECTED, bet.id)):
        del round.acts[place]
    places = _places(round, SETTLED, bet.id)
    if places:
        _replace(round, places[0], Unsent())
    else:
        round.note(round.now - 500, RFID, SETTLED, Unsent())
    round.blame("round-incomplete", "a settlement", "device-gap")


def placing_lost(round: Round) -> None:
    """The placing of a bet is lost, and the bet was settled with money."""
    bet = begin_with_bet(round, 1, -1)
    within = round.fits(bet.wager, -bet.amount)
    finish(round)
    _replace(round, _places(round, PLACED, bet.id)[0], Unsent())
    # What is known of the other bets counts: only what the missing fact itself would decide is left open.
    round.blame("round-incomplete", "a bet's placing", "device-gap", *([] if within else ["differential-exceeded"]))


def announcement_lost(round: Round) -> None:
    """An opening, a closing of bets or the end of the round is lost."""
    begin(round)
    finish(round)
    kind = round.chance.pick((OPENED, BETS_CLOSED, ROUND_CLOSED))
    place = _places(round, kind)[0]
    if kind == OPENED:
        # The hole must reach beyond the round's first fact to be its opening: no heartbeat may end it before.
        first = min(act[0] for act in round.acts if act is not round.acts[place])
        opened, state = round.acts[place][0], round.state
        state.pending += state.devices.beats(opened - 500)
        dealer = state.devices.devices[DEALER]
        if dealer.next_beat <= first + 500:
            dealer.next_beat = first + 1000
    _replace(round, place, Unsent())
    round.blame("round-incomplete", kind, "device-gap")


VARIANTS = (
    Variant("device-gap", events_lost, _lasts),
    Variant("device-gap", display_lost, _lasts),
    Variant("device-clock", clock_wrong, _lasts, quiet=6),
    Variant("device-silent", display_silent, _has_beaten, quiet=6),
    Variant("device-silent", silent_in_a_pause, _has_beaten),
    Variant("event-rejected", noise),
    Variant("event-rejected", refused_display),
    Variant("event-rejected", refused_bet),
    Variant("event-rejected", refused_without_place, _lasts),
    Variant("event-rejected", contradiction),
    Variant("round-incomplete", draw_lost, _lasts),
    Variant("round-incomplete", draw_refused, _lasts),
    Variant("round-incomplete", settlement_lost, _lasts),
    Variant("round-incomplete", placing_lost),
    Variant("round-incomplete", announcement_lost, goes_on),
)
