"""Find the types of core schemas, each distinct schema once in a process."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from mcpgen.ir.types import Ref, Type
from mcpgen.ir.visitors import rebuild_type
from mcpgen.lower.core_matching import matches_core
from mcpgen.lower.normalize.core import Core
from mcpgen.lower.portable_cores import PortableCores
from mcpgen.lower.type_generator import TypeGeneratorFailed, TypeGeneratorTimeout, generate_annotations
from mcpgen.lower.type_parser import UnreadableAnnotation, parse_annotations
from mcpgen.schema.values import Json

REQUESTED_CLASS = "Asked"
"""Name of the class whose properties have the core schemas."""
MAX_CACHED_TYPES = 20_000
_DEFINITION_PREFIX = "#/$defs/"


@dataclass(frozen=True)
class _Question:
    """A core schema in which definitions are numbered, so that equal schemas of different tools have one text."""

    text: str
    core: Core
    """The schema, referring to `K0`, `K1`, …"""
    keys: tuple[str, ...]
    """The definitions that it refers to, in the order of their numbers."""


class TypeCache:
    """Cache of the type of each core schema. The type depends on the text of the schema only."""

    def __init__(self, max_types: int = MAX_CACHED_TYPES) -> None:
        self._max_types = max_types
        self._types: dict[str, Type] = {}

    def find_types(self, cores: list[Core], until: float) -> list[Type]:
        """Return the type of each core schema; those that are not known yet are generated together.

        Args:
            cores: the schemas.
            until: the deadline, as a time of `time.monotonic`.

        Raises:
            TypeGeneratorFailed: datamodel-code-generator cannot read one.
            TypeGeneratorTimeout: the deadline has passed.
            UnreadableAnnotation: datamodel-code-generator returned a type that is unknown or has another meaning.
        """
        questions = [_make_question(core) for core in cores]
        missing = self._find_missing(questions)
        if missing:
            generated, failure = _generate_types_apart(missing, until)
            self._store(generated, questions)
            if failure is not None:
                raise failure
        return [_restore_references(self._types[question.text], question.keys) for question in questions]

    def prepare_types(self, cores: list[Core], until: float) -> None:
        """Generate the types of core schemas that `find_types` will be asked for, as far as that is possible.

        Args:
            cores: the schemas.
            until: the deadline, as a time of `time.monotonic`.
        """
        questions = [_make_question(core) for core in cores]
        missing = self._find_missing(questions)
        if missing:
            with suppress(TypeGeneratorTimeout):
                generated, _ = _generate_types_apart(missing, until)
                self._store(generated, questions)

    def _find_missing(self, questions: Sequence[_Question]) -> dict[str, Core]:
        return {question.text: question.core for question in questions if question.text not in self._types}

    def _store(self, generated: Mapping[str, Type], questions: Sequence[_Question]) -> None:
        """Keep types; once there are too many, forget all but those of the questions."""
        if len(self._types) > self._max_types:
            asked = {question.text for question in questions}
            self._types = {text: type for text, type in self._types.items() if text in asked}
        self._types.update(generated)


@cache
def get_process_cache() -> TypeCache:
    """Return the cache of this process. Worker processes take it over and fill it on their own."""
    return TypeCache()


def _generate_types_apart(
    cores: Mapping[str, Core], until: float
) -> tuple[dict[str, Type], TypeGeneratorFailed | UnreadableAnnotation | None]:
    """Generate all types together or, should that fail, half by half; return those that there are, and a failure."""
    try:
        return _generate_types(cores, until), None
    except (TypeGeneratorFailed, UnreadableAnnotation) as error:
        if len(cores) == 1:
            return {}, error
    items = list(cores.items())
    middle = len(items) // 2
    first, failure = _generate_types_apart(dict(items[:middle]), until)
    second, other_failure = _generate_types_apart(dict(items[middle:]), until)
    return first | second, failure or other_failure


def _generate_types(cores: Mapping[str, Core], until: float) -> dict[str, Type]:
    portable = PortableCores()
    rewritten = {f"p{index}": portable.rewrite(core) for index, core in enumerate(cores.values())}
    properties: dict[str, Core] = rewritten | portable.parts
    definitions: dict[str, Core] = {
        REQUESTED_CLASS: {"type": "object", "properties": {**properties}, "required": [*properties]}
    }
    references = {key for core in cores.values() for key in _make_question(core).keys}
    for key in sorted(references | {*portable.parts}):
        definitions[key] = {"type": "object", "properties": {"p0": {"type": "null"}}, "required": ["p0"]}
    types = parse_annotations(generate_annotations(definitions, until), set(definitions))[REQUESTED_CLASS]
    if set(types) != set(properties):
        raise UnreadableAnnotation("its properties are not those of the request")
    restored = portable.restore(types)
    for name, core in zip(rewritten, cores.values(), strict=True):
        if not matches_core(core, restored[name]):
            raise UnreadableAnnotation(f"{core} came back as {restored[name]}")
    return {text: restored[name] for name, text in zip(rewritten, cores, strict=True)}


def _make_question(core: Core) -> _Question:
    numbers: dict[str, int] = {}

    def number_references(value: Json) -> Json:
        match value:
            case {"$ref": str() as ref} if ref.startswith(_DEFINITION_PREFIX):
                key = ref.removeprefix(_DEFINITION_PREFIX)
                return {"$ref": f"{_DEFINITION_PREFIX}K{numbers.setdefault(key, len(numbers))}"}
            case {"enum": _}:
                return value  # values may look like references
            case dict():
                return {keyword: number_references(inner) for keyword, inner in value.items()}
            case list():
                return [number_references(inner) for inner in value]
            case _:
                return value

    numbered = number_references(core)
    assert isinstance(numbered, dict)
    return _Question(json.dumps(numbered), numbered, tuple(numbers))


def _restore_references(node: Type, keys: tuple[str, ...]) -> Type:
    """Return a type in which `K0`, `K1`, … are replaced by these keys."""
    if isinstance(node, Ref):
        return Ref(keys[int(node.id[1:])])
    return rebuild_type(node, lambda child: _restore_references(child, keys)) if keys else node
