"""A local HTTP server that answers as Grafana's published API does, for what installing dashboards asks of it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import orjson

Json = dict[str, Any]
TOKEN = "glsa_right"


@dataclass
class GrafanaServer:
    """What this Grafana has stored, and how it is to misbehave."""

    folders: dict[str, Json] = field(default_factory=dict)
    dashboards: dict[str, Json] = field(default_factory=dict)
    meta: dict[str, Json] = field(default_factory=dict)
    sources: dict[str, Json] = field(default_factory=dict)
    rules: dict[str, Json] = field(default_factory=dict)
    contacts: list[Json] = field(default_factory=list)
    calls: list[tuple[str, str]] = field(default_factory=list)
    """Method and path of everything that was asked."""
    faults: list[int] = field(default_factory=list)
    """Statuses that the next calls get in place of an answer."""
    version_step: int = 1
    forbidden: bool = False
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/grafana"

    @property
    def writes(self) -> list[tuple[str, str]]:
        return [call for call in self.calls if call[0] != "GET"]

    def edit(self, uid: str, by: str = "otto", **changes: Any) -> None:
        """What a person does in the browser: change and save."""
        stored = self.dashboards[uid]
        stored.update(deepcopy(changes))
        stored["version"] += 1
        self.meta[uid]["updatedBy"] = by

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: Any) -> tuple[int, Any]:
        match (method, path.strip("/").split("/")):
            case "GET", ["folders", uid]:
                return _or_404(self.folders.get(uid), "folder not found")
            case "POST", ["folders"]:
                if body["uid"] in self.folders:
                    return 409, {"message": "a folder with the same name already exists"}
                self.folders[body["uid"]] = body
                return 200, body
            case "GET", ["dashboards", "uid", uid]:
                if uid not in self.dashboards:
                    return 404, {"message": "Dashboard not found", "status": "not-found"}
                return 200, {"dashboard": self.dashboards[uid], "meta": self.meta[uid]}
            case "POST", ["dashboards", "db"]:
                return self._save(body)
            case "GET", ["search"]:
                tagged = [uid for uid, each in self.dashboards.items() if query["tag"][0] in each["tags"]]
                return 200, [{"uid": uid, "type": "dash-db"} for uid in tagged]
            case "GET", ["datasources", "uid", uid]:
                return _or_404(self.sources.get(uid), "Data source not found")
            case "POST", ["datasources"]:
                if any(each["name"] == body["name"] for each in self.sources.values()):
                    return 409, {"message": "data source with the same name already exists"}
                self.sources[body["uid"]] = {key: value for key, value in body.items() if key != "secureJsonData"}
                return 200, {"datasource": self.sources[body["uid"]], "message": "Datasource added"}
            case "GET", ["v1", "provisioning", "contact-points"]:
                return 200, [each for each in self.contacts if each["name"] == query["name"][0]]
            case "POST", ["v1", "provisioning", "contact-points"]:
                self.contacts.append(body)
                return 202, body
            case "GET", ["v1", "provisioning", "alert-rules", uid]:
                return _or_404(self.rules.get(uid), "")
            case "POST", ["v1", "provisioning", "alert-rules"]:
                if body["uid"] in self.rules:
                    return 409, {"message": "conflicting alert rule found: rule under the same uid exists"}
                return 201, self._rule(body)
            case "PUT", ["v1", "provisioning", "alert-rules", uid]:
                if uid not in self.rules:
                    return 404, {"message": ""}
                return 200, self._rule(body)
        return 404, {"message": "Not found"}

    def _save(self, body: Json) -> tuple[int, Any]:
        document = body["dashboard"]
        uid = document["uid"]
        if not document.get("title"):
            return 400, {"message": "Dashboard title cannot be empty", "status": "empty-name"}
        if body["folderUid"] not in self.folders:
            return 400, {"message": "folder not found", "status": "not-found"}
        stored = self.dashboards.get(uid)
        if stored is not None and self.meta[uid].get("provisioned"):
            return 400, {"message": "Cannot save provisioned dashboard"}
        if stored is not None and not body["overwrite"] and document.get("version") != stored["version"]:
            said = "The dashboard has been changed by someone else"
            return 412, {"message": said, "status": "version-mismatch"}
        version = 1 if stored is None else stored["version"] + self.version_step
        # Grafana adds what its own pages need to what it stores.
        self.dashboards[uid] = {**document, "id": 7, "version": version, "fiscalYearStartMonth": 0}
        self.meta[uid] = {"provisioned": False, "updatedBy": "sa-tablewatch", "folderUid": body["folderUid"]}
        return 200, {"id": 7, "uid": uid, "status": "success", "version": version, "slug": uid, "url": f"/d/{uid}"}

    def _rule(self, body: Json) -> Json:
        stored = deepcopy(body)
        for query in stored["data"]:
            query["model"] |= {"intervalMs": 1000, "maxDataPoints": 43200}
        self.rules[stored["uid"]] = stored
        return stored


def _or_404(found: Json | None, message: str) -> tuple[int, Any]:
    return (404, {"message": message}) if found is None else (200, found)


@contextmanager
def serving(grafana: GrafanaServer) -> Iterator[GrafanaServer]:
    """The server on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            body = orjson.loads(self.rfile.read(size)) if size else None
            parts = urlsplit(self.path)
            path = parts.path.removeprefix("/grafana/api")
            grafana.calls.append((self.command, path))
            if self.headers.get("Authorization") != f"Bearer {TOKEN}":
                status, answer = 401, {"message": "Invalid API key"}
            elif grafana.forbidden:
                status, answer = 403, {"message": "Access denied"}
            elif grafana.faults:
                status, answer = grafana.faults.pop(0), {"message": "database is locked"}
            else:
                status, answer = grafana.answer(self.command, path, parse_qs(parts.query), body)
            sent = orjson.dumps(answer)
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        do_GET = do_POST = do_PUT = do_DELETE = _answer  # noqa: N815 - the names that the server calls

        def log_message(self, format: str, *args: object) -> None:
            """Tests are quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    grafana.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield grafana
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
