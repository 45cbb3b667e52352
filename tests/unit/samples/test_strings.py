"""Drawing of strings."""

from __future__ import annotations

import base64
import re
from typing import Any

import pytest
from mcpgen.samples.context import DrawStyle, Unsatisfiable
from mcpgen.samples.strings import draw_string
from support.draws import make_context


def draw(schema: Any, seed: int = 0, style: DrawStyle = DrawStyle.VARIED, name: str = "") -> str:
    context = make_context(schema, seed, style)
    return draw_string(context, [context.document.root], name)


@pytest.mark.parametrize("seed", range(10))
def test_patterns_and_lengths_are_followed(seed: int) -> None:
    assert re.fullmatch("[a-f]{12}", draw({"pattern": "^[a-f]+$", "minLength": 12, "maxLength": 12}, seed))


def test_formats_and_encodings_are_followed() -> None:
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", draw({"format": "date"}, style=DrawStyle.PLAIN))
    base64.b64decode(draw({"contentEncoding": "base64"}, style=DrawStyle.PLAIN), validate=True)


def test_plain_text_is_the_name_of_the_property() -> None:
    assert draw({}, style=DrawStyle.PLAIN, name="maxResults") == "max results"
    assert draw({"minLength": 7}, style=DrawStyle.PLAIN, name="city") == "citycit"
    assert draw({"maxLength": 2}, style=DrawStyle.PLAIN, name="city") == "ci"


def test_impossible_lengths_are_unsatisfiable() -> None:
    for schema in ({"minLength": 3, "maxLength": 2}, {"minLength": 10**9}):
        with pytest.raises(Unsatisfiable):
            draw(schema)
