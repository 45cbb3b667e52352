"""Finding types once."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.ir.types import Array, Ref, Scalar, ScalarKind
from mcpgen.lower import type_cache
from mcpgen.lower.normalize.core import Core, make_reference
from mcpgen.lower.type_cache import TypeCache, get_process_cache
from mcpgen.lower.type_generator import TypeGeneratorFailed, compute_deadline, generate_annotations
from mcpgen.lower.type_parser import UnreadableAnnotation

TEXT, INTEGER = Scalar(ScalarKind.STRING), Scalar(ScalarKind.INTEGER)


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[list[Core]]:
    """Record the core schemas that the type generator gets, a list for each call."""
    recorded: list[list[Core]] = []

    def generate(definitions: dict[str, Any], until: float) -> str:
        recorded.append([*definitions[type_cache.REQUESTED_CLASS]["properties"].values()])
        return generate_annotations(definitions, until)

    monkeypatch.setattr(type_cache, "generate_annotations", generate)
    return recorded


def test_each_schema_is_generated_once(requests: list[list[Core]]) -> None:
    types = TypeCache()
    assert types.find_types([{"type": "string"}, {"type": "integer"}], compute_deadline(60)) == [TEXT, INTEGER]
    assert types.find_types([{"type": "integer"}], compute_deadline(60)) == [INTEGER]
    assert requests == [[{"type": "string"}, {"type": "integer"}]]


def test_schemas_with_other_references_are_the_same_question(requests: list[list[Core]]) -> None:
    cores: list[Core] = [{"type": "array", "items": make_reference(key)} for key in ("AC0", "BC7")]
    assert TypeCache().find_types(cores, compute_deadline(60)) == [Array(Ref("AC0")), Array(Ref("BC7"))]
    assert requests == [[{"type": "array", "items": make_reference("K0")}]]


def test_enum_values_are_not_references(requests: list[list[Core]]) -> None:
    TypeCache().find_types([{"enum": ["#/$defs/A"]}], compute_deadline(60))
    assert requests == [[{"enum": ["#/$defs/A"]}]]


def test_a_full_cache_is_emptied(requests: list[list[Core]]) -> None:
    types = TypeCache(max_types=0)
    for kind in ("string", "integer", "string"):
        types.find_types([{"type": kind}], compute_deadline(60))
    assert len(requests) == 3


def test_after_a_failure_each_schema_is_generated_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def generate(definitions: dict[str, Any], until: float) -> str:
        if len(definitions[type_cache.REQUESTED_CLASS]["properties"]) > 1:
            raise TypeGeneratorFailed("too many")
        return generate_annotations(definitions, until)

    monkeypatch.setattr(type_cache, "generate_annotations", generate)
    cores: list[Core] = [{"type": "string"}, {"type": "integer"}]
    assert TypeCache().find_types(cores, compute_deadline(60)) == [TEXT, INTEGER]


def test_an_answer_with_another_meaning_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def generate(definitions: dict[str, Any], until: float) -> str:
        return "class Asked:\n    p0: StrictInt\n"

    monkeypatch.setattr(type_cache, "generate_annotations", generate)
    with pytest.raises(UnreadableAnnotation):
        TypeCache().find_types([{"type": "string"}], compute_deadline(60))


def test_a_process_has_one_cache() -> None:
    assert get_process_cache() is get_process_cache()


def test_prepared_types_are_there_but_for_those_that_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def generate(definitions: dict[str, Any], until: float) -> str:
        properties = definitions[type_cache.REQUESTED_CLASS]["properties"]
        sizes.append(len(properties))
        if {"type": "boolean"} in properties.values():
            raise TypeGeneratorFailed("no truth")
        return generate_annotations(definitions, until)

    monkeypatch.setattr(type_cache, "generate_annotations", generate)
    types = TypeCache()
    kinds = ("string", "integer", "boolean", "null")
    types.prepare_types([{"type": kind} for kind in kinds], compute_deadline(60))
    assert sizes == [4, 2, 2, 1, 1]
    assert types.find_types([{"type": "integer"}, {"type": "string"}], compute_deadline(60)) == [INTEGER, TEXT]
    assert len(sizes) == 5
    with pytest.raises(TypeGeneratorFailed, match="no truth"):
        types.find_types([{"type": "string"}, {"type": "boolean"}], compute_deadline(60))


def test_preparing_takes_no_longer_than_it_may() -> None:
    types = TypeCache()
    types.prepare_types([{"type": "string"}], compute_deadline(-1))
    assert types.find_types([{"type": "string"}], compute_deadline(60)) == [TEXT]
