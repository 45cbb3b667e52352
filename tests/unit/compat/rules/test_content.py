"""Rules for content blocks."""

from __future__ import annotations

from mcpgen.compat.rules.content import CONTENT_RULES
from mcpgen.compat.rules.rule import ToolPair
from mcpgen.read.definitions import TemplateFile, ToolDefinition, ToolOptions
from support.compat import make_tool

IMAGE = {"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"}
SOUND = {**IMAGE, "contentMediaType": "audio/wav"}


def list_texts(old: ToolDefinition, new: ToolDefinition | None) -> list[tuple[str, str]]:
    pair = ToolPair(old, new)
    return [(rule.id, match.text) for rule in CONTENT_RULES for match in rule.find(pair)]


def test_another_strategy() -> None:
    expected = ("content-strategy-changed", 'its content was "binary", is "json" now')
    assert list_texts(make_tool(output=IMAGE), make_tool(output={"type": "string"})) == [expected]


OBJECT = {"type": "object", "properties": {"a": {"type": "number"}}}
WRAPPER = {"title": "getOutput", "type": "object", "properties": {"result": {"type": "string"}}, "required": ["result"]}


def test_a_first_schema() -> None:
    changed = 'its handler made its content; it is made from its result ("{}") now'
    assert list_texts(make_tool(), make_tool(output=OBJECT)) == [("content-strategy-changed", changed.format("json"))]
    template = make_tool(output=OBJECT, choices=ToolOptions(content="template"))
    assert list_texts(make_tool(), template) == [("content-strategy-changed", changed.format("template"))]
    assert list_texts(make_tool(), make_tool(output=OBJECT, choices=ToolOptions(content="sdk"))) == []


def test_a_tool_without_a_schema() -> None:
    pulled = ToolOptions(content="sdk")
    ((rule, text),) = list_texts(make_tool(choices=pulled), make_tool())
    assert (rule, text[:22]) == ("content-conversion-changed", "the SDK converted what")
    ((rule, text),) = list_texts(make_tool(), make_tool(choices=pulled))
    assert (rule, text[:21]) == ("content-conversion-changed", "mcpgen converted what")
    assert list_texts(make_tool(choices=pulled), make_tool(choices=pulled)) == []
    assert list_texts(make_tool(choices=ToolOptions(content="none")), make_tool()) == []
    assert list_texts(make_tool(output=OBJECT), make_tool()) == []  # the lost schema is another finding


def test_the_text_of_the_sdk() -> None:
    pulled = ToolOptions(content="sdk")
    expected = ("content-strategy-changed", 'its content was "sdk", is "json" now')
    ((rule, text),) = list_texts(make_tool(output=OBJECT, choices=pulled), make_tool(output=OBJECT))
    assert (rule, text.endswith("it is compact JSON with the same values now")) == ("content-spaces-changed", True)
    ((rule, text),) = list_texts(make_tool(output=OBJECT), make_tool(output=OBJECT, choices=pulled))
    assert (rule, text.startswith("its text was compact JSON")) == ("content-spaces-changed", True)
    assert list_texts(make_tool(output=OBJECT), make_tool(output=OBJECT)) == []
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


def test_a_removed_tool_has_no_content() -> None:
    assert list_texts(make_tool(output=IMAGE), None) == []
