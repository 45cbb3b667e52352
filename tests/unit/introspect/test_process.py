"""Servers that are processes, with a stand-in for the process."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from mcpgen.config.models import Limits
from mcpgen.introspect import transports
from mcpgen.introspect.limits import Meter, TransportLog
from mcpgen.introspect.server_address import Command
from mcpgen.introspect.session import ConnectionEnded, InvalidMessage
from mcpgen.introspect.transports import run_server_process


class Process:
    """Process that writes what it is told to, and ends when its standard input is closed."""

    pid = 0

    def __init__(self, output: bytes, errors: bytes) -> None:
        self.returncode: int | None = None
        self.written = b""
        self.stdin = self
        self.stdout, self.stderr = Stream(output), Stream(errors)

    async def send(self, data: bytes) -> None:
        self.written += data

    async def aclose(self) -> None:
        self.returncode = 0


class Stream:
    """Stream that returns its data three bytes at a time."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    async def receive(self, size: int) -> bytes:
        if not self._data:
            raise anyio.EndOfStream
        data, self._data = self._data[:3], self._data[3:]
        return data


def converse(monkeypatch: pytest.MonkeyPatch, output: bytes) -> tuple[list[Any], Process, TransportLog, dict[str, Any]]:
    started: dict[str, Any] = {}
    server = Process(output, b"warning\n")

    async def open_process(words: list[str], **options: Any) -> Process:
        started.update(options, words=words)
        return server

    monkeypatch.setattr(anyio, "open_process", open_process)
    monkeypatch.setattr(transports.os, "killpg", lambda pid, signal: None)  # type: ignore[attr-defined]
    log = TransportLog(Meter(Limits.model_validate({})))

    async def run() -> list[Any]:
        messages: list[Any] = []
        async with run_server_process(Command(("serve", "it")), {"A": "b"}, log) as wire:
            await wire.send({"id": 1}, {})
            while True:
                try:
                    messages.append(await wire.receive())
                except ConnectionEnded:
                    await anyio.sleep(0)
                    return messages

    return anyio.run(run), server, log, started


def test_messages_are_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "result": {"text": "ü"}}
    lines = [json.dumps(message), "Welcome!", '{"jsonrpc": "2.0", "id": NaN}', "[]"]
    messages, server, log, started = converse(monkeypatch, "".join(f"{line}\n" for line in lines).encode())
    assert messages[0] == message
    assert messages[1:] == [InvalidMessage(line) for line in lines[1:]]
    assert server.written == b'{"id":1}\n'
    assert server.returncode == 0
    assert log.stderr == b"warning\n"
    assert (started["words"][1:], started["env"]) == (["it"], {"A": "b"})


def test_windows_ends_the_children_of_a_server_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server of npm's is a shell that has started node; its children are found while it runs."""
    ended: list[object] = []

    class Shell:
        pid = 4711
        returncode: int | None = None

        def kill(self) -> None:
            ended.append("shell")
            self.returncode = 1

    async def run_process(command: list[str], check: bool) -> None:
        ended.append((command, check))

    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setattr(anyio, "run_process", run_process)
    shell = Shell()

    async def end() -> None:
        await transports._signal_process(anyio, shell, hard=False)
        await transports._signal_process(
            anyio, shell, hard=True
        )  # it has ended: its number may be another one's by now

    anyio.run(end)
    assert ended == [(["taskkill", "/T", "/F", "/PID", "4711"], False), "shell"]
