"""Finding types once, and that they are the types of their schemas, whatever version of the type generator there is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcpgen.cache.store import Store
from mcpgen.ir.types import ANY, Array, Choice, FixedArray, Map, Ref, Scalar, ScalarKind, Type, Union
from mcpgen.ir.visitors import rebuild_type
from mcpgen.lower import type_cache
from mcpgen.lower.deadline import compute_deadline
from mcpgen.lower.normalize.core import Core, make_reference
from mcpgen.lower.normalize.normalizer import normalize_schema
from mcpgen.lower.request import LoweringRequest
from mcpgen.lower.type_cache import TypeCache, get_process_cache, make_questions
from mcpgen.lower.type_generator import TypeGeneratorFailed, generate_types
from mcpgen.schema.document import Schema
from mcpgen.schema.formats import CORE_FORMATS, NATIVE_FORMATS, NO_FORMATS, FormatChoices
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from support.corpus import CORPUS
from support.repository import needs_shared

TEXT, INTEGER = Scalar(ScalarKind.STRING), Scalar(ScalarKind.INTEGER)


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[list[Core]]:
    """Record the core schemas that the type generator gets, a list for each call."""
    recorded: list[list[Core]] = []

    def generate(cores: Mapping[str, Core], references: Iterable[str], until: float) -> dict[str, Type]:
        recorded.append([*cores.values()])
        return generate_types(cores, references, until)

    monkeypatch.setattr(type_cache, "generate_types", generate)
    return recorded


def test_each_schema_is_generated_once(requests: list[list[Core]]) -> None:
    types = TypeCache()
    assert types.find_types(make_questions([{"type": "string"}, {"type": "integer"}]), compute_deadline(60)) == [
        TEXT,
        INTEGER,
    ]
    assert types.find_types(make_questions([{"type": "integer"}]), compute_deadline(60)) == [INTEGER]
    assert requests == [[{"type": "string"}, {"type": "integer"}]]


def test_schemas_with_other_references_are_the_same_question(requests: list[list[Core]]) -> None:
    cores: list[Core] = [{"type": "array", "items": make_reference(key)} for key in ("AC0", "BC7")]
    assert TypeCache().find_types(make_questions(cores), compute_deadline(60)) == [Array(Ref("AC0")), Array(Ref("BC7"))]
    assert requests == [[{"type": "array", "items": make_reference("K0")}]]


def test_schemas_that_differ_in_constants_and_bounds_are_one_question(requests: list[list[Core]]) -> None:
    def make_core(low: float, high: float, *constants: Any) -> Core:
        number: Core = {"type": "number", "exclusiveMinimum": low, "maximum": high}
        return {"anyOf": [{"type": "array", "items": number, "maxItems": 2}, {"enum": [*constants]}]}

    def make_type(low: float, high: float, *constants: Any) -> Type:
        number = Scalar(ScalarKind.NUMBER, (("gt", low), ("le", high)))
        return Union((Array(number, (("max_length", 2),)), Choice(constants)))

    values: list[tuple[Any, ...]] = [
        (0, 1, "#/$defs/A", 7, True),
        (-5, 2**53 - 1, "c1", 1_000_000, False),
        (2, 0.0, 'a"\n#', -1, True),
    ]
    types = TypeCache().find_types(make_questions([make_core(*these) for these in values]), compute_deadline(60))
    assert types == [make_type(*these) for these in values]
    assert [len(asked) for asked in requests] == [2]  # `true` and `false` are two questions
    assert not any(text in json.dumps(requests) for text in ("$defs/A", '"#', "9007199254740991", "-5"))


def test_bounds_are_integers_or_not(requests: list[list[Core]]) -> None:
    cores: list[Core] = [{"type": "number", "minimum": bound} for bound in (1, 2.0, 0.5, -0.25)]
    types = TypeCache().find_types(make_questions(cores), compute_deadline(60))
    assert repr([node.bounds[0][1] for node in types if isinstance(node, Scalar)]) == "[1, 2, 0.5, -0.25]"
    assert [len(asked) for asked in requests] == [2]


def test_a_full_cache_is_emptied(requests: list[list[Core]]) -> None:
    types = TypeCache(max_types=0)
    for kind in ("string", "integer", "string"):
        types.find_types(make_questions([{"type": kind}]), compute_deadline(60))
    assert len(requests) == 3


def test_after_a_failure_each_schema_is_generated_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def generate(cores: Mapping[str, Core], references: Iterable[str], until: float) -> dict[str, Type]:
        if len(cores) > 1:
            raise TypeGeneratorFailed("too many")
        return generate_types(cores, references, until)

    monkeypatch.setattr(type_cache, "generate_types", generate)
    cores: list[Core] = [{"type": "string"}, {"type": "integer"}]
    assert TypeCache().find_types(make_questions(cores), compute_deadline(60)) == [TEXT, INTEGER]


@pytest.mark.parametrize(
    ("core", "answer"),
    [
        ({}, TEXT),
        ({"type": "string"}, INTEGER),
        ({"type": "string"}, ANY),
        ({"type": "string", "minLength": 1}, TEXT),
        ({"type": "string"}, Scalar(ScalarKind.STRING, (("min_length", 1),))),
        ({"type": "string", "minLength": 1}, Scalar(ScalarKind.STRING, (("min_length", 2),))),
        ({"type": "string", "format": "date"}, TEXT),
        (make_reference("A"), Ref("K1")),
        ({"type": "array", "items": {}}, Array(TEXT)),
        ({"type": "array", "items": {}, "maxItems": 3}, Array(ANY)),
        ({"type": "array", "items": make_reference("A")}, Map(Ref("K0"))),
        ({"type": "array", "prefixItems": [{}, {}]}, FixedArray((ANY,))),
        ({"type": "object", "additionalProperties": make_reference("A")}, Map(ANY)),
        (
            {
                "anyOf": [
                    {"type": "array", "items": {}},
                    {"type": "object", "additionalProperties": make_reference("A")},
                ]
            },
            Union((Array(Ref("K0")), Map(ANY))),
        ),
        ({"enum": [1]}, Choice((True,))),
        ({"enum": ["a"]}, Choice(("a", "b"))),
        ({"enum": ["a", None]}, Choice(("a",))),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, INTEGER),
        ({"type": "integer"}, Union((INTEGER, Scalar(ScalarKind.NULL)))),
    ],
)
def test_an_answer_that_says_something_else_is_refused(
    core: Core, answer: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    def generate(cores: Mapping[str, Core], references: Iterable[str], until: float) -> dict[str, Type]:
        return dict.fromkeys(cores, answer)

    monkeypatch.setattr(type_cache, "generate_types", generate)
    with pytest.raises(TypeGeneratorFailed, match="came back as"):
        TypeCache().find_types(make_questions([core]), compute_deadline(60))


def test_a_process_has_one_cache() -> None:
    assert get_process_cache() is get_process_cache()


def test_prepared_types_are_there_but_for_those_that_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def generate(cores: Mapping[str, Core], references: Iterable[str], until: float) -> dict[str, Type]:
        sizes.append(len(cores))
        if {"type": "boolean"} in cores.values():
            raise TypeGeneratorFailed("no truth")
        return generate_types(cores, references, until)

    monkeypatch.setattr(type_cache, "generate_types", generate)
    types = TypeCache()
    kinds = ("string", "integer", "boolean", "null")
    types.prepare_types(make_questions([{"type": kind} for kind in kinds]), compute_deadline(60))
    assert sizes == [4, 2, 2, 1, 1]
    assert types.find_types(make_questions([{"type": "integer"}, {"type": "string"}]), compute_deadline(60)) == [
        INTEGER,
        TEXT,
    ]
    assert len(sizes) == 5
    with pytest.raises(TypeGeneratorFailed, match="no truth"):
        types.find_types(make_questions([{"type": "string"}, {"type": "boolean"}]), compute_deadline(60))


def test_preparing_takes_no_longer_than_it_may() -> None:
    types = TypeCache()
    types.prepare_types(make_questions([{"type": "string"}]), compute_deadline(-1))
    assert types.find_types(make_questions([{"type": "string"}]), compute_deadline(60)) == [TEXT]


# --- parts that are asked for apart -----------------------------------------------------------------------------------
def test_values_of_maps_are_asked_for_apart_and_equal_ones_once(requests: list[list[Core]]) -> None:
    text: Core = {"type": "object", "additionalProperties": {"type": "string", "minLength": 1}}
    (found,) = TypeCache().find_types(
        make_questions([{"anyOf": [text, {"type": "array", "items": text}]}]), compute_deadline(60)
    )
    string = Scalar(ScalarKind.STRING, (("min_length", 1),))
    assert found == Union((Map(string), Array(Map(string))))
    container = {"type": "object", "additionalProperties": make_reference("K0")}
    question = {"anyOf": [container, {"type": "array", "items": container}]}
    assert requests == [[question, {"type": "string", "minLength": 1_000_000}]]


def test_null_is_the_last_member_of_a_union_wherever_it_is_defined() -> None:
    null: Core = {"type": "null"}
    unions: list[Core] = [
        {"anyOf": [{"enum": ["y", None]}, {"type": "string"}]},
        {"anyOf": [null, {"enum": ["y"]}, {"type": "string"}]},
    ]
    arrays: list[Core] = [{"type": "array", "items": union} for union in unions]
    types = TypeCache().find_types(make_questions([*unions, *arrays], {id(null): "Null"}), compute_deadline(60))
    expected = Union((Choice(("y",)), TEXT, Scalar(ScalarKind.NULL)))
    assert types == [expected, expected, Array(expected), Array(expected)]


def test_members_of_tuples_are_asked_for_apart(requests: list[list[Core]]) -> None:
    null: Core = {"type": "null"}
    core: Core = {"type": "array", "prefixItems": [null, make_reference("A"), {}, null], "minItems": 4, "maxItems": 4}
    (found,) = TypeCache().find_types(make_questions([core]), compute_deadline(60))
    assert found == FixedArray((Scalar(ScalarKind.NULL), Ref("A"), ANY, Scalar(ScalarKind.NULL)))
    parts = [make_reference("K0"), make_reference("K1"), {}, make_reference("K0")]
    assert requests == [[{**core, "prefixItems": parts}, null]]


def test_null_in_an_enum_becomes_a_member_of_a_union(requests: list[list[Core]]) -> None:
    types = TypeCache().find_types(make_questions([{"enum": ["a", None]}, {"enum": [None]}]), compute_deadline(60))
    assert types == [Union((Choice(("a",)), Scalar(ScalarKind.NULL))), Scalar(ScalarKind.NULL)]
    assert requests == [[{"anyOf": [{"enum": ["c0"]}, {"type": "null"}]}, {"type": "null"}]]


# --- definitions ------------------------------------------------------------------------------------------------------
LEVEL: Core = {"enum": ["low", "high"]}
NULLABLE_LEVEL: Core = {"enum": ["low", None]}
DEFINITIONS = {id(LEVEL): "Level", id(NULLABLE_LEVEL): "Nullable"}


def find_aliases(core: Core) -> list[str | None]:
    """Return the aliases of a type and its parts."""
    (found,) = TypeCache().find_types(make_questions([core], DEFINITIONS), compute_deadline(60))
    aliases: list[str | None] = []

    def visit(node: Type) -> Type:
        aliases.append(None if isinstance(node, Ref) else node.alias)
        return rebuild_type(node, visit)

    visit(found)
    return aliases


def test_parts_that_are_definitions_have_their_aliases() -> None:
    assert find_aliases(LEVEL) == [None]
    assert find_aliases({"type": "array", "items": LEVEL}) == [None, "Level"]
    assert find_aliases({"type": "array", "items": {**LEVEL}}) == [None, None]  # an equal enum elsewhere
    assert find_aliases({"type": "object", "additionalProperties": LEVEL}) == [None, "Level"]
    assert find_aliases({"type": "object", "additionalProperties": {"type": "array", "items": LEVEL}})[2] == "Level"
    tuple_core: Core = {"type": "array", "prefixItems": [{}, LEVEL], "minItems": 2, "maxItems": 2}
    assert find_aliases(tuple_core) == [None, None, "Level"]
    assert find_aliases({"type": "array", "items": NULLABLE_LEVEL})[:2] == [None, "Nullable"]


def test_members_of_unions_have_their_aliases() -> None:
    assert find_aliases({"anyOf": [LEVEL, {"type": "null"}]}) == [None, "Level", None]
    assert find_aliases({"anyOf": [{"type": "array", "items": LEVEL}, {"type": "null"}]}) == [None, None, "Level", None]


def test_a_definition_that_accepts_null_and_null_have_the_alias_of_the_definition() -> None:
    assert find_aliases({"anyOf": [NULLABLE_LEVEL, {"type": "null"}]}) == ["Nullable", None, None]
    assert find_aliases({"anyOf": [{"type": "null"}, NULLABLE_LEVEL]}) == ["Nullable", None, None]


def test_a_definition_and_an_equal_member_are_one_with_the_alias() -> None:
    objects: Core = {"type": "object", "additionalProperties": {}}
    core: Core = {"anyOf": [{"type": "object"}, objects, {"type": "string"}]}
    (found,) = TypeCache().find_types(make_questions([core], {id(objects): "Objects"}), compute_deadline(60))
    assert found == Union((Map(ANY), TEXT))
    assert isinstance(found, Union)
    assert [None if isinstance(member, Ref) else member.alias for member in found.members] == ["Objects", None]


def test_members_that_are_unions_themselves_become_several() -> None:
    core: Core = {"anyOf": [NULLABLE_LEVEL, {"type": "integer"}]}
    (found,) = TypeCache().find_types(make_questions([core], DEFINITIONS), compute_deadline(60))
    assert found == Union((Choice(("low",)), INTEGER, Scalar(ScalarKind.NULL)))
    assert find_aliases(core) == [None] * 4


# --- every form of core schema ----------------------------------------------------------------------------------------
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
    cache = TypeCache(max_types=10 * len(CORES))
    cache.prepare_types(make_questions(CORES), compute_deadline(300))
    return cache


@pytest.mark.parametrize("core", CORES, ids=json.dumps)
def test_a_core_schema_gets_its_type(core: Core, types: TypeCache) -> None:
    (found,) = types.find_types(make_questions([core]), compute_deadline(60))
    assert sort_members(found) == sort_members(make_type(core))


REAL_TOOLS = sorted(path for folder in ("tools", "pulled") for path in (CORPUS / folder).glob("*.json"))


@needs_shared("corpus/tools", "corpus/pulled")
@pytest.mark.parametrize("path", REAL_TOOLS, ids=lambda path: path.stem)
def test_types_of_real_tools_are_those_of_their_core_schemas(path: Path) -> None:
    types = get_process_cache()
    for tool in json.loads(path.read_text("utf-8")).get("tools", []):
        for schema in filter(None, (tool.get("inputSchema"), tool.get("outputSchema"))):
            for formats in (NO_FORMATS, FormatChoices(NATIVE_FORMATS)):
                dialect = DRAFT_07 if "draft-07" in str(schema.get("$schema")) else DRAFT_2020_12
                normalized = normalize_schema(LoweringRequest("", Schema(schema, dialect), formats=formats), "A")
                cores = normalized.list_cores()
                found = types.find_types(make_questions(cores, normalized.definition_keys), compute_deadline(300))
                assert [*map(sort_members, found)] == [sort_members(make_type(core)) for core in cores]


KINDS = {
    **{kind: ScalarKind(kind) for kind in ("string", "integer", "number", "boolean", "null", "date-time", "date")},
    **{"uuid": ScalarKind.UUID, "ipv4": ScalarKind.IPV4, "ipv6": ScalarKind.IPV6},
    **{"byte": ScalarKind.BASE64, "path": ScalarKind.TIME},
}
BOUND_KEYWORDS = {
    **{"minLength": "min_length", "maxLength": "max_length", "minItems": "min_length", "maxItems": "max_length"},
    **{"minimum": "ge", "maximum": "le", "exclusiveMinimum": "gt", "exclusiveMaximum": "lt"},
}


def make_type(core: Any) -> Type:
    """Return the type of a core schema, by its definition: what the type generator has to return."""
    bounds = tuple(sorted((name, core[keyword]) for keyword, name in BOUND_KEYWORDS.items() if keyword in core))
    match core:
        case {"anyOf": members}:
            return join(map(make_type, members))
        case {"$ref": str() as ref}:
            return Ref(ref.removeprefix("#/$defs/"))
        case {"enum": values}:
            constants = tuple(value for value in values if value is not None)
            null = [Scalar(ScalarKind.NULL)] if None in values else []
            return join([*([Choice(constants)] if constants else []), *null])
        case {"prefixItems": items}:
            return FixedArray(tuple(map(make_type, items)))
        case {"type": "array"}:
            return Array(make_type(core["items"]), bounds)
        case {"type": "object"}:
            return Map(make_type(core.get("additionalProperties", {})))
        case {"type": kind}:
            return Scalar(KINDS[core.get("format", kind)], bounds)
        case _:
            return ANY


def join(members: Iterable[Type]) -> Type:
    flat: list[Type] = []
    for member in members:
        flat += member.members if isinstance(member, Union) else [member]
    distinct = tuple(dict.fromkeys(flat))
    return distinct[0] if len(distinct) == 1 else Union(distinct)


def sort_members(node: Type) -> Type:
    """Return a type without aliases, and with the members of unions and the bounds in an order of their own."""
    match rebuild_type(node, sort_members):
        case Union(members=members):
            return Union(tuple(sorted(members, key=repr)))
        case Scalar(kind=kind, bounds=bounds):
            return Scalar(kind, tuple(sorted(bounds)))
        case Array(item=item, bounds=bounds):
            return Array(item, tuple(sorted(bounds)))
        case Ref() as reference:
            return reference
        case other:
            return replace(other, alias=None)


@pytest.mark.parametrize("forged", [None, "a text", ("Ref", "A")])
def test_types_of_earlier_processes_are_in_the_store(
    forged: object, requests: list[list[Core]], tmp_path: Path
) -> None:
    cores: list[Core] = [{"type": "string"}, {"type": "array", "items": make_reference("A")}]
    expected = TypeCache(Store(tmp_path / "cache")).find_types(make_questions(cores), compute_deadline(60))
    assert len(requests) == 1
    for path in (tmp_path / "cache" / "v1-types").rglob("?" * 64) if forged is not None else ():
        Store(tmp_path / "cache").put("types", path.name, forged)
    later = TypeCache(Store(tmp_path / "cache"))
    assert later.find_types(make_questions(cores), compute_deadline(60)) == expected
    assert len(requests) == (1 if forged is None else 2)
    assert later.find_types(make_questions([*cores, {"type": "integer"}]), compute_deadline(60)) == [*expected, INTEGER]
    assert requests[-1] == [{"type": "integer"}]
    TypeCache(Store(tmp_path / "cache"), seconds=0.1).find_types(make_questions(cores), compute_deadline(60))
    assert len(requests[-1]) == 2, "the time may not be enough for them"
