"""The types of core schemas, each asked for once: most properties of most tools are like one that was there before."""

from __future__ import annotations

import json
from collections.abc import Mapping

from mcpgen.ir.types import Ref, Type
from mcpgen.ir.visitors import rebuilt
from mcpgen.lower.normalize.bounds import Core
from mcpgen.lower.type_generator import TypeGeneratorFailed, annotations_source
from mcpgen.lower.type_parser import Unreadable, agrees, read_annotations
from mcpgen.schema.values import Json

ASKED = "Asked"
"""The class whose properties are asked for."""
MOST = 20_000
"""Answers that a process keeps."""
_POINTER = "#/$defs/"
_known: dict[str, Type] = {}  # by the core as text; an answer is a function of that, so nothing depends on what is here


def types_of(cores: list[Core], until: float) -> list[Type]:
    """The type of each core.

    What a core refers to is called by its place in the core while it is asked for, so that equal shapes of different
    tools are one question.

    Raises:
        TypeGeneratorFailed: datamodel-code-generator cannot read one.
        OutOfTime: it has not read them by `until`, a time of `time.monotonic`.
        Unreadable: it answers in a form that is not known, or says something else than was asked for.
    """
    asked = [_plain(core) for core in cores]
    missing = {text: core for text, core, _ in asked if text not in _known}
    if missing:
        found = _asked(missing, until)
        if len(_known) > MOST:
            _known.clear()
        held = {text: _known[text] for text, _, _ in asked if text in _known} | found
        _known.update(found)
    else:
        held = _known
    return [_referring(held[text], keys) for text, _, keys in asked]


def _asked(cores: Mapping[str, Core], until: float) -> dict[str, Type]:
    """The types of all, asked for together and, should that fail, one by one."""
    try:
        return _ask(cores, until)
    except (TypeGeneratorFailed, Unreadable):
        if len(cores) == 1:
            raise
    found: dict[str, Type] = {}
    for text, core in cores.items():
        found |= _ask({text: core}, until)
    return found


def _ask(cores: Mapping[str, Core], until: float) -> dict[str, Type]:
    names = {f"p{index}": core for index, core in enumerate(cores.values())}
    definitions: dict[str, Core] = {ASKED: {"type": "object", "properties": {**names}, "required": list(names)}}
    for key in sorted({key for core in cores.values() for key in _plain(core)[2]}):
        definitions[key] = {"type": "object", "properties": {"p0": {"type": "null"}}, "required": ["p0"]}
    given = read_annotations(annotations_source(definitions, until), set(definitions))[ASKED]
    if set(given) != set(names):
        raise Unreadable("other properties than asked for")
    for name, core in names.items():
        if not agrees(core, given[name]):
            raise Unreadable(f"{core} came back as {given[name]}")
    return {text: given[name] for text, name in zip(cores, names, strict=True)}


def _plain(core: Core) -> tuple[str, Core, list[str]]:
    """A core that calls what it refers to `K0`, `K1`, …, as text and as it is; and what these are."""
    keys: dict[str, int] = {}

    def renamed(value: Json) -> Json:
        match value:
            case {"$ref": str() as ref} if ref.startswith(_POINTER):
                key = ref.removeprefix(_POINTER)
                return {"$ref": f"{_POINTER}K{keys.setdefault(key, len(keys))}"}
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


def _referring(node: Type, keys: list[str]) -> Type:
    """An answer with what it refers to under its own keys again."""
    if isinstance(node, Ref):
        return Ref(keys[int(node.id[1:])])
    return rebuilt(node, lambda child: _referring(child, keys)) if keys else node
