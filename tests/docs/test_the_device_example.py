"""The Python example for devices over https: it trusts a CA of the house when told so, and ends when it does not."""

import os
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.docs.test_command_blocks import ROOT, blocks
from tests.services.certificate import self_signed

ADDRESS = "http://127.0.0.1:8480"


class _Taken(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(202)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@contextmanager
def gateway(certificate: Path, key: Path) -> Iterator[str]:
    """Something that takes all events over https; its address."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with ThreadingHTTPServer(("127.0.0.1", 0), _Taken) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        try:
            yield f"https://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            serving.join()


def run(folder: Path, address: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The example of the page, against this address."""
    (example,) = [
        block.text
        for block in blocks(ROOT / "docs" / "integrating.md")
        if block.language == "python" and block.reason is None
    ]
    assert ADDRESS in example
    (folder / "reader-12.json").write_text('{"token": "t"}')
    return subprocess.run(
        [sys.executable, "-c", example.replace(ADDRESS, address)],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_it_raises_where_the_gateway_s_certificate_is_not_trusted(tmp_path: Path) -> None:
    with gateway(*self_signed(tmp_path, "gateway")) as address:
        done = run(tmp_path, address)
    assert done.returncode == 1
    assert "CERTIFICATE_VERIFY_FAILED" in done.stderr


def test_it_trusts_the_certificates_of_ssl_cert_file(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path, "gateway")
    with gateway(certificate, key) as address:
        done = run(tmp_path, address, SSL_CERT_FILE=str(certificate))
    assert done.returncode == 0, done.stderr
