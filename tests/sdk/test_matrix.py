"""Every kind of server, over stdio and Streamable HTTP, asked for everything by every kind of client.

A row of the table is a kind of server (`server_kinds.KINDS`); those of other SDKs are skipped. Over HTTP, a row has one
process, which all clients ask; over stdio, each client starts its own.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from sdk import connections, matrix, typescript, wire
from sdk.installed import SDK, get_row
from sdk.matrix import LISTS, QUESTIONS, Transcript
from sdk.matrix_clients import (
    PARSED,
    UNTYPED,
    Target,
    ask_inspector,
    ask_sdk,
    ask_typed,
    ask_typescript,
    ask_wire,
)
from sdk.observatory import DEFINITIONS, PACKAGE
from sdk.server_kinds import KINDS, get_kind
from sdk.wire import MODERN
from support import packages

pytestmark = pytest.mark.ci


@dataclass(frozen=True)
class Client:
    """A client, and which of the server's protocol versions it speaks: all, the oldest or the newest of the two."""

    ask: Callable[[Target, str, Path], Transcript]
    over_http: slice
    over_stdio: slice
    needs_node: bool = False


ALL, OLDEST, NEWEST = slice(None), slice(1), slice(-1, None)
CLIENTS = {
    "wire": Client(ask_wire, ALL, NEWEST),
    "sdk": Client(ask_sdk, ALL, NEWEST),
    "typed": Client(ask_typed, ALL, OLDEST),
    "typescript-1": Client(ask_typescript("sdk"), OLDEST, OLDEST, needs_node=True),
    "typescript-2": Client(ask_typescript("client"), NEWEST, NEWEST, needs_node=True),
    "inspector": Client(ask_inspector, NEWEST, OLDEST, needs_node=True),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of the package that all servers bind."""
    made = tmp_path_factory.mktemp("matrix")
    definitions = wire.SDK_TESTS / "stars"
    (made / "mcpgen.toml").write_text('wrap = "legacy"\n', "utf-8")
    run = packages.mcpgen("build", str(definitions), "--out", PACKAGE, "--sdk", str(SDK), "--jobs", "1", cwd=made)
    assert run.returncode == 0, run.stderr
    sys.path.insert(0, str(made))
    yield made
    sys.path.remove(str(made))
    for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
        del sys.modules[name]


def list_versions() -> tuple[str, ...]:
    """Return the newest protocol version of the installed SDK with a handshake, and 2026-07-28 if it speaks that."""
    if get_row(str(SDK)).is_modern:
        return wire.VERSIONS[-2:]
    return (importlib.import_module("mcp.types").LATEST_PROTOCOL_VERSION,)


@pytest.fixture(
    scope="module",
    params=[(kind.name, transport) for kind in KINDS for transport in ("http", "stdio")],
    ids=lambda one: " ".join(one).replace(" ", "-"),
)
def target(request: pytest.FixtureRequest) -> Iterator[Target]:
    """A kind of server over a transport."""
    name, transport = request.param
    kind = get_kind(name)
    if kind.row.name != SDK:
        pytest.skip(f"{kind.row.name} is not installed here")
    made = Target(kind, request.getfixturevalue("folder"), transport, list_versions())
    with contextlib.ExitStack() as stack:
        if transport == "http":
            url = stack.enter_context(wire.http(made.command, made.folder / "server.log"))
            made = replace(made, url=url)
        yield made
    wire.await_end(str(made.folder))


@pytest.mark.parametrize("name", CLIENTS)
def test_everything_arrives_as_declared(
    name: str, target: Target, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = CLIENTS[name]
    if client.needs_node and not typescript.IS_THERE:
        pytest.skip("npm or node is missing")
    if name == "inspector" and target.url and target.kind.row.name == "dedalus":
        pytest.skip("the Inspector's daemon stops answering after its first listing from this server")
    scripts = request.getfixturevalue("scripts") if client.needs_node else target.folder
    for version in target.versions[client.over_http if target.url else client.over_stdio]:
        with monkeypatch.context() as patch:
            if name in ("sdk", "typed"):
                connections.ask_for(patch, version)
            told = client.ask(target, version, scripts)
        assert told.keys() == list_expected(name), name
        differences = [*compare(told, version, target.kind.name, client.needs_node)]
        assert not differences, (version, differences)


def list_expected(client: str) -> set[str]:
    """Return what the transcript of a client has to hold: everything, but for what the generated one cannot ask."""
    labels = {one.label for one in QUESTIONS}
    if client != "typed":
        return labels | LISTS.keys()
    asked = [one for one in QUESTIONS if one.label not in UNTYPED]
    return {one.label for one in asked} | {one.label + PARSED for one in asked if one.method != "prompts/get"}


def compare(
    told: Transcript, version: str, kind: str, is_javascript: bool
) -> Iterator[tuple[str, str, object, object]]:
    """Yield what is not as declared: the question, the pointer in its result, what is expected and what is there."""
    for method in LISTS.keys() & told.keys():
        listed = matrix.take_listed(method, told[method])
        declared = matrix.declare(method, version)
        assert [one["name"] for one in listed] == [one["name"] for one in declared], (method, listed)
        for one, other in zip(declared, listed, strict=True):
            for difference in matrix.find_differences(one, other, is_javascript):
                yield one["name"], *difference
    for question in QUESTIONS:
        for label in (question.label, question.label + PARSED):
            if label in told:
                result = matrix.clean(question.method, told[label], version)
                expected = question.expect(version, kind)
                for difference in matrix.find_differences(expected, result, is_javascript):
                    yield label, *difference


def test_the_comparison_tells_what_differs() -> None:
    one = {"content": [{"type": "text", "text": "a"}], "structuredContent": {"b": 2.0, "10": 1, "a": None}}
    same = {"structuredContent": {"b": 2.0, "10": 1, "a": None}, "content": [{"text": "a", "type": "text"}]}
    javascript = {"content": one["content"], "structuredContent": {"10": 1, "b": 2, "a": None}}
    sorted_ones = {"content": one["content"], "structuredContent": {"10": 1, "a": None, "b": 2.0}}
    assert not [*matrix.find_differences(one, same)]
    assert not [*matrix.find_differences(one, javascript, is_javascript=True)]
    for other, pointers in (
        (javascript, ["/structuredContent", "/structuredContent/b"]),
        (sorted_ones, ["/structuredContent"]),
        ({**same, "content": []}, ["/content"]),
        ({**same, "isError": False}, [""]),
    ):
        assert [pointer for pointer, _, _ in matrix.find_differences(one, other)] == pointers
    assert [pointer for pointer, _, _ in matrix.find_differences(one, sorted_ones, True)] == ["/structuredContent"]


def test_every_definition_is_asked_for() -> None:
    """What is called, read and got is all that is declared; the versions are those that the SDKs speak."""
    asked = {(one.method, one.params.get("name")) for one in QUESTIONS}
    for member, method in (("tools", "tools/call"), ("prompts", "prompts/get")):
        assert {(method, one["name"]) for one in DEFINITIONS[member]} <= asked
    labels = {one.label for one in QUESTIONS if one.method == "resources/read"}
    names = {one["name"] for member in ("resources", "resourceTemplates") for one in DEFINITIONS[member]}
    assert names <= labels
    assert MODERN in wire.VERSIONS[-1:]
