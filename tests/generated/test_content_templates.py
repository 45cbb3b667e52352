"""Generated texts against Jinja's own output, over random values, and what checkers say of the generated code."""

from __future__ import annotations

import base64
import datetime
import json
import random
import re
from pathlib import Path
from typing import Any

import jinja2
import pytest
from mcpgen.content.statements import check_template
from mcpgen.ir.package import SchemaRoot
from mcpgen.lower.assemble import lower_schemas
from mcpgen.lower.request import LoweringRequest
from mcpgen.read.json_parser import LineIndex
from mcpgen.schema.document import Schema
from support import corpus
from support.packages import built, tool
from support.template_cases import TEMPLATES
from support.template_faults import FAULTS

CASES = [
    (f"{kind}_{number}", kind, text) for kind, (_, texts) in TEMPLATES.items() for number, text in enumerate(texts)
]
VALUES = 50


# --- Jinja -----------------------------------------------------------------------------------------------------------
class Absent(jinja2.StrictUndefined):
    """As strict as Jinja can be, but false in a condition, as DESIGN wants it of absent values."""

    def __bool__(self) -> bool:  # type: ignore[override]
        return False


class Fields(jinja2.Environment):
    """Jinja, in which the members of an object win over the methods of Python's dict."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        return self.getitem(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        if isinstance(argument, str) and isinstance(obj, dict | list | str | int | float | None):
            return (
                obj[argument] if isinstance(obj, dict) and argument in obj else self.undefined(obj=obj, name=argument)
            )
        return super().getitem(obj, argument)


def moment(text: str) -> datetime.datetime | None:
    """Return the moment of a text with a date or time of RFC 3339, by the standard library alone."""
    shape = r"\d{4}-\d\d-\d\d|(\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?"
    if not re.fullmatch(shape, text, re.IGNORECASE):
        return None
    try:
        return datetime.datetime.fromisoformat(text if "-" in text[:5] else f"1900-01-01T{text}")
    except ValueError:
        return None


def oracle() -> jinja2.Environment:
    environment = Fields(undefined=Absent, autoescape=False)
    environment.filters["datetime"] = lambda text, form: text if moment(text) is None else moment(text).strftime(form)  # type: ignore[union-attr]
    return environment


def expected(environment: jinja2.Environment, text: str, value: Any, is_object: bool) -> str:
    return environment.from_string(text).render({"value": value, **value} if is_object else {"value": value})


# --- random values ---------------------------------------------------------------------------------------------------
WORDS = [
    "",
    "a",
    "b",
    "Anna",
    "anna B",
    "quay 7",
    "O'Neill & <b>sons</b>",
    "éé ☃",
    "ten-foot [pole] wide",
    "%d {x}",
    " x ",
]
DATES = [
    "2026-03-01T04:05:06Z",
    "2024-12-31",
    "23:59:01.25+02:00",
    "2026-11-05t13:00:00.123456-05:30",
    "soon",
    "2026-02-30",
]
NUMBERS = [0, 1, 2, 3, 7, 25, -4, 0.5, 2.25, 1e21, 3.0, -0.25, 12.345]


def value_of(schema: Any, source: random.Random, root: Any, depth: int = 0) -> Any:
    """A random value of a schema, which uses what the schemas of these tests use."""
    if "$ref" in schema:
        target: Any = root
        for part in schema["$ref"].split("/")[1:]:
            target = target[part]
        return value_of(target, source, root, depth + 1)
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            return value_of(source.choice(schema[keyword]), source, root, depth)
    if "const" in schema or "enum" in schema:
        return source.choice(schema.get("enum", [schema.get("const")]))
    kind = schema.get("type", ["object", "array", "string", "integer", "number", "boolean", "null"])
    if isinstance(kind, list):
        bare = "type" not in schema
        kind = source.choice(kind[2:] if depth > 3 and bare else kind)
        if bare and kind == "object":
            return {key: value_of({}, source, root, depth + 2) for key in source.sample(["a", "b", "foo", "items"], 2)}
        if bare and kind == "array":
            return [value_of({}, source, root, depth + 2) for _ in range(source.randint(0, 2))]
    match kind:
        case "object":
            return object_of(schema, source, root, depth)
        case "array":
            if "prefixItems" in schema:
                return [value_of(prefix_item, source, root, depth + 1) for prefix_item in schema["prefixItems"]]
            least = schema.get("minItems", 0)
            most = least + (0 if depth > 5 else source.randint(0, 4))
            return [value_of(schema["items"], source, root, depth + 1) for _ in range(most)]
        case "string":
            if "contentEncoding" in schema:
                return base64.b64encode(source.randbytes(source.randint(0, 5))).decode()
            return source.choice(WORDS)
        case "integer":
            return source.choice([0, 1, 2, 3, 10, -7, 10**15])
        case "number":
            positive = "exclusiveMinimum" in schema
            return source.choice([number for number in NUMBERS if number > 0 or not positive])
        case "boolean":
            return source.random() < 0.5
        case _:
            return None


def object_of(schema: Any, source: random.Random, root: Any, depth: int) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, inner in schema.get("properties", {}).items():
        if name in schema.get("required", ()) or source.random() < 0.5:
            out[name] = source.choice(DATES) if name in ("since", "due") and inner["type"] == "string" else None
            if out[name] is None:
                out[name] = value_of(inner, source, root, depth + 1)
    if isinstance(schema.get("additionalProperties"), dict):
        for name in source.sample(["eur", "us dollar", "gbp", "items", "Zed", "a", "b"], source.randint(0, 4)):
            out[name] = value_of(schema["additionalProperties"], source, root, depth + 1)
    names = list(out)
    source.shuffle(names)
    return {name: out[name] for name in names}


# --- the package -----------------------------------------------------------------------------------------------------
@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("templates")
    schemas = folder / "schemas"
    schemas.mkdir()
    tools = [tool(name, TEMPLATES[kind][0]) for name, kind, _ in CASES]
    (schemas / "tools.json").write_text(json.dumps(tools), "utf-8")
    for name, _, text in CASES:
        (schemas / f"{name}.content.j2").write_bytes(text.encode())
    return folder


@pytest.fixture(scope="session")
def texts(folder: Path) -> Any:
    return built(folder)


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= 60
    assert VALUES >= 50


@pytest.mark.ci
@pytest.mark.parametrize(("name", "kind", "text"), CASES)
def test_the_text_is_that_of_jinja(texts: Any, name: str, kind: str, text: str) -> None:
    schema = TEMPLATES[kind][0]
    environment, source = oracle(), random.Random(name)
    for _ in range(VALUES):
        result = texts.RESULT_TYPES[name].from_structured_content(value_of(schema, source, schema))
        value = result.to_structured_content()
        blocks = result.to_content()
        assert [block.text for block in blocks] == [expected(environment, text, value, kind == "harbour")], value


@pytest.mark.slow
def test_checkers_have_nothing_to_say_about_it(folder: Path, texts: Any) -> None:
    assert corpus.checked(folder, texts.__name__) == []


# --- what is refused -------------------------------------------------------------------------------------------------
@pytest.fixture(scope="session")
def harbour() -> SchemaRoot:
    schema = Schema(TEMPLATES["harbour"][0], "https://json-schema.org/draft/2020-12/schema")
    return lower_schemas([LoweringRequest("output", schema)])[0]


@pytest.mark.parametrize(("text", "expected"), FAULTS)
def test_a_faulty_template_is_refused_at_its_place(
    harbour: SchemaRoot, text: str, expected: list[tuple[str, int, int, str]]
) -> None:
    _, problems = check_template(text, harbour, {node.id: node for node in harbour.nodes})
    lines = LineIndex(text)
    assert [(problem.code, *lines.locate(problem.offset), problem.message) for problem in problems] == expected


def test_there_are_enough_faults_of_every_kind() -> None:
    assert len(FAULTS) >= 40
    assert {code for _, expected in FAULTS for code, *_ in expected} == {f"MG50{number}" for number in range(1, 6)}


def test_what_python_cannot_nest_is_refused(harbour: SchemaRoot) -> None:
    nodes = {node.id: node for node in harbour.nodes}
    for text in (
        "{% for tag in tags %}" * 30 + "{% endfor %}" * 30,
        "{% if open %}" * 120 + "{% endif %}" * 120,
        "{{ " + "(" * 120 + "name" + " | upper)" * 120 + " }}",
        "{{ " + "not " * 500 + "open }}",
        "{{ berth_count" + " + 1" * 3000 + " }}",
        "{{ " + "[" * 5000 + "]" * 5000 + " }}",
    ):
        _, problems = check_template(text, harbour, nodes)
        assert [problem.code for problem in problems] in (["MG502"], ["MG501"]), text[:40]


def test_as_deep_as_it_goes(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    loops = "{% for i in range(1) %}" * 17 + "{{ n" + " + 1" * 38 + " }}" + "{% endfor %}" * 17
    result = one_tool(tmp_path, schema, loops).DeepResult(n=1)
    assert result.to_content()[0].text == "39"


def one_tool(folder: Path, schema: Any, text: str, *options: str) -> Any:
    (folder / "schemas").mkdir()
    (folder / "schemas" / "deep.json").write_text(json.dumps(tool("deep", schema)), "utf-8")
    (folder / "schemas" / "deep.content.j2").write_text(text, "utf-8")
    return built(folder, *options)


@pytest.mark.ci
def test_native_formats_print_the_text_of_the_wire(tmp_path: Path) -> None:
    names = {"at": "date-time", "day": "date", "time": "time", "id": "uuid", "ip": "ipv6"}
    schema = {
        "type": "object",
        "properties": {name: {"type": "string", "format": form} for name, form in names.items()},
    }
    schema["properties"]["days"] = {"type": "array", "items": schema["properties"]["day"]}  # type: ignore[index]
    schema["required"] = [*names, "days"]
    (tmp_path / "mcpgen.toml").write_text('formats = "native"', "utf-8")
    text = (
        "{{ at }} {{ day }} {{ time }} {{ id | upper }} {{ days }} {{ days | join(' ') }} {{ day ~ time }} "
        "{{ id | length }} {{ ip }} "
        "{{ at | datetime('%d %B %Y %H:%M %z') }} {{ day | datetime('%a %j') }} {{ time | datetime('%I %p') }} "
        "{{ days | sort | first | default('none') }} {{ days | map('datetime', '%y') | join }} "
        "{{ day == '2026-01-01' }}"
    )
    value = {
        "at": "2026-03-04t05:06:07.50+02:00",
        "day": "2026-01-01",
        "time": "16:05:00Z",
        "ip": "FE80::1",
        "id": "3F1D9C3E-5f0e-4a55-9d3e-1d2c3b4a5968",
        "days": ["2031-05-04", "2030-12-31"],
    }
    result = one_tool(tmp_path, schema, text).DeepResult.from_structured_content(value)
    assert result.to_content()[0].text == expected(oracle(), text, result.to_structured_content(), True)
    assert corpus.checked(tmp_path, type(result).__module__.split(".")[0]) == []


def test_annotations_of_the_block(tmp_path: Path) -> None:
    (tmp_path / "mcpgen.toml").write_text('[tools.deep]\naudience = ["assistant"]\npriority = 0.5', "utf-8")
    result = one_tool(tmp_path, {"type": "integer"}, "{{ value }} berths").DeepResult(3)
    annotations = [
        {"type": "text", "text": text, "annotations": {"audience": ["assistant"], "priority": 0.5}}
        for text in ("3 berths", "3")
    ]
    assert result.to_wire()["content"] == annotations
    assert result.to_wire(protocol="2025-06-18")["content"] == annotations[:1]
    assert result.to_wire(content=[])["content"] == []


def test_a_package_without_templates_has_no_code_for_them(tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "n.json").write_text('{"type": "integer"}', "utf-8")
    package = built(tmp_path)
    assert not (Path(package.__file__).parent / "text.py").exists()
