"""JSON that is put together from parts."""

from __future__ import annotations

import json

from mcpgen.render.json_writer import render_json_object, render_json_value
from mcpgen.schema.values import Json


def test_parts_make_the_text_of_the_whole() -> None:
    parts: dict[str, Json] = {"b": [1, {"x": "a\nb"}], "a": "é", "empty": {}}
    text = render_json_object({name: render_json_value(part) for name, part in parts.items()})
    assert text.readable == json.dumps(parts, indent=1)
    assert text.canonical == json.dumps(parts, sort_keys=True, separators=(",", ":"))


def test_an_empty_object_stays_on_a_line() -> None:
    assert render_json_object({}).readable == "{}"
