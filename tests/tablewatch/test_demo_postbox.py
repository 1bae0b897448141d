"""The demo's postbox: its messages are kept, and so is what was changed of whom it tells."""

import socket
from pathlib import Path
from urllib.request import Request, urlopen

import orjson

from tablewatch.commands.demo_postbox import Postbox


def _routes(folder: Path) -> Path:
    return folder / "alert-routes.toml"


def _port(folder: Path) -> int:
    return int(_routes(folder).read_text().partition("127.0.0.1:")[2].partition("/")[0])


def _told(folder: Path, person: str) -> list[str]:
    body = orjson.dumps({"title": "An alert", "message": "Look at BT01."})
    with urlopen(Request(f"http://127.0.0.1:{_port(folder)}/{person}", body)) as answer:  # our own, on loopback
        assert answer.status == 200
    return [orjson.loads(line)["to"] for line in (folder / "messages.log").read_bytes().splitlines()]


def test_whom_the_demo_tells_holds_when_it_is_started_again(tmp_path: Path) -> None:
    with Postbox(tmp_path):
        assert _told(tmp_path, "mei") == ["mei"]
    changed = _routes(tmp_path).read_text().replace('after = "3m"', 'after = "1m"')
    _routes(tmp_path).write_text(changed)
    with Postbox(tmp_path):
        assert _routes(tmp_path).read_text() == changed
        assert _told(tmp_path, "tan") == ["mei", "tan"]


def test_where_its_port_is_another_s_now_only_the_port_changes(tmp_path: Path) -> None:
    with Postbox(tmp_path):
        before = _port(tmp_path)
    changed = _routes(tmp_path).read_text().replace('after = "3m"', 'after = "1m"')
    _routes(tmp_path).write_text(changed)
    with socket.create_server(("127.0.0.1", before)), Postbox(tmp_path):
        now = _port(tmp_path)
        assert now != before
        assert _routes(tmp_path).read_text() == changed.replace(str(before), str(now))
        assert _told(tmp_path, "mei") == ["mei"]
