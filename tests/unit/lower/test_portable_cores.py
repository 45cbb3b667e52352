"""Every form of core schema gets its type from whatever version of the type generator is installed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import pytest
from mcpgen.ir.types import Array, Choice, Map, Ref, Scalar, ScalarKind, Union
from mcpgen.lower.core_matching import matches_core
from mcpgen.lower.normalize.core import Core
from mcpgen.lower.portable_cores import PortableCores
from mcpgen.lower.type_cache import TypeCache
from mcpgen.lower.type_generator import compute_deadline
from mcpgen.schema.formats import CORE_FORMATS

REFERENCE: Core = {"$ref": "#/$defs/K0"}
NULL: Core = {"type": "null"}
ANY_MAP: Core = {"type": "object", "additionalProperties": {}}
BOUNDS: list[Core] = [
    {"type": "string", "minLength": 1},
    {"type": "string", "minLength": 0, "maxLength": 2**53},
    {"type": "integer", "minimum": -3, "exclusiveMaximum": 2**53},
    {"type": "number", "exclusiveMinimum": 0.5, "maximum": 1e300},
]
ENUMS: list[Core] = [
    {"enum": ["a"]},
    {"enum": [0, 1]},
    {"enum": [True]},
    {"enum": ["a", 1, True]},
    {"enum": ["a", None]},
    {"enum": [1, None]},
    {"enum": [None]},
    {"enum": ["", "None", "it's", '"', "\\", "\n", "\u2028", "{x}"]},
]


def _make_type(name: str) -> Core:
    return {"type": name}


def _make_format(name: str) -> Core:
    return {"type": "string", "format": name}


LEAVES: list[Core] = [
    {},
    *map(_make_type, ("string", "integer", "number", "boolean", "null")),
    *map(_make_format, ("byte", *CORE_FORMATS.values())),
    *BOUNDS,
    *ENUMS,
    REFERENCE,
]


def _wrap(cores: Iterable[Core]) -> Iterator[Core]:
    for core in cores:
        yield {"type": "array", "items": core}
        yield {"type": "array", "items": core, "minItems": 1, "maxItems": 3}
        yield {"type": "object", "additionalProperties": core}
        yield {"type": "array", "prefixItems": [core, core], "items": False, "minItems": 2, "maxItems": 2}
        if core not in ({}, NULL, {"enum": [None]}):
            yield {"anyOf": [core, NULL]}
            yield {"anyOf": [core, {"type": "array", "items": REFERENCE}, ANY_MAP]}


ONCE = [*_wrap(LEAVES)]
CORES = [*LEAVES, *ONCE, *_wrap(_wrap([BOUNDS[0], ENUMS[4], REFERENCE, {"type": "string", "format": "date-time"}]))]


@pytest.fixture(scope="module")
def types() -> TypeCache:
    cache = TypeCache(10 * len(CORES))
    cache.prepare_types(CORES, compute_deadline(300))
    return cache


@pytest.mark.parametrize("core", CORES, ids=json.dumps)
def test_a_core_schema_gets_its_type(core: Core, types: TypeCache) -> None:
    (found,) = types.find_types([core], compute_deadline(60))
    assert matches_core(core, found)


def test_values_of_maps_are_asked_for_apart_and_equal_ones_once() -> None:
    portable = PortableCores()
    text: Core = {"type": "object", "additionalProperties": {"type": "string", "minLength": 1}}
    assert portable.rewrite({"anyOf": [text, {"type": "array", "items": text}]}) == {
        "anyOf": [
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/V0"}},
            {"type": "array", "items": {"type": "object", "additionalProperties": {"$ref": "#/$defs/V0"}}},
        ]
    }
    assert portable.parts == {"V0": {"type": "string", "minLength": 1}}
    string = Scalar(ScalarKind.STRING, (("min_length", 1),))
    restored = portable.restore({"p0": Union((Map(Ref("V0")), Array(Map(Ref("V0"))))), "V0": string})
    assert restored == {"p0": Union((Map(string), Array(Map(string))))}


def test_members_of_tuples_are_asked_for_apart() -> None:
    portable = PortableCores()
    assert portable.rewrite({"type": "array", "prefixItems": [NULL, REFERENCE, {}, NULL], "items": False}) == {
        "type": "array",
        "prefixItems": [{"$ref": "#/$defs/V0"}, REFERENCE, {}, {"$ref": "#/$defs/V0"}],
        "items": False,
    }
    assert portable.parts == {"V0": NULL}


def test_maps_in_maps_are_put_together_again() -> None:
    portable = PortableCores()
    inner: Core = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}}
    assert portable.rewrite({"type": "object", "additionalProperties": inner}) == {
        "type": "object",
        "additionalProperties": {"$ref": "#/$defs/V1"},
    }
    number = Scalar(ScalarKind.INTEGER, (("ge", 0),))
    restored = portable.restore({"p0": Map(Ref("V1")), "V0": number, "V1": Map(Ref("V0"))})
    assert restored == {"p0": Map(Map(number))}


@pytest.mark.parametrize("core", [ANY_MAP, REFERENCE, ENUMS[0], {}])
def test_portable_schemas_stay_as_they_are(core: Core) -> None:
    portable = PortableCores()
    assert portable.rewrite(core) == core
    assert portable.parts == {}


def test_null_in_an_enum_becomes_a_member_of_a_union() -> None:
    assert PortableCores().rewrite({"enum": ["a", None]}) == {"anyOf": [{"enum": ["a"]}, NULL]}
    assert PortableCores().rewrite({"enum": [None]}) == NULL
    (found,) = TypeCache().find_types([{"enum": ["a", None]}], compute_deadline(60))
    assert found == Union((Choice(("a",)), Scalar(ScalarKind.NULL)))
