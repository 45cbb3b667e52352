"""Names of files and anchors."""

from __future__ import annotations

import re

import pytest
from mcpgen.reference.slugs import AnchorSet, make_slugs


def test_usual_names_are_their_slugs() -> None:
    assert make_slugs(["get_weather", "list-rows"]) == {"get_weather": "get_weather", "list-rows": "list-rows"}


@pytest.mark.parametrize("names", [("Get", "get"), ("a b", "a/b", "a-b"), ("", "…", "你好"), ("x" * 200, "x" * 201)])
def test_names_that_look_alike_have_different_slugs(names: tuple[str, ...]) -> None:
    slugs = make_slugs(names)
    assert len({slug.casefold() for slug in slugs.values()}) == len(names)
    assert all(re.fullmatch("[a-z0-9_-]{1,99}", slug) for slug in slugs.values())


def test_a_name_that_ends_like_a_hash_is_another_one() -> None:
    taken = make_slugs(["a", "A"])["a"]
    assert taken not in make_slugs([taken]).values()


@pytest.mark.parametrize("name", ["index", "README", "con", "NUL", "com1", "../../etc/passwd", "..", "a\\b", "a\0b"])
def test_no_name_leads_elsewhere(name: str) -> None:
    slug = make_slugs([name])[name]
    assert slug not in ("index", "readme", "con", "nul", "com1")
    assert not set(slug) & set("./\\\0")


def test_the_slug_of_a_name_does_not_depend_on_the_order() -> None:
    assert make_slugs(["a.b", "a-b", "c"]) == make_slugs(["c", "a-b", "a.b"])


def test_anchors_are_given_once() -> None:
    anchors = AnchorSet()
    assert [anchors.add("a"), anchors.add("a"), anchors.add("b"), anchors.add("a")] == ["a", "a-2", "b", "a-3"]
