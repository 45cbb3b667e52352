"""Formats, maps and unions in values."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.learn.inference import MAX_ALTERNATIVES, find_common_format, find_discriminator, has_some_format, is_map


# --- formats that recorded strings have in common ---------------------------------------------------------------------
@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5+01:00"], "date-time"),
        (["2026-01-01T00:00:00"], None),  # RFC 3339 wants an offset
        (["2026-01-01", "2024-02-29"], "date"),
        (["2026-01-01", "2025-02-29"], None),
        (["2026-01-01", "2026-01-01T00:00:00Z"], None),
        (["12:00:00Z"], "time"),
        (["P1D", "PT36H"], "duration"),
        (["00000000-0000-0000-0000-000000000000"], "uuid"),
        (["someone@example.com"], "email"),
        (["127.0.0.1", "10.0.0.1"], "ipv4"),
        (["::1"], "ipv6"),
        (["127.0.0.1", "::1"], None),
        (["https://example.com/a?b=c", "urn:isbn:1"], "uri"),
        (["note: this"], None),
        (["note:this"], None),
        (["", "2026-01-01"], None),
        (["1", "2"], None),
    ],
)
def test_a_format_is_one_that_all_texts_have(texts: list[str], expected: str | None) -> None:
    assert find_common_format(texts) == expected


def test_a_text_has_some_format() -> None:
    assert has_some_format("2026-01-01")
    assert has_some_format("a@example.com")
    assert not has_some_format("name")
    assert not has_some_format("")


# --- maps and objects are told apart by their keys --------------------------------------------------------------------
NAMES = ("ada", "bob", "cyd", "dan", "eve", "fay", "gil", "hal", "ida", "jon")


@pytest.mark.parametrize(
    "objects",
    [
        [{"1": 1, "2": 2}],
        [{"2026-01-01": 1}, {"2026-01-02": 1}],
        [{"00000000-0000-0000-0000-000000000000": {}}],
        [{"src/main.py": 3}, {}],
        [{"two words": 3, "a@example.com": 1}],
        [{"0123456789abcdef0123": 1}, {"deadbeefdeadbeef": 2}],
        [{name: {"age": 3, "town": "Ulm"} for name in NAMES}],
        [{name: number} for number, name in enumerate(NAMES)],
    ],
)
def test_maps(objects: list[dict[str, Any]]) -> None:
    assert is_map(objects)


@pytest.mark.parametrize(
    "objects",
    [
        [],
        [{}],
        [{"a": 1}],
        [{"a": 1, "2": 2}],
        [{"deadbeef": 1}],
        [dict.fromkeys(NAMES, 1)],
        [{name: {"age": 3} for name in NAMES}],
        [{name: {"age": 3, name: 1} for name in NAMES}],
        [{name: {"age": 3, "town": "Ulm"} for name in NAMES[:7]}],
        [{name: {"age": 3, "town": "Ulm"}} for name in NAMES[:7]],
        [{name: number if number % 2 else "x"} for number, name in enumerate(NAMES)],
        [{name: 1, "total": 1} for name in NAMES],
        [{"": 1}],
        [{"__proto__": 1, "$ref": 2}],
    ],
)
def test_objects(objects: list[dict[str, Any]]) -> None:
    assert not is_map(objects)


def test_time_grows_with_the_number_of_keys_alone() -> None:
    objects: list[dict[str, Any]] = [{f"k{number}": "x"} for number in range(100_000)]
    assert is_map(objects), "a loop in a loop takes hours, which the time limit of a test would end"


# --- the property that tells the alternatives of a union apart --------------------------------------------------------
CIRCLE = {"type": "circle", "radius": 1}
SQUARE = {"type": "square", "side": 2}


def find(objects: list[dict[str, Any]]) -> str | None:
    found = find_discriminator(objects)
    if found is None:
        return None
    name, alternatives = found
    assert sorted(map(id, objects)) == sorted(id(value) for values in alternatives.values() for value in values)
    assert all(value[name] == tag for tag, values in alternatives.items() for value in values)
    return name


def test_alternatives_are_told_apart() -> None:
    assert find([CIRCLE, SQUARE] * 3) == "type"
    assert find([CIRCLE, CIRCLE, CIRCLE, {**SQUARE, "type": "a.b-c_1"}, *[{**SQUARE, "type": "a.b-c_1"}] * 2]) == "type"


def test_other_names_will_do_and_usual_ones_come_first() -> None:
    shapes = [{"form": "round", "radius": 1}, {"form": "flat", "side": 2}]
    assert find(shapes * 3) == "form"
    assert find([{**value, "type": value["form"]} for value in shapes * 3]) == "type"


def test_a_property_that_an_alternative_has_at_times() -> None:
    """It may be missing from objects of one alternative, if it is at times in all others, too."""
    noted = [{**CIRCLE, "note": ""}, CIRCLE, CIRCLE]
    assert find([*noted, SQUARE, SQUARE, SQUARE]) is None
    assert find([*noted, {**SQUARE, "note": ""}, SQUARE, SQUARE]) == "type"


@pytest.mark.parametrize(
    "objects",
    [
        [],
        [{}] * 6,
        [CIRCLE] * 6,
        [CIRCLE, CIRCLE, CIRCLE, SQUARE, SQUARE],
        [CIRCLE, SQUARE, {"radius": 1}] * 3,
        [{"type": kind, "n": 1} for kind in ("a", "b")] * 3,
        [{"type": 1, "a": 1}, {"type": 2, "b": 1}] * 3,
        [{"type": None, "a": 1}, {"type": "b", "b": 1}] * 3,
        [{"type": "two words", "a": 1}, {"type": "b", "b": 1}] * 3,
        [{"type": "x" * 41, "a": 1}, {"type": "b", "b": 1}] * 3,
        [{"type": f"t{number}", f"p{number}": 1} for number in range(MAX_ALTERNATIVES + 1)] * 3,
    ],
)
def test_no_discriminator(objects: list[dict[str, Any]]) -> None:
    assert find(objects) is None


def test_most_alternatives() -> None:
    assert find([{"type": f"t{n}", f"p{n}": 1} for n in range(MAX_ALTERNATIVES)] * 3) == "type"


@pytest.mark.parametrize("optional", [1, 4_000])
def test_many_candidates(optional: int) -> None:
    """2,000 properties that each could be one take no longer than reading the objects some times."""
    objects: list[dict[str, Any]] = [
        {f"c{column}": "ab"[(row >> column % 7) % 2] for column in range(2_000)} | {f"o{row * 7 % optional}": 1}
        for row in range(200)
    ]
    objects[0].pop("o0")
    assert find(objects) is None
