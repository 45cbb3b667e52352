"""What `mcpgen pull` and `check --server` do without a server: sources, secrets, files, remarks, drift, wrapping."""

from __future__ import annotations

import base64
import json
import time
import urllib.parse
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from mcpgen.config.load import find_settings, load_packages
from mcpgen.config.models import PackageSettings
from mcpgen.diagnostics import Findings, Span
from mcpgen.introspect.credentials import Credentials, parse_credentials
from mcpgen.introspect.drift import find_drift, make_single_hunk_diff
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.lint import lint_output_schema
from mcpgen.introspect.listing import ServerListing
from mcpgen.introspect.pulled_file import find_pulled_folder, render_pulled_file
from mcpgen.introspect.redaction import Redactor
from mcpgen.introspect.ref_repair import repair_references
from mcpgen.introspect.server_address import (
    Command,
    InProcess,
    Url,
    format_server_address,
    make_server_name,
    parse_server_address,
)
from mcpgen.introspect.validation import AdvertisedDefinitions, validate_listing
from mcpgen.read.loader import read_definitions
from mcpgen.schema.keywords import DRAFT_2020_12
from support.packages import mcpgen, package, tool
from support.repository import TESTS

LIMITS = PackageSettings.model_validate({}).limits


# --- sources ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("words", "source", "name"),
    [
        (["https://mcp.example.com/x/mcp"], Url("https://mcp.example.com/x/mcp"), "mcp-example-com"),
        (["HTTP://[::1]:8000/mcp"], Url("HTTP://[::1]:8000/mcp"), "1"),
        (["weather.server:mcp"], InProcess("weather.server", "mcp"), "weather-server"),
        (["weather:app.server"], InProcess("weather", "app.server"), "weather"),
        (["npx", "-y", "@scope/server-x@1.2"], Command(("npx", "-y", "@scope/server-x@1.2")), "server-x"),
        (["npx -y 'a b'"], Command(("npx", "-y", "a b")), "npx"),
        (["python3.11", "-m", "weather.server"], Command(("python3.11", "-m", "weather.server")), "weather-server"),
        (["python", "src/serve.py"], Command(("python", "src/serve.py")), "serve"),
        (["uvx", "mcp-server-git"], Command(("uvx", "mcp-server-git")), "mcp-server-git"),
        (["docker", "run", "-i", "--rm", "mcp/fetch"], Command(("docker", "run", "-i", "--rm", "mcp/fetch")), "fetch"),
        (["C:\\tools\\My Server.exe"], Command(("C:toolsMy", "Server.exe")), "c-toolsmy"),
        (["env A=b node /x/mine/dist/index.js"], Command(("env", "A=b", "node", "/x/mine/dist/index.js")), "mine"),
        (["node"], Command(("node",)), "node"),
    ],
)
def test_sources(words: list[str], source: Any, name: str) -> None:
    assert parse_server_address(words) == source
    assert make_server_name(source) == name


@pytest.mark.parametrize("words", [[], [""], ["'"], ["http://"], ["https:///path"], ["http://a:99999999/"]])
def test_what_names_no_server(words: list[str]) -> None:
    with pytest.raises(IntrospectionError) as caught:
        parse_server_address(words)
    assert caught.value.code == "MG701"


def test_a_url_is_shown_without_its_secrets() -> None:
    url = parse_server_address(["https://me:s3cret@host:8000/mcp?key=s3cret#s3cret"])
    assert format_server_address(url) == "https://host:8000/mcp"
    assert format_server_address(parse_server_address(["npx", "server", "--token", "s3cret"])) == "server"


# --- secrets ---------------------------------------------------------------------------------------------------------
def test_headers_and_environment() -> None:
    environ = {"TOKEN": "Bearer abc", "PASSED": "on"}
    held = parse_credentials(["X-One: 1", "X-Two:a:b"], ["Authorization=TOKEN"], ["A=b=c", "PASSED", "EMPTY="], environ)
    assert held.headers == {"X-One": "1", "X-Two": "a:b", "Authorization": "Bearer abc"}
    assert held.env == {"A": "b=c", "PASSED": "on", "EMPTY": ""}
    assert "abc" not in repr(held)


@pytest.mark.parametrize(
    ("headers", "headers_env", "env"),
    [
        (["s3cret"], [], []),
        (["a b: s3cret"], [], []),
        (["A: s3cret\nB: s3cret"], [], []),
        (["A: s3cret\u00fc"], [], []),
        ([], ["s3cret"], []),
        ([], ["Authorization=s3cret"], []),
        ([], [], ["=s3cret"]),
        ([], [], ["s3cret-s3cret"]),
    ],
)
def test_what_is_malformed_is_not_printed(headers: list[str], headers_env: list[str], env: list[str]) -> None:
    with pytest.raises(IntrospectionError) as caught:
        parse_credentials(headers, headers_env, env, {})
    assert caught.value.code == "MG701"
    assert "s3cret" not in caught.value.message + caught.value.help


def test_redaction() -> None:
    token, word = "Bearer s3cr/et=\"x'", "ab1"
    source = parse_server_address(["https://user:hunter2hunter2@host/?key=q-u-e-r-y&page=1"])
    redacted = Redactor(Credentials({"Authorization": token}, {"WORD": word}), source).redact_foreign
    forms = [token, token.split()[1], urllib.parse.quote(token, safe=""), json.dumps(token)[1:-1], repr(token)[1:-1]]
    forms += [base64.b64encode(token.encode()).decode(), "hunter2hunter2", "user:hunter2hunter2", "q-u-e-r-y"]
    for form in forms:
        assert redacted(f"x{form}y") in ("x***y", "x***=y", "x***==y", "xBearer ***y"), form
    assert redacted("ab1 cab12 (ab1)") == "*** cab12 (***)"
    assert Redactor(Credentials(), parse_server_address(["a:b"])).redact_foreign("a:b") == "a:b"
    command = Redactor(
        Credentials(),
        parse_server_address(["server", "--api-key", "k-1234567", "--port", "8000", "API_TOKEN=t-1234567"]),
    ).redact_foreign
    assert command("k-1234567 8000 t-1234567") == "*** 8000 ***"


# --- files -----------------------------------------------------------------------------------------------------------
def advertised(*tools: Any, protocol: str = "2025-11-25", **lists: Any) -> AdvertisedDefinitions:
    held = {"tools": list(tools), "resources": [], "resourceTemplates": [], **lists}
    found = validate_listing(ServerListing(protocol, "mcp", held), (), LIMITS, Span("server"), Findings())
    assert found is not None
    return found


def test_the_text_of_a_file() -> None:
    """Sorted by name, members as they were sent, and no more than JSON can say."""
    one = {"name": "b", "inputSchema": {"type": "object", "properties": {"z": True, "a": {"minimum": 1.0}}}}
    text = render_pulled_file(advertised(one, tool("a")), "weather")
    assert text == render_pulled_file(advertised(tool("a"), one), "weather")
    held = json.loads(text)
    assert json.dumps(held["tools"][1]) == json.dumps(one)
    assert "ü\u2028" in render_pulled_file(advertised(tool("a", description="ü\u2028")), "x")
    assert json.loads(render_pulled_file(advertised(tool("a", description="\ud800")), "x").encode())


def test_resources_are_sorted_and_two_of_a_name_are_told_of() -> None:
    uris = ["b://", "a://"]
    findings = Findings()
    lists: Any = {"tools": [], "resources": [{"name": "n", "uri": uri} for uri in uris]}
    found = validate_listing(ServerListing("2025-11-25", "mcp", lists), (), LIMITS, Span("server"), findings)
    assert found is not None
    assert [one["uri"] for one in found.lists["resources"]] == sorted(uris)
    assert [item.code for item in findings] == ["MG711"]
    assert not findings.failed


@pytest.mark.parametrize(
    ("limits", "schema"),
    [({"depth": 20}, {"not": {"not": {"not": {"not": {"not": {"not": {"not": {"not": {"not": {}}}}}}}}}}),
     ({"values": 20}, {"required": [str(number) for number in range(30)]})],
)  # fmt: skip
def test_limits(limits: Any, schema: Any) -> None:
    for _ in range(4):
        schema = {"not": {"not": schema}}
    settings = PackageSettings.model_validate({"limits": limits})
    answer = ServerListing("2025-11-25", "mcp", {"tools": [tool("a", {"type": "object", **schema})]})
    findings = Findings()
    assert validate_listing(answer, (), settings.limits, Span("server"), findings) is None
    assert [item.code for item in findings] == ["MG712"]


def test_where_files_go(tmp_path: Path) -> None:
    for settings, folder in (
        ("", "schemas/pulled"),
        ("schemas = ['definitions']", "definitions/pulled"),
        ("schemas = ['a.json', 'b']", "b/pulled"),
        ("schemas = ['x/pulled/weather.json']", "x/pulled"),
        ("schemas = ['a.json']", "schemas/pulled"),
    ):
        (tmp_path / "mcpgen.toml").write_text(settings)
        found = find_pulled_folder(load_packages(find_settings(tmp_path), tmp_path, Findings()))
        assert found in (tmp_path / folder, Path(folder))


def test_a_file_that_is_not_pulls_own_is_left_alone(tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason="no MCP SDK is installed")
    server = "import json, sys\nfrom sdk import by_hand\nby_hand.main()\n"
    (tmp_path / "serve.py").write_text(f"import sys\nsys.path.insert(0, {str(TESTS)!r})\n{server}")
    command = ["--name", "x", "--", "python", "serve.py", ""]
    held = tmp_path / "schemas" / "pulled" / "x.json"
    beside = held.with_name("mine.json")
    held.parent.mkdir(parents=True)
    for path in (held, beside):
        path.write_text('{"tools": []}')
    run = mcpgen("pull", *command, cwd=tmp_path)
    assert (run.returncode, held.read_text()) == (3, '{"tools": []}')
    assert run.stderr.startswith("schemas/pulled/x.json: error[MG402]")
    assert mcpgen("pull", "--force", *command, cwd=tmp_path).returncode == 0
    held.write_text(held.read_text().replace("object", "string"))
    run = mcpgen("pull", *command, cwd=tmp_path)
    assert run.returncode == 3
    assert run.stderr.startswith("schemas/pulled/x.json: error[MG401]")
    assert beside.read_text() == '{"tools": []}'


# --- references ------------------------------------------------------------------------------------------------------
def test_references_that_a_wrapper_broke() -> None:
    day = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Day"}}, "required": ["rain"]}
    broken: Any = {"properties": {"result": {"$defs": {"Day": day}, "items": {"$ref": "#/$defs/Day"}}}}
    right, refs = repair_references(broken, DRAFT_2020_12)
    assert refs == ["#/$defs/Day"]
    validator = jsonschema_rs.Draft202012Validator(right)  # type: ignore[arg-type]
    assert validator.is_valid({"result": [{"rain": 1, "next": {"rain": 2}}]})
    assert not validator.is_valid({"result": [{"rain": 1, "next": {}}]})
    nowhere: Any = {"$ref": "#/$defs/nowhere"}
    other: Any = {"items": {"$ref": "other.json"}, "const": {"$ref": "#/$defs/A"}}
    for fine in (right, nowhere, other):
        assert repair_references(fine, DRAFT_2020_12) == (fine, [])


# --- remarks ---------------------------------------------------------------------------------------------------------
NULLABLE = {"anyOf": [{"type": "string"}, {"type": "null"}]}


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, []),
        ({"type": "object", "properties": {"a": NULLABLE}}, []),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/N"}}, "$defs": {"N": NULLABLE}}, []),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, ["/properties/a: a None in it is sent as null"]),
        ({"type": "object"}, ["an object about which nothing is said"]),
        ({"type": "object", "additionalProperties": True, "properties": {}}, ["an object about which nothing is said"]),
        ({"type": "object", "additionalProperties": {"type": "string"}}, []),
        ({"type": "array", "items": {"type": "integer"}}, ['its root does not say "type": "object"']),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"type": "object", "required": ["a"]}}}, ["its root does not say"]),
        (
            {"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]},
            ["/properties/a: a NaN or infinity in it is sent as null"],
        ),
        ({"type": "object", "properties": {"a": {"type": ["number", "null"]}}, "required": ["a"]}, []),
        (
            {"type": "object", "additionalProperties": False, "properties": {"a-b": {}, "c": {}}},
            ["/properties/a-b: dumped by its Python name"],
        ),
        ({"type": "object", "properties": {"a-b": {}}}, []),
        ({"$schema": "http://json-schema.org/draft-04/schema#"}, ["its outputSchema is of a dialect"]),
        ({"type": "object", "properties": {"a": {"type": "strng"}}}, ["its outputSchema is not valid"]),
    ],
)
def test_remarks(schema: Any, said: list[str]) -> None:
    found = lint_output_schema(tool("a", schema))
    assert len(found) == len(said)
    assert all(one.startswith(start) for one, start in zip(found, said, strict=True)), found


# --- wrapping and drift ----------------------------------------------------------------------------------------------
ARRAY = {"type": "array", "items": {"type": "integer"}}


@pytest.mark.parametrize(
    ("folder", "generated", "settings", "when"),
    [
        ("", {}, "", "legacy"),
        ("pulled", {}, "", "always"),
        ("pulled", {"protocol": "2025-11-25"}, "", "always"),
        ("pulled", {"protocol": "2026-07-28"}, "", "legacy"),
        ("pulled", {}, "wrap = 'legacy'", "legacy"),
        ("pulled", {"protocol": "2026-07-28"}, "wrap = 'always'", "always"),
        ("pulled", {}, "[tools.a]\nwrap = 'legacy'", "legacy"),
    ],
)
def test_when_pulled_results_are_wrapped(tmp_path: Path, folder: str, generated: Any, settings: str, when: str) -> None:
    schemas = tmp_path / "schemas" / folder
    schemas.mkdir(parents=True)
    (schemas / "x.json").write_text(json.dumps({"generated": generated, "tools": [tool("a", ARRAY)]}))
    (tmp_path / "mcpgen.toml").write_text(settings)
    (held,) = load_packages(find_settings(tmp_path), tmp_path, Findings())
    for inputs in ([tmp_path / "schemas"], [schemas], [schemas / "x.json"]):
        (found,) = read_definitions(inputs, held, Findings()).tools
        assert found.choices.wrap == when


def test_a_schema_that_the_settings_give_is_wrapped_as_sdks_do(tmp_path: Path) -> None:
    schemas = tmp_path / "schemas" / "pulled"
    schemas.mkdir(parents=True)
    text = json.dumps({"generated": {"protocol": "2026-07-28"}, "tools": [tool("a")]})
    (schemas / "x.json").write_text(text)
    (tmp_path / "mcpgen.toml").write_text("[tools.a]\noutputSchema = 'list.json'")
    (tmp_path / "list.json").write_text(json.dumps(ARRAY))
    (held,) = load_packages(find_settings(tmp_path), tmp_path, Findings())
    (found,) = read_definitions([tmp_path / "schemas"], held, Findings()).tools
    assert found.choices.wrap == "always"


def definitions(folder: Path, tools: list[Any], **more: Any) -> Any:
    folder.mkdir(exist_ok=True)
    (folder / "tools.json").write_text(json.dumps({"tools": tools, **more}))
    findings = Findings()
    (held,) = load_packages(None, folder, findings)
    found = read_definitions([folder / "tools.json"], held, findings)
    assert not findings.failed
    return found


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"])
def test_what_a_package_advertises_is_no_drift(tmp_path: Path, version: str) -> None:
    """Under each version, by the generated package itself; and the next version's form is drift where it differs."""
    tools = [tool("array", ARRAY), tool("object", {"type": "object", "title": "T"}), tool("bare")]
    generated = package(tmp_path / "package", tools)
    held = definitions(tmp_path / "held", tools)
    live = advertised(*generated.list_tools(version), protocol=version)
    assert find_drift(held, live, "server").errors == ()
    natural = advertised(*generated.list_tools("2026-07-28"), protocol=version)
    expected = ['tool "array" is another on the server'] if version in ("2025-06-18", "2025-11-25") else []
    assert [one.message for one in find_drift(held, natural, "server").errors] == expected


def test_drift(tmp_path: Path) -> None:
    resources = [{"name": "a", "uri": "a://"}, {"name": "b", "uriTemplate": "b://{x}"}]
    held = definitions(
        tmp_path, [tool("kept", {"type": "object"}, title="A"), tool("gone"), tool("changed", {"type": "object"})],
        resources=resources[:1], resourceTemplates=resources[1:],
    )  # fmt: skip
    live = advertised(
        tool("kept", {"title": "X", "type": "object"}, title="B", description="C", _meta={"x": 1}),
        tool("changed", {"type": "object", "required": ["a"]}),
        tool("new"),
        resources=[{"name": "another", "uri": "a://"}, {"name": "c", "uri": "c://"}],
    )
    found = find_drift(held, live, "live")
    assert {(one.message, Path(one.span.file).name) for one in found.errors if one.span} == {
        ('tool "changed" is another on the server', "tools.json"),
        ('resource template "b://{x}" is missing on the server', "tools.json"),
        ('tool "gone" is missing on the server', "tools.json"),
        ('resource "c://" is new on the server', "live"),
        ('tool "new" is new on the server', "live"),
    }
    (note,) = found.notes
    assert (note.message, note.severity) == ('tool "kept" has another title and description on the server', "note")
    (diff,) = found.diffs
    assert diff.splitlines()[0].endswith("tools.json: changed")
    assert diff.splitlines()[1] == "+++ live (2025-11-25): changed"
    assert '+      "a"\n' in diff or '+    "required": [\n' in diff


def test_a_large_contract_is_compared_at_once() -> None:
    """Comparing line by line takes time by the square of the lines, so a long one is replaced from end to end."""
    old = [f"line {number}" for number in range(9_000)]
    new = [*old[:10], *(f"{line}!" for line in old[10:-10]), "more", *old[-10:]]
    lines = list(make_single_hunk_diff(old, new, "old", "new"))
    assert lines[:3] == ["--- old", "+++ new", "@@ -11,8980 +11,8981 @@"]
    assert [line[1:] for line in lines[3:] if line[0] == "-"] == old[10:-10]
    assert [line[1:] for line in lines[3:] if line[0] == "+"] == new[10:-10]


def test_a_schema_with_many_properties_is_put_right_once() -> None:
    """A holder of subschemas is copied once, not for each of them: the work grows with the properties."""
    properties: Any = {f"p{number}": {"type": "string"} for number in range(20_000)}
    schema: Any = {"type": "object", "properties": properties, "allOf": [{}, {"minimum": 1}]}
    start = time.process_time()
    assert repair_references(schema, DRAFT_2020_12) == (schema, [])
    assert time.process_time() - start < 10, "it was 40 s for 20,000"
