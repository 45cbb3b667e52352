"""Find the types of core schemas, each distinct part once in a process, or once in all processes that share a store.

The type generator is asked for forms of which all its supported versions make the same types. Some versions lose null
in an `enum`, or the bounds of the values of maps, or they allow null in place of a tuple with a member that is null. So
null in an `enum` becomes a member of a union, and the parts of tuples and maps are asked for apart, like definitions.

Constants and bounds are asked for as stand-ins, and put into the answer: schemas that differ in them alone are one
question, and the type generator sees no text of the user's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import Any, TypeAlias

from mcpgen.cache.store import NO_STORE, Store, make_key
from mcpgen.ir.types import Array, Choice, FixedArray, Map, Ref, Scalar, ScalarKind, Type, Union
from mcpgen.ir.visitors import rebuild_type
from mcpgen.lower.deadline import DeadlinePassed
from mcpgen.lower.normalize.core import Core, get_reference, list_members, list_parts, make_reference
from mcpgen.lower.type_generator import TypeGeneratorFailed, generate_types
from mcpgen.schema.formats import CORE_FORMATS
from mcpgen.schema.keywords import BOUND_NAMES
from mcpgen.schema.values import Json, as_array, as_object

MAX_CACHED_TYPES = 20_000
_KIND = "types"
Definitions: TypeAlias = Mapping[int, str]
"""The keys of definitions, by the `id` of their core schemas."""
NO_DEFINITIONS: Definitions = MappingProxyType({})
_NULL: Core = {"type": "null"}
_Constant: TypeAlias = str | int | float
_FIRST_STAND_IN = 1_000_000
_FORMAT_KINDS = {"byte": ScalarKind.BASE64} | {core: ScalarKind(name) for name, core in CORE_FORMATS.items()}
"""Format in a core schema → the kind of its strings."""


@dataclass(frozen=True)
class Question:
    """A core schema that refers to `K0`, `K1`, …, so that equal schemas of different tools are one question."""

    text: str
    core: Core = field(compare=False)
    targets: tuple[str | _Part, ...]
    """What it refers to, in the order of the numbers: classes, aliases and parts that are asked for apart."""
    constants: tuple[_Constant, ...]
    """Its constants and bounds, in the order of their stand-ins."""


@dataclass(frozen=True)
class _Part:
    question: Question
    alias: str | None
    """The key of the definition that it is."""


class TypeCache:
    """Cache of the type of each core schema. The type depends on the text of the schema only.

    Args:
        store: has types that were generated before, so that the type generator is imported for new ones only.
        seconds: how long the generator may take; a type that was found with more time is none of these.
        max_types: how many are kept at most.
    """

    def __init__(self, store: Store = NO_STORE, seconds: float = 0, max_types: int = MAX_CACHED_TYPES) -> None:
        self._store, self._seconds, self._max_types = store, seconds, max_types
        self._types: dict[str, Type] = {}

    def find_types(self, questions: Sequence[Question], until: float) -> list[Type]:
        """Return the type that each question asks for; those that are not known yet are generated together.

        Raises:
            TypeGeneratorFailed: the type generator cannot read one, or it returned something else.
            DeadlinePassed: the deadline, a time of `time.monotonic`, has passed.
        """
        failure = self._generate_missing(questions, until)
        if failure is not None:
            raise failure
        return [self._restore(question) for question in questions]

    def prepare_types(self, questions: Sequence[Question], until: float) -> None:
        """Generate the types that `find_types` will be asked for, as far as that is possible."""
        with suppress(DeadlinePassed):
            self._generate_missing(questions, until)

    def _generate_missing(self, questions: Sequence[Question], until: float) -> TypeGeneratorFailed | None:
        """Return a failure, if there was one. Once there are too many types, all but those asked for are forgotten."""
        asked = {question.text: question for question in _walk_questions(questions)}
        missing = [question for text, question in asked.items() if text not in self._types]
        if not missing:
            return None
        if len(self._types) > self._max_types:
            self._types = {text: type for text, type in self._types.items() if text in asked}
        unknown = [question for question in missing if not self._find_stored(question)]
        if not unknown:
            return None
        generated, failure = _generate_apart(unknown, until)
        self._types |= generated
        for text, node in generated.items() if self._store.is_used else ():
            self._store.put(_KIND, self._make_key(text), node)
        return failure

    def _find_stored(self, question: Question) -> bool:
        """Take the type of a question from the store; return whether it is there."""
        node = self._store.get(_KIND, self._make_key(question.text), object) if self._store.is_used else None
        if not isinstance(node, Type):
            return False
        self._types[question.text] = node
        return True

    def _make_key(self, text: str) -> str:
        return make_key(_KIND, str(self._seconds), text)

    def _restore(self, question: Question) -> Type:
        targets, constants = [*map(self._restore_target, question.targets)], question.constants
        by_stand_in: dict[Any, Any] = {_make_stand_in(number, it): it for number, it in enumerate(constants)}

        def restore(node: Type) -> Type:
            match node:
                case Ref(id=key):
                    return targets[int(key[1:])]
                case Choice(values=values):
                    return replace(node, values=tuple(by_stand_in.get(value, value) for value in values))
                case Scalar(bounds=bounds) | Array(bounds=bounds) if bounds:
                    node = replace(node, bounds=tuple((name, by_stand_in[value]) for name, value in bounds))
                case _:
                    pass
            restored = rebuild_type(node, restore)
            return _merge_equal_members(restored) if isinstance(restored, Union) else restored

        node = self._types[question.text]
        return restore(node) if targets or constants else node

    def _restore_target(self, target: str | _Part) -> Type:
        if isinstance(target, str):
            return Ref(target)
        node = self._restore(target.question)
        return node if target.alias is None or isinstance(node, Ref) else replace(node, alias=target.alias)


def _merge_equal_members(union: Union) -> Type:
    """Return a union without repeated members, of which a definition and a part elsewhere may be two."""
    named: dict[Type, Type] = {}
    for member in union.members:
        if not isinstance(member, Ref) and member.alias is not None:
            named[member] = member
    first, *others = (named.get(member, member) for member in dict.fromkeys(union.members))
    if others:
        return replace(union, members=(first, *others))
    return first if isinstance(first, Ref) else replace(first, alias=None)


@cache
def get_process_cache(store: Store = NO_STORE, seconds: float = 0) -> TypeCache:
    """Return a cache of this process; see `TypeCache`. Worker processes take it over and fill it on their own."""
    return TypeCache(store, seconds)


def make_questions(cores: Iterable[Core], definitions: Definitions = NO_DEFINITIONS) -> list[Question]:
    """Return what to ask for the type of each core schema.

    Where one of the definitions is a part of a schema, the part's type has its alias.
    """
    return [_make_question(core, definitions) for core in cores]


def _make_question(core: Core, definitions: Definitions) -> Question:
    numbers: dict[str | _Part, int] = {}
    constants: list[_Constant] = []

    def stand_in(constant: Json) -> Json:
        if isinstance(constant, bool) or not isinstance(constant, str | int | float):
            return constant
        constants.append(int(constant) if isinstance(constant, float) and constant.is_integer() else constant)
        return _make_stand_in(len(constants) - 1, constants[-1])

    def refer(target: str | _Part) -> Core:
        return make_reference(f"K{numbers.setdefault(target, len(numbers))}")

    def rewrite(part: Core) -> Core:
        if (key := get_reference(part)) is not None:
            return refer(key)
        if None in as_array(part.get("enum")):
            values: list[Json] = [stand_in(value) for value in as_array(part["enum"]) if value is not None]
            return {"anyOf": [{"enum": values}, _NULL]} if values else _NULL
        rewritten = {**part}
        for keyword in BOUND_NAMES if "prefixItems" not in part else ():
            if keyword in part:
                rewritten[keyword] = stand_in(part[keyword])
        if "enum" in part:
            rewritten["enum"] = [*map(stand_in, as_array(part["enum"]))]
        if "anyOf" in part:
            members = [*map(as_object, as_array(part["anyOf"]))]
            nullable = next((member for member in members if None in as_array(member.get("enum"))), None)
            if id(nullable) in definitions and all(member in (nullable, _NULL) for member in members):
                return ask_apart(as_object(nullable))  # the union is no other than that of the definition
            rewritten["anyOf"] = [*map(rewrite_member, members)]
        if "prefixItems" in part:
            rewritten["prefixItems"] = [ask_apart(as_object(item)) for item in as_array(part["prefixItems"])]
        if isinstance(item := part.get("items"), dict):
            rewritten["items"] = ask_apart(item) if id(item) in definitions else rewrite(item)
        if isinstance(value := part.get("additionalProperties"), dict):
            rewritten["additionalProperties"] = ask_apart(value)
        return rewritten

    def rewrite_member(member: Core) -> Core:
        rewritten = rewrite(member)
        is_plain = rewritten == _NULL or "anyOf" in rewritten
        return ask_apart(member) if id(member) in definitions and not is_plain else rewritten

    def ask_apart(part: Core) -> Core:
        if not part or "$ref" in part:
            return rewrite(part)
        return refer(_Part(_make_question(part, definitions), definitions.get(id(part))))

    rewritten = rewrite(core)
    return Question(json.dumps(rewritten), rewritten, tuple(numbers), tuple(constants))


def _make_stand_in(number: int, constant: _Constant) -> _Constant:
    """Return what stands for a constant in a question: another one of its type, no other one's."""
    if isinstance(constant, str):
        return f"c{number}"
    return _FIRST_STAND_IN + number + (0.5 if isinstance(constant, float) else 0)


def _walk_questions(questions: Iterable[Question]) -> Iterator[Question]:
    for question in questions:
        yield question
        yield from _walk_questions(target.question for target in question.targets if isinstance(target, _Part))


def _generate_apart(questions: Sequence[Question], until: float) -> tuple[dict[str, Type], TypeGeneratorFailed | None]:
    try:
        return _generate(questions, until), None
    except TypeGeneratorFailed as error:
        if len(questions) == 1:
            return {}, error
    middle = len(questions) // 2
    first, failure = _generate_apart(questions[:middle], until)
    second, other_failure = _generate_apart(questions[middle:], until)
    return first | second, failure or other_failure


def _generate(questions: Sequence[Question], until: float) -> dict[str, Type]:
    cores = {f"p{index}": question.core for index, question in enumerate(questions)}
    references = max(len(question.targets) for question in questions)
    types = generate_types(cores, [f"K{index}" for index in range(references)], until)
    for name, core in cores.items():
        if _describe_core(core) != _describe_type(types[name]):
            raise TypeGeneratorFailed(f"{core} came back as {types[name]}")
    return {question.text: types[name] for name, question in zip(cores, questions, strict=True)}


# A type that says something else than its core schema must not pass: a version of the type generator may lose a bound
# or a member of a union. So both have to name the same kinds, constants, bounds and references.
_Facts: TypeAlias = frozenset[tuple[object, ...]]
_NO_FACTS: _Facts = frozenset()


def _describe_core(core: Core) -> _Facts:
    facts: set[tuple[object, ...]] = set()
    for member in list_members(core):
        bounds = frozenset((BOUND_NAMES[keyword], value) for keyword, value in member.items() if keyword in BOUND_NAMES)
        kind = member.get("type", "any")
        parts = [*map(_describe_core, list_parts(member))]
        if (key := get_reference(member)) is not None:
            facts.add(("reference", key))
        elif "enum" in member:
            facts |= {("constant", type(value), value) for value in as_array(member["enum"])}
        elif "prefixItems" in member:
            facts.add(("tuple", *parts))
        elif kind in ("array", "object"):
            facts.add((kind, bounds, *(parts or [_describe_core({})])))
        else:
            facts.add((_FORMAT_KINDS.get(str(member.get("format")), kind), bounds))
    return frozenset(facts)


def _describe_type(node: Type) -> _Facts:
    match node:
        case Ref(id=key):
            return frozenset([("reference", key)])
        case Choice(values=values):
            return frozenset(("constant", type(value), value) for value in values)
        case FixedArray(items=items):
            return frozenset([("tuple", *map(_describe_type, items))])
        case Array(item=item, bounds=bounds):
            return frozenset([("array", frozenset(bounds), _describe_type(item))])
        case Map(value=value):
            return frozenset([("object", _NO_FACTS, _describe_type(value))])
        case Scalar(kind=kind, bounds=bounds):
            return frozenset([(kind, frozenset(bounds))])
        case Union(members=members):
            return _NO_FACTS.union(*map(_describe_type, members))
