"""A raw JSON-RPC client of MCP over stdio and Streamable HTTP, for every protocol version, and servers to talk to."""

from __future__ import annotations

import itertools
import json
import os
import queue
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sdk.installed import get_row
from support import packages, ports

SDK_TESTS = Path(__file__).resolve().parent
ROOT = SDK_TESTS.parent.parent
SERVER = SDK_TESTS / "harbour.py"
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
MODERN = "2026-07-28"
CLIENT = {"name": "wire", "version": "1"}
CAPABILITIES: dict[str, Any] = {"elicitation": {}}
PATIENCE = 60.0
"""Seconds that an answer may take."""
NAMESPACE = "io.modelcontextprotocol"
_WIDE = {**os.environ, "COLUMNS": "300"}
"""Logs that are not broken into narrow lines."""


def versions(sdk: str) -> tuple[str, ...]:
    """Return the protocol versions that a server of an SDK can speak."""
    return VERSIONS if get_row(sdk).is_modern else VERSIONS[:4]


def build(folder: Path, sdk: str) -> None:
    """Build the two packages that the server binds."""
    (folder / "mcpgen.toml").write_text('wrap = "legacy"\nstubs = true\n', "utf-8")
    for name, schemas in (("harbour", ROOT / "schemas"), ("pilotage", SDK_TESTS / "pilotage")):
        run = packages.mcpgen("build", str(schemas), "--out", name, "--sdk", sdk, "--jobs", "1", cwd=folder)
        assert run.returncode == 0, run.stderr


class WireError(Exception):
    """The answer is a JSON-RPC error."""


Message = dict[str, Any]


class Session:
    """A session of a protocol version; `send` delivers a message and gives the answer to a request."""

    def __init__(self, send: Callable[[Message], Message | None], version: str) -> None:
        self._send, self.version = send, version
        self._numbers = itertools.count(1)
        self.negotiated = version
        if version != MODERN:
            parameters = {"protocolVersion": version, "capabilities": CAPABILITIES, "clientInfo": CLIENT}
            self.negotiated = self.request("initialize", **parameters)["protocolVersion"]
            self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def request(self, method: str, /, **params: Any) -> Any:
        """Return the result of a request.

        Raises:
            WireError: it is an error.
        """
        if self.version == MODERN:
            params["_meta"] = {
                f"{NAMESPACE}/protocolVersion": self.version,
                f"{NAMESPACE}/clientInfo": CLIENT,
                f"{NAMESPACE}/clientCapabilities": CAPABILITIES,
            }
        number = next(self._numbers)
        answer = self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        assert answer is not None
        assert answer["jsonrpc"] == "2.0"
        assert answer["id"] == number
        if "error" in answer:
            raise WireError(answer["error"])
        return answer["result"]

    def call(self, tool: str, arguments: Any = None) -> Any:
        """Return the result of a tool."""
        return self.request("tools/call", name=tool, arguments={} if arguments is None else arguments)

    def tools(self) -> list[Any]:
        """Every tool, page by page; the results themselves."""
        pages = [self.request("tools/list")]
        while "nextCursor" in pages[-1]:
            pages.append(self.request("tools/list", cursor=pages[-1]["nextCursor"]))
        return pages


# --- stdio -----------------------------------------------------------------------------------------------------------
def command(sdk: str, folder: Path, where: str) -> list[str]:
    """Return the server's command line."""
    return [sys.executable, str(SERVER), sdk, str(folder), where]


@contextmanager
def stdio(line: list[str], log: Path) -> Iterator[Callable[[Message], Message | None]]:
    """A server process that reads and writes lines; what it logs goes to a file."""
    with (
        log.open("ab") as errors,
        subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=_WIDE) as process,
    ):
        lines: queue.Queue[bytes] = queue.Queue()
        out, into = process.stdout, process.stdin
        assert out is not None
        assert into is not None

        def read() -> None:
            for item in out:
                lines.put(item)

        threading.Thread(target=read, daemon=True).start()

        def send(message: Message) -> Message | None:
            into.write(json.dumps(message).encode() + b"\n")
            into.flush()
            while "id" in message:
                answer: Message = json.loads(lines.get(timeout=PATIENCE))
                if answer.get("id") == message["id"] and "method" not in answer:
                    return answer
            return None

        try:
            yield send
        finally:
            into.close()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


# --- Streamable HTTP -------------------------------------------------------------------------------------------------
@contextmanager
def http(line: Callable[[str], list[str]], log: Path) -> Iterator[str]:
    """Yield the URL of a server process, whose command line takes a port."""
    with (
        ports.reserve_port() as port,
        log.open("ab") as out,
        subprocess.Popen(line(str(port)), stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=_WIDE) as process,
    ):
        try:
            assert ports.await_port(port, process), f"the server does not listen: {log.read_text('utf-8')}"
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def await_end(argument: str, patience: float = 10) -> None:
    """Wait until no process runs with an argument; Linux alone tells."""
    until = time.monotonic() + patience
    while left := [path.parent.name for path in Path("/proc").glob("[0-9]*/cmdline") if _has(path, argument)]:
        assert time.monotonic() < until, f"the processes {', '.join(left)} go on"
        time.sleep(0.1)


def _has(command_line: Path, argument: str) -> bool:
    try:
        return argument.encode() in command_line.read_bytes().split(b"\0")
    except OSError:  # it has just ended
        return False


def over_http(url: str, version: str) -> Callable[[Message], Message | None]:
    """Delivers messages as HTTP requests; a session's id and version go with them as headers."""
    session: dict[str, str] = {"MCP-Protocol-Version": version} if version == MODERN else {}

    def send(message: Message) -> Message | None:
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **session}
        if version == MODERN:
            headers["Mcp-Method"] = message["method"]
            if named := message["params"].get("name") or message["params"].get("uri"):
                headers["Mcp-Name"] = named
        request = urllib.request.Request(url, json.dumps(message).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as response:
                body, kind = response.read(), response.headers.get_content_type()
                session["MCP-Protocol-Version"] = version
                if identity := response.headers.get("Mcp-Session-Id"):
                    session["Mcp-Session-Id"] = identity
        except urllib.error.HTTPError as error:
            body, kind = error.read(), error.headers.get_content_type()
        return _answer(body, kind) if "id" in message else None

    return send


def _answer(body: bytes, kind: str) -> Message:
    if kind != "text/event-stream":
        answer: Message = json.loads(body)
        return answer
    lines = [line for line in body.decode().split("\n") if line.startswith("data:")]
    messages = [json.loads(text) for line in lines if (text := line.removeprefix("data:").strip())]
    (answer,) = (message for message in messages if "method" not in message)
    return answer
