"""Generating the types of several schemas."""

from __future__ import annotations

import time

import pytest
from mcpgen.ir.types import ANY, Ref, Scalar, ScalarKind, Type
from mcpgen.lower.generated_types import ClassTypes, GeneratedTypes, NoTypes, generate_schema_types
from mcpgen.lower.normalize.core import Core, NormalizedSchema
from mcpgen.lower.normalize.normalizer import normalize_schema
from mcpgen.lower.type_cache import TypeCache
from mcpgen.lower.type_generator import TypeGeneratorFailed, TypeGeneratorTimeout
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json

SCHEMA: Json = {
    "type": "object",
    "properties": {"a": {"type": "string"}, "json": {"$ref": "#/$defs/Nested"}},
    "$defs": {"Nested": {"anyOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#/$defs/Nested"}}]}},
}


def normalize(schema: Json, prefix: str = "A") -> NormalizedSchema:
    return normalize_schema(schema, DRAFT_2020_12, prefix)


def test_types_come_back_under_their_keys() -> None:
    schemas = [normalize(SCHEMA), normalize({"type": "integer"}, "B")]
    first, second = generate_schema_types(schemas, 60, TypeCache())
    assert isinstance(first, GeneratedTypes)
    assert isinstance(second, GeneratedTypes)
    assert first.root == Ref("AC0")
    assert first.classes == {"AC0": ClassTypes((Scalar(ScalarKind.STRING), Ref("AA0")), ANY)}
    assert [*first.aliases] == ["AA0"]
    assert (second.schema, second.root) == (schemas[1], Scalar(ScalarKind.INTEGER))


class FailingCache(TypeCache):
    """Fails for strings."""

    def find_types(self, cores: list[Core], until: float) -> list[Type]:
        if {"type": "string"} in cores:
            raise TypeGeneratorFailed("no strings")
        return super().find_types(cores, until)


def test_a_schema_that_fails_does_not_spoil_the_others() -> None:
    schemas = [normalize({"type": "string"}), normalize({"type": "integer"})]
    first, second = generate_schema_types(schemas, 60, FailingCache())
    assert first == NoTypes("")
    assert isinstance(second, GeneratedTypes)


class LateCache(TypeCache):
    """Is always late."""

    def find_types(self, cores: list[Core], until: float) -> list[Type]:
        assert until > time.monotonic()
        raise TypeGeneratorTimeout


@pytest.mark.parametrize("count", [1, 2])
def test_a_timeout_is_told_for_each_schema(count: int) -> None:
    reason = "the type generator took longer than 60 s (`limits.seconds`)"
    assert generate_schema_types([normalize(True)] * count, 60, LateCache()) == [NoTypes(reason)] * count
