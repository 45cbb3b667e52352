"""Types are values: equal and hashable by their content."""

from __future__ import annotations

import dataclasses

import pytest
from mcpgen.ir.types import ANY, Array, Choice, Presence, Ref, Scalar, ScalarKind, Union


def test_types_with_equal_content_are_one_key() -> None:
    types = {Array(Scalar(ScalarKind.STRING)), Array(Scalar(ScalarKind.STRING)), Array(ANY)}
    assert len(types) == 2


def test_bounds_and_tags_are_part_of_a_type() -> None:
    assert Scalar(ScalarKind.INTEGER, (("ge", 0),)) != Scalar(ScalarKind.INTEGER)
    assert Union((Ref("a"), Ref("b")), "kind") != Union((Ref("a"), Ref("b")))


def test_types_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Choice(("a",)).values = ()  # type: ignore[misc]


def test_formats_are_named_as_in_json_schema() -> None:
    assert ScalarKind("date-time") is ScalarKind.DATE_TIME
    assert {presence.value for presence in Presence} == {"required", "optional", "optional_nullable"}
