"""Server processes that communicate through their standard streams, one message per line."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any, NoReturn

from mcpgen.files.programs import resolve_program
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.limits import (
    CHUNK_SIZE,
    JsonScanner,
    Meter,
    RepeatedName,
    TransportLog,
    build_object,
    refuse_message,
)
from mcpgen.introspect.server_address import Command
from mcpgen.introspect.session import ConnectionEnded, InvalidMessage, Wire
from mcpgen.schema.values import Json

LONGEST_SHOWN_LINE = 4096
"""Bytes that are kept of a line that is not a message."""
EXIT_SECONDS = 2.0
"""Seconds that a server has to end after its standard input was closed."""
TERMINATE_SECONDS = 1.0
KILL_SECONDS = 2.0
_POLL_SECONDS = 0.01


@asynccontextmanager
async def run_server_process(
    command: Command, environment: Mapping[str, str], log: TransportLog
) -> AsyncGenerator[Wire]:
    """Run a server process within the block, then end it and its group; raise `OSError` if it cannot be started."""
    anyio: Any = importlib.import_module("anyio")
    arguments = [resolve_program(command.words[0], environment), *command.words[1:]]
    process = await anyio.open_process(
        arguments, cwd=command.folder, env=dict(environment), stderr=subprocess.PIPE, start_new_session=True
    )
    may_exit = False
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_record_stderr, anyio, process, log)
            yield _LineWire(anyio, process, log.meter)
            may_exit = log.meter.error is None
            tasks.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await _end_process(anyio, process, may_exit)


def _list_closed_errors(anyio: Any) -> tuple[type[Exception], ...]:
    return anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError


async def _record_stderr(anyio: Any, process: Any, log: TransportLog) -> None:
    with contextlib.suppress(*_list_closed_errors(anyio), IntrospectionError):
        while True:
            data = await process.stderr.receive(CHUNK_SIZE)
            log.record_stderr(data)
            log.meter.count("transfer_size", len(data))


class _LineWire:
    def __init__(self, anyio: Any, process: Any, meter: Meter) -> None:
        self._process, self._meter = process, meter
        self._closed_errors: tuple[type[Exception], ...] = (*_list_closed_errors(anyio), ConnectionError)
        self._buffer = bytearray()
        self._scanner = JsonScanner(meter)
        self._searched = 0
        """Bytes of the buffer that are known to have no line break."""

    async def send(self, message: dict[str, Json], headers: dict[str, str]) -> None:
        try:
            await self._process.stdin.send(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        except self._closed_errors:
            raise ConnectionEnded from None

    async def receive(self) -> dict[str, Json] | InvalidMessage:
        text = (await self._read_line()).strip()
        try:
            message: Json = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=build_object)
        except RepeatedName:
            raise refuse_message(self._meter) from None
        except (ValueError, RecursionError):
            message = None
        if isinstance(message, dict) and message.get("jsonrpc") == "2.0":
            return message
        return InvalidMessage(bytes(text[:LONGEST_SHOWN_LINE]).decode("utf-8", "replace"))

    async def _read_line(self) -> bytes:
        """Return the next line; its values are counted before it is parsed."""
        while (end := self._buffer.find(b"\n", self._searched)) < 0:
            self._searched = len(self._buffer)
            try:
                data = await self._process.stdout.receive(CHUNK_SIZE)
            except self._closed_errors:
                raise ConnectionEnded from None
            self._meter.count("transfer_size", len(data))
            self._meter.count("response_size", len(data))
            self._scanner.feed(data)
            self._buffer += data
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched = 0
        return line


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(constant)  # JSON has neither NaN nor infinities


# --- ending ----------------------------------------------------------------------------------------------------------
async def _end_process(anyio: Any, process: Any, may_exit: bool) -> None:
    """End the process: by closing its standard input, if it `may_exit` by itself, then by signals."""
    with contextlib.suppress(OSError, *_list_closed_errors(anyio)):
        await process.stdin.aclose()
    async with anyio.create_task_group() as draining:
        for stream in (process.stdout, process.stderr):  # a process that is blocked in writing cannot end
            draining.start_soon(_drain, anyio, stream)
        if not (may_exit and await _has_ended(anyio, process, EXIT_SECONDS)):
            await _signal_process(anyio, process, hard=False)
            await _has_ended(anyio, process, TERMINATE_SECONDS)
        await _signal_process(anyio, process, hard=True)  # its children may still be running
        await _has_ended(anyio, process, KILL_SECONDS)
        draining.cancel_scope.cancel()
    with anyio.move_on_after(KILL_SECONDS):
        await process.aclose()


async def _drain(anyio: Any, stream: Any) -> None:
    with contextlib.suppress(OSError, *_list_closed_errors(anyio)):
        while True:
            await stream.receive(CHUNK_SIZE)


async def _has_ended(anyio: Any, process: Any, seconds: float) -> bool:
    """Report whether the process ends in time; `wait()` would also wait for others that keep its streams open."""
    deadline = anyio.current_time() + seconds
    while process.returncode is None and anyio.current_time() < deadline:
        await anyio.sleep(_POLL_SECONDS)
    return process.returncode is not None


async def _signal_process(anyio: Any, process: Any, *, hard: bool) -> None:
    """Send SIGTERM or SIGKILL to the process group; on Windows, kill the process and those that it has started.

    There, a server of npm's is a shell that has started node, and killing the shell alone would leave node behind. The
    children are only found while their parent runs.
    """
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform != "win32":
            os.killpg(process.pid, signal.SIGKILL if hard else signal.SIGTERM)
        elif process.returncode is None:
            with contextlib.suppress(OSError), anyio.move_on_after(KILL_SECONDS):
                command = [resolve_program("taskkill"), "/T", "/F", "/PID", str(process.pid)]
                await anyio.run_process(command, check=False)
            process.kill()
