"""What is fuzzed: each target reads bytes, and raises where it breaks a promise.

An input of one of them is JSON wherever it has parts: files by their names, messages of a server, a tool and a value.
"""

from __future__ import annotations

import base64
import importlib
import io
import json
import os
import pickle
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mcpgen.config.models import Limits
from mcpgen.introspect.limits import Meter
from mcpgen_runtime.schema_keywords import encode_references
from mcpgen_runtime.sdk import uri_templates
from support.adversarial.pairs import PAIRS
from support.adversarial.ways import LOG_BYTES, MODEL_BYTES, WAYS, NotThere, Refused, arguments_schema
from support.corpus import CORPUS, SOURCES, equal
from support.fuzz.mutation import dumped, parse
from support.holding import doubtful, validator
from support.packages import mcpgen

PACKAGE = "fuzzed_package"
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What must not reach a terminal."""


class Broken(AssertionError):
    """A promise that was not kept."""


@dataclass(frozen=True)
class Target:
    """Something that reads bytes."""

    name: str
    seeds: Callable[[], list[bytes]]
    run: Callable[[bytes], None]
    seconds: float = 2.0
    """CPU time that an input may take."""


# --- readers ---------------------------------------------------------------------------------------------------------
def _said(findings: Any, failed: bool) -> None:
    """Write what was found in every format, and look at it."""
    from mcpgen.report.output import CommandOutput

    if failed and not findings.failed:
        raise Broken("there is no answer, and no finding says why")
    for format in ("text", "github", "json", "sarif"):
        written = io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogatepass")
        with redirect_stdout(written), redirect_stderr(written):
            CommandOutput("check", format, "never").finish(findings, 2)
            written.flush()
        text = written.buffer.getvalue().decode("utf-8", "surrogatepass")
        if format in ("text", "github") and (match := UNSEEN.search(text)):
            raise Broken(f"{format} output holds {match[0]!r}")
        if format in ("json", "sarif"):
            json.loads(text)


@contextmanager
def _folder() -> Iterator[Path]:
    old_folder = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        try:
            yield Path(name)
        finally:
            os.chdir(old_folder)


def _settings(data: bytes) -> None:
    from mcpgen.config import load
    from mcpgen.diagnostics import Findings

    with _folder() as folder:
        for name in ("mcpgen.toml", "pyproject.toml"):
            (folder / name).write_bytes(data)
            findings = Findings()
            load.find_settings(folder)
            packages = load.load_packages(folder / name, folder, findings)
            _said(findings, not packages and bool(data.strip()) and "package" not in data.decode("latin-1"))


def _settings_seeds() -> list[bytes]:
    texts = (
        'schemas = ["schemas"]\nout = "gen"\nsdk = "mcp"\nprotocol = "2025-06-18"\n',
        '[tool.mcpgen]\nformats = "native"\nwrap = "always"\nazure = true\n[tool.mcpgen.limits]\ndepth = 20\n',
        '[[tool.mcpgen.package]]\nout = "a"\n[[tool.mcpgen.package]]\nout = "b"\n[tool.mcpgen.ref-map]\n"urn:" = "x"\n',
        '[tools."a.b"]\nname = "ab"\noutputSchema = "x.json"\ncontent = "items"\naudience = ["user"]\npriority = 0.5\n',
        '[diff]\noff = ["naming"]\n[[diff.acknowledged]]\nrule = "x"\nreason = "y"\n',
        'limits = { depth = 1, file-size = 9, seconds = 0.5 }\nschemas = ["a", ["b"]]\n',
        'a = "' + "x" * 300 + '"\npackage = []\n',
        f"schemas = {'[' * 60}{']' * 60}\n",
        f"a = {'[' * 3000}{']' * 3000}\n",
        f"[{'a.' * 3000}a]\nb = 1\n",
        "limits.seconds = 1e300\n",
        'out = "a\\u0000b"\n',
        'out = "../../x"\nschemas = ["/etc/passwd"]\ntools.a.outputSchema = "/etc/passwd"\n',
    )
    return [text.encode() for text in texts]


def _definitions(name: str) -> Callable[[bytes], None]:
    def run(data: bytes) -> None:
        from mcpgen.config.models import ConfiguredPackage, PackageSettings
        from mcpgen.diagnostics import Findings
        from mcpgen.read.loader import read_definitions

        with _folder() as folder:
            (folder / name).write_bytes(data)
            findings = Findings()
            package = ConfiguredPackage(settings=PackageSettings.model_validate({"schemas": [name]}), folder=folder)
            read_definitions(package, findings)
            _said(findings, False)

    return run


def _tools() -> list[dict[str, Any]]:
    """Return small tools of the corpus, and some that are made up."""
    out: list[dict[str, Any]] = []
    for source in SOURCES[::6]:
        document = json.loads((CORPUS / "tools" / f"{source}.json").read_text("utf-8"))["tools"]
        out += [item for item in document if "outputSchema" in item and len(json.dumps(item)) < 4000][:2]
    own_schemas: list[Any] = [
        {"type": "object", "properties": {"a": {"type": "string"}, "next": {"$ref": "#"}}, "required": ["a"]},
        {"$defs": {"A": {"type": "array", "items": {"$ref": "#/$defs/A"}}}, "$ref": "#/$defs/A"},
        {"oneOf": [{"type": "string", "pattern": "^a+$"}, {"type": "integer", "minimum": 0}]},
    ]
    return out + [
        {"name": f"own{index}", "inputSchema": {"type": "object"}, "outputSchema": item}
        for index, item in enumerate(own_schemas)
    ]


def _json_seeds() -> list[bytes]:
    resource = {"name": "r", "uri": "a://b", "mimeType": "application/json", "x-mcpgen": {"schema": {"type": "string"}}}
    template = {"name": "t", "uriTemplate": "a://{x}/{+y}{?z}"}
    return [
        *(dumped({"tools": [tool]}) for tool in _tools()),
        dumped({"resources": [resource], "resourceTemplates": [template]}),
        dumped({"title": "bareOutput", "type": "object", "properties": {"result": {"type": "array"}}}),
        b'{"tools": [',
        b"[" * 2000,
    ]


def _yaml_seeds() -> list[bytes]:
    text = """tools:
- name: a
  inputSchema: &any {type: object}
  outputSchema:
    type: object
    properties: {one: *any, two: {enum: [1, 1.0, null, ~, yes, 'no']}}
    required: [one]
"""
    bomb = "a0: &a0 [1]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 9))
    return [text.encode(), bomb.encode(), b"a: |\n  x\nb: >-\n  y\n? z\n: 1", *_json_seeds()[:6]]


@cache
def _root() -> Any:
    """Return what the templates are checked against: the IR of one schema, and its classes."""
    from mcpgen.lower.assemble import lower_schemas
    from mcpgen.lower.request import LoweringRequest
    from mcpgen.schema.document import Schema
    from mcpgen.schema.keywords import DRAFT_2020_12

    row = {"type": "object", "properties": {"id": {"type": "integer"}, "note": {"type": ["string", "null"]}}}
    schema: Any = {
        "type": "object",
        "properties": {
            **{"name": {"type": "string"}, "rows": {"type": "array", "items": {**row, "required": ["id"]}}},
            **{"by": {"type": "object", "additionalProperties": {"type": "number"}}, "next": {"$ref": "#"}},
            "either": {"oneOf": [{"type": "string"}, {"type": "boolean"}]},
        },
        "required": ["name", "rows", "either"],
    }
    return lower_schemas([LoweringRequest("output", Schema(schema, DRAFT_2020_12))])[0]


def _template(data: bytes) -> None:
    from mcpgen.content.statements import check_template
    from mcpgen.read.content_templates import normalize_template_text

    try:
        text = normalize_template_text(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return
    root = _root()
    _, problems = check_template(text, root, {node.id: node for node in root.nodes})
    for problem in problems:
        if not 0 <= problem.offset <= len(text):
            raise Broken(f"{problem.code} is at {problem.offset} of {len(text)}")


def _template_seeds() -> list[bytes]:
    texts = (
        "{{ name }}: {{ rows | length }}\n{% for row in rows %}- {{ row.id }} {{ row.note or '-' }}\n{% endfor %}",
        "{% if next is defined and next.name %}{{ next.name | upper }}{% elif not rows %}none{% else %}x{% endif %}",
        "{% set total = rows | sum(attribute='id') %}{{ '%d' | format(total) }}{# a comment #}",
        "{% for key, value in by | dictsort %}{{ loop.index }}. {{ key }}={{ value | round(1) }}{% endfor %}",
        "{{ either if either is string else 'no' }}{{ rows[0].id + 1 }}{{ rows | map(attribute='id') | join(', ') }}",
    )
    return [text.encode() for text in texts]


def _uri(data: bytes) -> None:
    """An input is the template, and a URI after a line break."""
    from mcpgen.read.resources import InvalidUriTemplate
    from mcpgen.read.resources import parse_uri_template as parse_template

    template, _, uri = data.decode("utf-8", "replace").partition("\n")
    try:
        parts = parse_template(template)
    except InvalidUriTemplate as error:
        if not 0 <= error.offset <= len(template):
            raise Broken(f"the place is {error.offset} of {len(template)}") from error
        return
    from mcpgen.render.resource import make_match_parts

    uri_templates.matched(make_match_parts(parts), uri)


def _uri_seeds() -> list[bytes]:
    return [
        b"a://{x}/{y}\na://1/2",
        b"a://{+path}{#part}\na://b/c%20d#e",
        b"file:///{dir}/{name}{.ext}{/more}{;p,q}{?a,b}{&c}\nfile:///x/y.z/w;p=1;q?a=1&b=2&c=",
        "é://{ü}%C3\né://%C3%BC".encode(),
    ]


# --- a server's answers ----------------------------------------------------------------------------------------------
class _Script:
    """A transport whose messages are known beforehand; each answers the last request unless it says otherwise."""

    def __init__(self, messages: list[Any]) -> None:
        self._messages, self._last = iter(messages), 0

    async def send(self, message: Any, headers: dict[str, str]) -> None:
        self._last = message.get("id", self._last)

    async def receive(self) -> Any:
        from mcpgen.introspect.session import ConnectionEnded, InvalidMessage

        for message in self._messages:
            if not isinstance(message, dict):
                return InvalidMessage(str(message)[:200])
            return message if "id" in message or "method" in message else {**message, "id": self._last}
        raise ConnectionEnded


def _pull(data: bytes) -> None:
    import anyio
    from mcpgen.commands.pulled_files import PulledHeader, render_pulled_file
    from mcpgen.diagnostics import Findings, Span
    from mcpgen.introspect.errors import IntrospectionError
    from mcpgen.introspect.session import (
        SERVER_LISTS,
        ConnectionEnded,
        GarbledAnswer,
        McpSession,
        RequestRefused,
        ServerListing,
        fetch_pages,
    )
    from mcpgen.introspect.validation import validate_listing
    from mcpgen.lint.output_schemas import lint_output_schema

    try:
        messages = parse(data)
    except ValueError:
        return
    if not isinstance(messages, list):
        return

    async def asked() -> ServerListing | None:
        session = McpSession(_Script(messages), Meter(Limits.model_validate({})))
        lists: dict[str, Any] = {}
        try:
            if not await session.discover():
                await session.initialize("2025-06-18")
            for capability, method, member in SERVER_LISTS:
                lists[member] = await fetch_pages(session, capability, method, member)
        except (IntrospectionError, ConnectionEnded, GarbledAnswer, RequestRefused):
            return None
        return ServerListing(session.protocol, lists, tuple(session.invalid_lines))

    answer = anyio.run(asked)
    if answer is None:
        return
    findings = Findings()
    advertised = validate_listing(answer, (), Limits.model_validate({}), Span("server"), findings)
    _said(findings, advertised is None)
    if advertised is not None:
        json.loads(render_pulled_file(advertised, PulledHeader("server")))
        for tool in advertised.tools:
            lint_output_schema(tool)


def _pull_seeds() -> list[bytes]:
    def answers(*results: Any) -> bytes:
        return dumped([{"jsonrpc": "2.0", "result": result} for result in results])

    natural = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}, "resources": {}}}
    older = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}, "resources": {}}}
    tools, resource = _tools(), {"name": "r", "uri": "a://b"}
    other_lists = ({"resources": [resource]}, {"resourceTemplates": [{"name": "t", "uriTemplate": "a://{x}"}]})
    return [
        *(answers(natural, {"tools": [tool]}, *other_lists) for tool in tools),
        answers({}, older, {"tools": tools[:1], "nextCursor": "a"}, {"tools": tools[1:2]}, *other_lists),
        dumped([{"error": {"code": -32601, "message": "no"}}, "nonsense", {"method": "ping", "id": 9}]),
    ]


# --- recordings, and the configuration of clients ---------------------------------------------------------------------
def _recordings(data: bytes) -> None:
    """Learn from a recording: what was learned accepts all of it."""
    from mcpgen.diagnostics import Findings
    from mcpgen.learn.inference import SchemaInference
    from mcpgen.learn.recordings import collect_values, make_file_names, read_recordings
    from mcpgen.schema.values import allow_deep_recursion

    limits = Limits.model_validate({})
    with _folder() as folder, allow_deep_recursion():
        paths = [folder / "calls.jsonl", folder / "calls.json", folder / "calls.har"]
        for path in paths:
            path.write_bytes(data)
            findings = Findings()
            calls = read_recordings([path], limits, findings)
            _said(findings, not calls)
            recorded = collect_values(calls, limits.depth)
            names = make_file_names(recorded)
            if len({name.casefold() for name in names.values()}) != len(names):
                raise Broken("two tools have one file")
            if any("/" in name or "\\" in name or name.startswith(".") for name in names.values()):
                raise Broken("a file is in another folder")
            for tool in recorded.values():
                values = [item.value for item in tool.values]
                schema = SchemaInference({"a", "kind"}).infer_schema(values)
                judge = validator(schema)
                if not all(map(judge.is_valid, values)):
                    raise Broken(f"{json.dumps(schema)[:300]} refuses what it was learned from")


def _recordings_seeds() -> list[bytes]:
    text = json.dumps({"rows": [{"kind": "a", "x": 1}, {"kind": "b", "y": "2026-01-01"}], "by": {"1": None}})
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "a", "arguments": {"b": 1}}}
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"content": [], "structuredContent": {"a": [1, 2.5, None]}}}
    call = {"tool": "a", "arguments": {}, "result": {"content": [{"type": "text", "text": text}]}}
    kinds = [{"kind": kind, kind: 1} for kind in "abcabcabc"]
    stream = f"event: message\ndata: {json.dumps(answer)}\n\n"
    encoded = {"encoding": "base64", "text": base64.b64encode(json.dumps(answer).encode()).decode()}
    entries = [
        {"request": {"postData": {"text": json.dumps(request)}}, "response": {"content": content}}
        for content in ({"text": stream}, encoded)
    ]
    values: tuple[Any, ...] = (
        call,
        [call, call],
        [request, answer],
        {"log": {"version": "1.2", "entries": entries}},
        {"request": json.dumps(request), "response": json.dumps(answer)},
        {"tool": "b", "result": {"content": [], "structuredContent": {"items": kinds}}},
        {"tool": "../c", "result": {"content": [{"type": "text", "text": "[" * 500}], "isError": True}},
    )
    lines = [dumped(value) for value in values]
    return [*lines, b"\n".join(lines), b"\n\r\n" + lines[0] + b"\n{", b"\xef\xbb\xbf" + lines[2]]


def _client_config(data: bytes) -> None:
    from mcpgen.diagnostics import Findings
    from mcpgen.introspect.client_config import ServerChoice, read_client_config
    from mcpgen.introspect.errors import IntrospectionError

    with _folder() as folder:
        path = folder / "mcp.json"
        path.write_bytes(data)
        findings = Findings()
        servers = read_client_config(ServerChoice(path, oauth=True), Limits.model_validate({}), findings)
        for server in servers:
            if not re.fullmatch(r"[A-Za-z0-9_-]+", server.slug):
                raise Broken(f"{server.slug!r} is no name of a file")
            if isinstance(server.query, IntrospectionError):
                findings.error(server.query.code, server.query.message, None, server.query.help)
        _said(findings, False)


def _client_config_seeds() -> list[bytes]:
    local = {
        "command": "${env:HOME}/a",
        "args": ["${NO_SUCH:-x}", "${input:key}"],
        "env": {"A": 1, "B": None},
        "cwd": ".",
    }
    remote = {"type": "http", "url": "https://${HOST:-a.example}/mcp", "headers": {"X-Key": "${workspaceFolder}"}}
    configurations: tuple[Any, ...] = (
        {"mcpServers": {"a": local, "b b": remote, "c": {"disabled": True}}},
        {"servers": {"../a": local}, "inputs": [{"id": "key", "default": "1"}, {"id": 1}, 2]},
        {"mcp": {"servers": {"": {"command": 1, "args": {}, "env": []}, "x": None, "y": {"url": ["x"]}}}},
        {"mcpServers": {"a": {"type": "sse", "url": "http://a"}, "A": {"serverUrl": "ftp://a", "envFile": "mcp.json"}}},
    )
    seeds = [dumped(value) for value in configurations]
    return [*seeds, b'// a\n{"mcpServers": {"a": {"command": "x", /* b */ "args": ["//", "\\"",],},},}\n']


# --- a whole run -----------------------------------------------------------------------------------------------------
_COMMANDS = {"check": ["check", "--no-cache"], "diff": ["diff", "schemas/tools.json", "schemas/other.json"]}
"""Those that write nothing, whatever the files say."""
FILES = ("mcpgen.toml", "schemas/tools.json", "schemas/more.yaml", "schemas/own0.content.j2", "schemas/other.json")


def _command(data: bytes) -> None:
    """An input is a JSON object: files by their names, and under `command` one of `_COMMANDS`."""
    from mcpgen.cli import app
    from typer.testing import CliRunner

    try:
        files = parse(data)
    except ValueError:
        return
    if not isinstance(files, dict):
        return
    with _folder() as folder:
        (folder / "schemas").mkdir()
        for name in FILES:
            content = files.get(name)
            if content is not None:
                raw = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else dumped(content)
                (folder / name).write_bytes(raw)
        format = "github" if len(data) % 2 else "text"
        arguments = _COMMANDS.get(str(files.get("command")), _COMMANDS["check"])
        result = CliRunner().invoke(app, [*arguments, "--jobs", "1", "--color", "never", "--format", format])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        if result.exit_code == 1 or "Traceback" in result.output:
            raise Broken(f"exit code {result.exit_code}: {result.output[-300:]}")
        if match := UNSEEN.search(result.output):
            raise Broken(f"{format} output holds {match[0]!r}")


def _command_seeds() -> list[bytes]:
    template = "{{ a }}{% if next is defined %}{{ next.a }}{% endif %}"
    out: list[bytes] = []
    for index, tool in enumerate(reversed(_tools())):
        files: dict[str, Any] = {"schemas/tools.json": {"tools": [tool]}}
        if tool["name"] == "own0":
            files["schemas/own0.content.j2"] = template
        if index % 2:
            files["mcpgen.toml"] = 'sdk = "mcp"\nformats = "native"\n'
        out.append(dumped(files))
    tool = _tools()[-1]
    for settings in _settings_seeds():
        out.append(dumped({"mcpgen.toml": settings.decode(), "schemas/tools.json": {"tools": [tool]}}))
    changed = {**tool, "outputSchema": {"type": "string"}}
    out.append(
        dumped(
            {
                "command": "diff",
                "schemas/tools.json": {"tools": [tool]},
                "schemas/other.json": {"tools": [changed], "resources": [{"name": "r", "uri": "a://b"}]},
            }
        )
    )
    linked = {**tool, "outputSchema": {"$ref": "other.json#/a"}}
    out.append(dumped({"schemas/tools.json": {"tools": [linked]}, "schemas/other.json": {"a": {"type": "object"}}}))
    templates = {"resourceTemplates": [{"name": "t", "uriTemplate": "a://{x}/{+y}{?z,w}"}]}
    out.append(dumped({"schemas/tools.json": templates, "schemas/more.yaml": "tools: []\n"}))
    return out


# --- generated packages ----------------------------------------------------------------------------------------------
_SCHEMAS = (
    *("oneOf", "oneOf twice", "anyOf twice", "allOf of itself twice", "not of not", "if and then", "tagged"),
    *("unevaluatedProperties", "$dynamicRef", "lists or lists of lists", "tuples, ambiguous", "contains and items"),
    *("lists or objects", "any JSON, spelled out", "expressions", "rows of twenty branches", "balanced trees"),
    *("unique kinds", "contains beside unevaluatedItems", "each row right", "many patterns, many keys"),
    *("names with a pattern", "many undeclared keys", "many extras", "pattern: a date", "pattern: a password"),
    *(
        "a huge multiple",
        "multiples of what is nearly nothing",
        "deep lists for anything",
        "a schema as a value, by items",
    ),
)
_OWN: tuple[Any, ...] = (
    {
        "type": "object",
        "properties": {
            "classmethod": {"type": "string"},
            "model_config": {"type": "integer"},
            "self": {"type": "null"},
        },
    },
    {"type": "object", "properties": {"content": {"type": "array"}, "isError": {"type": "boolean"}}},
    {"type": "string", "contentEncoding": "base64"},
    {"type": "object", "properties": {"at": {"type": "string", "format": "date-time"}, "n": {"enum": [1, True, None]}}},
    {"type": "array", "items": {"type": "integer"}, "uniqueItems": True},
    *(
        {"type": "object", "properties": {"a": {"$ref": f"#/$defs/{name}"}}, "$defs": {name: {"type": "integer"}}}
        for name in ("List[Item]", "Response<User>", "Größe", "a b")
    ),
)


def tools_to_build() -> list[dict[str, Any]]:
    """Return the tools of the package whose classes are fuzzed."""
    schemas = [PAIRS[name].schema for name in _SCHEMAS] + list(_OWN)
    schemas += [tool["outputSchema"] for tool in _tools()]
    return [
        {"name": f"t{index}", "inputSchema": arguments_schema(schema), "outputSchema": schema}
        for index, schema in enumerate(schemas)
    ]


def prepare(folder: Path) -> None:
    """Build the package into a folder, for `use`."""
    (folder / "definitions").mkdir()
    (folder / "definitions" / "tools.json").write_bytes(dumped({"tools": tools_to_build()}))
    run = mcpgen("build", "definitions", "--out", PACKAGE, "--jobs", "1", "--sdk", "mcp", cwd=folder)
    if run.returncode:
        raise RuntimeError(run.stderr)


def use(folder: Path) -> None:
    """Import the package that `prepare` has built there."""
    sys.path.insert(0, str(folder))
    importlib.import_module(PACKAGE)


@cache
def _judge(tool: str, side: str) -> Any:
    return validator(encode_references(importlib.import_module(PACKAGE).TOOLS[tool][side]))


def depth_of(value: Any) -> int:
    """Return how many levels a value has, without recursion."""
    most, stack = 0, [(value, 1)]
    while stack:
        item, depth = stack.pop()
        most = max(most, depth)
        if isinstance(item, dict | list):
            stack.extend((inner, depth + 1) for inner in (item.values() if isinstance(item, dict) else item))
    return most


JUDGED_DEPTH = 12
"""Levels up to which the oracle is asked, as its own cost doubles with each for some schemas."""


def _values(data: bytes) -> None:
    """An input is `{"tool": …, "value": …}`: every way in takes and refuses what the schema does."""
    package = importlib.import_module(PACKAGE)
    try:
        request = parse(data)
    except ValueError:
        return
    if not isinstance(request, dict) or str(request.get("tool")) not in package.TOOLS or "value" not in request:
        return
    tool, value = request["tool"], request["value"]
    outcomes = {entry: _outcome(package, tool, entry, value) for entry in WAYS}
    if depth_of(value) > JUDGED_DEPTH or doubtful(value) or not _is_text(value):
        return
    valid = _judge(tool, "outputSchema").is_valid(value)
    direct = package.TOOLS[tool]["inputSchema"] == package.TOOLS[tool]["outputSchema"]
    for entry, accepted in outcomes.items():
        if accepted is None or accepted == valid:
            continue
        if entry.startswith("normalize") and isinstance(value, dict) and _is_result(value):
            continue  # which is checked as a result, not as a value
        if entry.startswith("normalize") and not valid and _judge(tool, "outputSchema").is_valid({"result": value}):
            continue  # the bare inner value of the declared `{"result": …}`
        if entry == "construct" and isinstance(value, dict) and None in value.values():
            continue  # which is absence in Python
        if entry == "call" and not direct:
            accepted_by_schema = _judge(tool, "inputSchema").is_valid({"value": value})
            if accepted == accepted_by_schema:
                continue
        raise Broken(f"{entry} {'accepts' if accepted else 'refuses'} what the schema of {tool} does not")


def _is_result(value: dict[str, Any]) -> bool:
    """Return whether a mapping has members of a CallToolResult alone, with what servers put around it."""
    members = {"content", "structuredContent", "isError"}
    return bool(value.keys() & members) and value.keys() <= members | {"_meta", "meta", "resultType"}


def _is_text(value: Any) -> bool:
    """Return whether UTF-8 can say a value, so that the oracle can read it."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _outcome(package: Any, tool: str, entry: str, value: Any) -> bool | None:
    """Return whether a way in takes a value; None where it does not apply, or a limit was named."""
    from pydantic import ValidationError

    try:
        result = WAYS[entry](package, tool, value)
    except NotThere:
        return None
    except Refused as error:
        return _told(error.model, error.log)
    except (package.ResultError, ValidationError) as error:
        return _told(package.tool_error(error).content[0].text, str(error))
    if entry == "validate" and not equal(result.to_structured_content(), value):  # type: ignore[attr-defined]
        raise Broken("what was read comes out different")
    return True


def _told(model: str, log: str) -> bool | None:
    for text, most, whom in ((model, MODEL_BYTES, "model"), (log, LOG_BYTES, "log")):
        if len(text.encode("utf-8", "surrogatepass")) > most:
            raise Broken(f"more than {most} bytes for the {whom}")
    return None if "limit" in f"{model} {log}".lower() else False


def _values_seeds() -> list[bytes]:
    out: list[bytes] = []
    for index, name in enumerate(_SCHEMAS):
        for pair in (PAIRS[name], PAIRS.get(f"{name}, wrong at the bottom")):
            if pair is not None:
                out += [dumped({"tool": f"t{index}", "value": pair.value(size)}) for size in (pair.least, 6)]
    from random import Random

    from mcpgen.samples.generator import ValueGenerator
    from mcpgen.schema.keywords import DRAFT_2020_12, detect_dialect

    for tool in tools_to_build()[len(_SCHEMAS) :]:
        draws, random = (
            ValueGenerator(tool["outputSchema"], detect_dialect(tool["outputSchema"]) or DRAFT_2020_12),
            Random(0),
        )
        out += [dumped({"tool": tool["name"], "value": draws.draw_value(random)}) for _ in range(2)]
    return out


def _wire(data: bytes) -> None:
    """An input is `{"tool": …, "result": …}`: what a client receives is read, or refused as documented."""
    from pydantic import ValidationError

    package = importlib.import_module(PACKAGE)
    try:
        message = parse(data)
    except ValueError:
        return
    if not isinstance(message, dict) or str(message.get("tool")) not in package.TOOLS:
        return
    cls, result = package.RESULT_TYPES[message["tool"]], message.get("result")
    if isinstance(result, dict):
        for protocol in (None, "2025-06-18", "2026-07-28"):
            try:
                cls.from_call_tool_result(result, protocol)
            except (ValidationError, package.ToolCallError) as error:
                if isinstance(error, package.ToolCallError):
                    _comes_back(error)
    for normalize in (cls.normalize, cls.normalize_any):
        try:
            normalize(result)
        except package.ResultError as error:
            _comes_back(error)


def _comes_back(error: Exception) -> None:
    """Send an error to another process, in spirit."""
    back = pickle.loads(pickle.dumps(error))
    if type(back) is not type(error) or str(back) != str(error):
        raise Broken(f"{type(error).__name__} is another after pickling")


def _wire_seeds() -> list[bytes]:
    text = {"type": "text", "text": '{"a": 1}'}
    results: tuple[Any, ...] = (
        {"content": [], "structuredContent": {"a": "b"}},
        {"content": [text], "isError": False, "_meta": {"a": 1}, "resultType": "complete"},
        {"content": [text, {"type": "image", "data": "AA==", "mimeType": "image/png"}], "isError": True},
        {"content": [{"type": "resource", "resource": {"uri": "a://b", "blob": "AA=="}}], "structuredContent": None},
        {"content": [{"type": "text", "text": "[" * 3000}]},
        {"content": [{"type": "text", "text": "1" * 5000}]},
        {"content": [{"type": "resource_link", "uri": "a://b", "name": "c"}], "structuredContent": {"result": []}},
    )
    tools = [f"t{index}" for index in range(0, len(tools_to_build()), 5)]
    return [dumped({"tool": tool, "result": result}) for tool in tools for result in results]


TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        Target("settings", _settings_seeds, _settings),
        Target("json", _json_seeds, _definitions("tools.json")),
        Target("yaml", _yaml_seeds, _definitions("tools.yaml"), 5.0),
        Target("template", _template_seeds, _template),
        Target("uri", _uri_seeds, _uri),
        Target("pull", _pull_seeds, _pull),
        Target("recordings", _recordings_seeds, _recordings),
        Target("client-config", _client_config_seeds, _client_config),
        Target("command", _command_seeds, _command, 20.0),
        Target("values", _values_seeds, _values),
        Target("wire", _wire_seeds, _wire),
    )
}
"""All targets, by name."""
