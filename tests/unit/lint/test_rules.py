"""Each lint rule finds the bad definition, and nothing in a good one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from mcpgen.config.models import LintSettings
from mcpgen.diagnostics import CATALOGUE, is_lint_code
from mcpgen.explanations import read_explanation
from mcpgen.lint.clients import CLIENTS
from mcpgen.lint.definition_rules import check_views
from mcpgen.lint.linter import (
    COSTLY_VALUE,
    CUT_RESULT,
    LINT_RULES,
    PRINTED_NULL,
    lint_definition,
    lint_package,
    select_rules,
)
from mcpgen.lint.rule import LintedDefinition
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12

BY_COMMAND = (PRINTED_NULL, COSTLY_VALUE, CUT_RESULT)
"""Rules that `mcpgen lint` asks itself."""
ALL_CLIENTS: list[str] = [client.name for client in CLIENTS]


def make_tool(name: str = "find", **members: Any) -> LintedDefinition:
    value: dict[str, Any] = {"name": name, "inputSchema": {"type": "object"}, **members}
    schemas = {
        member: Schema(value[member], DRAFT_07 if "$schema" in value[member] else DRAFT_2020_12)
        for member in ("inputSchema", "outputSchema")
        if member in value
    }
    return LintedDefinition("tool", name, value, schemas["inputSchema"], schemas.get("outputSchema"))


def with_text(name: str, *content_only: str) -> LintedDefinition:
    return LintedDefinition("tool", name, {}, has_chosen_text=True, content_only=frozenset(content_only))


def make_form(**properties: Any) -> LintedDefinition:
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return LintedDefinition("form", "f", {"name": "f", "message": "?", "requestedSchema": schema})


def take(**properties: Any) -> LintedDefinition:
    return make_tool(inputSchema={"type": "object", "properties": properties})


def give(**schema: Any) -> LintedDefinition:
    return make_tool(outputSchema={"type": "object", "properties": {"v": schema}})


def nest(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": {"x": {"type": "string"}}}
    for _ in range(depth - 1):
        schema = {"type": "object", "properties": {"x": schema}}
    return schema


CLOSED = {"type": "array", "prefixItems": [{}], "items": False}
HEADER = {"x-mcp-header": "Region"}
RECURSIVE = {
    "type": "object",
    "properties": {"a": {"$ref": "#/$defs/a"}},
    "$defs": {"a": {"items": {"$ref": "#/$defs/a"}}},
}
TWICE = {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}, "b": {"$ref": "#/$defs/a"}}, "$defs": {"a": {}}}
CASES: dict[str, tuple[list[tuple[LintedDefinition, str]], list[LintedDefinition]]] = {
    "MG111": (
        [
            (make_tool(execution={"taskSupport": "required"}), "/execution/taskSupport"),
            (
                make_tool(outputSchema={"type": "object", "properties": {"b": CLOSED, "a": CLOSED}}),
                "/outputSchema/properties/a/items",
            ),
        ],
        [
            make_tool(execution={"taskSupport": "optional"}),
            make_tool(outputSchema={"type": "array", "prefixItems": [{}], "maxItems": 1}),
            make_tool(outputSchema={"type": "array", "items": False}),
            make_tool(outputSchema={"$schema": "http://json-schema.org/draft-07/schema#", **CLOSED}),
            take(pair=CLOSED),
        ],
    ),
    "MG901": (
        [
            (make_tool(description="a\u200bb"), "/description"),
            (make_tool(annotations={"title": "\U000e0041"}), "/annotations/title"),
            (take(a={"enum": ["x\u202ey"]}), "/inputSchema/properties/a/enum/0"),
            (take(**{"a\u2060": {}}), "/inputSchema/properties/a\u2060"),
            (make_tool("fi\xadnd"), "/name"),
        ],
        [
            make_tool(description="Two\nlines,\ta tab, é, 漢字, 👨\u200d👩 and ❤\ufe0f"),
            make_tool(_meta={"a": "\u200b"}),
            take(a={"type": "string", "pattern": "[\u200b]"}),
        ],
    ),
    "MG902": (
        [
            (make_tool(icons=[{"src": "https://x/a.png"}, {"src": src}]), "/icons/1/src")
            for src in ("javascript:alert(1)", " JavaScript:x", "file:///a", "http://x/a.png", "a.png")
        ],
        [make_tool(icons=[{"src": "https://x/a.png"}, {"src": "data:image/png;base64,AA=="}]), make_tool(icons=[])],
    ),
    "MG903": (
        [
            (take(a={"type": "number", **HEADER}), "/inputSchema/properties/a/x-mcp-header"),
            (take(a={"type": "string", "x-mcp-header": "a b"}), "/inputSchema/properties/a/x-mcp-header"),
            (take(a={"type": "string", "x-mcp-header": ""}), "/inputSchema/properties/a/x-mcp-header"),
            (take(a={"items": {"type": "string", **HEADER}}), "/inputSchema/properties/a/items/x-mcp-header"),
            (
                take(a={"type": "string", **HEADER}, b={"type": "string", "x-mcp-header": "REGION"}),
                "/inputSchema/properties/b/x-mcp-header",
            ),
        ],
        [
            take(a={"type": "object", "properties": {"b": {"type": "boolean", **HEADER}}}),
            take(**{"x-mcp-header": {"type": "number"}}),
        ],
    ),
    "MG904": (
        [(make_tool(annotations={"readOnlyHint": True, "destructiveHint": True}), "/annotations/destructiveHint")],
        [
            make_tool(annotations={"readOnlyHint": True, "destructiveHint": False}),
            make_tool(annotations={"destructiveHint": True}),
        ],
    ),
    "MG905": (
        [
            (give(type="string", pattern=pattern), "/outputSchema/properties/v/pattern")
            for pattern in ("(?i)a", r"\p{Lu}", "(?<y>a)", r"\-", "[[:digit:]]", "a*+", r"\Z", "(?<=a+)b", r"\u{1F680}")
        ]
        + [
            (take(a={"pattern": r"\Aa"}), "/inputSchema/properties/a/pattern"),
            (make_tool(outputSchema={"patternProperties": {r"\Aa": {}}}), r"/outputSchema/patternProperties/\Aa"),
        ],
        [
            give(type="string", pattern=pattern)
            for pattern in (
                "^.$",
                r"^[\w.-]+$",
                r"\t\x41\u00e9\/",
                "(?<=a)b",
                "^[a-z@[\\]{}]*$",
                r"^\d{4}(?:-\d\d){2}$",
                "a+?",
            )
        ]
        + [take(pattern={"type": "string", "default": "(?i)"})],
    ),
    "MG906": (
        [(give(type="number", multipleOf=step), "/outputSchema/properties/v/multipleOf") for step in (0.01, 0.1, 1.1)],
        [
            *(give(type="number", multipleOf=step) for step in (0.5, 0.25, 2, 1.5)),
            give(type="integer", multipleOf=0.01),
            give(type="number", multipleOf=0.1, maximum=0.2),
            take(price={"type": "number", "multipleOf": 0.01}),
        ],
    ),
    "MG907": (
        [(give(prefixItems=[{"type": "string"}], items={"type": "number"}), "/outputSchema/properties/v/items")],
        [
            give(prefixItems=[{"type": "integer"}], items={"type": "number"}),
            give(prefixItems=[{"type": "string"}], items={}),
            give(prefixItems=[{"type": "string"}], items={"type": "string"}),
            give(items={"type": "number"}),
            take(v={"prefixItems": [{"type": "string"}], "items": {"type": "number"}}),
        ],
    ),
    "MG911": (
        [(make_tool(name), "/name") for name in ("a b", "a/b", "x" * 129, "é")],
        [make_tool("a.B-c_9"), make_tool("x" * 128)],
    ),
    "MG912": ([(make_tool("a.b"), "/name"), (make_tool("x" * 57), "/name")], [make_tool("x" * 56), make_tool("a-B_9")]),
    "MG914": (
        [
            *((take(**{name: {}}), f"/inputSchema/properties/{name}") for name in ("$a", "a[]", "a b", "é", "x" * 65)),
            (take(a={"properties": {"@b": {}}}), "/inputSchema/properties/a/properties/@b"),
        ],
        [take(**{"a-b.C_9": {}, "x" * 64: {}}), give(properties={"$a": {}})],
    ),
    "MG921": (
        [
            (make_tool(inputSchema={"type": "object", key: [{}]}), f"/inputSchema/{key}")
            for key in ("anyOf", "oneOf", "allOf")
        ],
        [take(a={"anyOf": [{}]}), make_tool(outputSchema={"anyOf": [{}]})],
    ),
    "MG922": (
        [
            (take(a=True), "/inputSchema/properties/a"),
            (take(a={"anyOf": [False]}), "/inputSchema/properties/a/anyOf/0"),
            (make_tool(outputSchema={"type": "object", "properties": {"a": False}}), "/outputSchema/properties/a"),
        ],
        [take(a={}, b={"type": "object", "additionalProperties": False})],
    ),
    "MG923": (
        [(make_tool(outputSchema={"type": "array"}), "/outputSchema")],
        [make_tool(outputSchema={"type": "object"}), make_tool()],
    ),
    "MG924": (
        [
            (take(a={}), "/inputSchema/properties/a"),
            (take(a={"type": "array", "items": {"enum": [1]}}), "/inputSchema/properties/a/items"),
        ],
        [
            take(
                a={"type": "string"},
                b={"anyOf": [{"type": "string"}]},
                c={"type": "object", "allOf": [{"properties": {"d": {}}}]},
            )
        ],
    ),
    "MG925": (
        [(take(a={"type": ["array", "null"]}), "/inputSchema/properties/a")],
        [take(a={"type": "array", "items": {}}, b={"type": "string"}, c={"type": "string", "not": {"type": "array"}})],
    ),
    "MG926": (
        [(make_tool(inputSchema=RECURSIVE), "/inputSchema/$defs/a/items/$ref")],
        [make_tool(inputSchema=TWICE), make_tool(outputSchema=RECURSIVE)],
    ),
    "MG927": (
        [
            (take(a={"type": "string", "format": format}), "/inputSchema/properties/a/format")
            for format in ("uri", "regex")
        ],
        [take(a={"type": "string", "format": "date-time"}, b={"type": "integer", "format": "int64"})],
    ),
    "MG928": (
        [
            (make_tool(inputSchema=nest(11)), "/inputSchema"),
            (take(a={"enum": [*range(1001)]}), "/inputSchema"),
            (take(**{f"p{n}": {"type": "string"} for n in range(5001)}), "/inputSchema"),
        ],
        [make_tool(inputSchema=nest(10)), take(a={"enum": [*range(1000)]}), make_tool(inputSchema=RECURSIVE)],
    ),
    "MG929": (
        [
            (
                take(a={"type": "object", "additionalProperties": value}),
                "/inputSchema/properties/a/additionalProperties",
            )
            for value in (True, {"type": "string"})
        ],
        [take(a={"type": "object", "additionalProperties": False}, b={"type": "object"})],
    ),
    "MG931": (
        [(make_tool(), "/name"), (make_tool(description=" "), "/description")],
        [
            make_tool(description="Find."),
            LintedDefinition("prompt", "p", {"name": "p", "description": "Do."}),
            make_form(),
        ],
    ),
    "MG933": (
        [
            (take(a={"type": "string"}), "/inputSchema/properties/a"),
            (LintedDefinition("prompt", "p", {"name": "p", "arguments": [{"name": "a"}]}), "/arguments/0"),
            (make_form(a={"type": "boolean"}), "/requestedSchema/properties/a"),
        ],
        [
            make_form(a={"type": "boolean", "title": "A?"}, b={"type": "boolean", "description": "B?"}),
            take(a={"description": "A."}, b={"anyOf": [{"description": "B."}]}),
            make_tool(inputSchema={"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"description": "A."}}}),
            make_tool(inputSchema=RECURSIVE | {"properties": {}}),
        ],
    ),
    "MG934": (
        [(make_tool(title="A", annotations={"title": "B"}), "/annotations/title")],
        [make_tool(title="A", annotations={"title": "A"}), make_tool(annotations={"title": "B"}), make_tool(title="A")],
    ),
    "MG941": (
        [(take(a={"items": [{}]}), "/inputSchema/properties/a/items")],
        [take(a={"prefixItems": [{}]}), give(items=[{}])],
    ),
    "MG942": (
        [(take(a={"enum": ["a", value]}), "/inputSchema/properties/a/enum/1") for value in ("", 1, 0.5)],
        [take(a={"enum": ["a", "1"]}), give(enum=[1])],
    ),
    "MG943": (
        [(make_tool(description="x" * 2_049), "/description")],
        [make_tool(description="x" * 1_024), LintedDefinition("prompt", "a", {"description": "x" * 2_049})],
    ),
}
VIEW = {"_meta": {"ui": {"resourceUri": "ui://ships/map.html"}}}
APP = {"mimeType": "text/html; profile=mcp-app"}
PACKAGE_CASES: dict[str, tuple[list[LintedDefinition], int, list[LintedDefinition]]] = {
    "MG908": (
        [make_tool("a"), make_tool("b", **VIEW), LintedDefinition("resource", "r", {"uri": "ui://ships/other.html"})],
        1,
        [make_tool("b", **VIEW), LintedDefinition("resource", "r", {"uriTemplate": "ui://ships/{page}.html", **APP})],
    ),
    "MG913": ([make_tool("a b"), make_tool("c"), make_tool("a_b")], 2, [make_tool("a.b"), make_tool("a_b")]),
    "MG932": (
        [make_tool("a", description="Find  it."), make_tool("b", description="Find it.")],
        1,
        [make_tool("a", description="A."), make_tool("b"), LintedDefinition("prompt", "a", {"description": "A."})],
    ),
    "MG935": (
        [make_tool("a"), LintedDefinition("tool", "b", {}, has_default_content=True)],
        1,
        [make_tool("a"), make_tool("b")],
    ),
    "MG951": ([make_tool("a"), with_text("b"), with_text("c")], 1, [make_tool("a"), with_text("b", *ALL_CLIENTS)]),
}


@pytest.mark.parametrize(
    ("tool", "resource", "expected"),
    [
        (VIEW, {"mimeType": "text/html"}, "/_meta/ui/resourceUri"),
        (VIEW, {}, "/_meta/ui/resourceUri"),
        (VIEW, APP, None),
        ({"_meta": {"ui": {"visibility": ["app", "user"]}}}, APP, "/_meta/ui/visibility/1"),
        ({"_meta": {"ui": {"visibility": ["app", "model"]}}}, APP, None),
        ({"_meta": {"ui": "x"}}, APP, None),
    ],
)
def test_what_mcp_apps_need(tool: dict[str, Any], resource: dict[str, Any], expected: str | None) -> None:
    page = LintedDefinition("resource", "r", {"uri": "ui://ships/map.html", **resource})
    definitions = [make_tool("b", **tool), page]
    found = [problem.pointer for _, problem in check_views(definitions, frozenset())]
    assert found == ([] if expected is None else [expected])


def choose(select: Sequence[str], ignore: Sequence[str] = (), clients: Sequence[str] = ()) -> LintSettings:
    return LintSettings.model_validate({"select": [*select], "ignore": [*ignore], "clients": [*clients]})


def lint(definition: LintedDefinition, code: str, *clients: str) -> list[str]:
    rules = select_rules(choose([code], clients=clients))
    return [
        violation.problem.pointer for violation in lint_definition(definition, rules) if violation.rule.code == code
    ]


def test_the_table_and_the_catalogue_have_the_same_codes() -> None:
    assert [rule.code for rule in LINT_RULES] == [code for code in CATALOGUE if is_lint_code(code)]
    assert {rule.code for rule in LINT_RULES} == {*CASES, *PACKAGE_CASES, *BY_COMMAND}
    asked = [(rule.check, rule.check_schema, rule.check_package) for rule in LINT_RULES if rule.code not in BY_COMMAND]
    assert all(sum(check is not None for check in checks) == 1 for checks in asked)


@pytest.mark.parametrize("code", CASES)
def test_a_bad_definition_is_found(code: str) -> None:
    for definition, pointer in CASES[code][0]:
        assert {*lint(definition, code)} == {pointer}, definition.value


@pytest.mark.parametrize("code", CASES)
def test_a_good_definition_is_left_alone(code: str) -> None:
    for definition in CASES[code][1]:
        assert lint(definition, code) == [], definition.value


@pytest.mark.parametrize("code", PACKAGE_CASES)
def test_what_several_definitions_show_is_found(code: str) -> None:
    bad, number, good = PACKAGE_CASES[code]
    rules = select_rules(choose([code]))
    assert [at for at, _ in lint_package(bad, rules)] == [number]
    assert list(lint_package(good, rules)) == []


def test_tools_whose_text_the_same_hosts_hide_are_named_together() -> None:
    tools = [with_text(f"t{number}") for number in range(7)] + [with_text("u", "codex"), with_text("v", "codex")]
    rules = select_rules(choose([], clients=["codex", "vscode"]))
    problems = [(number, finding.problem) for number, finding in lint_package(tools, rules)]
    assert [number for number, _ in problems] == [0, 7]
    both, one = (problem for _, problem in problems)
    assert both.message.startswith('7 tools ("t0", "t1", "t2", "t3", "t4" and 2 more) have a chosen text, which Codex ')
    assert both.help.endswith('The tools are "t0", "t1", "t2", "t3", "t4", "t5", "t6"')
    assert one.message.startswith('2 tools ("u" and "v") have a chosen text, which Visual Studio Code does not show')


@pytest.mark.parametrize("rule", LINT_RULES, ids=lambda rule: rule.code)
def test_a_rule_names_its_clients_in_its_explanation(rule: Any) -> None:
    text = read_explanation(rule.code)
    assert rule.source
    if len(rule.clients) > 1:
        assert all(f"`{client}`" in text for client in rule.clients)


@pytest.mark.parametrize(
    ("client", "code", "bad", "good"),
    [
        ("openai", "MG912", make_tool("x" * 65), make_tool("x" * 64)),
        ("anthropic", "MG912", make_tool("x" * 129), make_tool("x" * 128)),
        ("gemini", "MG912", make_tool("1a"), make_tool("a.b:c")),
        ("cursor", "MG912", make_tool("x" * 60), make_tool("x" * 59)),
        ("openai", "MG921", make_tool(inputSchema={"type": "object", "not": {}}), make_tool()),
        ("anthropic", "MG921", make_tool(inputSchema={"anyOf": [{}]}), make_tool(inputSchema={"not": {}})),
        ("anthropic-strict", "MG924", take(a={}), take(a={"enum": ["x"]})),
        ("gemini", "MG924", take(a={"enum": ["x"]}), take(a={"$ref": "#"})),
        (
            "anthropic-strict",
            "MG927",
            take(a={"type": "string", "format": "regex"}),
            take(a={"type": "string", "format": "uri"}),
        ),
        ("openai", "MG943", make_tool(description="x" * 1_025), make_tool(description="x" * 1_024)),
        ("claude-code", "MG943", make_tool(description="x" * 2_049), make_tool(description="x" * 2_048)),
        ("typescript-sdk-1", "MG922", take(a=True), take(a={"anyOf": [True]})),
        ("openai-strict", "MG922", take(a={"anyOf": [True]}), take(a={"items": True})),
    ],
)
def test_a_rule_is_asked_for_the_clients_that_matter(
    client: str, code: str, bad: LintedDefinition, good: LintedDefinition
) -> None:
    assert lint(bad, code, client)
    assert not lint(good, code, client)


def test_selection() -> None:
    def select(*arguments: list[str]) -> list[str]:
        return [rule.code for rule in select_rules(choose(*arguments))]

    assert select(["MG90"], [], []) == [f"MG90{number}" for number in range(1, 9)]
    assert select(["MG901"], ["MG90"], []) == []
    assert select([], [], ["typescript-sdk-1"]) == ["MG922", "MG923"]
    assert select([], ["MG923"], ["typescript-sdk-1"]) == ["MG922"]
    assert "MG921" in select([], [], ["claude-code"])  # it sends tools to Anthropic's API
    assert len(select(["MG"], [], ALL_CLIENTS)) == len(LINT_RULES)
