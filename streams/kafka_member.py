"""A worker as a member of its group on Kafka: it knows for how long its partitions are its own, and may have a name.

Kafka keeps the partitions of a member without a name until its session is over; one with a name is known again (static
membership, KIP-345): killed and started again, it goes on at once. aiokafka tells the name where it joins, and nowhere
else. What that leaves open is done here: two workers of one name do not take it from each other for ever, and one that
was told to stop keeps nothing.
"""

import logging
import time
from typing import Any

import aiokafka.consumer.consumer
from aiokafka.consumer.group_coordinator import GroupCoordinator
from aiokafka.errors import RebalanceInProgressError, UnknownMemberIdError
from aiokafka.protocol.commit import OffsetCommitRequest
from aiokafka.protocol.group import HeartbeatRequest, JoinGroupRequest, SyncGroupRequest

from streams.tenure import Tenure

logger = logging.getLogger(__name__)

FENCED = 82
"""The broker's answer to a member whose name another one has now (FENCED_INSTANCE_ID); aiokafka does not know it."""
UNKNOWN: int = UnknownMemberIdError.errno
DEALING: int = RebalanceInProgressError.errno


class KafkaMember(GroupCoordinator):  # type: ignore[misc]  # aiokafka has no types
    """A member of a group. It goes on without its name, if it has one, when another one comes with the same."""

    _group_instance_id: str | None
    """Its name."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.tenure = Tenure(self._session_timeout_ms / 1000, self._rebalance_timeout_ms / 1000)

    async def _send_req(self, request: Any) -> Any:
        asked_at = time.monotonic()
        response = await super()._send_req(request)
        codes = _codes(request, response)
        # From these the broker counts a session anew.
        if isinstance(request, HeartbeatRequest | SyncGroupRequest) and codes <= {0, DEALING}:
            self.tenure.confirm(asked_at, dealing=DEALING in codes)
        if self._group_instance_id is not None and self._is_replaced(codes):
            logger.error(
                "another worker came with the name %s and has the partitions now: this one goes on without a name, and"
                " takes its share. Give each worker a name of its own, or none (TABLEWATCH_WORKER_NAME)",
                self._group_instance_id,
            )
            self._group_instance_id = None
            if FENCED in codes:
                # It joins again, as one that the broker does not know.
                response.error_code = UNKNOWN
        return response

    def _is_replaced(self, codes: set[int]) -> bool:
        """Whether another member has its name now. Heartbeats and commits tell no name: one whose session cannot be
        over, and whom the broker does not know all the same, was replaced."""
        return FENCED in codes or (UNKNOWN in codes and time.monotonic() < self.tenure.until)

    async def _maybe_leave_group(self) -> None:
        """aiokafka lets no member leave that has a name. One that was told to stop may not come back for long: the
        others have its partitions at once."""
        name, self._group_instance_id = self._group_instance_id, None
        await super()._maybe_leave_group()
        self._group_instance_id = name


def _codes(request: Any, response: Any) -> set[int]:
    """The codes of an answer that tells whether the broker knows the member; none of any other."""
    if isinstance(request, OffsetCommitRequest):
        return {code for _, partitions in response.topics for _, code in partitions}
    if isinstance(request, HeartbeatRequest | JoinGroupRequest | SyncGroupRequest):
        return {response.error_code}
    return set()


def be_such_members() -> None:
    """Let the consumers of this process be such members: aiokafka has no other place to say so."""
    aiokafka.consumer.consumer.GroupCoordinator = KafkaMember
