"""A small provider of OpenID Connect: discovery, authorization code with PKCE, signed ID tokens, its keys."""

import base64
import hashlib
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import orjson
from joserfc import jwt
from joserfc.jwk import ECKey, OctKey

CLIENT = "tablewatch"
SECRET = "between the two of us"


@dataclass
class SmallProvider:
    """Whoever comes is signed in as ``claims`` say; what a test puts wrong is wrong."""

    issuer: str = ""
    key: ECKey = field(default_factory=lambda: ECKey.generate_key("P-256", {"kid": "first", "use": "sig"}))
    signs_with: ECKey | OctKey | None = None
    """Another key than the one that it publishes."""
    claims: dict[str, Any] = field(default_factory=lambda: {"preferred_username": "Mei", "groups": ["floor-audit"]})
    """Beside those that every token has, or in their place."""
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    algorithm: str = "ES256"

    def answer(self, path: str, query: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        """To a GET."""
        if path == "/.well-known/openid-configuration":
            about = {"issuer": self.issuer, "jwks_uri": f"{self.issuer}/keys"}
            about |= {f"{each}_endpoint": f"{self.issuer}/{each}" for each in ("authorization", "token")}
            return 200, {}, orjson.dumps(about)
        if path == "/keys":
            return 200, {}, orjson.dumps({"keys": [self.key.as_dict(private=False)]})
        if path == "/authorization":
            assert query["response_type"] == "code"
            assert query["code_challenge_method"] == "S256"
            assert query["client_id"] == CLIENT
            assert "openid" in query["scope"].split()
            code = secrets.token_urlsafe(16)
            self.codes[code] = query
            back = urlencode({"code": code, "state": query["state"]})
            return 303, {"Location": f"{query['redirect_uri']}?{back}"}, b""
        return 404, {}, b""

    def token(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, str], bytes]:
        """To the POST with the code: every code once, with its verifier, from the client that it is for."""
        asked = self.codes.pop(form.get("code", ""), None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        good = (
            asked is not None
            and asked["code_challenge"] == challenge.rstrip(b"=").decode()
            and asked["redirect_uri"] == form.get("redirect_uri")
            and authorization == "Basic " + base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        )
        if not good or asked is None:
            return 400, {}, orjson.dumps({"error": "invalid_grant"})
        now = int(time.time())
        claims = {
            "iss": self.issuer, "aud": CLIENT, "sub": "person-17", "iat": now, "exp": now + 300,
            "nonce": asked["nonce"],
        } | self.claims  # fmt: skip
        key: Any = self.signs_with or self.key
        signed = jwt.encode({"alg": self.algorithm, "kid": self.key.kid}, claims, key, algorithms=[self.algorithm])
        told = {"access_token": "not used", "token_type": "Bearer", "expires_in": 300, "id_token": signed}
        return 200, {}, orjson.dumps(told)


@contextmanager
def small_provider() -> Iterator[SmallProvider]:
    """It listens on this machine until the end."""
    provider = SmallProvider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            self._send(provider.answer(asked.path, _single(asked.query)))

        def do_POST(self) -> None:
            form = _single(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self._send(provider.token(form, self.headers.get("Authorization", "")))

        def _send(self, answer: tuple[int, dict[str, str], bytes]) -> None:
            status, headers, body = answer
            self.send_response(status)
            for name, value in {
                "Content-Type": "application/json",
                "Content-Length": str(len(body)),
                **headers,
            }.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()


def _single(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query).items()}
