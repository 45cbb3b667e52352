"""Resources: what a handler may return, by the rows of the normalization document, and what a client reads."""

from __future__ import annotations

import datetime
import decimal
import enum
import json
import math
import types
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from pydantic import BaseModel, ValidationError
from support import corpus
from support.packages import built, get_types, mcpgen, package
from support.repository import SHARED, needs_shared
from support.wire_forms import parse_texts, wire

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
OLD, NEW = "2025-06-18", "2026-07-28"
EXAMPLES = corpus.CORPUS / "mcp-examples"
SETTINGS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "theme": {"enum": ["light", "dark"]},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        "since": {"type": ["string", "null"]},
        "match": {"type": "integer"},
    },
    "required": ["theme"],
    "additionalProperties": False,
}
ROW = {"type": "object", "properties": {"n": {"type": "integer"}, "text": {"type": "string"}}, "required": ["n"]}


def _resource(name: str, uri: str, mime: str | None = None, **choices: Any) -> dict[str, Any]:
    out: dict[str, Any] = {"name": name, "uri": uri} | ({"mimeType": mime} if mime else {})
    return {**out, "x-mcpgen": choices} if choices else out


@pytest.fixture(scope="module", params=["none", "mcp"])
def generated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    if request.param == "mcp":
        pytest.importorskip("mcp_types", reason="mcp 2.x is not installed here")
    resources = [
        _resource("response", "custom://response"),
        _resource("simple", "simple://text"),
        _resource("multi", "multi://content"),
        _resource("dict", "dict://resource"),
        _resource("image", "binary://image", "image/png"),
        _resource("binary", "binary://any"),
        _resource("text", "text://simple"),
        _resource("config", "config://app", "application/json"),
        _resource("fallback", "fallback://resource"),
        _resource("cached", "cached://x", None, ttlMs=60000, cacheScope="public"),
        _resource("settings", "config://settings", "application/json", schema=SETTINGS),
        _resource("rows", "rows://all", None, schema={"type": "array", "items": ROW}),
        _resource("word", "word://x", None, schema={"type": "string", "minLength": 2}),
        _resource("row", "row://x", None, schema=ROW, ttlMs=5),
        _resource("open", "open://x", None, schema={"type": "object"}),
    ]
    templates = [{"name": "page", "uriTemplate": "page://{id}"}]
    folder = tmp_path_factory.mktemp("resources")
    generated = package(folder, [], "--sdk", str(request.param), resources=resources, resourceTemplates=templates)
    return generated


# --- the rows of the document ----------------------------------------------------------------------------------------
@dataclass
class Config:
    version: str
    enabled: bool


class ConfigModel(BaseModel):
    version: str
    enabled: bool


class CustomObject:
    def __str__(self) -> str:
        return "CustomObject representation"


def _text(package: Any, uri: str, mime: str, text: str) -> Any:
    return get_types(package).TextResourceContents.model_validate({"uri": uri, "mimeType": mime, "text": text})


def _answer(package: Any, *contents: Any) -> Any:
    return get_types(package).ReadResourceResult(contents=[*contents])


def _document(package: Any) -> Iterator[tuple[str, Any, Any]]:
    """Each resource row of the document, as printed: resource, handler's value, result."""
    status = '{"status": "ok"}'
    yield (
        "response",
        _answer(package, _text(package, "custom://response", "application/json", status)),
        {"contents": [{"uri": "custom://response", "mimeType": "application/json", "text": status}]},
    )
    yield (
        "simple",
        _text(package, "simple://text", "text/plain", "Hello, world!"),
        {"contents": [{"uri": "simple://text", "mimeType": "text/plain", "text": "Hello, world!"}]},
    )
    yield (
        "multi",
        [_text(package, "multi://1", "text/plain", "First"), _text(package, "multi://2", "text/plain", "Second")],
        {
            "contents": [
                {"uri": "multi://1", "mimeType": "text/plain", "text": "First"},
                {"uri": "multi://2", "mimeType": "text/plain", "text": "Second"},
            ]
        },
    )
    yield (
        "dict",
        {"mimeType": "application/json", "text": '{"key": "value"}'},
        {"contents": [{"uri": "dict://resource", "mimeType": "application/json", "text": '{"key": "value"}'}]},
    )
    yield (
        "image",
        b"\x89PNG\r\n\x1a\n",
        {"contents": [{"uri": "binary://image", "mimeType": "image/png", "blob": "iVBORw0KGgo="}]},
    )
    yield (
        "text",
        "Hello, world!",
        {"contents": [{"uri": "text://simple", "mimeType": "text/plain", "text": "Hello, world!"}]},
    )
    config = '{"version": "1.0", "enabled": true}'
    for value in (Config("1.0", True), ConfigModel(version="1.0", enabled=True)):
        yield ("config", value, {"contents": [{"uri": "config://app", "mimeType": "application/json", "text": config}]})
    yield (
        "fallback",
        CustomObject(),
        {"contents": [{"uri": "fallback://resource", "mimeType": "text/plain", "text": "CustomObject representation"}]},
    )
    settings = '{"theme": "dark", "notifications": true}'
    yield (
        "config",
        settings,
        {"contents": [{"uri": "config://app", "mimeType": "application/json", "text": settings}]},
    )


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("row", range(10))
def test_the_rows_of_the_document(generated: Any, row: int, version: str) -> None:
    name, value, expected = [*_document(generated)][row]
    resource = generated.RESOURCE_TYPES[name]
    around = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"} if version == NEW else {}
    result = resource.normalize(value, protocol=version)
    assert isinstance(result, get_types(generated).ReadResourceResult)
    if name == "response":
        assert result is value
        assert parse_texts(wire(result)) == parse_texts(expected)
    else:
        assert parse_texts(wire(result)) == parse_texts({**expected, **around})
    assert parse_texts(resource.of(value).to_wire(version)) == parse_texts({**expected, **around})


def test_the_document_row_of_json_in_a_resource_with_a_schema(generated: Any) -> None:
    """Check that the text of the document's example with a custom MIME type stays as the handler wrote it."""
    text = '{"theme": "dark",  "tags": []}'
    result = generated.Settings.normalize(text, protocol=OLD)
    assert wire(result) == {"contents": [{"uri": "config://settings", "mimeType": "application/json", "text": text}]}


# --- beside the printed rows -----------------------------------------------------------------------------------------
class Colour(enum.Enum):
    RED = "red"


class Named:
    def __init__(self) -> None:
        self.name = "x"

    def __str__(self) -> str:
        return "Named, in words"


NOON = datetime.datetime(2026, 7, 28, 12, tzinfo=datetime.UTC)
TEXTS: list[tuple[Any, str]] = [
    (None, "null"),
    (True, "true"),
    (3, "3"),
    (1.5, "1.5"),
    ([], "[]"),
    ({}, "{}"),
    ([1, "a", None], '[1,"a",null]'),
    ({"text": 5}, '{"text":5}'),
    ({"text": b"a"}, '{"text":"YQ=="}'),
    ({"text": "a", "author": "b"}, '{"text":"a","author":"b"}'),
    ({"text": "a", "blob": "YQ=="}, '{"text":"a","blob":"YQ=="}'),
    ({"text": "a", "uri": 5}, '{"text":"a","uri":5}'),
    ({"é": {1: {"x"}}}, '{"é":{"1":["x"]}}'),
    (range(3), "[0,1,2]"),
    (NOON, "2026-07-28T12:00:00Z"),
    (Colour.RED, "red"),
    (uuid.UUID(int=0), "00000000-0000-0000-0000-000000000000"),
    (decimal.Decimal("1.50"), "1.5"),
    ({"at": NOON, "raw": b"ab", "price": decimal.Decimal("2")}, '{"at":"2026-07-28T12:00:00Z","raw":"YWI=","price":2}'),
    (types.SimpleNamespace(a=1), '{"a":1}'),
    (Named(), "Named, in words"),
    ({"a": [CustomObject(), Named()]}, '{"a":["CustomObject representation","Named, in words"]}'),
    (ValueError("broken"), "broken"),
    (types.MappingProxyType({"a": 1}), '{"a":1}'),
]


@pytest.mark.parametrize(("value", "text"), TEXTS, ids=range(len(TEXTS)))
def test_other_values_become_text(generated: Any, value: Any, text: str) -> None:
    (contents,) = wire(generated.Text.normalize(value, protocol=OLD))["contents"]
    assert contents == {"uri": "text://simple", "mimeType": "text/plain", "text": text}


def test_generators(generated: Any) -> None:
    (contents,) = wire(generated.Text.normalize(n for n in range(3)))["contents"]
    assert contents["text"] == "[0,1,2]"
    several = (_text(generated, f"a://{n}", "text/plain", "x") for n in range(2))
    assert [content["uri"] for content in wire(generated.Text.normalize(several))["contents"]] == ["a://0", "a://1"]


MIME: list[tuple[str, Any, str]] = [
    ("config", "{}", "application/json"),
    ("config", b"{}", "application/json"),
    ("config", {"a": 1}, "application/json"),
    ("config", {"text": "a"}, "application/json"),
    ("config", {"text": "a", "mimeType": "text/html"}, "text/html"),
    ("image", bytearray(b"a"), "image/png"),
    ("image", {"blob": "YQ==", "mimeType": "image/gif"}, "image/gif"),
    ("image", {"blob": b"a"}, "image/png"),
    ("binary", b"a", "application/octet-stream"),
    ("binary", memoryview(b"a"), "application/octet-stream"),
    ("binary", {"blob": "YQ=="}, "application/octet-stream"),
    ("binary", "a", "text/plain"),
    ("binary", {"a": 1}, "text/plain"),
    ("binary", {"text": "a"}, "text/plain"),
    ("binary", 5, "text/plain"),
    ("settings", {"theme": "dark"}, "application/json"),
    ("word", "ab", "application/json"),
]


@pytest.mark.parametrize(("name", "value", "mime"), MIME, ids=range(len(MIME)))
def test_mime_types(generated: Any, name: str, value: Any, mime: str) -> None:
    (contents,) = wire(generated.RESOURCE_TYPES[name].normalize(value))["contents"]
    assert contents["mimeType"] == mime
    assert ("blob" in contents) == isinstance(value, bytes | bytearray | memoryview) or isinstance(value, dict)


@pytest.mark.parametrize("members", [{"text": "{}"}, {"blob": "e30="}])
@pytest.mark.parametrize("pack", [lambda contents: contents, lambda contents: [contents]])
def test_contents_without_a_mime_type_get_the_declared_one(generated: Any, members: Any, pack: Any) -> None:
    """Those of another URI may be of any type, and none is declared for them."""
    protocol = get_types(generated)
    cls = protocol.TextResourceContents if "text" in members else protocol.BlobResourceContents
    for name, uri, expected in (
        ("config", "config://app", {"mimeType": "application/json"}),
        ("config", "x://y", {}),
        ("binary", "binary://any", {}),
        ("page", "page://5", {}),
    ):
        contents = cls(uri=uri, **members)
        read = "page://5" if name == "page" else None
        result = generated.RESOURCE_TYPES[name].normalize(pack(contents), read, protocol=OLD)
        assert wire(result) == {"contents": [{"uri": uri, **members, **expected}]}
        own = cls.model_validate({"uri": uri, "mimeType": "text/x", **members})
        assert generated.RESOURCE_TYPES[name].normalize(own, read).contents[0] == own


class TextResourceContents(BaseModel):
    """Another SDK's class: the same name and members."""

    uri: str
    text: str
    mimeType: str | None = None


class ReadResourceResult(BaseModel):
    contents: list[TextResourceContents]


def test_contents_and_answers_of_another_sdk(generated: Any) -> None:
    theirs = TextResourceContents(uri="a://b", text="t", mimeType="text/x")
    expected = {"contents": [{"uri": "a://b", "text": "t", "mimeType": "text/x"}]}
    for value in (theirs, [theirs], (theirs,), ReadResourceResult(contents=[theirs])):
        for name in ("text", "settings", "rows"):
            assert wire(generated.RESOURCE_TYPES[name].normalize(value, protocol=OLD)) == expected


def test_a_mix_of_contents_and_values_is_refused(generated: Any) -> None:
    item = _text(generated, "a://b", "text/plain", "a")
    with pytest.raises(TypeError, match='resource "text": a list of contents'):
        generated.Text.normalize([item, "b"])


async def forgotten() -> None: ...


def test_what_is_no_answer_is_refused_by_name(generated: Any) -> None:
    coroutine = forgotten()
    for value in (coroutine, forgotten, Config):
        with pytest.raises(TypeError, match='resource "text": a handler returned'):
            generated.Text.normalize(value)
    coroutine.close()
    for wrong, where in (
        ({"a": [math.nan]}, "/a/0: JSON has no nan"),
        ("\ud800", "a lone surrogate"),
        ({"text": "\ud800"}, "/text: a lone surrogate"),
        ([forgotten], "/0: a value of type function is not data"),
        (10**5000, "4,300 digits"),
    ):
        with pytest.raises(ValueError, match='resource "text": ') as caught:
            generated.Text.normalize(wrong)
        assert where in str(caught.value)


# --- URIs and versions -----------------------------------------------------------------------------------------------
def test_a_template_needs_the_uri(generated: Any) -> None:
    with pytest.raises(ValueError, match=r'resource "page" is a template, page://\{id\}: pass the uri'):
        generated.Page.normalize("a")
    uri = generated.Page.uri(id="5")
    (contents,) = wire(generated.Page.normalize("a", uri))["contents"]
    assert contents["uri"] == uri == "page://5"
    content = {"uri": "page://6", "text": "a"}
    assert wire(generated.Page.normalize(content))["contents"][0]["uri"] == "page://6"


def test_the_uri_that_was_read_wins(generated: Any) -> None:
    for name, value in (("text", "a"), ("text", b"a"), ("text", {"text": "a"}), ("settings", {"theme": "dark"})):
        (contents,) = wire(generated.RESOURCE_TYPES[name].normalize(value, "text://other"))["contents"]
        assert contents["uri"] == "text://other"


def test_caching_is_said_from_2026_07_28_on(generated: Any) -> None:
    for version in VERSIONS[:-1]:
        assert wire(generated.Cached.normalize("a", protocol=version)).keys() == {"contents"}
        assert generated.Cached.of("a").to_wire(version, ttl_ms=1).keys() == {"contents"}
    result = wire(generated.Cached.normalize("a", protocol=NEW))
    assert (result["resultType"], result["ttlMs"], result["cacheScope"]) == ("complete", 60000, "public")
    changed = generated.Cached.of("a").to_wire(NEW, ttl_ms=0, cache_scope="private", meta={"a": None})
    assert (changed["ttlMs"], changed["cacheScope"], changed["_meta"]) == (0, "private", {"a": None})
    row = generated.Row(n=1).to_read_resource_result(NEW, ttl_ms=9, meta={"k": 1})
    assert (row.ttl_ms, row.cache_scope, wire(row)["_meta"]) == (9, "private", {"k": 1})
    assert wire(generated.Row.normalize({"n": 1}))["ttlMs"] == 5


def test_unknown_versions_are_refused(generated: Any) -> None:
    answer = _answer(generated)
    for resource in (generated.Text, generated.Settings):
        for value in ("{}", {"theme": "dark"}, answer):
            with pytest.raises(ValueError, match=r"unknown MCP protocol version|theme"):
                resource.normalize(value, protocol="2027-01-01")
    with pytest.raises(ValueError, match="unknown MCP protocol version"):
        generated.list_resources("2027-01-01")


def test_what_is_advertised_is_what_was_declared(generated: Any) -> None:
    listed = {resource["name"]: resource for resource in generated.list_resources()}
    assert listed["settings"] == {"name": "settings", "uri": "config://settings", "mimeType": "application/json"}
    assert generated.list_resource_templates(OLD) == [{"name": "page", "uriTemplate": "page://{id}"}]
    assert generated.RESOURCES.keys() == {*listed, "page"} == {*generated.RESOURCE_TYPES}
    info = generated.Cached.resource
    assert (info.uri, info.mime_type, info.ttl_ms, info.cache_scope) == ("cached://x", None, 60000, "public")
    assert (generated.Page.resource.uri, generated.Page.resource.uri_template) == (None, "page://{id}")


@needs_shared(*(f"mcp/{version}/schema.json" for version in VERSIONS))
@pytest.mark.parametrize("version", VERSIONS)
def test_results_satisfy_the_official_schema(generated: Any, version: str) -> None:
    official = json.loads((SHARED / "mcp" / version / "schema.json").read_text("utf-8"))
    keyword = "$defs" if "$defs" in official else "definitions"
    bare = {key: value for key, value in official.items() if key not in ("type", "properties")}
    validator = jsonschema_rs.validator_for({**bare, "allOf": [{"$ref": f"#/{keyword}/ReadResourceResult"}]})
    for name, value, _ in _document(generated):
        sent = generated.RESOURCE_TYPES[name].of(value).to_wire(version)
        assert validator.is_valid(sent), (name, next(validator.iter_errors(sent)).message)
    assert validator.is_valid(generated.Settings(theme="dark").to_wire(version))


# --- a resource whose JSON has a schema ------------------------------------------------------------------------------
def test_construction_and_names(generated: Any) -> None:
    settings = generated.Settings(theme="dark", match_=3)
    text = settings.to_wire(OLD)["contents"][0]["text"]
    assert json.loads(text) == {"theme": "dark", "match": 3} == settings.to_structured_content()
    assert generated.Settings.match("config://settings") == {}
    assert generated.Settings.match("config://other") is None
    with pytest.raises(ValidationError):
        generated.Settings(theme="blue")
    with pytest.raises(ValidationError):  # what no type says
        generated.Settings(theme="dark", tags=["a", "a"])
    assert generated.Settings.model_json_schema() == SETTINGS
    assert generated.Rows([{"n": 1}]).to_structured_content() == [{"n": 1}]


@dataclass
class SettingsData:
    theme: Colour | str
    tags: set[str]
    since: datetime.datetime | None = None


def test_handlers_values_of_a_schema(generated: Any) -> None:
    def text(name: str, value: Any) -> Any:
        (contents,) = wire(generated.RESOURCE_TYPES[name].normalize_any(value, protocol=OLD))["contents"]
        return json.loads(contents["text"])

    assert text("settings", generated.Settings(theme="dark", since=None)) == {"theme": "dark", "since": None}
    assert text("settings", {"theme": "dark"}) == {"theme": "dark"}
    assert text("settings", SettingsData("dark", {"a"}, NOON))["since"] == "2026-07-28T12:00:00Z"
    assert text("settings", b'{"theme": "light"}') == {"theme": "light"}
    assert text("rows", ({"n": n} for n in range(2))) == [{"n": 0}, {"n": 1}]
    assert text("rows", "[]") == []
    assert text("rows", []) == []
    assert text("word", "[]") == "[]"
    assert text("word", uuid.UUID(int=0)) == "00000000-0000-0000-0000-000000000000"
    assert text("row", {"n": 1, "text": "declared, so no contents"}) == {"n": 1, "text": "declared, so no contents"}


def test_a_mapping_is_what_the_schema_says(generated: Any) -> None:
    contents = {"text": '{"theme": "dark"}', "mimeType": "application/json"}
    assert wire(generated.Settings.normalize(contents))["contents"][0]["text"] == '{"theme": "dark"}'
    with pytest.raises(ValidationError):
        generated.Row.normalize({"text": "declares text itself"})


WRONG: list[tuple[str, Any, str]] = [
    ("settings", {"theme": "blue"}, "theme"),
    ("settings", {"theme": "dark", "tags": ["a", "a"]}, "tags"),
    ("settings", '{"theme": "blue"}', "theme"),
    ("settings", "no JSON", "the text is not JSON"),
    ("settings", '{"theme": NaN}', "JSON has no NaN"),
    ("settings", b"\xff", "not UTF-8"),
    ("settings", {"theme": "\ud800"}, "/theme: a lone surrogate"),
    ("settings", 5, 'resource "settings"'),
    ("settings", None, 'resource "settings"'),
    ("rows", [{"n": 1}, {"n": "x"}], "1.n"),
    ("word", "a", 'resource "word"'),
]


@pytest.mark.parametrize(("name", "value", "message"), WRONG, ids=range(len(WRONG)))
def test_what_breaks_the_schema_is_refused_by_name(generated: Any, name: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f'resource "{name}"') as caught:
        generated.RESOURCE_TYPES[name].normalize_any(value)
    assert message in str(caught.value)


def test_the_schema_decides_what_a_decimal_is(generated: Any) -> None:
    settings = SettingsData("dark", [decimal.Decimal("1.50")], None)  # type: ignore[arg-type]
    text = generated.Settings.normalize(settings).contents[0].text
    assert json.loads(text)["tags"] == ["1.50"]


# --- reading ---------------------------------------------------------------------------------------------------------
def test_clients_read_typed_values(generated: Any) -> None:
    settings = generated.Settings(theme="dark", tags=["a"], since=None)
    for answer in (settings.to_read_resource_result(), settings.to_wire(OLD), settings.to_wire(NEW)):
        assert generated.Settings.from_read_resource_result(answer) == settings
    theirs = ReadResourceResult(contents=[TextResourceContents(uri="a", text='{"theme": "dark"}')])
    assert generated.Settings.from_read_resource_result(theirs).theme == "dark"
    answers: list[dict[str, Any]] = [
        {"contents": []},
        {"contents": [{"uri": "a", "blob": "YQ=="}]},
        {"contents": [{"uri": "a", "text": '{"theme": "blue"}'}]},
        {"contents": [{"uri": "a", "text": "{"}]},
        {"contents": [{"uri": "a", "text": "1"}] * 2},
        {"content": []},
    ]
    for wrong in answers:
        with pytest.raises(ValidationError):
            generated.Settings.from_read_resource_result(wrong)


def test_invalid_texts_of_others(generated: Any) -> None:
    sent = {"contents": [{"uri": "a", "text": '{"theme": "blue", "tags": ["a"]}'}]}
    assert generated.Settings.from_read_resource_result(sent, on_invalid="raw") == {"theme": "blue", "tags": ["a"]}
    with pytest.warns(UserWarning, match="settings: an invalid result was read: /theme"):
        read = generated.Settings.from_read_resource_result(sent, on_invalid="warn")
    assert (type(read), read.theme, read.tags) == (generated.Settings, "blue", ["a"])
    no_json = {"contents": [{"uri": "a", "text": "{"}]}
    assert generated.Settings.from_read_resource_result(no_json, on_invalid="raw") == "{"
    with pytest.raises(ValidationError, match="the text is not JSON"):
        generated.Settings.from_read_resource_result(no_json, on_invalid="warn")
    for how in ("warn", "raw"):
        with pytest.raises(ValidationError, match="should hold one text"):
            generated.Settings.from_read_resource_result({"contents": []}, on_invalid=how)


def test_clients_read_contents(generated: Any) -> None:
    sent = {
        "contents": [{"uri": "a://1", "text": "x", "_meta": {"k": [None]}}, {"uri": "a://2", "blob": "YQ=="}],
        "_meta": {"n": None},
    }
    read = generated.Text.from_read_resource_result(sent)
    assert read.to_wire(OLD) == sent
    assert read.contents[1].blob == "YQ=="
    again = generated.Text.from_read_resource_result(read.to_read_resource_result(NEW, ttl_ms=7))
    assert again.to_wire(NEW) == {**sent, "resultType": "complete", "ttlMs": 7, "cacheScope": "private"}


def _examples(kind: str) -> list[Path]:
    return sorted(EXAMPLES.glob(f"*/{kind}/*.json"))


@needs_shared("corpus/mcp-examples/2026-07-28/ReadResourceResult")
def test_the_specifications_examples(generated: Any) -> None:
    results, blobs, embedded = (
        _examples(k) for k in ("ReadResourceResult", "BlobResourceContents", "EmbeddedResource")
    )
    assert results
    assert blobs
    assert embedded
    for path in results:
        value = json.loads(path.read_text("utf-8"))
        assert generated.Text.from_read_resource_result(value).to_wire(NEW) == value
        parsed = get_types(generated).ReadResourceResult.model_validate(value)
        assert wire(generated.Text.normalize(parsed)) == value
    contents = [json.loads(path.read_text("utf-8")) for path in blobs]
    contents += [json.loads(path.read_text("utf-8"))["resource"] for path in embedded]
    for value in contents:
        answer = generated.Text.normalize(value, protocol=OLD)
        assert wire(answer) == {"contents": [value]}
        assert generated.Text.from_read_resource_result(answer).to_wire(OLD) == {"contents": [value]}


def test_any_root_will_do(tmp_path: Path) -> None:
    schemas: dict[str, Any] = {
        "anything": True,
        "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}], "items": False, "minItems": 1},
        "map": {"type": "object", "additionalProperties": {"type": "integer"}},
        "tree": {"type": "array", "items": {"$ref": "#"}},
    }
    listed = [_resource(name, f"x://{name}", None, schema=schema) for name, schema in schemas.items()]
    module = package(tmp_path, [], resources=listed)
    values: list[tuple[str, Any]] = [
        ("anything", {"text": "is not contents"}),
        ("anything", "[]"),
        ("either", "5"),
        ("either", 5),
        ("pair", ["a"]),
        ("map", {"text": 1}),
        ("tree", [[], [[]]]),
    ]
    for name, value in values:
        resource = module.RESOURCE_TYPES[name]
        sent = resource.normalize(value)
        assert json.loads(sent.contents[0].text) == value
        assert resource.from_read_resource_result(sent).to_structured_content() == value
        assert resource.model_json_schema() == ({} if name == "anything" else schemas[name])
    with pytest.raises(ValidationError):
        module.Pair.normalize([1])


# --- definitions -----------------------------------------------------------------------------------------------------
def _build(folder: Path, resources: Any, **files: str) -> str:
    (folder / "schemas").mkdir(exist_ok=True)
    (folder / "schemas" / "r.json").write_text(json.dumps(resources, indent=1), "utf-8")
    for name, text in files.items():
        (folder / "schemas" / name.replace("__", ".")).write_text(text, "utf-8")
    return mcpgen("build", "schemas", cwd=folder).stderr


def test_the_schema_may_stand_in_a_file(tmp_path: Path) -> None:
    schema = json.dumps({"$defs": {"Settings": SETTINGS}})
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "shared.defs.json").write_text(schema, "utf-8")
    resources = [_resource("a", "a://b", schema="shared.defs.json#/$defs/Settings")]
    (tmp_path / "schemas" / "r.json").write_text(json.dumps({"resources": resources}), "utf-8")
    module = built(tmp_path)
    assert module.A(theme="dark").to_structured_content() == {"theme": "dark"}
    assert module.RESOURCES["a"] == {"name": "a", "uri": "a://b"}
    stderr = _build(tmp_path, {"resources": [_resource("a", "a://b", schema="none.json")]})
    assert "MG103" in stderr
    assert "r.json:" in stderr


def test_tools_and_resources_share_definitions(tmp_path: Path) -> None:
    schema = {"$ref": "#/$defs/Row", "$defs": {"Row": ROW}}
    listed = {"type": "array", "items": {"$ref": "#/$defs/Row"}, "$defs": {"Row": ROW}}
    tool = {"name": "rows", "inputSchema": {"type": "object"}, "outputSchema": listed}
    module = package(tmp_path, [tool], resources=[_resource("all", "a://b", schema=listed)])
    row = module.types.Row(n=1) if hasattr(module, "types") else module.Row(n=1)
    assert module.All([row]).to_structured_content() == module.RowsResult([row]).to_structured_content() == [{"n": 1}]
    assert schema  # a root that is itself shared is not asked for here


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"ttlMs": -1}, "ttlMs"),
        ({"cacheScope": "all"}, "cacheScope"),
        ({"content": "none"}, 'unknown key "content"'),
        ({"schema": {"type": "strng"}}, "strng"),
        ({"schema": 5}, "schema"),
    ],
)
def test_wrong_choices_are_findings(tmp_path: Path, choice: dict[str, Any], message: str) -> None:
    stderr = _build(tmp_path, {"resources": [_resource("a", "a://b", **choice)]})
    assert "error[MG" in stderr
    assert message in stderr
