"""Grafana over HTTP: the calls that installing needs, and errors named by what to do next.

grafana-api knows folders and dashboards; where it is too old (data sources by uid, alerting) its plain calls are used.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar
from urllib.parse import quote, urlsplit

import requests
from grafana_api.grafana_api import GrafanaClientError, GrafanaServerError, GrafanaUnauthorizedError
from grafana_api.grafana_face import GrafanaFace

NOT_THERE: Final = 404
FORBIDDEN: Final = 403
CHANGED: Final = 412
ATTEMPTS: Final = 3

Json = dict[str, Any]
_Answer = TypeVar("_Answer")


class GrafanaError(Exception):
    """Grafana did not do what was asked."""


class WrongUrl(GrafanaError):
    """No address of a Grafana: correct it."""


class TokenRefused(GrafanaError):
    """The token is wrong, or may not do this: use another."""


class GrafanaUnavailable(GrafanaError):
    """Grafana does not answer, or has a fault of its own: try again later."""


class ChangedMeanwhile(GrafanaError):
    """Somebody else saved it between our reading and our writing: look again."""


class Refused(GrafanaError):
    """Grafana does not accept what was sent."""


class Grafana:
    """One Grafana, and the token to act with."""

    def __init__(self, url: str, token: str, *, seconds: float = 10.0, pause: float = 1.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise WrongUrl(f"{url!r} is no address of a Grafana; write http://host:3000 or https://host/grafana")
        path = parts.path.strip("/")
        self.url = url.rstrip("/")
        self._pause = pause
        self._face = GrafanaFace(
            token,
            host=parts.netloc.rpartition("@")[2],
            protocol=parts.scheme,
            url_path_prefix=f"{path}/" if path else "",
            timeout=seconds,
        )

    def folder(self, uid: str) -> Json | None:
        """A folder, or None."""
        return self._found(lambda: self._face.folder.get_folder(quote(uid)))

    def create_folder(self, uid: str, title: str) -> None:
        """Makes a folder."""
        self._done(lambda: self._face.folder.create_folder(title, uid))

    def dashboard(self, uid: str) -> Json | None:
        """A dashboard as stored, with what Grafana knows about it in `meta`; or None."""
        return self._found(lambda: self._face.dashboard.get_dashboard(quote(uid)))

    def save_dashboard(self, dashboard: Mapping[str, Any], folder: str, message: str, *, overwrite: bool) -> int:
        """Saves a dashboard, tells its version now. Without ``overwrite`` its version must be the stored one."""
        body = {"dashboard": dashboard, "folderUid": folder, "message": message, "overwrite": overwrite}
        return int(self._done(lambda: self._face.dashboard.update_dashboard(body))["version"])

    def tagged(self, tag: str) -> list[str]:
        """The uids of all dashboards with a tag."""
        found = self._done(lambda: self._face.api.GET(f"/search?type=dash-db&limit=5000&tag={quote(tag)}"))
        return [each["uid"] for each in found]

    def data_source(self, uid: str) -> Json | None:
        """A data source, or None."""
        return self._found(lambda: self._face.api.GET(f"/datasources/uid/{quote(uid)}"))

    def create_data_source(self, source: Mapping[str, Any]) -> None:
        """Makes a data source."""
        self._done(lambda: self._face.datasource.create_datasource(dict(source)))

    def rule(self, uid: str) -> Json | None:
        """An alert rule, or None."""
        return self._found(lambda: self._face.api.GET(f"/v1/provisioning/alert-rules/{quote(uid)}"))

    def create_rule(self, rule: Mapping[str, Any]) -> None:
        """Makes an alert rule that people may change in Grafana."""
        self._done(lambda: self._face.api.POST("/v1/provisioning/alert-rules", json=rule, headers=_EDITABLE))

    def update_rule(self, rule: Mapping[str, Any]) -> None:
        """Replaces an alert rule."""
        path = f"/v1/provisioning/alert-rules/{quote(rule['uid'])}"
        self._done(lambda: self._face.api.PUT(path, json=rule, headers=_EDITABLE))

    def contact_points(self, name: str) -> list[Json]:
        """Contact points of that name."""
        found = self._done(lambda: self._face.api.GET(f"/v1/provisioning/contact-points?name={quote(name)}"))
        return list(found)

    def create_contact_point(self, contact: Mapping[str, Any]) -> None:
        """Makes a contact point that people may change in Grafana."""
        self._done(lambda: self._face.api.POST("/v1/provisioning/contact-points", json=contact, headers=_EDITABLE))

    def _found(self, call: Callable[[], _Answer]) -> _Answer | None:
        try:
            return self._done(call)
        except _NotThere:
            return None

    def _done(self, call: Callable[[], _Answer]) -> _Answer:
        """Every call may be repeated: writing either names the version that it replaces, or what is there already."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._answer(call)
            except GrafanaUnavailable:
                if attempt == ATTEMPTS:
                    raise
                time.sleep(self._pause * attempt)
        raise AssertionError("the last attempt answers or raises")

    def _answer(self, call: Callable[[], _Answer]) -> _Answer:
        try:
            return call()
        except GrafanaUnauthorizedError as error:
            raise TokenRefused(f"{self.url} does not know this token: make one for a service account.") from error
        except GrafanaServerError as error:
            raise GrafanaUnavailable(f"{self.url} has a fault of its own: {error.message}") from error
        except GrafanaClientError as error:
            if error.status_code == NOT_THERE:
                raise _NotThere(f"{self.url} knows no such thing ({error.message}): is it a Grafana?") from error
            if error.status_code == CHANGED:
                raise ChangedMeanwhile(error.message) from error
            if error.status_code == FORBIDDEN:
                raise TokenRefused(f"{self.url}: the token may not do this; it needs the role Admin.") from error
            raise Refused(f"{self.url} refuses: {error.message}") from error
        except (requests.ConnectionError, requests.Timeout) as error:
            raise GrafanaUnavailable(f"{self.url} does not answer.") from error
        except requests.RequestException as error:
            raise GrafanaUnavailable(f"{self.url} answers what is no JSON: is it a Grafana?") from error


class _NotThere(GrafanaError):
    """There is nothing of that name."""


_EDITABLE: Final = {"X-Disable-Provenance": "true"}
"""What is made so may be changed in Grafana's own pages."""
