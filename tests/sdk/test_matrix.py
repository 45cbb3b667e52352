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
from sdk.matrix_clients import PARSED, UNTYPED, Target, ask_inspector, ask_sdk, ask_typed, ask_typescript, ask_wire
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
    new_folder = tmp_path_factory.mktemp("matrix")
    definitions = wire.SDK_TESTS / "stars"
    (new_folder / "mcpgen.toml").write_text('wrap = "legacy"\n', "utf-8")
    run = packages.mcpgen("build", str(definitions), "--out", PACKAGE, "--sdk", str(SDK), "--jobs", "1", cwd=new_folder)
    assert run.returncode == 0, run.stderr
    sys.path.insert(0, str(new_folder))
    yield new_folder
    sys.path.remove(str(new_folder))
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
    ids=lambda parameters: " ".join(parameters).replace(" ", "-"),
)
def target(request: pytest.FixtureRequest) -> Iterator[Target]:
    """A kind of server over a transport."""
    name, transport = request.param
    kind = get_kind(name)
    if kind.row.name != SDK:
        pytest.skip(f"{kind.row.name} is not installed here")
    new_target = Target(kind, request.getfixturevalue("folder"), transport, list_versions())
    with contextlib.ExitStack() as stack:
        if transport == "http":
            url = stack.enter_context(wire.http(new_target.command, new_target.folder / "server.log"))
            new_target = replace(new_target, url=url)
        yield new_target
    wire.await_end(str(new_target.folder))


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
    if name == "inspector" and not (scripts / "node_modules" / "@modelcontextprotocol" / name).is_dir():
        pytest.skip("NODE_MODULES names no folder with the Inspector")
    for version in target.versions[client.over_http if target.url else client.over_stdio]:
        with monkeypatch.context() as patch:
            if name in ("sdk", "typed"):
                connections.ask_for(patch, version)
            transcript = client.ask(target, version, scripts)
        assert transcript.keys() == list_expected(name), name
        differences = [*compare(transcript, version, target.kind.name, client.needs_node)]
        assert not differences, (version, differences)


def list_expected(client: str) -> set[str]:
    """Return what the transcript of a client has to hold: everything, but for what the generated one cannot ask."""
    labels = {question.label for question in QUESTIONS}
    if client != "typed":
        return labels | LISTS.keys()
    typed_questions = [question for question in QUESTIONS if question.label not in UNTYPED]
    return {question.label for question in typed_questions} | {
        question.label + PARSED for question in typed_questions if question.method != "prompts/get"
    }


def compare(
    transcript: Transcript, version: str, kind: str, is_javascript: bool
) -> Iterator[tuple[str, str, object, object]]:
    """Yield what is not as declared: the question, the pointer in its result, what is expected and what is there."""
    for method in LISTS.keys() & transcript.keys():
        listed = matrix.take_listed(method, transcript[method])
        declared = matrix.declare(method, version)
        assert [definition["name"] for definition in listed] == [definition["name"] for definition in declared], (
            method,
            listed,
        )
        for definition, listed_definition in zip(declared, listed, strict=True):
            for difference in matrix.find_differences(definition, listed_definition, is_javascript):
                yield definition["name"], *difference
    for question in QUESTIONS:
        for label in (question.label, question.label + PARSED):
            if label in transcript:
                result = matrix.clean(question.method, transcript[label], version)
                expected = question.expect(version, kind)
                for difference in matrix.find_differences(expected, result, is_javascript):
                    yield label, *difference


def test_the_comparison_tells_what_differs() -> None:
    expected = {"content": [{"type": "text", "text": "a"}], "structuredContent": {"b": 2.0, "10": 1, "a": None}}
    same = {"structuredContent": {"b": 2.0, "10": 1, "a": None}, "content": [{"text": "a", "type": "text"}]}
    javascript = {"content": expected["content"], "structuredContent": {"10": 1, "b": 2, "a": None}}
    sorted_ones = {"content": expected["content"], "structuredContent": {"10": 1, "a": None, "b": 2.0}}
    assert not [*matrix.find_differences(expected, same)]
    assert not [*matrix.find_differences(expected, javascript, is_javascript=True)]
    for changed, pointers in (
        (javascript, ["/structuredContent", "/structuredContent/b"]),
        (sorted_ones, ["/structuredContent"]),
        ({**same, "content": []}, ["/content"]),
        ({**same, "isError": False}, [""]),
    ):
        assert [pointer for pointer, _, _ in matrix.find_differences(expected, changed)] == pointers
    assert [pointer for pointer, _, _ in matrix.find_differences(expected, sorted_ones, True)] == ["/structuredContent"]


def test_every_definition_is_asked_for() -> None:
    """What is called, read and got is all that is declared; the versions are those that the SDKs speak."""
    asked_definitions = {(question.method, question.params.get("name")) for question in QUESTIONS}
    for member, method in (("tools", "tools/call"), ("prompts", "prompts/get")):
        assert {(method, definition["name"]) for definition in DEFINITIONS[member]} <= asked_definitions
    labels = {question.label for question in QUESTIONS if question.method == "resources/read"}
    names = {definition["name"] for member in ("resources", "resourceTemplates") for definition in DEFINITIONS[member]}
    assert names <= labels
    assert MODERN in wire.VERSIONS[-1:]
