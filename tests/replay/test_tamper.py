"""Alterations of chained rows at random: every one is found, and none is blamed on another row."""

import random
from pathlib import Path

from typer.testing import CliRunner

from replay.chain.exported import examine, export_rows
from replay.chain.seal import Sealer
from replay.chain.verify import verify_chain
from store.connect import Store, connect
from store.embedded.process import EmbeddedClickHouse
from store.migrate import migrate
from store.rows.proof import AccessEntry
from store.write.proof import write_access
from store.write.verdicts import write_verdicts
from tablewatch.command import app
from tests.replay.alterations import altered
from tests.replay.evidence import LATER, ring_in, sealed_evening
from tests.store.contents import merge_all
from tests.store.floor import LONG, judged


def test_random_alterations_of_exported_rows_are_all_found_and_none_is_blamed_on_another(
    store: Store, tmp_path: Path
) -> None:
    ring = ring_in(tmp_path)
    sealed_evening(store, ring)
    write_verdicts(store, [judged("BT1", number=number, revision=2, at=LATER - 5) for number in (1, 2)])
    assert Sealer(store, ring, lambda: LATER).seal() is not None
    looks = [
        AccessEntry(id=f"x{number}", at=(LATER + number) * 1000, who="otto", role="", action="replay")
        for number in range(4)
    ]
    write_access(store, looks)
    assert Sealer(store, ring, lambda: LATER + 3_600_000).seal() is not None
    exported = export_rows(store)
    assert examine(exported) == []
    assert len(exported.checkpoints) == 3
    chance = random.Random(1)
    done = set()
    for number in range(400):
        name, changed, said = altered(exported, chance)
        done.add(name)
        found = {(each.what, each.kind, each.key) for each in examine(changed)}
        assert found == said, (number, name)
    assert len(done) == 10


def test_bytes_flipped_on_disk_are_told_with_the_part_that_they_are_in(tmp_path: Path) -> None:
    folder = tmp_path / "clickhouse"
    with EmbeddedClickHouse(folder) as server:
        store = connect(server.url)
        migrate(store, LONG)
        sealed_evening(store, ring_in(tmp_path))
        merge_all(store)
        assert verify_chain(store).tampering == []
        ((path, name),) = store.query(
            "SELECT path, name FROM system.parts WHERE table = 'verdicts' AND active AND database = currentDatabase()"
        )
        store.close()
    part = folder / path if not Path(path).is_absolute() else Path(path)
    data = max((file for file in part.iterdir() if file.suffix == ".bin"), key=lambda file: file.stat().st_size)
    content = bytearray(data.read_bytes())
    content[len(content) // 2] ^= 0x10
    data.write_bytes(content)
    with EmbeddedClickHouse(folder) as server:
        store = connect(server.url)
        told = verify_chain(store).tampering
        store.close()
        asked = CliRunner().invoke(app, ["replay", "verify"], env={"TABLEWATCH_CLICKHOUSE_URL": server.url})
    assert asked.exit_code == 3
    assert asked.stderr.startswith("The store cannot be used: a part of it cannot be read, since bytes on disk are not")
    assert "run: tablewatch replay verify --chain, which names the part" in asked.stderr
    assert [(each.what, each.kind, each.key) for each in told] == [("changed", "part", f"verdicts/{name}")]
