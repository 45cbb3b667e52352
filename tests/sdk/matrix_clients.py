"""The clients of the matrix: each asks a server the questions of `matrix.QUESTIONS` and gives what it was told."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import importlib.util
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdk import connections, node, typescript, wire
from sdk.matrix import LISTS, QUESTIONS, Question, Transcript
from sdk.observatory import OWN, PACKAGE
from sdk.server_kinds import ServerKind
from sdk.wire import MODERN, PATIENCE
from support.packages import get_package


@dataclass(frozen=True)
class Target:
    """A server over a transport."""

    kind: ServerKind
    folder: Path
    transport: str
    versions: tuple[str, ...]
    """The protocol versions to speak: the newest with a handshake, and 2026-07-28 where there is that."""
    url: str = ""
    """Of the process that serves over HTTP."""

    def command(self, where: str = "stdio") -> list[str]:
        """Return the command line of a server."""
        return [sys.executable, str(wire.SDK_TESTS / "observatory.py"), self.kind.name, str(self.folder), where]

    @property
    def address(self) -> list[str]:
        """The URL, or the command line."""
        return [self.url] if self.url else self.command()


# --- the wire itself -------------------------------------------------------------------------------------------------
def ask_wire(target: Target, version: str, scripts: Path) -> Transcript:
    """Ask with JSON-RPC messages; nothing but `json` reads the answers."""
    with contextlib.ExitStack() as stack:
        if target.url:
            send = wire.over_http(target.url, version)
        else:
            send = stack.enter_context(wire.stdio(target.command(), target.folder / "server.log"))
        session = wire.Session(send, version)
        assert session.negotiated == version
        transcript: Transcript = {method: session.request(method)[member] for method, member in LISTS.items()}
        return transcript | {
            question.label: session.request(question.method, **question.params) for question in QUESTIONS
        }


# --- Python ----------------------------------------------------------------------------------------------------------
def ask_sdk(target: Target, version: str, scripts: Path) -> Transcript:
    """Ask with the client of the SDK that the server is written with."""

    async def ask() -> Transcript:
        async with connections.open_own(target.url or target.command(), version) as (_, session):
            transcript: Transcript = {}
            for method, member in LISTS.items():
                listing = await getattr(session, _LISTING[method])()
                transcript[method] = connections.dump(listing)[member]
            for question in QUESTIONS:
                transcript[question.label] = connections.dump(await _ask_session(session, question))
            return transcript

    return asyncio.run(ask())


_LISTING = {
    "tools/list": "list_tools",
    "resources/list": "list_resources",
    "resources/templates/list": "list_resource_templates",
    "prompts/list": "list_prompts",
}


async def _ask_session(session: Any, question: Question) -> Any:
    params = question.params
    if question.method == "tools/call":
        return await session.call_tool(params["name"], params["arguments"])
    if question.method == "resources/read":
        return await session.read_resource(params["uri"])
    if question.method == "prompts/get":
        return await session.get_prompt(params["name"], params.get("arguments"))
    modules = ("mcp_types", "mcp.types")
    types = next(importlib.import_module(name) for name in modules if importlib.util.find_spec(name))
    return await session.complete(types.PromptReference.model_validate(params["ref"]), params["argument"])


def ask_typed(target: Target, version: str, scripts: Path) -> Transcript:
    """Ask with the generated client.

    It lists nothing, but compares what is listed with what is declared. What it reads is written again; both that and
    the result that the SDK was given stand in the transcript.
    """
    generated = importlib.import_module(PACKAGE)

    async def ask() -> Transcript:
        async with connections.open_own(target.url or target.command(), version) as (connection, _):
            client = await generated.connect(connection, **({} if version == MODERN else {"protocol": version}))
            contract = client.contract
            assert contract.changed == contract.missing == contract.reworded == (), contract
            assert contract.new == (OWN,)
            transcript: Transcript = {}
            for question in (asked_question for asked_question in QUESTIONS if asked_question.label not in UNTYPED):
                transcript |= await _ask_typed(generated, client, question, version)
            return transcript

    return asyncio.run(ask())


UNTYPED = {"invalid arguments", "completion"}
"""Questions that the generated client cannot ask: it refuses such arguments itself, and completes nothing."""
PARSED = " parsed"
"""Ends the labels of what the generated client has read, and written again."""


async def _ask_typed(generated: Any, client: Any, question: Question, version: str) -> Transcript:
    params, label = question.params, question.label
    if question.method == "prompts/get":
        call = getattr(client.prompts, params["name"].replace("-", "_"))
        return {label: connections.dump(await call(**params.get("arguments", {})))}
    if question.method == "resources/read":
        name = label.partition(" ")[0]
        entry = getattr(client.with_raw_response.resources, name)
        cls = getattr(generated, name.capitalize())
        raw = await entry(**{key: value for key, value in cls.match(params["uri"]).items() if value is not None})
        written = raw.parse().to_wire(protocol=version, uri=params["uri"])
        return {label: connections.dump(raw.result), label + PARSED: written}
    method = get_package(generated).tool_attributes[params["name"]]
    call = getattr(client.with_raw_response, method)
    raw = await call(**connections.by_name(generated, params["name"], call, params["arguments"]))
    transcript = {label: connections.dump(raw.result)}
    try:
        transcript[label + PARSED] = {**raw.parse().to_wire(protocol=version)}
    except generated.ToolCallError as error:
        transcript[label + PARSED] = connections.dump(error.result)
    return transcript


# --- TypeScript ------------------------------------------------------------------------------------------------------
def ask_typescript(which: str) -> Callable[[Target, str, Path], Transcript]:
    """Ask with an official TypeScript SDK: `sdk` (1.x) or `client` (2.x)."""

    def ask(target: Target, version: str, scripts: Path) -> Transcript:
        requests = [(question.method, question.params) for question in QUESTIONS]
        answers = typescript.ask(scripts, which, version, requests, target.address)
        transcript = {method: answers[member] for method, member in LISTS.items()}
        return transcript | {
            question.label: result for question, result in zip(QUESTIONS, answers["results"], strict=True)
        }

    return ask


# --- the Inspector ---------------------------------------------------------------------------------------------------
class Inspector:
    """The Inspector's command line with a connection, which a daemon of its own holds."""

    def __init__(self, modules: Path, folder: str) -> None:
        script = modules / "@modelcontextprotocol" / "inspector" / "clients" / "mcpdo" / "build" / "mcp-bin.js"
        self._command = [node.binary(modules), str(script), "--format", "json"]
        self._environment = {
            **os.environ,
            "HOME": folder,
            "PATH": f"{modules / '.bin'}{os.pathsep}{os.environ['PATH']}",
            "MCP_INSPECTOR_SECRET_STORE": "memory",
            "MCP_INSPECTOR_DAEMON_DIR": f"{folder}/d",
            "MCP_INSPECTOR_DAEMON_TOKEN": secrets.token_hex(16),
        }

    def run(self, *arguments: str) -> Any:
        """Return what a command prints; on a busy machine, the daemon may be too slow for it, and it is run again."""
        environment, command = self._environment, [*self._command, *arguments]
        until = time.monotonic() + PATIENCE
        while True:
            completed = subprocess.run(command, capture_output=True, text=True, timeout=2 * PATIENCE, env=environment)
            if completed.stdout:
                return json.loads(completed.stdout)
            assert "daemon_timeout" in completed.stderr, completed.stderr
            assert time.monotonic() < until, completed.stderr

    @contextlib.contextmanager
    def connected(self, address: list[str], version: str) -> Iterator[Callable[..., Any]]:
        """Connect to a server and end the daemon in the end; gives a function that sends a request.

        Args:
            address: the server's URL alone, or the command that starts it.
            version: 2026-07-28, or any other for a connection with a handshake.
        """
        era = "modern" if version == MODERN else "legacy"
        waits = ("--connect-timeout", str(int(PATIENCE * 1000)))
        try:
            opened = self.run("connect", "@one", "--era", era, *waits, *(["--"] if address[1:] else []), *address)
            assert opened.get("protocolEra") == era, opened
            yield lambda *arguments: self.run("--connection", "one", *arguments)
        finally:
            self._stop()

    def _stop(self) -> None:
        process = self.run("daemon", "status").get("pid")
        self.run("daemon", "stop")
        until = time.monotonic() + 10
        while process and _is_running(process):
            assert time.monotonic() < until, f"the Inspector's daemon {process} goes on"
            time.sleep(0.05)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def ask_inspector(target: Target, version: str, scripts: Path) -> Transcript:
    """Ask with the Inspector's command line, a process each time."""
    modules = scripts / "node_modules"
    with (
        tempfile.TemporaryDirectory() as folder,
        Inspector(modules, folder).connected(target.address, version) as request,
    ):
        transcript: Transcript = {method: request(method)[member] for method, member in LISTS.items()}
        with ThreadPoolExecutor(2) as pool:
            results = pool.map(lambda question: request(*_format_question(question)), QUESTIONS)
            transcript |= {question.label: result for question, result in zip(QUESTIONS, results, strict=True)}
    return transcript | {"completion": {"completion": transcript["completion"]}}  # it prints that member alone


def _format_question(question: Question) -> list[str]:
    """Return a question as arguments of the Inspector's command line."""
    params, method = question.params, question.method
    if method == "tools/call":
        return [method, params["name"], "--tool-args-json", json.dumps(params["arguments"])]
    if method == "resources/read":
        return [method, params["uri"]]
    if method == "prompts/get":
        arguments = [f"{name}={value}" for name, value in params.get("arguments", {}).items()]
        return [method, params["name"], *(["--prompt-args", *arguments] if arguments else [])]
    reference, argument = params["ref"], params["argument"]
    place = ["--complete-ref-type", reference["type"], "--complete-ref", reference["name"]]
    value = ["--complete-arg-name", argument["name"], "--complete-arg-value", argument["value"]]
    return ["prompts/complete", *place, *value]
