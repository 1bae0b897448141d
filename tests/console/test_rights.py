"""Who may use what: every route says it in one table, nobody gets 401 and another role 403."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fastapi.routing import APIRoute

from console.auth.roles import ROLES, Role
from console.server.rights import RIGHTS
from tests.console.house import ConsoleServer

pytestmark = pytest.mark.xdist_group("console")

SAMPLES = {
    "table": "BT01",
    "shoe:path": "BT01-00001",
    "shoe": "BT01-00001",
    "round:int": "1",
    "round": "1",
    "alert": "0" * 32,
    "name": "nobody.js",
}


def routes(console: ConsoleServer) -> Iterator[str]:
    """Every route of the running console, as the table of rights names it."""
    app: Any = console._server.config.app
    waiting = list(app.routes)
    while waiting:
        route = waiting.pop()
        # FastAPI keeps the routes of an included router either beside its own or behind the router.
        inner = getattr(route, "original_router", None)
        if inner is not None:
            waiting += inner.routes
        elif isinstance(route, APIRoute):
            yield from (f"{method} {route.path}" for method in (route.methods or set()) - {"HEAD"})


def asked(client: httpx.Client, route: str) -> httpx.Response:
    method, path = route.split(" ")
    for name, value in SAMPLES.items():
        path = path.replace("{" + name + "}", value)
    if path.endswith("/stream"):
        with client.stream(method, path) as answer:
            return answer
    body: dict[str, str] | None = {} if method in ("POST", "PUT", "PATCH") else None
    return client.request(method, path, json=body)


def test_every_route_says_who_may_use_it(console: ConsoleServer) -> None:
    assert set(routes(console)) == set(RIGHTS)


@pytest.mark.parametrize("route", sorted(route for route, roles in RIGHTS.items() if roles is not None))
def test_nobody_gets_401(console: ConsoleServer, route: str) -> None:
    with console.client(None) as nobody:
        assert asked(nobody, route).status_code == 401


@pytest.mark.parametrize("route", sorted(route for route, roles in RIGHTS.items() if roles is not None))
def test_a_role_gets_403_unless_the_route_is_for_it(console: ConsoleServer, route: str) -> None:
    allowed = RIGHTS[route]
    assert allowed is not None
    for role in ROLES:
        if route == "DELETE /api/v1/session" and role in allowed:
            continue
        with console.client(role) as somebody:
            refused = asked(somebody, route).status_code == 403
        assert refused == (role not in allowed), role


@pytest.mark.parametrize("route", sorted(route for route, roles in RIGHTS.items() if roles is None))
def test_what_is_open_needs_no_session(console: ConsoleServer, route: str) -> None:
    with console.client(None) as nobody:
        assert asked(nobody, route).status_code not in (401, 403, 500)


@pytest.mark.parametrize("role", ROLES)
def test_a_page_asked_for_by_a_browser_without_session_is_the_sign_in_page(console: ConsoleServer, role: Role) -> None:
    with console.client(None) as nobody:
        answer = nobody.get("/desk", headers={"Accept": "text/html"})
    assert answer.status_code == 401
    assert 'id="sign-in"' in answer.text
    assert "/static/" not in answer.text
    with console.client(role) as somebody:
        assert "/static/app.js" in somebody.get("/desk", headers={"Accept": "text/html"}).text
