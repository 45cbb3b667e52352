"""The types of core schemas, each asked for once: most properties of most tools are like one that was there before."""

from __future__ import annotations

import json
from collections.abc import Mapping

from mcpgen.ir.types import Ref, Type
from mcpgen.ir.visitors import rebuild_type
from mcpgen.lower.normalize.core import Core
from mcpgen.lower.type_generator import TypeGeneratorFailed, generate_annotations
from mcpgen.lower.type_parser import UnreadableAnnotation, matches_core, parse_annotations
from mcpgen.schema.values import Json

REQUESTED_CLASS = "Asked"
"""The class whose properties are asked for."""
MAX_CACHED_TYPES = 20_000
"""Answers that a process keeps."""
_DEFINITION_PREFIX = "#/$defs/"
_cached_types: dict[
    str, Type
] = {}  # by the core as text; an answer is a function of that, so nothing depends on what is here


def find_types(cores: list[Core], until: float) -> list[Type]:
    """The type of each core.

    What a core refers to is called by its place in the core while it is asked for, so that equal shapes of different
    tools are one question.

    Raises:
        TypeGeneratorFailed: datamodel-code-generator cannot read one.
        OutOfTime: it has not read them by `until`, a time of `time.monotonic`.
        Unreadable: it answers in a form that is not known, or says something else than was asked for.
    """
    asked = [_rename_references(core) for core in cores]
    missing = {text: core for text, core, _ in asked if text not in _cached_types}
    if missing:
        found = _generate_missing_types(missing, until)
        if len(_cached_types) > MAX_CACHED_TYPES:
            _cached_types.clear()
        held = {text: _cached_types[text] for text, _, _ in asked if text in _cached_types} | found
        _cached_types.update(found)
    else:
        held = _cached_types
    return [_restore_references(held[text], keys) for text, _, keys in asked]


def _generate_missing_types(cores: Mapping[str, Core], until: float) -> dict[str, Type]:
    """The types of all, asked for together and, should that fail, one by one."""
    try:
        return _generate_types(cores, until)
    except (TypeGeneratorFailed, UnreadableAnnotation):
        if len(cores) == 1:
            raise
    found: dict[str, Type] = {}
    for text, core in cores.items():
        found |= _generate_types({text: core}, until)
    return found


def _generate_types(cores: Mapping[str, Core], until: float) -> dict[str, Type]:
    names = {f"p{index}": core for index, core in enumerate(cores.values())}
    definitions: dict[str, Core] = {
        REQUESTED_CLASS: {"type": "object", "properties": {**names}, "required": list(names)}
    }
    for key in sorted({key for core in cores.values() for key in _rename_references(core)[2]}):
        definitions[key] = {"type": "object", "properties": {"p0": {"type": "null"}}, "required": ["p0"]}
    given = parse_annotations(generate_annotations(definitions, until), set(definitions))[REQUESTED_CLASS]
    if set(given) != set(names):
        raise UnreadableAnnotation("other properties than asked for")
    for name, core in names.items():
        if not matches_core(core, given[name]):
            raise UnreadableAnnotation(f"{core} came back as {given[name]}")
    return {text: given[name] for text, name in zip(cores, names, strict=True)}


def _rename_references(core: Core) -> tuple[str, Core, list[str]]:
    """A core that calls what it refers to `K0`, `K1`, …, as text and as it is; and what these are."""
    keys: dict[str, int] = {}

    def renamed(value: Json) -> Json:
        match value:
            case {"$ref": str() as ref} if ref.startswith(_DEFINITION_PREFIX):
                key = ref.removeprefix(_DEFINITION_PREFIX)
                return {"$ref": f"{_DEFINITION_PREFIX}K{keys.setdefault(key, len(keys))}"}
            case {"enum": _}:
                return value  # these are values, whatever they look like
            case dict():
                return {word: renamed(inner) for word, inner in value.items()}
            case list():
                return [renamed(inner) for inner in value]
            case _:
                return value

    plain = renamed(core)
    assert isinstance(plain, dict)
    return json.dumps(plain), plain, [*keys]


def _restore_references(node: Type, keys: list[str]) -> Type:
    """An answer with what it refers to under its own keys again."""
    if isinstance(node, Ref):
        return Ref(keys[int(node.id[1:])])
    return rebuild_type(node, lambda child: _restore_references(child, keys)) if keys else node
