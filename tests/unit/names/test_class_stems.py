"""Names made from words."""

from __future__ import annotations

import pytest
from mcpgen.names.class_stems import MAX_CLASS_NAME, add_number, list_class_stems


@pytest.mark.parametrize(
    ("words", "stems"),
    [
        (("days", "item"), ["DaysItem"]),
        (("2nd",), ["_2nd"]),
        (("天",), []),
        ((), []),
        (
            ("deliveries", "item", "packages", "item", "breakdowns", "item"),
            ["DeliveriesItemPackagesItemBreakdownsItem"],
        ),
        (
            ("media_deliveries", "item", "packages", "item", "breakdowns", "item"),
            ["MediaDeliveriesItemBreakdownsItem", "ItemPackagesItemBreakdownsItem"],
        ),
        (("a" * 30, "b" * 30), ["B" + "b" * 29]),
        (("OneTwo" * 8,), ["OneTwo" * 6 + "One"]),
        (("x" * 50,), ["X" + "x" * 39]),
    ],
)
def test_words_become_names_that_are_short_enough(words: tuple[str, ...], stems: list[str]) -> None:
    assert list_class_stems(words) == stems
    assert all(len(stem) <= MAX_CLASS_NAME for stem in stems)


@pytest.mark.parametrize(("stem", "name"), [("Wind", "Wind2"), ("Item1", "Item1_2"), ("X" * 40, "X" * 39 + "2")])
def test_a_number_goes_behind(stem: str, name: str) -> None:
    assert add_number(stem, 2) == name
