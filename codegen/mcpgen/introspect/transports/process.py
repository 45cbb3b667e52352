"""A server that is started here and serves on its standard streams: a message a line, and no more than the limits."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, NoReturn

from mcpgen.introspect.credentials import Credentials
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.limits import CHUNK_SIZE, JsonScanner, Meter
from mcpgen.introspect.server_address import Command
from mcpgen.introspect.session import ConnectionEnded, InvalidMessage, Wire
from mcpgen.introspect.transports.base import TransportLog
from mcpgen.schema.values import Json
from mcpgen.targets import STDIO_MODULE

LONGEST_SHOWN_LINE = 4096
"""Bytes that are kept of a line that is no message."""
EXIT_SECONDS, TERMINATE_SECONDS, KILL_SECONDS = 2.0, 1.0, 2.0
"""Seconds that a server has to end after its standard input was closed, after SIGTERM, and after SIGKILL."""
_POLL_SECONDS = 0.01


@asynccontextmanager
async def run_server_process(command: Command, access: Credentials, seen: TransportLog) -> AsyncGenerator[Wire]:
    """A running process; at the end it and all that it started in its process group are ended.

    It has the few environment variables that the SDK passes on by itself, and the given ones.

    Raises:
        OSError: the program cannot be started.
    """
    anyio: Any = importlib.import_module("anyio")
    stdio: Any = importlib.import_module(STDIO_MODULE)
    env = {**stdio.get_default_environment(), **access.env}
    words = [_resolve_program(command.words[0]), *command.words[1:]]
    process = await anyio.open_process(words, env=env, stderr=subprocess.PIPE, start_new_session=True)
    patient = False
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_listen, anyio, process, seen)
            yield _LineWire(anyio, process, seen.meter)
            patient = seen.meter.error is None
            tasks.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await _end_process(anyio, process, patient)


def _resolve_program(word: str) -> str:
    """A program as the system starts it; on Windows the scripts of npm and the like have to be looked for."""
    return (shutil.which(word) or word) if sys.platform == "win32" else word


async def _listen(anyio: Any, process: Any, seen: TransportLog) -> None:
    """Keep the end of what the process writes on its standard error."""
    with contextlib.suppress(
        anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, IntrospectionError
    ):
        while True:
            data = await process.stderr.receive(CHUNK_SIZE)
            seen.record_stderr(data)
            seen.meter.count_transferred(len(data))


class _LineWire:
    """The standard streams of a process as a `Wire`."""

    def __init__(self, anyio: Any, process: Any, meter: Meter) -> None:
        self._anyio, self._process, self._meter = anyio, process, meter
        self._closed = (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, ConnectionError)
        self._buffer = bytearray()
        self._scan = JsonScanner(meter)
        self._searched = 0

    async def send(self, message: dict[str, Json], headers: dict[str, str]) -> None:
        """Send a message; `ConnectionEnded` when the process is gone."""
        try:
            await self._process.stdin.send(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        except self._closed:
            raise ConnectionEnded from None

    async def receive(self) -> dict[str, Json] | InvalidMessage:
        """The next message; `ConnectionEnded` when there is none to come."""
        text = (await self._line()).strip()
        try:
            message: Json = json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            message = None
        if isinstance(message, dict) and message.get("jsonrpc") == "2.0":
            return message
        return InvalidMessage(bytes(text[:LONGEST_SHOWN_LINE]).decode("utf-8", "replace"))

    async def _line(self) -> bytes:
        """The next line, whose values are counted before anything is made of them."""
        while (end := self._buffer.find(b"\n", self._searched)) < 0:
            self._searched = len(self._buffer)
            try:
                data = await self._process.stdout.receive(CHUNK_SIZE)
            except self._closed:
                raise ConnectionEnded from None
            self._meter.count_transferred(len(data))
            self._meter.count_answered(len(data))
            self._scan.feed(data)
            self._buffer += data
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched = 0
        return line


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(constant)  # NaN and the infinities are no JSON


# --- the end ---------------------------------------------------------------------------------------------------------
async def _end_process(anyio: Any, process: Any, patient: bool) -> None:
    """End the process as MCP asks for, or at once where nothing good is to come of it; each wait has an end."""
    with contextlib.suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        await process.stdin.aclose()
    async with anyio.create_task_group() as draining:
        for stream in (process.stdout, process.stderr):  # a process that is stuck in writing cannot end
            draining.start_soon(_drain, anyio, stream)
        if not (patient and await _has_ended(anyio, process, EXIT_SECONDS)):
            _signal_process(process, hard=False)
            await _has_ended(anyio, process, TERMINATE_SECONDS)
        _signal_process(process, hard=True)  # its children may be there still
        await _has_ended(anyio, process, KILL_SECONDS)
        draining.cancel_scope.cancel()
    with anyio.move_on_after(KILL_SECONDS):
        await process.aclose()


async def _drain(anyio: Any, stream: Any) -> None:
    with contextlib.suppress(anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
        while True:
            await stream.receive(CHUNK_SIZE)


async def _has_ended(anyio: Any, process: Any, seconds: float) -> bool:
    """Whether the process ends in time. Waiting for it would also wait for whoever holds its streams open."""
    end = anyio.current_time() + seconds
    while process.returncode is None and anyio.current_time() < end:
        await anyio.sleep(_POLL_SECONDS)
    return process.returncode is not None


def _signal_process(process: Any, *, hard: bool) -> None:
    """Tell the process and its group to end; on Windows there are no groups."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL if hard else signal.SIGTERM)
