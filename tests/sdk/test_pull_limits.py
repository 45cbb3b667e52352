"""Servers that send too much, or nothing: each is refused by a limit, in less than 300 MiB, and is ended."""

from __future__ import annotations

import contextlib
import gzip
import itertools
import json
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from sdk import floods

pytest.importorskip("mcp", reason="no MCP SDK is installed")
HERE = Path(__file__).parent
SECRET = "s3cret-of-mine"
MOST = 300 * 1024
"""KiB that mcpgen may need."""
PATIENCE = 120

pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc"),
    pytest.mark.slow,
]


def pulled(folder: Path, *arguments: str, limits: str = "") -> subprocess.CompletedProcess[str]:
    """Pull in a process of its own, which has to stay below the peak and to end with a diagnostic."""
    (folder / "mcpgen.toml").write_text(f"[limits]\n{limits}\n")
    peak = folder / "peak"
    command = [sys.executable, str(HERE / "peak.py"), str(peak), "pull", "--name", "x", *arguments]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
    assert "Traceback" not in run.stderr, run.stderr
    assert int(peak.read_text()) < MOST, f"{int(peak.read_text()) // 1024} MiB\n{run.stderr}"
    return run


MESSAGES = "MG712]: the server sends more than 10,000 messages that nobody asked for"
BEYOND = {
    "string": "MG712]: the server answers with more than 8,388,608 bytes, decompressed",
    "lists": "MG712]: the server answers with more than 500,000 values",
    "objects": "MG712]: the server answers with more than 500,000 values",
    "emoji": "MG712]: the server answers with more than 8,388,608 bytes, decompressed",
    "deep": "MG712]: the server nests values more than 256 levels deep",
    "escapes": "MG712]: the server answers with more than 8,388,608 bytes, decompressed",
    "notifications": MESSAGES,
    "requests": "MG712]: the server sends more than 1,000 requests of its own",
    "other answers": MESSAGES,
    "blank lines": MESSAGES,
}
PAGES = {
    "large pages": "MG712]: the server answers with more than 8,388,608 bytes, decompressed",
    "empty pages": "MG712]: the server has more than 1,000 pages of tools/list",
    "pages of tools": "MG712]: the server advertises more than 10,000 definitions",
}


@pytest.mark.parametrize("behaviour", [*BEYOND, *PAGES])
def test_too_much_over_standard_streams(tmp_path: Path, behaviour: str) -> None:
    run = pulled(tmp_path, "--", sys.executable, str(HERE / "floods.py"), behaviour)
    assert run.returncode == 2
    assert {**BEYOND, **PAGES}[behaviour] in run.stderr


@pytest.mark.parametrize("behaviour", ["text", "strings", "lists", "schemas", "errors", "depth"])
def test_as_much_as_is_allowed(tmp_path: Path, behaviour: str) -> None:
    """Check that what the limits let pass is worked on in as little memory, and pulled once more over what was
    pulled.
    """
    for _ in range(2):
        run = pulled(tmp_path, "--", sys.executable, str(HERE / "floods.py"), f"full {behaviour}")
        if behaviour in ("errors", "depth"):
            messages = {"errors": "MG710", "depth": "MG712]: the file would have more than 16,777,216 characters"}
            assert (run.returncode, messages[behaviour] in run.stderr) == (2, True), run.stderr
            assert len(run.stderr) < 2_000
        else:
            assert run.returncode == 0, run.stderr


def test_too_much_on_standard_error(tmp_path: Path) -> None:
    run = pulled(tmp_path, "--", sys.executable, str(HERE / "floods.py"), "stderr")
    assert run.returncode == 2
    assert "MG712]: the server sends more than 16,777,216 bytes" in run.stderr


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ("pull-seconds = 2", "MG706]: the server took more than 2 seconds to "),
        ("transfer-size = 10", "MG712]: the server sends more than 10 bytes"),
        ("response-size = 10", "MG712]: the server answers with more than 10 bytes, decompressed"),
        ("response-values = 3", "MG712]: the server answers with more than 3 values"),
    ],
)
def test_the_limits_are_settings(tmp_path: Path, limits: str, message: str) -> None:
    run = pulled(tmp_path, "--", sys.executable, str(HERE / "floods.py"), "silent", limits=limits)
    assert run.returncode == 2
    assert message in run.stderr


def test_what_a_server_started_is_ended(tmp_path: Path) -> None:
    """Whatever ignores SIGTERM, and the closed input, is killed with its children, within seconds of the last one."""
    pids = tmp_path / "pids"
    command = [sys.executable, str(HERE / "floods.py"), "stays", str(pids)]
    run = pulled(tmp_path, "--", *command, limits="pull-seconds = 8")
    assert "MG706" in run.stderr
    for pid in map(int, pids.read_text().split()):
        assert not _is_running(pid)


def _is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


# --- HTTP ------------------------------------------------------------------------------------------------------------
JSON, SSE = "application/json", "text/event-stream"


def bomb(wbits: int) -> Iterator[bytes]:
    """Some KiB that are hundreds of MB: a thousandth of what it stands for."""
    packer = zlib.compressobj(9, zlib.DEFLATED, wbits)
    yield packer.compress(b'{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"')
    for _ in range(8_000):
        yield packer.compress(floods.BLOCK)
    yield packer.flush()


def _event(message: bytes) -> bytes:
    return b"data: " + message + b"\n\n"


class Endpoint:
    """What an endpoint sends for `tools/list`: a content type, an encoding, and a body."""

    def __init__(self, behaviour: str, elsewhere: str) -> None:
        self.behaviour, self.elsewhere = behaviour, elsewhere
        self._numbers = itertools.count()
        self.headers: list[dict[str, str]] = []

    def answer(self, message: dict[str, Any]) -> tuple[int, dict[str, str], Iterable[bytes]]:
        """Status, headers and body."""
        kind, _, inner = self.behaviour.partition(": ")
        id = message["id"]
        if message["method"] != "tools/list":
            return 200, {"content-type": JSON}, [json.dumps(floods.opening(message)).encode()]
        match kind:
            case "json":
                return 200, {"content-type": JSON}, floods.endless(inner, id)
            case "event":
                pieces = floods.endless(inner, id)
                return 200, {"content-type": SSE}, itertools.chain([b"event: message\ndata: "], pieces)
            case "events":
                pieces = floods.endless(inner, id)
                return 200, {"content-type": SSE}, (_event(line) for piece in pieces for line in piece.splitlines())
            case "comments":
                return 200, {"content-type": SSE}, itertools.repeat(b": nothing\n\n" * 1_000)
            case "quotes in comments":  # so that what follows seems to stand in a string
                head = [b': "\ndata: ']
                return 200, {"content-type": SSE}, itertools.chain(head, floods.endless("lists", id))
            case "pages":
                return 200, {"content-type": JSON}, [floods.page(inner, id, next(self._numbers))]
            case "encoded":
                wbits = {"gzip": 31, "deflate": 15, "raw deflate": -15}.get(inner, 31)
                return 200, {"content-type": JSON, "content-encoding": inner.removeprefix("raw ")}, bomb(wbits)
            case "not compressed":
                return 200, {"content-type": JSON, "content-encoding": "gzip"}, [b'{"jsonrpc": "2.0"}']
            case "error":
                return 500, {"content-type": JSON}, floods.endless("string", id)
            case "long":
                return 200, {"content-type": JSON, "content-length": str(10**12)}, itertools.repeat(floods.BLOCK)
            case "redirect":
                return 307, {"location": "/mcp"}, []
            case "redirect elsewhere":
                return 307, {"location": f"{self.elsewhere}?key={SECRET}-of-theirs"}, []
            case _:
                return 200, {"content-type": JSON}, [json.dumps(floods.opening(message)).encode()]


@contextmanager
def served(behaviour: str, elsewhere: str = "") -> Iterator[tuple[str, Endpoint]]:
    """An endpoint on this machine, and its URL."""
    endpoint = Endpoint(behaviour, elsewhere)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            endpoint.headers.append(dict(self.headers.items()))
            message = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if "id" not in message or "method" not in message:
                return self.reply(202, {}, [])
            return self.reply(*endpoint.answer(message))

        def do_GET(self) -> None:
            self.reply(405, {}, [])

        def do_DELETE(self) -> None:
            self.reply(405, {}, [])

        def reply(self, status: int, headers: dict[str, str], body: Iterable[bytes]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if "content-length" not in headers:
                self.send_header("transfer-encoding", "chunked")
            self.send_header("connection", "close")  # much of what is sent has no end
            self.end_headers()
            with contextlib.suppress(OSError):  # mcpgen had enough
                for piece in body:
                    self.write(piece, "content-length" not in headers)
                self.wfile.write(b"0\r\n\r\n")

        def write(self, piece: bytes, chunked: bool) -> None:
            if piece:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/mcp", endpoint
    finally:
        server.shutdown()
        server.server_close()


SIZE = "MG712]: the server answers with more than 8,388,608 bytes, decompressed"
HTTP = {
    **{f"json: {name}": BEYOND[name] for name in ("string", "lists", "objects", "emoji", "deep", "escapes")},
    **{f"event: {name}": BEYOND[name] for name in ("string", "lists", "objects", "emoji")},
    "events: notifications": MESSAGES,
    "events: requests": "MG712]: the server sends more than 1,000 requests of its own",
    "comments": "MG712]: the server answers with more than 500,000 values",
    "quotes in comments": BEYOND["lists"],
    **{f"pages: {name}": PAGES[name] for name in ("empty pages", "pages of tools", "large pages")},
    "encoded: gzip": SIZE,
    "encoded: deflate": SIZE,
    "encoded: raw deflate": SIZE,
    "encoded: br": "MG708]: the server compresses its answer in a way that was not asked for",
    "encoded: gzip, gzip": "MG708]: the server compresses its answer in a way that was not asked for",
    "not compressed": "MG708]: the server's answer is not compressed as it says",
    "error": "error[MG7",
    "long": SIZE,
    "redirect": "MG708]: the server redirects",
}


@pytest.mark.parametrize("behaviour", HTTP)
def test_too_much_over_http(tmp_path: Path, behaviour: str) -> None:
    with served(behaviour) as (url, _):
        run = pulled(tmp_path, url)
    assert run.returncode == 2
    assert HTTP[behaviour] in run.stderr


def test_a_redirect_to_another_server_is_not_followed(tmp_path: Path) -> None:
    with served("plain") as (elsewhere, other), served("redirect elsewhere", elsewhere) as (url, _):
        run = pulled(tmp_path, "--header", f"X-Key: {SECRET}", url)
    assert run.returncode == 2
    assert "MG708]: the server redirects" in run.stderr
    assert elsewhere in run.stderr
    assert SECRET not in run.stderr
    assert other.headers == []


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "raw deflate", ""])
def test_compressed_answers_are_read(tmp_path: Path, encoding: str) -> None:
    """Check that what is within the limits is read, whatever it is compressed with."""

    class Small(Endpoint):
        def answer(self, message: dict[str, Any]) -> tuple[int, dict[str, str], Iterable[bytes]]:
            status, headers, body = super().answer(message)
            if message["method"] == "tools/list":
                body = [
                    json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"tools": [floods.OTHER]}}).encode()
                ]
            data = b"".join(body)
            packed = {
                "gzip": gzip.compress(data),
                "deflate": zlib.compress(data),
                "raw deflate": zlib.compress(data)[2:-4],
            }.get(encoding, data)
            if encoding:
                headers = {**headers, "content-encoding": encoding.removeprefix("raw ")}
            return status, headers, [packed[at : at + 7] for at in range(0, len(packed), 7)]

    with served("plain") as (url, endpoint):
        endpoint.__class__ = Small
        run = pulled(tmp_path, url)
    assert run.returncode == 0, run.stderr
    assert json.loads((tmp_path / "schemas/pulled/x.json").read_text())["tools"] == [floods.OTHER]
