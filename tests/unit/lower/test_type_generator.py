"""Calling datamodel-code-generator."""

from __future__ import annotations

import time

import pytest
from mcpgen.lower.type_generator import (
    MAX_TIMER_SECONDS,
    TypeGeneratorFailed,
    TypeGeneratorTimeout,
    compute_deadline,
    generate_annotations,
)
from mcpgen.schema.values import Json


def make_definitions(property_schema: Json) -> dict[str, dict[str, Json]]:
    return {"A": {"type": "object", "properties": {"a": property_schema}, "required": ["a"]}}


def test_each_definition_becomes_a_class() -> None:
    text = generate_annotations(make_definitions({"type": "string"}), compute_deadline(60))
    assert "class A(" in text
    assert "a: StrictStr" in text


def test_what_cannot_be_read_is_an_error() -> None:
    with pytest.raises(TypeGeneratorFailed):
        generate_annotations(make_definitions({"type": "string", "minLength": "one"}), compute_deadline(60))


def test_a_deadline_that_has_passed_is_a_timeout() -> None:
    with pytest.raises(TypeGeneratorTimeout):
        generate_annotations(make_definitions({"type": "string"}), time.monotonic() - 1)


def test_deadlines_are_within_what_timers_count() -> None:
    assert compute_deadline(1e300) <= time.monotonic() + MAX_TIMER_SECONDS
