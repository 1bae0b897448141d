"""What goes into a bundle: the files of each round, the report, the check, and the manifest over all of them."""

from base64 import b64encode
from collections.abc import Sequence
from importlib.resources import files as package_files
from typing import Any

import orjson

from audit.merkle import ProofInvalid
from audit.settings import readings_in
from games.rulebook import rulebook
from replay.bundle.check_case import MANIFEST, check_rounds, manifest_of, pack
from replay.bundle.clocks import clocks_said, heartbeats_around
from replay.bundle.facts_said import facts_said
from replay.bundle.report import report_page, round_report
from replay.bundle.rules_said import rules_said
from replay.chain.prove import LOOK, NotAsSealed, NotSealed, consistency_json, proof_json, prove_round
from replay.roads import roads_of
from replay.rounds import load_round
from replay.shoe import beads_of
from replay.story import Story
from store.connect import Store
from store.read.events import round_surrounded
from store.read.rounds import RoundFilter, read_verdict, verdicts
from store.rows.proof import SigningKey
from store.rows.raw import StoredEvent
from store.rows.verdicts import RoundKey

_README = b"""An evidence bundle, to be unpacked into an empty folder.

report.html       what happened, for people; it prints well
verify.py         checks all of this: python verify.py   (Python 3.9 or newer, nothing else)
manifest.txt      the SHA-256 of every file
round-*/          one folder a round:
  round.json          which round it is
  events.jsonl        its raw events, byte for byte, by device time
  surroundings.jsonl  the table's configuration and the loading of the shoe, and heartbeats of its devices
  verdicts/           every revision of its verdict
  facts.json          what the last of them rests on, in the form that its digest is the SHA-256 of
  rules.json          the rules in force: document, clauses cited, Table of Play, paytable
  clocks.json         the clocks of its devices, and the cameras of the table
  proof.json          the sealed rows, their way to the signed checkpoint, and the keys

The signed checkpoint proves the verdicts, every event that they rest on, and that none of these is missing. What
outcome and money are by the rules in rules.json is reckoned anew: hold these against the house's own copy of the
rules. report.html, clocks.json and round.json tell what the proved files say, and are proved by nothing themselves;
of heartbeats, some may be missing.
"""


def bundle(store: Store, keys: Sequence[RoundKey], named: Sequence[str] = (), own: Sequence[SigningKey] = ()) -> bytes:
    """The bundle of these rounds, as an archive; the same rounds in the same store give the same bytes. Whose signature
    under the last checkpoint is believed, `vouched_keys` says."""
    files: dict[str, bytes] = {"README.txt": _README}
    reports = []
    for number, key in enumerate(sorted(set(keys)), start=1):
        of_round, report = _round_files(store, key, named, own)
        reports.append(report)
        files |= {f"round-{number:03d}/{name}": content for name, content in of_round.items()}
    _check(sorted(set(keys)), files)
    files["report.html"] = report_page([str(key) for key in sorted(set(keys))], reports)
    files["verify.py"] = package_files("replay.bundle").joinpath("check_case.py").read_bytes()
    files[MANIFEST] = manifest_of(files)
    return pack(files)


def _check(keys: Sequence[RoundKey], files: dict[str, bytes]) -> None:
    """As the bundle's own check does it: what would be found wrong there is not handed out."""
    said = [orjson.loads(content) for name, content in files.items() if name.endswith("/proof.json")]
    # The first key of all, and those that were made after a loss: whoever checks was told their names.
    first = frozenset(key["key_id"] for proof in said for key in proof["keys"] if not key["previous"])
    lines, right = check_rounds(files, first)
    if not right:
        of = "round" if len(keys) == 1 else "rounds"
        wrong = "; ".join(line.removeprefix("WRONG").strip() for line in lines if line.startswith("WRONG"))
        raise NotAsSealed(
            f"a bundle of {of} {', '.join(map(str, keys))} would be rejected by its own check: {wrong}; run: tablewatch"
            " replay verify --chain, which names what was changed"
        )


def _round_files(
    store: Store, key: RoundKey, named: Sequence[str], own: Sequence[SigningKey]
) -> tuple[dict[str, bytes], str]:
    found = load_round(store, key)
    story = found.story()
    around = _surroundings(store, key)
    beats = heartbeats_around(store, key.table, story.began, story.ended)
    try:
        proof = prove_round(store, key, [event.key for event in (*found.events, *around, *beats)])
        consistency_json(store, proof.checkpoint, named, own)
    except ProofInvalid as error:
        raise NotAsSealed(f"round {key} is not under its checkpoint: {error}; {LOOK}") from error
    if not found.revisions:
        raise NotSealed(found.lacks or f"there is no verdict on round {key} yet: ask again when it is over and sealed")
    game = rulebook(readings_in(story.verdict.settings))[story.game] if story.verdict and story.game else None
    rules = rules_said(game, story.in_force, story.clauses)
    clocks = clocks_said(found.events, beats, story.cameras)
    files = {
        "round.json": _json({"table": key.table, "shoe": key.shoe, "round": key.round, "game": story.game,
                             "status": story.status, "cameras": list(story.cameras),
                             "began": story.began, "ended": story.ended}),
        "events.jsonl": _lines(found.events),
        "surroundings.jsonl": _lines((*around, *beats)),
        "rules.json": _json(rules),
        "clocks.json": _json(clocks),
        "proof.json": _json(proof_json(proof)),
    }  # fmt: skip
    rests_on = facts_said(store, found)
    if rests_on is not None:
        files["facts.json"] = rests_on
    for each in found.revisions:
        files[f"verdicts/{each.revision:06d}-{each.digest[:8]}.json"] = each.json
    return files, round_report(story, _roads(store, story), proof, rules["clauses"], clocks)


def _surroundings(store: Store, key: RoundKey) -> list[StoredEvent]:
    """What the round is judged with from outside: the configuration in force and the loading of its shoe."""
    around = round_surrounded(store, key.table, key.shoe, key.round)
    return [*([around.configuration] if around.configuration is not None else []), *around.loadings[-1:]]


def _roads(store: Store, story: Story) -> Any:
    of_shoe = verdicts(store, RoundFilter(tables=(story.table,), shoe=story.shoe))
    upto = [read_verdict(each) for each in of_shoe if each.key.round <= story.round]
    return roads_of(beads_of(upto))


def _lines(events: Sequence[StoredEvent]) -> bytes:
    """One event a line; what has a line end in itself stands in base64."""
    plain = (event.raw if b"\n" not in event.raw else b"base64:" + b64encode(event.raw) for event in events)
    return b"".join(line + b"\n" for line in plain)


def _json(said: Any) -> bytes:
    return orjson.dumps(said, option=orjson.OPT_INDENT_2) + b"\n"
