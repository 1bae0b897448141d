"""The evidence bundle: complete, the same bytes each time, and checked by a program that needs nothing of ours."""

import random
import re
import shutil
import subprocess
import sys
import zipfile
from base64 import b64encode
from html import escape
from io import BytesIO
from pathlib import Path

import orjson
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from replay.bundle import check_case
from replay.bundle.contents import bundle
from replay.chain.keys import KeyRing
from replay.chain.prove import NotAsSealed, NotSealed
from replay.chain.seal import Sealer
from schemas.sentences import ABOUT_MONEY, sentence_in
from simulator.floor import simulate
from store.connect import Store
from store.rows.proof import AccessEntry
from store.rows.verdicts import RoundKey
from store.write.proof import write_access
from store.write.raw import write_records
from tests.audit.case import Case
from tests.replay.evidence import ring_in
from tests.replay.stored import ARRIVAL, fill, packed

NOW = ARRIVAL + 400 * 86_400_000


def _keys(store: Store, seed: int = 5, games: tuple[str, ...] | None = None, faults: float = 0.3) -> list[RoundKey]:
    rounds = fill(store, list(simulate(tables=10, rounds=2, seed=seed, faults=faults, games=games)))
    return [each.key for each in rounds if each.verdict.game is not None]


def _files(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


_made: list[bytes] = []


def _filled(store: Store, folder: Path) -> bytes:
    """A store with a floor of all ten games and faults, sealed, and the bundle of all its rounds."""
    keys = _keys(store)
    assert Sealer(store, ring_in(folder), lambda: NOW).seal() is not None
    return bundle(store, keys)


@pytest.fixture
def case(store: Store, tmp_path: Path) -> bytes:
    """The bundle of a floor, made once."""
    if not _made:
        _made.append(_filled(store, tmp_path / "first"))
    return _made[0]


def test_a_round_that_is_not_sealed_is_not_exported(store: Store) -> None:
    key = _keys(store, games=("tiger",))[0]
    with pytest.raises(NotSealed, match="tablewatch chain checkpoint"):
        bundle(store, [key])


def test_all_games_are_checked_right_and_the_bytes_are_the_same_later(store: Store, tmp_path: Path) -> None:
    case = _filled(store, tmp_path)
    path = tmp_path / "case.zip"
    path.write_bytes(case)
    lines, right = check_case.check(path)
    assert right, lines
    assert len([line for line in lines if line.startswith("right")]) > 15
    files = _files(case)
    games = {orjson.loads(content)["game"] for name, content in files.items() if name.endswith("rules.json")}
    assert len(games) == 10
    for name in ("report.html", "verify.py", "manifest.txt", "README.txt", "round-001/clocks.json"):
        assert files[name]
    page = files["report.html"].decode()
    assert "<svg" in page
    assert "src=" not in page
    listed, told = re.findall('href="#([^"]+)"', page), re.findall('<section id="([^"]+)"', page)
    assert listed == told
    assert len(told) == len([name for name in files if name.endswith("round.json")])
    assert "http" not in page.replace("http-equiv", "")
    verdicts = [orjson.loads(content) for name, content in files.items() if "/verdicts/" in name]
    about_money = [each for said in verdicts for each in said["findings"] if each["code"] in ABOUT_MONEY]
    assert about_money
    for each in about_money:
        assert escape(sentence_in("SGD", each["code"], each["message"])) in page
        assert escape(each["message"]) not in page
    # Later looks and checkpoints change nothing of it.
    ring = KeyRing(tmp_path / "keys")
    write_access(store, [AccessEntry(id="e9", at=NOW * 1000, who="otto", role="auditor", action="replay")])
    assert Sealer(store, ring, lambda: NOW + 1).seal() is not None
    keys = [
        RoundKey(said["table"], said["shoe"], said["round"])
        for name, content in files.items()
        if name.endswith("round.json")
        for said in [orjson.loads(content)]
    ]
    assert bundle(store, keys) == case


def test_what_came_one_by_one_in_arrays_is_checked_right(store: Store, tmp_path: Path) -> None:
    """As a gateway packs what has no company: the brackets of a record are no part of what is sealed."""
    rounds = fill(store, [b"[" + line + b"]" for line in simulate(tables=1, rounds=2, seed=5)], per_record=1)
    assert Sealer(store, ring_in(tmp_path), lambda: NOW).seal() is not None
    path = tmp_path / "case.zip"
    path.write_bytes(bundle(store, [rounds[0].key]))
    lines, right = check_case.check(path)
    assert right, lines


def test_one_byte_changed_anywhere_is_found_and_the_file_is_named(case: bytes, tmp_path: Path) -> None:
    files = _files(case)
    chance = random.Random(9)
    names = sorted({name.partition("/")[2] or name: name for name in sorted(files, reverse=True)}.values())
    for name in names:
        content = bytearray(files[name])
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        folder = tmp_path / "case"
        shutil.rmtree(folder, ignore_errors=True)
        for other, data in files.items():
            (folder / other).parent.mkdir(parents=True, exist_ok=True)
            (folder / other).write_bytes(bytes(content) if other == name else data)
        lines, right = check_case.check(folder)
        assert not right
        assert lines[0].startswith(f"WRONG  {name}: "), lines
    path = tmp_path / "case.zip"
    for _ in range(60):
        place = chance.randrange(len(case))
        path.write_bytes(case[:place] + bytes([case[place] ^ 1 << chance.randrange(8)]) + case[place + 1 :])
        lines, right = check_case.check(path)
        assert not right, place
        assert lines[0].startswith("WRONG  "), lines


def _repacked(files: dict[str, bytes], tmp_path: Path) -> tuple[list[str], bool]:
    """A bundle made anew around changed files, as a forger would."""
    files = {name: content for name, content in files.items() if name != "manifest.txt"}
    files["manifest.txt"] = check_case.manifest_of(files)
    path = tmp_path / "forged.zip"
    path.write_bytes(check_case.pack(files))
    return check_case.check(path)


def _first(files: dict[str, bytes], status: str) -> str:
    """The folder of the first round with this status and an outcome."""
    for name in sorted(files):
        if "/verdicts/" in name:
            said = orjson.loads(files[name])
            if said["status"] == status and said["outcome"] is not None and said["bets"]:
                return name.partition("/")[0]
    raise LookupError(status)


def test_a_bundle_that_is_unpacked_beside_something_says_what_to_do(case: bytes, tmp_path: Path) -> None:
    (tmp_path / "case.zip").write_bytes(case)
    with zipfile.ZipFile(tmp_path / "case.zip") as archive:
        archive.extractall(tmp_path)
    run = subprocess.run(
        [sys.executable, "verify.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 1
    assert "case.zip: was not packed" in run.stdout
    assert "the rest is as it was packed: unpack the bundle into an empty folder" in run.stdout


def test_a_forger_who_packs_anew_is_found_out(case: bytes, tmp_path: Path) -> None:
    files = _files(case)
    folder = _first(files, "verified")
    events = f"{folder}/events.jsonl"
    lines, right = _repacked(
        {**files, events: files[events].replace(b'"bet.placed.v1"', b'"bet.placed.v2"', 1)}, tmp_path
    )
    assert not right
    assert any("no event that was sealed" in line for line in lines)
    verdict = next(name for name in files if name.startswith(f"{folder}/verdicts/"))
    lines, right = _repacked({**files, verdict: files[verdict].replace(b'"stake":', b'"stake": ', 1)}, tmp_path)
    assert not right
    assert any("no verdict that was sealed" in line for line in lines)

    proof = orjson.loads(files[f"{folder}/proof.json"])
    strange = Ed25519PrivateKey.generate()
    note = proof["checkpoint"]["note"]
    forged = {
        **proof,
        "checkpoint": {**proof["checkpoint"], "signature": b64encode(strange.sign(note.encode())).decode()},
    }
    lines, right = _repacked({**files, f"{folder}/proof.json": orjson.dumps(forged)}, tmp_path)
    assert not right
    assert any("the checkpoint is forged" in line for line in lines)

    rules = orjson.loads(files[f"{folder}/rules.json"])
    rules["table_of_play"]["natural"] = 3
    rules["points"] = dict.fromkeys(rules["points"], 0)
    rules["ranks"] = rules["ranks"][::-1]
    lines, right = _repacked({**files, f"{folder}/rules.json": orjson.dumps(rules)}, tmp_path)
    assert not right
    assert any("WRONG" in line and folder in line for line in lines)

    assert not check_case.check(tmp_path / "forged.zip", frozenset({"0011223344556677"}))[1]


def test_an_event_that_was_left_out_is_missed_whichever_it_is(case: bytes, tmp_path: Path) -> None:
    files = _files(case)
    folder = _first(files, "flagged")
    alone = {name: content for name, content in files.items() if "/" not in name or name.startswith(folder + "/")}
    events, facts = f"{folder}/events.jsonl", f"{folder}/facts.json"
    assert _repacked(alone, tmp_path)[1]
    said = files[events].splitlines(keepends=True)
    assert len(said) > 10
    for place, line in enumerate(said):
        lines, right = _repacked({**alone, events: b"".join(said[:place] + said[place + 1 :])}, tmp_path)
        assert not right, line
        assert any("rests on an event that is not here" in each for each in lines), lines
    about = f"{folder}/surroundings.jsonl"
    for kind in (b"table.configured.v1", b"shoe.loaded.v1"):
        kept = [line for line in files[about].splitlines(keepends=True) if kind not in line]
        lines, right = _repacked({**alone, about: b"".join(kept)}, tmp_path)
        assert not right
        assert any("that the verdict rests on is not here" in each for each in lines), lines
    rested = orjson.loads(files[facts])
    rested["events"].pop()
    lines, right = _repacked({**alone, events: b"".join(said[:-1]), facts: orjson.dumps(rested)}, tmp_path)
    assert not right
    assert any("facts.json is not what the verdict rests on" in each for each in lines), lines
    lines, right = _repacked({name: content for name, content in alone.items() if name != facts}, tmp_path)
    assert not right
    assert any("whether events are missing cannot be told" in each for each in lines), lines


def test_signatures_are_checked_as_the_library_checks_them() -> None:
    chance = random.Random(4)
    for _ in range(6):
        key = Ed25519PrivateKey.from_private_bytes(chance.randbytes(32))
        public, message = key.public_key().public_bytes_raw(), chance.randbytes(chance.randrange(80))
        signature = key.sign(message)
        assert check_case.signed(public, message, signature)
        place = chance.randrange(64)
        assert not check_case.signed(
            public, message, signature[:place] + bytes([signature[place] ^ 4]) + signature[place + 1 :]
        )
        assert not check_case.signed(public, message + b"x", signature)
    assert not check_case.signed(bytes(31), b"", bytes(64))


def test_it_runs_alone_without_anything_of_ours(case: bytes, tmp_path: Path) -> None:
    folder = tmp_path / "alone"
    for name, data in _files(case).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    (tmp_path / "case.zip").write_bytes(case)
    for arguments in ([], [str(tmp_path / "case.zip")]):
        run = subprocess.run(
            [sys.executable, "-I", "-S", str(folder / "verify.py"), *arguments],
            capture_output=True, text=True, check=False, cwd=tmp_path, timeout=120,
        )  # fmt: skip
        assert run.returncode == 0, run.stdout + run.stderr
        assert run.stdout.endswith("All is right.\n")
    missing = subprocess.run(
        [sys.executable, "-I", str(folder / "verify.py"), "nowhere.zip"], capture_output=True, check=False, timeout=60
    )
    assert missing.returncode == 2


@pytest.mark.parametrize("asked", ["--help", "-h"])
def test_the_check_of_a_bundle_says_how_it_is_used(asked: str) -> None:
    program = Path(check_case.__file__)
    run = subprocess.run(
        [sys.executable, "-I", str(program), asked], capture_output=True, text=True, check=False, timeout=60
    )
    assert run.returncode == 0
    assert run.stdout.startswith("usage: python verify.py [case.zip or folder] [--trust KEY]\n")


def _two_rounds_of_a_shoe(store: Store, folder: Path) -> list[RoundKey]:
    """Rounds of one shoe that draw the same cards, each event in a record of its own, sealed."""
    case = Case().round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)}).round()
    rounds = fill(store, case.lines(), per_record=1)
    assert Sealer(store, ring_in(folder), lambda: NOW).seal() is not None
    return [each.key for each in rounds]


def _delete_events(store: Store, condition: str) -> None:
    store.command(f"ALTER TABLE events DELETE WHERE {condition} SETTINGS mutations_sync = 2")


@pytest.mark.parametrize(
    "gone", ["round = 1 AND type = 'card.drawn.v1'", "type = 'table.configured.v1'", "type = 'shoe.loaded.v1'"]
)
def test_a_bundle_that_its_own_check_would_reject_is_not_made(store: Store, tmp_path: Path, gone: str) -> None:
    first, _ = _two_rounds_of_a_shoe(store, tmp_path)
    _delete_events(store, gone)
    with pytest.raises(NotAsSealed, match="tablewatch replay verify --chain"):
        bundle(store, [first])


@pytest.mark.parametrize("changed", ["signature = reverse(signature)", "note = replaceOne(note, 'time 2', 'time 1')"])
def test_no_bundle_is_made_under_a_checkpoint_that_its_own_check_would_call_forged(
    store: Store, tmp_path: Path, changed: str
) -> None:
    first, _ = _two_rounds_of_a_shoe(store, tmp_path)
    store.command(f"ALTER TABLE checkpoints UPDATE {changed} WHERE 1 SETTINGS mutations_sync = 2")
    with pytest.raises(NotAsSealed, match="is not to be believed: its signature is not that of key") as refused:
        bundle(store, [first])
    assert "tablewatch replay verify --chain" in str(refused.value)


def test_a_round_under_a_key_that_was_made_after_a_loss_is_handed_out(store: Store, tmp_path: Path) -> None:
    ring = ring_in(tmp_path)
    assert Sealer(store, ring, lambda: ARRIVAL).seal() is not None
    (tmp_path / "keys" / f"{ring.known()[0].key_id}.key").unlink()
    after = ring.make("otto")
    rounds = fill(store, Case().round().lines(), per_record=1)
    assert Sealer(store, ring, lambda: NOW).seal() is not None
    path = tmp_path / "case.zip"
    path.write_bytes(bundle(store, [rounds[0].key], own=ring.known()))
    assert any(f"add --trust {after.key_id}" in line for line in check_case.check(path)[0])
    assert check_case.check(path, frozenset({after.key_id}))[1]


def test_a_round_without_a_verdict_is_not_handed_out(store: Store, tmp_path: Path) -> None:
    write_records(store, packed(Case().round().without("round.closed").lines()))
    assert Sealer(store, ring_in(tmp_path), lambda: NOW).seal() is not None
    with pytest.raises(NotSealed, match="there is no verdict on round BT1/S1/1 yet"):
        bundle(store, [RoundKey("BT1", "S1", 1)])


def test_a_round_is_exported_though_event_rows_of_another_are_gone(store: Store, tmp_path: Path) -> None:
    _, second = _two_rounds_of_a_shoe(store, tmp_path)
    _delete_events(store, "round = 1 AND type = 'card.drawn.v1'")
    path = tmp_path / "case.zip"
    path.write_bytes(bundle(store, [second]))
    lines, right = check_case.check(path)
    assert right, lines
