"""What the console has to know of the provider of OpenID Connect that people may sign in with."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from console.auth.roles import ROLES, Role
from streams.loopback import is_loopback

RETURN_PATH = "/sign-in/oidc/return"


class InvalidOidc(ValueError):
    """The settings for signing in with a provider cannot be used: correct them."""


@dataclass(frozen=True, slots=True)
class OidcSettings:
    """Where the provider is, who we are to it, and what its groups are here."""

    issuer: str
    """As the provider calls itself."""
    client_id: str
    client_secret: str
    """Empty: none, PKCE alone."""
    return_address: str
    """Of this console, as browsers reach it, with the path that the provider sends them back to."""
    scope: str
    name_claim: str
    role_claim: str
    """Dots lead into it, e.g. `realm_access.roles`."""
    roles: tuple[tuple[str, Role], ...]
    """Groups and their roles; of somebody who is in several the first one counts."""
    title: str
    """What the provider is called on the sign-in page."""


def oidc_settings(
    *,
    issuer: str,
    client_id: str,
    client_secret: str,
    address: str,
    scope: str,
    name_claim: str,
    role_claim: str,
    roles: str,
    title: str,
) -> OidcSettings | None:
    """The settings from their texts; None without an issuer: people sign in with local passwords alone.

    ``address``: of this console, as browsers reach it; ``roles``: `group=role, group=role`.
    """
    if not issuer:
        return None
    _check_address("TABLEWATCH_OIDC_ISSUER", issuer, "https://login.casino.example")
    _check_address("TABLEWATCH_OIDC_ADDRESS", address, "https://tablewatch.casino.example")
    if not client_id:
        raise InvalidOidc("TABLEWATCH_OIDC_CLIENT_ID is empty: the provider has to know who asks.")
    return OidcSettings(
        issuer=issuer,
        client_id=client_id,
        client_secret=client_secret,
        return_address=address.rstrip("/") + RETURN_PATH,
        scope=scope,
        name_claim=name_claim,
        role_claim=role_claim,
        roles=_roles(roles),
        title=title,
    )


def _check_address(setting: str, text: str, example: str) -> None:
    parts = urlsplit(text)
    if not parts.hostname or parts.query or parts.fragment:
        raise InvalidOidc(f"{setting} must be an address such as {example}, not {text!r}.")
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname)):
        raise InvalidOidc(f"{setting} must begin with https:// unless it is on this machine, not {text!r}.")


def _roles(text: str) -> tuple[tuple[str, Role], ...]:
    found: list[tuple[str, Role]] = []
    for pair in filter(None, (each.strip() for each in text.split(","))):
        group, equals, name = pair.rpartition("=")
        role = next((role for role in ROLES if role == name.strip()), None)
        if not equals or not group.strip() or role is None:
            raise InvalidOidc(
                f"TABLEWATCH_OIDC_ROLES has {pair!r}: write group=role with one of {', '.join(ROLES)}, and commas"
                " between them."
            )
        found.append((group.strip(), role))
    if not found:
        raise InvalidOidc("TABLEWATCH_OIDC_ROLES is empty: nobody who comes from the provider would have a role.")
    return tuple(found)
