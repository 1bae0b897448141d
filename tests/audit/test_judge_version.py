"""Who changes what the judge says of the same facts, its wording included, raises its version.

By the version beside a stored verdict `replay verify` tells one that an older judge gave from one that was tampered
with: under one version the same facts must give the same bytes, for ever.
"""

from hashlib import sha256
from typing import Final

from audit.judge import JUDGE_VERSION
from schemas.findings import as_json
from schemas.verdicts import verdict_json
from schemas.written import written
from simulator.floor import simulate
from tests.streams.pipeline import offline

FLOOR: Final = "750cb23c85472b8e22acacebf6ed51fa15a71341ae0d64169a6da97e5cbf6996"
"""Of the lines that are judged: twenty tables of the ten games, with a fault in every third round."""
SAID: Final = {3: "bb0fede5ef24f1239acde7655a2ae28b2559f8a661dac0d9693673f3b751ce76"}
"""By version: of all verdicts and findings on that floor."""


def _digest(lines: list[bytes]) -> str:
    return sha256(b"\n".join(lines)).hexdigest()


def test_under_one_version_the_judge_says_the_same_of_the_same_facts() -> None:
    lines = list(simulate(20, 12, 7, faults=0.3))
    assert _digest(lines) == FLOOR, "the simulator plays otherwise: judge the new floor by the judge before, note both"
    verdicts, findings = offline(lines)
    said = [verdict_json(verdicts[key]) for key in sorted(verdicts)]
    said += [written(as_json(findings[name])) for name in sorted(findings)]
    assert len({finding.code for finding in findings.values()}) > 20
    assert _digest(said) == SAID.get(JUDGE_VERSION), (
        "the judge says something else of the same facts, if only in other words: raise JUDGE_VERSION, name the change"
        f" in CHANGELOG.md, and note beside its number {_digest(said)}"
    )
