"""For how long a worker may store: never longer than its group is sure to keep its partitions for it."""

import asyncio
from typing import Any

import pytest
from aiokafka.consumer.group_coordinator import GroupCoordinator
from aiokafka.protocol.commit import OffsetCommitRequest
from aiokafka.protocol.group import HeartbeatRequest, JoinGroupRequest, SyncGroupRequest

from streams.kafka_member import DEALING, UNKNOWN, KafkaMember
from streams.tenure import OVER, SHARE, Tenure

SESSION, REBALANCE = 10.0, 60.0


def test_it_lasts_for_a_share_of_the_session_from_when_the_group_was_asked() -> None:
    tenure = Tenure(SESSION, REBALANCE)
    assert tenure.until == OVER
    tenure.confirm(100.0)
    assert tenure.until == 100.0 + SHARE * SESSION
    tenure.confirm(103.0)
    assert tenure.until == 103.0 + SHARE * SESSION


def test_while_partitions_are_dealt_out_anew_it_ends_before_the_worker_is_left_out() -> None:
    tenure = Tenure(SESSION, REBALANCE)
    for second in range(0, 200, 3):
        tenure.confirm(100.0 + second, dealing=True)
    assert tenure.until == 100.0 + SHARE * REBALANCE
    tenure.confirm(300.0)
    assert tenure.until == 300.0 + SHARE * SESSION
    tenure.confirm(303.0, dealing=True)
    assert tenure.until == 303.0 + SHARE * SESSION


class _Answer:
    def __init__(self, error_code: int) -> None:
        self.error_code = error_code
        self.topics = [("table.bets", [(0, error_code)])]


@pytest.mark.parametrize(
    ("request_type", "code", "renews"),
    [
        (HeartbeatRequest, 0, True),
        (HeartbeatRequest, DEALING, True),
        (HeartbeatRequest, UNKNOWN, False),
        (SyncGroupRequest, 0, True),
        (SyncGroupRequest, UNKNOWN, False),
        # The broker waits with its answer until all have joined: the session does not count from the question.
        (JoinGroupRequest, 0, False),
        (OffsetCommitRequest, 0, False),
    ],
)
def test_on_kafka_only_an_answer_that_begins_a_session_anew_renews_it(
    monkeypatch: pytest.MonkeyPatch, request_type: Any, code: int, renews: bool
) -> None:
    async def answer(*_: Any) -> _Answer:
        return _Answer(code)

    monkeypatch.setattr(GroupCoordinator, "_send_req", answer)
    member = KafkaMember.__new__(KafkaMember)
    member.tenure, member._group_instance_id = Tenure(SESSION, REBALANCE), None
    asyncio.run(member._send_req(request_type.__new__(request_type)))
    assert (member.tenure.until > OVER) == renews
