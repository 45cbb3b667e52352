"""Pages of tools, resources and prompts."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
from mcpgen.ir.definitions import PromptArgument
from mcpgen.reference.model import Bar, Note, SiteHead
from mcpgen.reference.pages import (
    MeasuredResult,
    Remarks,
    ToolSource,
    make_bars,
    make_form_page,
    make_prompt_page,
    make_resource_page,
    make_tool_page,
)
from mcpgen.reference.site import render_page
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12

CITY: Any = {"type": "object", "properties": {"city": {"type": "string", "minLength": 3}}, "required": ["city"]}
TOOL: dict[str, Any] = {
    "name": "get_\u200bweather",
    "title": "Weather",
    "description": "First. Second.\nThird.",
    "inputSchema": CITY,
    "outputSchema": CITY,
    "annotations": {"readOnlyHint": True, "openWorldHint": False, "title": "Other"},
    "execution": {"taskSupport": "optional"},
    "_meta": {"ui": {"resourceUri": "ui://weather\u202e", "visibility": ["app"]}},
}


def make_source(**more: Any) -> ToolSource:
    schema = Schema(CITY, DRAFT_2020_12)
    return ToolSource("get-weather", TOOL, schema, schema, **more)


def test_a_tool() -> None:
    result = MeasuredResult(("It is\u202e Oslo.", "More."), '{"city":"Oslo"}', ("image",))
    note = Note("MG901", "warning", "holds something")
    source = make_source(remarks=Remarks((note,)), error=Schema(CITY, DRAFT_2020_12))
    page = make_tool_page(source, result, [Bar("definition", 100, 30)])
    assert (page.name, page.title, page.summary) == ("get_⟨U+200B⟩weather", "Weather", "First.")
    background, view = "can run in the background", "shown by ui://weather⟨U+202E⟩"
    assert page.hints == ("changes nothing", "stays inside its own world", background, "for apps only", view)
    assert [section.heading for section in page.sections] == ["Arguments", "Result", "Data of an error"]
    call, text, structured = page.listings
    assert jsonschema_rs.is_valid(CITY, json.loads(call.text.replace("⟨U+200B⟩", ""))["arguments"])
    assert (text.text, text.remark) == ("It is⟨U+202E⟩ Oslo.\n\nMore.", "Content: 2 text blocks, image.")
    assert json.loads(structured.text) == {"city": "Oslo"}
    assert page.findings == (note,)


def test_a_result_without_text_has_no_listing_of_it() -> None:
    page = make_tool_page(make_source(), MeasuredResult((), None, ("audio",)), [])
    _, listing = page.listings
    assert (listing.text, listing.remark) == ("", "Content: no text blocks, audio.")
    rendered = render_page(page, SiteHead("Title", (), "", ""))
    assert "## Text of the result\n\nContent: no text blocks, audio.\n" in rendered.markdown
    heading, _, rest = rendered.html.partition("Text of the result</a></h3>")
    assert heading
    assert rest.lstrip().startswith('<p class="none">Content: no text blocks, audio.</p>')


def test_without_a_result_the_value_is_drawn() -> None:
    page = make_tool_page(make_source(), None, [])
    assert [listing.heading for listing in page.listings] == ["Example call", "Structured result"]
    assert jsonschema_rs.is_valid(CITY, json.loads(page.listings[1].text))
    assert page == make_tool_page(make_source(), None, [])


def test_a_tool_without_arguments_has_no_type_of_them() -> None:
    source = ToolSource("x", TOOL, Schema({"type": "object"}, DRAFT_2020_12), Schema({"type": "object"}, DRAFT_2020_12))
    arguments, result = make_tool_page(source, None, []).sections
    assert arguments.root.label == ()
    assert result.root.label[0].text == "object"


def test_bars_are_in_proportion() -> None:
    bars = make_bars([Bar("a", 999, 50), Bar("b", 10, 100), Bar("c", 1, 0)])
    assert [bar.share for bar in bars] == [50, 100, 1]
    assert [bar.share for bar in make_bars([Bar("a", 30), Bar("b", 10)])] == [100, 33]
    assert make_bars([]) == ()


def test_a_resource_template() -> None:
    resource = {"name": "page", "uriTemplate": "harbour://{a}{?b}", "mimeType": "application/json"}
    page = make_resource_page(resource, "page", {"a": False, "b": True}, Schema(CITY, DRAFT_2020_12), Remarks())
    assert (page.kind, page.uri, page.mime_type) == ("template", "harbour://{a}{?b}", "application/json")
    assert [(row.name, row.is_required) for row in page.sections[0].root.members] == [("a", True), ("b", False)]
    assert [section.heading for section in page.sections] == ["Variables of the URI", "Content"]


def test_a_prompt() -> None:
    prompt: dict[str, Any] = {"name": "greet", "arguments": [{"name": "who", "description": "Whom.", "required": True}]}
    page = make_prompt_page(prompt, "greet", [PromptArgument("who", True, ("a", "b"))], Remarks())
    (row,) = page.sections[0].root.members
    assert (row.name, row.is_required, row.description) == ("who", True, "Whom.")
    assert row.facts[0].values == ('"a"', '"b"')


def test_a_form_is_drawn_as_people_see_it() -> None:
    titled = [{"const": "a", "title": "A boat"}, {"const": "b", "title": "A barge"}]
    properties: dict[str, Any] = {
        "nights": {"type": "integer", "title": "Nights", "minimum": 1, "maximum": 60, "default": 2},
        "email": {"type": "string", "description": "Where to\nwrite.", "maxLength": 80},
        "sure": {"type": "boolean", "default": True},
        "tariff": {"type": "string", "enum": ["v", "c"], "enumNames": ["Visitor", "Club"], "default": "c"},
        "kind": {"type": "string", "oneOf": [*titled]},
        "extras": {"type": "array", "items": {"type": "string", "enum": ["water", "power"]}, "default": ["power"]},
        "more": {"type": "array", "items": {"anyOf": [*titled]}},
    }
    schema: dict[str, Any] = {"type": "object", "properties": properties, "required": ["nights"]}
    form: dict[str, Any] = {"name": "stay", "message": "Stay at {{ berth }}?", "requestedSchema": schema}
    page = make_form_page(form, "stay", Schema({**schema, "additionalProperties": False}, DRAFT_2020_12), Remarks())
    drawn, example = page.listings
    assert drawn.text.splitlines() == [
        "Stay at {{ berth }}?",
        "",
        "Nights *  [2               ] from 1, to 60",
        "email     [                ] at most 80  Where to write.",
        "sure      [x]",
        "tariff    ( ) Visitor  (x) Club",
        "kind      ( ) A boat  ( ) A barge",
        "extras    [ ] water  [x] power",
        "more      [ ] A boat  [ ] A barge",
    ]
    assert page.sections[0].heading == "Asks: Stay at {{ berth }}?"
    jsonschema_rs.validate(schema, json.loads(example.text))
