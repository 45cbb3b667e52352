"""Text without a pattern or format."""

from __future__ import annotations

import base64
from random import Random

from mcpgen.samples.text import LONGEST_STRING, ODD_CHARACTERS, draw_base64, draw_text, spell_out_name


def test_lengths_are_within_the_bounds() -> None:
    assert {len(draw_text(Random(seed), 2, 4)) for seed in range(60)} == {2, 3, 4}
    assert len(draw_text(Random(0), 10**9, None)) <= LONGEST_STRING + 6


def test_odd_characters_occur() -> None:
    assert any(set(ODD_CHARACTERS) & set(draw_text(Random(seed), 5, 9)) for seed in range(20))


def test_base64_is_canonical() -> None:
    for seed in range(20):
        text = draw_base64(Random(seed))
        assert base64.b64encode(base64.b64decode(text, validate=True)).decode() == text


def test_names_are_spelt_out() -> None:
    names = ("maxResults", "max_results", "URL", "x-y", "")
    assert [spell_out_name(name) for name in names] == ["max results", "max results", "URL", "x y", "text"]
