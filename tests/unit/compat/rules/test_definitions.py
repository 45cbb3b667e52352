"""Rules for tools, resources and prompts as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import FrozenInstanceError
from typing import Any, TypeVar

import pytest
from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.rules.definitions import (
    ANNOTATION_RULES,
    CONTENT_RULES,
    PROMPT_RULES,
    RESOURCE_RULES,
    TOOL_RULES,
    WORDING_RULES,
)
from mcpgen.compat.rules.rule import Category, ComparisonRule, PresenceRule, Rule, RuleMatch, SubschemaPair, is_about
from mcpgen.compat.rules.schemas import GapRule, find_keyword_change
from mcpgen.diagnostics import Severity, Span
from mcpgen.ir.definitions import PromptArgument
from mcpgen.read.definitions import (
    PromptDefinition,
    ResourceDefinition,
    ResourceOptions,
    TemplateFile,
    ToolDefinition,
    ToolOptions,
)
from mcpgen.read.resources import parse_uri_template
from mcpgen.schema.values import Json
from support.compat import make_resource, make_tool

T = TypeVar("T")


# --- kinds of rules ---------------------------------------------------------------------------------------------------
def find_all(rules: Iterable[Rule], old: T, new: T) -> list[tuple[Rule, RuleMatch]]:
    """Return what the rules about a kind of things find."""
    return [(rule, match) for rule in rules if is_about(rule, type(old)) for match in rule.find(old, new)]


def list_all(rules: Iterable[Rule], old: T, new: T) -> list[tuple[str, str]]:
    return [(rule.id, match.text) for rule, match in find_all(rules, old, new)]


def find_title(old: ToolDefinition, new: ToolDefinition) -> Iterator[RuleMatch]:
    if old.tool.get("title") != new.tool.get("title"):
        yield RuleMatch("has another title")


def test_a_rule_is_an_error_with_the_code_of_its_category() -> None:
    rule = ComparisonRule("tool-title", Category.TOOLS, "A title.", ToolDefinition, find_title)
    assert (rule.severity, rule.code) == (Severity.ERROR, "MG803")
    assert [match.text for match in rule.find(make_tool(), make_tool(title="A"))] == ["has another title"]
    assert list(rule.find(make_tool(title="A"), make_tool(title="A"))) == []


def test_a_rule_is_about_one_kind_of_things() -> None:
    rule = ComparisonRule("tool-title", Category.TOOLS, "A title.", ToolDefinition, find_title)
    assert is_about(rule, ToolDefinition)
    assert not is_about(rule, ResourceDefinition)
    assert not is_about(Rule("other", Category.TOOLS, "Another."), ToolDefinition)


def test_each_kind_of_definition_can_be_removed() -> None:
    rules = [rule for rule in (*TOOL_RULES, *RESOURCE_RULES, *PROMPT_RULES) if isinstance(rule, PresenceRule)]
    assert [(rule.id, rule.subject, rule.is_addition, rule.match.text) for rule in rules] == [
        ("tool-removed", ToolDefinition, False, "was removed"),
        ("resource-removed", ResourceDefinition, False, "was removed"),
        ("prompt-removed", PromptDefinition, False, "was removed"),
    ]


def test_a_rule_is_immutable() -> None:
    rule: Any = ComparisonRule("tool-title", Category.TOOLS, "A title.", ToolDefinition, find_title)
    with pytest.raises(FrozenInstanceError):
        rule.id = "other"


def test_a_gap_rule_fills_its_template() -> None:
    rule = GapRule("input-long", Category.INPUT, "Long.", GapKind.MAX_LENGTH, "longer than {gap.constraint}")
    gap = Gap(GapKind.MAX_LENGTH, (), "", "", "maxLength", constraint=3)
    assert rule.applies(gap)
    assert rule.describe(gap) == "longer than 3"


def test_a_keyword_rule_reports_where() -> None:
    match = RuleMatch('title was "A", is gone', "/items")
    assert list(find_keyword_change("title", SubschemaPair("/items", {"title": "A"}, {"title": None}))) == [match]


# --- rules for tools as a whole ---------------------------------------------------------------------------------------
OBJECT, LIST = {"type": "object"}, {"type": "array"}


def list_matches(old: ToolDefinition, new: ToolDefinition) -> list[tuple[str, str]]:
    return list_all(TOOL_RULES, old, new)


def test_renamed() -> None:
    assert list_matches(make_tool("a"), make_tool("b")) == [("tool-renamed", 'is called "b" now')]
    assert list_matches(make_tool("a"), make_tool("a")) == []


def test_a_removed_output_schema() -> None:
    assert [id for id, _ in list_matches(make_tool(output=OBJECT), make_tool())] == ["tool-output-schema-removed"]
    assert list_matches(make_tool(), make_tool(output=OBJECT)) == []


def test_wrapping() -> None:
    always = ToolOptions(wrap="always")
    assert make_tool(output=OBJECT, choices=always).wrapping == "never"
    assert make_tool(output=LIST).wrapping == "legacy"
    assert make_tool(output=LIST, choices=always).wrapping == "always"
    text = 'its result was never wrapped, is wrapped in {"result": …} under 2025-06-18 and 2025-11-25 now'
    assert list_matches(make_tool(output=OBJECT), make_tool(output=LIST)) == [("tool-wrapping-changed", text)]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("optional", "required", ["tool-task-required"]),
        ("optional", "forbidden", ["tool-task-refused"]),
        ("required", "required", []),
        ("forbidden", "optional", []),
    ],
)
def test_tasks(old: str, new: str, expected: list[str]) -> None:
    old_tool, new_tool = make_tool(execution={"taskSupport": old}), make_tool(execution={"taskSupport": new})
    assert [id for id, _ in list_matches(old_tool, new_tool)] == expected


def test_a_tool_without_execution_forbids_tasks() -> None:
    assert [id for id, _ in list_matches(make_tool(execution={"taskSupport": "optional"}), make_tool())] == [
        "tool-task-refused"
    ]


# --- rules for resources and resource templates -----------------------------------------------------------------------
def list_resource_matches(old: ResourceDefinition, new: ResourceDefinition) -> list[tuple[str, str]]:
    return list_all(RESOURCE_RULES, old, new)


def make_template(uri: str) -> ResourceDefinition:
    resource = make_resource(uriTemplate=uri)
    return ResourceDefinition(
        resource.name, resource.origin, resource.span, resource.resource, template=parse_uri_template(uri)
    )


def test_renamed_resources() -> None:
    renamed = make_resource("settings")
    assert list_resource_matches(make_resource(), renamed) == [("resource-renamed", 'is called "settings" now')]
    assert list_resource_matches(make_resource(), make_resource()) == []


def test_uri_and_kind() -> None:
    moved = make_resource(uri="x://b")
    assert list_resource_matches(make_resource(uri="x://a"), moved) == [
        ("resource-uri-changed", "its URI was x://a, is x://b now")
    ]
    assert list_resource_matches(make_resource(uri="x://a"), make_template("x://{a}"))[0] == (
        "resource-kind-changed",
        "has become a template",
    )


def test_variables() -> None:
    assert list_resource_matches(make_template("x://{a}{?b}"), make_template("x://{a}{?b,c}")) == []
    assert ("resource-variable-removed", "its variable b was removed") in list_resource_matches(
        make_template("x://{a}{?b}"), make_template("x://{a}")
    )
    assert ("resource-variable-added", "its variable b is new and required") in list_resource_matches(
        make_template("x://{a}"), make_template("x://{a}/{b}")
    )
    assert ("resource-variable-became-required", "its variable b was optional, is required now") in (
        list_resource_matches(make_template("x://{a}{?b}"), make_template("x://{a}/{b}"))
    )
    matches = find_all(RESOURCE_RULES, make_template("x://{a}"), make_template("x://{a}/{b}"))
    pointers = {rule.id: match.pointer for rule, match in matches}
    assert pointers["resource-variable-added"] == "/uriTemplate/b"


def test_the_fixed_parts_of_a_template() -> None:
    assert [id for id, _ in list_resource_matches(make_template("x://{a}"), make_template("y://{a}"))] == [
        "resource-template-changed"
    ]
    assert list_resource_matches(make_template("x://{a}"), make_template("x://{a}{?page}")) == []


def test_what_a_read_returns() -> None:
    old = make_resource("r", {"type": "object"}, uri="x://r", mimeType="application/json")
    new = make_resource("r", None, uri="x://r", mimeType="text/yaml")
    assert list_resource_matches(old, new) == [
        ("resource-mime-type-changed", "its MIME type was application/json, is text/yaml now"),
        ("resource-schema-removed", "its JSON no longer has a schema, so it may be anything"),
    ]


def test_the_cache_scope() -> None:
    private, public = make_resource(), make_resource(choices=ResourceOptions(cache_scope="public"))
    assert [id for id, _ in list_resource_matches(private, public)] == ["resource-cache-scope-changed"]
    assert list_resource_matches(public, private) == []


# --- rules for prompts ------------------------------------------------------------------------------------------------
def make_prompt(*arguments: PromptArgument) -> PromptDefinition:
    return PromptDefinition("review", "review.json", Span("review.json"), {"name": "review"}, arguments)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ((), (PromptArgument("a", False),), []),
        ((PromptArgument("a", True),), (PromptArgument("a", False),), []),
        ((PromptArgument("a", False),), (), ["prompt-argument-removed"]),
        ((), (PromptArgument("a", True),), ["prompt-argument-added"]),
        ((PromptArgument("a", False),), (PromptArgument("a", True),), ["prompt-argument-became-required"]),
        ((PromptArgument("a", False),), (PromptArgument("a", False, ("x",)),), ["prompt-argument-values-removed"]),
        (
            (PromptArgument("a", False, ("x", "y")),),
            (PromptArgument("a", False, ("x",)),),
            ["prompt-argument-values-removed"],
        ),
        ((PromptArgument("a", False, ("x",)),), (PromptArgument("a", False, ("x", "y")),), []),
        ((PromptArgument("a", False, ("x",)),), (PromptArgument("a", False),), []),
    ],
)
def test_arguments(old: tuple[PromptArgument, ...], new: tuple[PromptArgument, ...], expected: list[str]) -> None:
    matches = find_all(PROMPT_RULES, make_prompt(*old), make_prompt(*new))
    assert [rule.id for rule, _ in matches] == expected
    assert {match.pointer for _, match in matches} <= {"/arguments/a"}


# --- rules for annotations: promises that a tool no longer makes ------------------------------------------------------
def list_lost(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    return [id for id, _ in list_all(ANNOTATION_RULES, make_tool(annotations=old), make_tool(annotations=new))]


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        ({"readOnlyHint": True}, {"readOnlyHint": True}, []),
        ({"readOnlyHint": True}, {}, ["tool-no-longer-read-only"]),
        ({}, {"readOnlyHint": True}, []),
        ({"destructiveHint": False}, {}, ["tool-became-destructive"]),
        ({"destructiveHint": False}, {"readOnlyHint": True}, []),
        ({"idempotentHint": True}, {"idempotentHint": False}, ["tool-no-longer-idempotent"]),
        ({"openWorldHint": False}, {"openWorldHint": True}, ["tool-became-open-world"]),
        ({"readOnlyHint": "yes"}, {}, []),
    ],
)
def test_lost_promises(old: dict[str, Any], new: dict[str, Any], lost: list[str]) -> None:
    assert list_lost(old, new) == lost


def test_the_help_names_the_promise() -> None:
    ((_, match),) = find_all(ANNOTATION_RULES, make_tool(annotations={"destructiveHint": False}), make_tool())
    assert match.help == 'keep `"destructiveHint": false`, or make it another tool'
    assert match.pointer == "/annotations/destructiveHint"


# --- rules for content blocks -----------------------------------------------------------------------------------------
IMAGE = {"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"}
SOUND = {**IMAGE, "contentMediaType": "audio/wav"}


def list_texts(old: ToolDefinition, new: ToolDefinition) -> list[tuple[str, str]]:
    return list_all(CONTENT_RULES, old, new)


def test_another_strategy() -> None:
    expected = ("content-strategy-changed", 'its content was "binary", is "json" now')
    assert list_texts(make_tool(output=IMAGE), make_tool(output={"type": "string"})) == [expected]


NUMBER_OBJECT = {"type": "object", "properties": {"a": {"type": "number"}}}


def test_a_link_takes_the_place_of_the_value() -> None:
    linked, plain = (
        make_tool(output=NUMBER_OBJECT, choices=ToolOptions(content="link")),
        make_tool(output=NUMBER_OBJECT),
    )
    ((_, lost),) = list_texts(plain, linked)
    assert lost == 'its content was "json", is "link" now, so its results have a link instead of structuredContent'
    ((_, back),) = list_texts(linked, plain)
    assert back == 'its content was "link", is "json" now, so its results have structuredContent again'


WRAPPER = {"title": "getOutput", "type": "object", "properties": {"result": {"type": "string"}}, "required": ["result"]}


def test_a_first_schema() -> None:
    changed = 'its handler made its content; it is made from its result ("{}") now'
    assert list_texts(make_tool(), make_tool(output=NUMBER_OBJECT)) == [
        ("content-strategy-changed", changed.format("json"))
    ]
    template = make_tool(output=NUMBER_OBJECT, choices=ToolOptions(content="template"))
    assert list_texts(make_tool(), template) == [("content-strategy-changed", changed.format("template"))]
    assert list_texts(make_tool(), make_tool(output=NUMBER_OBJECT, choices=ToolOptions(content="sdk"))) == []


def test_a_tool_without_a_schema() -> None:
    pulled = ToolOptions(content="sdk")
    ((rule, text),) = list_texts(make_tool(choices=pulled), make_tool())
    assert (rule, text[:22]) == ("content-conversion-changed", "the SDK converted what")
    ((rule, text),) = list_texts(make_tool(), make_tool(choices=pulled))
    assert (rule, text[:21]) == ("content-conversion-changed", "mcpgen converted what")
    assert list_texts(make_tool(choices=pulled), make_tool(choices=pulled)) == []
    assert list_texts(make_tool(choices=ToolOptions(content="none")), make_tool()) == []
    assert list_texts(make_tool(output=NUMBER_OBJECT), make_tool()) == []  # the lost schema is another finding


def test_the_text_of_the_sdk() -> None:
    pulled = ToolOptions(content="sdk")
    expected = ("content-strategy-changed", 'its content was "sdk", is "json" now')
    ((rule, text),) = list_texts(make_tool(output=NUMBER_OBJECT, choices=pulled), make_tool(output=NUMBER_OBJECT))
    assert (rule, text.endswith("it is compact JSON with the same values now")) == ("content-spaces-changed", True)
    ((rule, text),) = list_texts(make_tool(output=NUMBER_OBJECT), make_tool(output=NUMBER_OBJECT, choices=pulled))
    assert (rule, text.startswith("its text was compact JSON")) == ("content-spaces-changed", True)
    assert list_texts(make_tool(output=NUMBER_OBJECT), make_tool(output=NUMBER_OBJECT)) == []
    assert list_texts(make_tool(output=WRAPPER, choices=pulled), make_tool(output=WRAPPER)) == [expected]
    array = {"type": "array"}
    assert list_texts(make_tool(output=array, choices=pulled), make_tool(output=array)) == [expected]


def test_another_media_type() -> None:
    expected = ("content-media-type-changed", "its content was image/png, is audio/wav now")
    assert list_texts(make_tool(output=IMAGE), make_tool(output=SOUND)) == [expected]


def test_another_template() -> None:
    old, new = (ToolOptions(template=TemplateFile("a.j2", "a.j2", text)) for text in ("{{ a }}", "{{ b }}"))
    expected = ("content-template-changed", "the template of its text has changed (a.j2)")
    assert list_texts(make_tool(choices=old), make_tool(choices=new)) == [expected]
    assert list_texts(make_tool(choices=old), make_tool(choices=old)) == []


def test_a_lost_audience() -> None:
    user = make_tool(choices=ToolOptions(audience=("user",)))
    assert list_texts(make_tool(), user) == [("content-audience-changed", "its content is no longer for: assistant")]
    assert list_texts(user, make_tool()) == []  # without an audience, it is for everybody


# --- rules for wording ------------------------------------------------------------------------------------------------
def list_wordings(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Return the messages about two sets of arguments."""
    tools = [make_tool(input={"type": "object", "properties": properties}) for properties in (old, new)]
    return [text for _, text in list_all(WORDING_RULES, *tools)]


DUE = {"type": "string", "title": "Due", "description": "When."}


def test_texts_come_with_a_property_that_is_new_or_removed() -> None:
    kept = {"kept": {"type": "object", "properties": {"a": DUE}}}
    assert list_wordings(kept, {**kept, "due": DUE}) == []
    assert list_wordings({**kept, "due": DUE}, kept) == []
    assert list_wordings({"due": DUE}, {"until": {**DUE, "description": "Until when."}}) == []
    inside = ({"a": {"type": "object", "properties": {name: {"items": DUE}}}} for name in ("due", "until"))
    assert list_wordings(*inside) == []
    assert list_wordings({"a": {"type": "object"}}, {"a": {"type": "object", "properties": {"due": DUE}}}) == []


def test_the_text_of_a_property_that_was_there_is_reported() -> None:
    """Models read something else about a property that both versions have, wherever its text is written."""
    bare = {"type": "string"}
    assert list_wordings({"a": DUE, "b": bare}, {"a": {"type": "string", "title": "Due"}, "b": DUE}) != []
    assert len(list_wordings({"a": DUE}, {"a": bare})) == 2
    new = '/inputSchema/properties/b/description is new: "When."'
    assert list_wordings({"a": DUE, "b": bare}, {"b": {**bare, "description": "When."}}) == [new]
    assert len(list_wordings({"a": bare}, {"a": {"anyOf": [DUE, {"type": "null"}]}})) == 2
    assert len(list_wordings({"a": {"$ref": "x"}}, {"a": {"type": "object", "properties": {"due": DUE}}})) == 2
    assert len(list_wordings({"a": {"allOf": [DUE]}}, {"a": {"allOf": []}})) == 2


def test_texts_come_with_an_argument_of_a_prompt() -> None:
    def make(*names: str, text: str = "When.") -> PromptDefinition:
        arguments: list[Json] = [{"name": name, "description": text} for name in names]
        return PromptDefinition("plan", "p.json", Span("p.json"), {"name": "plan", "arguments": arguments})

    def find(old: PromptDefinition, new: PromptDefinition) -> list[str]:
        return [text for _, text in list_all(WORDING_RULES, old, new)]

    assert find(make("day"), make("day", "hour")) == []
    assert find(make("day", "hour"), make("hour")) == []
    assert find(make("day"), make("day", text="Which day.")) == [
        '/arguments/day/description was "When.", is "Which day."'
    ]
