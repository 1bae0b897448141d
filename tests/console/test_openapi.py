"""The description of the API: every route in it is typed, and no request made up from it is a fault of the server."""

from contextlib import ExitStack
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok

from console.auth.roles import ROLES
from console.server.rights import RIGHTS
from tests.console.house import ConsoleServer

pytestmark = pytest.mark.xdist_group("console")

LEFT_OUT = {"DELETE /api/v1/session", "PUT /api/v1/session/password", "POST /api/v1/session"}
"""They would sign the role out; they have tests of their own."""


def described(console: ConsoleServer) -> dict[str, Any]:
    with console.client("auditor") as client:
        found: dict[str, Any] = client.get("/openapi.json").json()
    return found


def test_every_route_of_the_api_is_described(console: ConsoleServer) -> None:
    told = described(console)
    paths = {f"{method.upper()} {path}" for path, methods in told["paths"].items() for method in methods}
    expected = {
        route.replace("{shoe:path}", "{shoe}").replace("{round:int}", "{round}")
        for route in RIGHTS
        if "/api/v1/" in route
    }
    assert {path.replace("{shoe:path}", "{shoe}").replace("{round:int}", "{round}") for path in paths} == expected


def test_every_answer_has_a_type(console: ConsoleServer) -> None:
    for path, methods in described(console)["paths"].items():
        for method, operation in methods.items():
            good = next(answer for status, answer in operation["responses"].items() if status.startswith("2"))
            if good.get("content", {}).get("application/json"):
                assert good["content"]["application/json"]["schema"] != {}, f"{method} {path}"
            assert operation["summary"]
            assert "application/problem+json" in operation["responses"]["403"]["content"]


def test_whatever_is_asked_by_whomever_is_no_fault_of_the_server(console: ConsoleServer) -> None:
    schema = schemathesis.openapi.from_dict(described(console))
    with ExitStack() as stack:
        clients = [stack.enter_context(console.client(role)) for role in ROLES]
        headers = [
            {"Cookie": f"tablewatch={client.cookies['tablewatch']}", "X-CSRF-Token": client.headers["X-CSRF-Token"]}
            for client in clients
        ]
        for result in schema.get_all_operations():
            assert isinstance(result, Ok), result
            operation = result.ok()
            name = f"{operation.method.upper()} {operation.path}"
            if name in LEFT_OUT or operation.path.endswith("/stream"):
                continue
            _ask(operation, console.url, headers)


def _ask(operation: Any, url: str, headers: list[dict[str, str]]) -> None:
    """Make questions up, and put each as every role: to make one up takes longer than to ask it."""

    @settings(
        max_examples=6, deadline=None, database=None, derandomize=True, phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=operation.as_strategy())
    def asked(case: Any) -> None:
        for role in headers:
            answer = case.call(base_url=url, headers=role, timeout=30)
            case.validate_response(answer, checks=[not_a_server_error])

    asked()


@given(raw=st.binary(max_size=200))
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_bytes_in_place_of_a_body_are_refused(console: ConsoleServer, raw: bytes) -> None:
    with httpx.Client(base_url=console.url) as client:
        answer = client.post("/api/v1/session", content=raw, headers={"Content-Type": "application/json"})
    assert answer.status_code in (401, 422, 400)
    assert answer.headers["content-type"] == "application/problem+json"
