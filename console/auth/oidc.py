"""Signing in with the house's own accounts: OpenID Connect, authorization code with PKCE, state and nonce.

The provider says who somebody is and which groups the person is in; a mapping makes a role of them. Nothing of it is
trusted that is not in an ID token with a good signature of the provider's present keys, made for us, for this sign-in,
and not expired.
"""

import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import requests
from authlib.common.errors import AuthlibBaseError  # type: ignore[import-untyped]  # it has no types
from authlib.integrations.requests_client import OAuth2Session  # type: ignore[import-untyped]  # as above
from authlib.oidc.core import CodeIDToken  # type: ignore[import-untyped]  # as above
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from console.auth.oidc_settings import OidcSettings
from console.auth.roles import Role

logger = logging.getLogger(__name__)

ALGORITHMS: Final = ("RS256", "PS256", "ES256", "EdDSA")
"""Signatures by a key that the provider alone has; neither none nor a secret that we know too."""
BEGUN_SECONDS: Final = 10 * 60
"""So long somebody may take at the provider."""
MOST_BEGUN: Final = 1_000
KNOWN_SECONDS: Final = 3600
"""So long what the provider says about itself is believed."""
LEEWAY_SECONDS: Final = 60
"""How far two clocks may be apart."""
ASK_SECONDS: Final = 10.0


class OidcRefused(Exception):
    """Nobody is signed in; the reason is for the log."""


class ProviderAway(Exception):
    """The provider does not answer, or not as it should: local passwords still work."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A sign-in that somebody has begun at the provider."""

    nonce: str
    verifier: str
    until: float


@dataclass(frozen=True, slots=True)
class Outsider:
    """Somebody whom the provider vouches for."""

    issuer: str
    subject: str
    """Never given to another person by this issuer."""
    name: str
    role: Role


class Provider:
    """The provider of the house. Its methods ask over the network: call them beside the event loop."""

    def __init__(self, settings: OidcSettings, clock: Callable[[], float] = time.time) -> None:
        self.settings = settings
        self._clock = clock
        self._lock = threading.Lock()
        self._begun: dict[str, Begun] = {}
        self._about: dict[str, Any] = {}
        self._keys: KeySet | None = None
        self._asked = 0.0

    def begin(self) -> tuple[str, str]:
        """Where to send the browser, and the state that it must bring back."""
        about = self._metadata()
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        with self._session() as session:
            address, _ = session.create_authorization_url(
                about["authorization_endpoint"], state=state, nonce=nonce, code_verifier=verifier
            )
        now = self._clock()
        with self._lock:
            self._begun = {name: each for name, each in self._begun.items() if each.until > now}
            while len(self._begun) >= MOST_BEGUN:
                del self._begun[next(iter(self._begun))]
            self._begun[state] = Begun(nonce, verifier, now + BEGUN_SECONDS)
        return str(address), state

    def finish(self, state: str, code: str) -> Outsider:
        """Who came back with this code; every sign-in can be finished once."""
        with self._lock:
            begun = self._begun.pop(state, None)
        if begun is None or begun.until <= self._clock():
            raise OidcRefused("the sign-in was not begun here, or too long ago")
        about = self._metadata()
        try:
            with self._session() as session:
                token = session.fetch_token(
                    about["token_endpoint"], code=code, code_verifier=begun.verifier, timeout=ASK_SECONDS
                )
        except AuthlibBaseError as error:
            raise OidcRefused(f"the provider refused the code: {error}") from error
        except requests.RequestException as error:
            raise ProviderAway(f"the provider gave no token: {error}") from error
        return self._outsider(self._claims(token, begun.nonce))

    def _claims(self, token: Mapping[str, Any], nonce: str) -> Mapping[str, Any]:
        text = token.get("id_token")
        if not isinstance(text, str):
            raise OidcRefused("the provider gave no ID token")
        settings = self.settings
        try:
            decoded = self._decoded(text)
            claims = CodeIDToken(
                decoded.claims,
                decoded.header,
                options={
                    "iss": {"essential": True, "value": settings.issuer},
                    "aud": {"essential": True, "value": settings.client_id},
                    "nonce": {"essential": True, "value": nonce},
                },
                params={
                    "nonce": nonce,
                    "client_id": settings.client_id,
                    "access_token": token.get("access_token"),
                },
            )
            claims.validate(now=int(self._clock()), leeway=LEEWAY_SECONDS)
        except (JoseError, ValueError) as error:
            raise OidcRefused(f"the ID token is not good: {error}") from error
        return dict(claims)

    def _decoded(self, text: str) -> jwt.Token:
        try:
            return jwt.decode(text, self._key_set(), algorithms=list(ALGORITHMS))
        except (JoseError, ValueError):
            # The provider may have changed its keys since; asked anew once, the answer stands.
            return jwt.decode(text, self._key_set(anew=True), algorithms=list(ALGORITHMS))

    def _outsider(self, claims: Mapping[str, Any]) -> Outsider:
        settings = self.settings
        name = claims.get(settings.name_claim)
        if not isinstance(name, str):
            raise OidcRefused(f"the claim {settings.name_claim} names nobody")
        groups = _named(claims, settings.role_claim)
        role = next((role for group, role in settings.roles if group in groups), None)
        if role is None:
            raise OidcRefused(f"no group of {name!r} in {settings.role_claim} has a role here")
        return Outsider(settings.issuer, str(claims["sub"]), name.strip().lower(), role)

    def _session(self) -> OAuth2Session:
        settings = self.settings
        return OAuth2Session(
            client_id=settings.client_id,
            client_secret=settings.client_secret or None,
            token_endpoint_auth_method="client_secret_basic" if settings.client_secret else "none",
            scope=settings.scope,
            redirect_uri=settings.return_address,
            code_challenge_method="S256",
        )

    def _metadata(self) -> dict[str, Any]:
        with self._lock:
            if self._about and self._clock() < self._asked + KNOWN_SECONDS:
                return self._about
        about = _ask(f"{self.settings.issuer.rstrip('/')}/.well-known/openid-configuration")
        if about.get("issuer") != self.settings.issuer:
            raise ProviderAway("the provider calls itself otherwise than TABLEWATCH_OIDC_ISSUER")
        for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
            if not isinstance(about.get(name), str):
                raise ProviderAway(f"the provider does not tell its {name}")
        with self._lock:
            self._about, self._asked, self._keys = about, self._clock(), None
        return about

    def _key_set(self, *, anew: bool = False) -> KeySet:
        with self._lock:
            keys = None if anew else self._keys
        if keys is None:
            address = self._metadata()["jwks_uri"]
            try:
                keys = KeySet.import_key_set(_ask(address))  # type: ignore[arg-type]  # checked by it
            except (JoseError, ValueError, KeyError, TypeError) as error:
                raise ProviderAway(f"the keys of the provider cannot be read: {error}") from error
            with self._lock:
                self._keys = keys
        return keys


def _ask(address: str) -> dict[str, Any]:
    try:
        answer = requests.get(address, timeout=ASK_SECONDS, allow_redirects=False)
        answer.raise_for_status()
        content = answer.json()
    except (requests.RequestException, ValueError) as error:
        raise ProviderAway(f"{address} cannot be read: {error}") from error
    if answer.status_code != requests.codes.ok or not isinstance(content, dict):
        raise ProviderAway(f"{address} does not answer as it should")
    return content


def _named(claims: Mapping[str, Any], path: str) -> frozenset[str]:
    """What a claim names: a text or a list of them, at the place that dots lead to, e.g. `realm_access.roles`."""
    found: Any = claims.get(path)
    if found is None:
        found = claims
        for part in path.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
    if isinstance(found, str):
        return frozenset({found})
    return frozenset(each for each in found if isinstance(each, str)) if isinstance(found, list) else frozenset()
