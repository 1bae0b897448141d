"""Signing in with a provider: the good way in, and every forged, late or foreign token out."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import orjson
import pytest
from joserfc.jwk import ECKey, OctKey

from console.auth.oidc import Provider, ProviderAway
from console.auth.oidc_settings import InvalidOidc, OidcSettings, oidc_settings
from streams.broker_url import EmbeddedLog
from tests.console.house import NOWHERE, PASSWORD, ConsoleServer, console_server, impatient
from tests.console.oidc_provider import CLIENT, SECRET, SmallProvider, small_provider

pytestmark = pytest.mark.xdist_group("console")

_NUMBERS = count(1)
ROLES = "floor-audit=auditor, floor-admin=administrator"


def settings(issuer: str, address: str, /, **other: str) -> OidcSettings:
    found = oidc_settings(
        **{
            "issuer": issuer,
            "client_id": CLIENT,
            "client_secret": SECRET,
            "address": address,
            "scope": "openid profile",
            "name_claim": "preferred_username",
            "role_claim": "groups",
            "roles": ROLES,
            "title": "the house",
            **other,
        }
    )
    assert found is not None
    return found


@contextmanager
def console_with(provider: SmallProvider, folder: Path, **other: str) -> Iterator[ConsoleServer]:
    """A console that knows this provider, without broker and store."""

    def made(url: str) -> Provider:
        return Provider(settings(provider.issuer, url, **other))

    with console_server(folder, EmbeddedLog(folder / "no log"), impatient(NOWHERE), oidc=made) as server:
        yield server


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SmallProvider, ConsoleServer]]:
    """A provider and a console that knows it, for all tests: each signs in somebody of its own."""
    with small_provider() as provider, console_with(provider, tmp_path_factory.mktemp("oidc")) as house:
        yield provider, house


@pytest.fixture
def house(site: tuple[SmallProvider, ConsoleServer]) -> ConsoleServer:
    return site[1]


@pytest.fixture
def provider(site: tuple[SmallProvider, ConsoleServer]) -> Iterator[SmallProvider]:
    """The provider, at which somebody new is signed in."""
    provider, _ = site
    kept = dict(vars(provider))
    name = f"mei{next(_NUMBERS)}"
    provider.claims = {"sub": name, "preferred_username": name.title(), "groups": ["floor-audit"]}
    yield provider
    vars(provider).update(kept)


def led_back(client: httpx.Client) -> str:
    """Begin, and go by the provider: the address that it leads back to."""
    begun = client.get("/sign-in/oidc")
    assert begun.status_code == 303
    return httpx.get(begun.headers["location"]).headers["location"]


def signed_in_by(house: ConsoleServer) -> tuple[httpx.Response, httpx.Client]:
    client = httpx.Client(base_url=house.url)
    return client.get(led_back(client)), client


def refusals(house: ConsoleServer) -> list[str]:
    """Why people were refused, as the access log has it."""
    with house.parts.access._database.using() as db:
        entries = [orjson.loads(row[0]) for row in db.execute("SELECT entry FROM access_spool ORDER BY number")]
    return [each["detail"]["reason"] for each in entries if each["action"] == "sign-in refused"]


def test_whom_the_provider_vouches_for_is_signed_in_with_the_role_of_the_group(
    house: ConsoleServer, provider: SmallProvider
) -> None:
    answer, client = signed_in_by(house)
    assert answer.status_code == 200
    assert f"Signed in as {provider.claims['sub']}" in answer.text
    who = client.get("/api/v1/session").json()
    assert (who["name"], who["role"]) == (provider.claims["sub"], "auditor")
    strict = [each for each in answer.headers.get_list("set-cookie") if each.startswith("tablewatch=")]
    assert "HttpOnly" in strict[0]
    assert "samesite=strict" in strict[0].lower()


def test_the_role_follows_the_groups_and_the_person_stays_the_same(
    house: ConsoleServer, provider: SmallProvider
) -> None:
    signed_in_by(house)
    provider.claims |= {"preferred_username": "mei.married", "groups": ["staff", "floor-admin"]}
    _, client = signed_in_by(house)
    who = client.get("/api/v1/session").json()
    assert (who["name"], who["role"]) == (provider.claims["sub"], "administrator")
    listed = {each["name"]: each["own_password"] for each in client.get("/api/v1/people").json()}
    assert listed[who["name"]] is False


def test_of_several_groups_the_first_of_the_mapping_counts(house: ConsoleServer, provider: SmallProvider) -> None:
    provider.claims["groups"] = ["floor-admin", "floor-audit"]
    _, client = signed_in_by(house)
    assert client.get("/api/v1/session").json()["role"] == "auditor"


@pytest.mark.parametrize(
    ("claims", "path", "role"),
    [
        ({"realm_access": {"roles": "floor-admin"}}, "realm_access.roles", "administrator"),
        ({"https://casino.example/groups": ["floor-audit"]}, "https://casino.example/groups", "auditor"),
    ],
)
def test_groups_may_lie_deeper_in_the_token_or_under_an_address(claims: dict[str, Any], path: str, role: str) -> None:
    asked = Provider(settings("https://login.example", "https://tablewatch.example", role_claim=path))
    outsider = asked._outsider({"sub": "1", "preferred_username": "mei", **claims})
    assert outsider.role == role


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"nonce": "of another sign-in"}, "nonce"),
        ({"nonce": None}, "nonce"),
        ({"exp": int(time.time()) - 3600, "iat": int(time.time()) - 7200}, "expired"),
        ({"iss": "https://elsewhere.example"}, "iss"),
        ({"aud": "another-client"}, "aud"),
        ({"groups": ["kitchen"]}, "has a role here"),
        ({"groups": None}, "has a role here"),
        ({"groups": {"floor-audit": True}}, "has a role here"),
        ({"preferred_username": None}, "names nobody"),
        ({"preferred_username": "Rosa.B@casino.example"}, "'rosa.b@casino.example' is no name here"),
        ({"preferred_username": "<script>"}, "is no name here"),
        ({"preferred_username": "auditor"}, "is there already"),
    ],
)
def test_a_token_that_is_not_for_this_sign_in_signs_nobody_in(
    house: ConsoleServer, provider: SmallProvider, claims: dict[str, Any], reason: str
) -> None:
    provider.claims |= claims
    answer, client = signed_in_by(house)
    assert answer.status_code == 403
    # Whoever is refused is not told why; the log is.
    assert reason not in answer.text
    assert reason in refusals(house)[-1]
    assert client.get("/api/v1/session").status_code == 401


def test_a_forged_signature_signs_nobody_in(house: ConsoleServer, provider: SmallProvider) -> None:
    provider.signs_with = ECKey.generate_key("P-256", {"kid": "first"})
    answer, client = signed_in_by(house)
    assert answer.status_code == 403
    assert "ID token is not good" in refusals(house)[-1]
    assert client.get("/api/v1/session").status_code == 401


def test_a_token_signed_with_a_secret_that_both_know_signs_nobody_in(
    house: ConsoleServer, provider: SmallProvider
) -> None:
    provider.algorithm = "HS256"
    provider.signs_with = OctKey.import_key(SECRET * 3)
    assert signed_in_by(house)[0].status_code == 403


def test_keys_that_the_provider_has_changed_are_asked_for_anew(house: ConsoleServer, provider: SmallProvider) -> None:
    signed_in_by(house)
    provider.key = ECKey.generate_key("P-256", {"kid": "second", "use": "sig"})
    answer, _ = signed_in_by(house)
    assert answer.status_code == 200


def test_a_sign_in_is_finished_once_and_by_the_browser_that_began_it(
    house: ConsoleServer, provider: SmallProvider
) -> None:
    victim, thief = httpx.Client(base_url=house.url), httpx.Client(base_url=house.url)
    back = led_back(victim)
    assert thief.get(back).status_code == 403
    assert "has not begun" in refusals(house)[-1]
    assert victim.get(back).status_code == 200
    assert victim.get(back).status_code == 403


def test_what_the_provider_refuses_is_refused(house: ConsoleServer, provider: SmallProvider) -> None:
    client = httpx.Client(base_url=house.url)
    state = urlsplit(led_back(client)).query.partition("state=")[2]
    assert client.get("/sign-in/oidc/return", params={"state": state, "error": "access_denied"}).status_code == 403
    assert client.get("/sign-in/oidc/return", params={"state": state, "code": "made up"}).status_code == 403
    assert "refused the code" in refusals(house)[-1]


def test_somebody_disabled_here_is_not_let_in_by_the_provider(house: ConsoleServer, provider: SmallProvider) -> None:
    signed_in_by(house)
    house.parts.people.disable(provider.claims["sub"])
    answer, client = signed_in_by(house)
    assert answer.status_code == 403
    assert client.get("/api/v1/session").status_code == 401


def test_whom_the_provider_lets_in_no_password_does(house: ConsoleServer, provider: SmallProvider) -> None:
    """Somebody who has lost the group there would come in by a password that was given here."""
    signed_in_by(house)
    name = provider.claims["sub"]
    house.parts.people.change_password(name, PASSWORD)
    answer = httpx.post(f"{house.url}/api/v1/session", json={"name": name, "password": PASSWORD})
    assert answer.status_code == 401
    assert refusals(house)[-1] == "the provider lets this person in, and no password"


def test_local_passwords_work_beside_it(house: ConsoleServer) -> None:
    client = httpx.Client(base_url=house.url)
    assert client.get("/api/v1/sign-in").json() == {"provider": "the house"}
    assert client.post("/api/v1/session", json={"name": "auditor", "password": PASSWORD}).status_code == 200


def test_a_provider_that_calls_itself_otherwise_is_not_used(provider: SmallProvider) -> None:
    asked = Provider(settings(provider.issuer, "https://tablewatch.example"))
    provider.issuer = "https://elsewhere.example"
    with pytest.raises(ProviderAway, match="calls itself otherwise"):
        asked.begin()


def test_a_provider_that_is_away_is_said_and_nobody_waits_for_it() -> None:
    with pytest.raises(ProviderAway, match="cannot be read"):
        Provider(settings("http://127.0.0.1:9", "https://tablewatch.example")).begin()


def test_without_a_provider_there_is_none(console: ConsoleServer) -> None:
    client = httpx.Client(base_url=console.url)
    assert client.get("/api/v1/sign-in").json() == {"provider": None}
    assert client.get("/sign-in/oidc").status_code == 404
    assert client.get("/sign-in/oidc/return", params={"state": "x", "code": "y"}).status_code == 404


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"issuer": "http://login.casino.example"}, "https://"),
        ({"issuer": "login.casino.example"}, "must be an address"),
        ({"address": ""}, "TABLEWATCH_OIDC_ADDRESS"),
        ({"client_id": ""}, "TABLEWATCH_OIDC_CLIENT_ID"),
        ({"roles": ""}, "TABLEWATCH_OIDC_ROLES is empty"),
        ({"roles": "floor-audit=king"}, "group=role"),
        ({"roles": "auditor"}, "group=role"),
    ],
)
def test_settings_that_cannot_be_used_are_said(wrong: dict[str, str], words: str) -> None:
    with pytest.raises(InvalidOidc, match=words):
        settings("https://login.casino.example", "https://tablewatch.casino.example", **wrong)
