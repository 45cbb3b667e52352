"""Make Python names from wire names."""

from __future__ import annotations

import hashlib
import keyword
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Literal

from mcpgen.ir.types import Field
from mcpgen.names.reserved import (
    CLASS_BODY_NAMES,
    DEVICE_NAMES,
    IMPORT_SOURCES,
    PYDANTIC_ATTRIBUTES,
    RESERVED_NAMES,
    RESULT_METHODS,
    SERVER_AND_CLIENT_NAMES,
    STUB_HELPERS,
    STUB_TYPES,
    URI_EXPANSION_NAMES,
)
from mcpgen.words import convert_to_pascal_case, convert_to_snake_case, split_words

MAX_CLASS_NAME = 40
"""Characters of a class inside a schema. The names of results and arguments follow from the tool's name in full."""


def make_module_name(wire: str, chosen: str | None) -> str:
    """Return the module of a tool or resource; empty if none is chosen and the wire name has no ASCII word."""
    name = chosen or convert_to_snake_case(wire)
    dunder = name.startswith("__") and name.endswith("__")  # modules are attributes of their package: `__class__`
    return name + "_" if keyword.iskeyword(name) or dunder or name.lower() in DEVICE_NAMES else name


def make_method_name(module: str) -> str:
    """Return the name of a tool on the bound server and on the client, whose private attributes start with `_`.

    Stubs and modules of handlers define functions of these names, so a chosen name is none of the classes that they
    import.
    """
    bare = module.lstrip("_")
    name = bare if bare[:1].isalpha() else module
    is_class = not name.islower() and name in IMPORT_SOURCES
    return name + "_" if is_class or name in SERVER_AND_CLIENT_NAMES or keyword.iskeyword(name) else name


def make_function_name(module: str) -> str:
    """Return the name of a tool's function in `stubs/`: that of its attribute, unless stubs need this name."""
    name = make_method_name(module)
    return f"{name}_" if name in STUB_HELPERS or name in STUB_TYPES or name.lower() in DEVICE_NAMES else name


_CLASS_ENDINGS = {
    "Tool": ("Result", "ResultDict", "Arguments"),
    "Resource": ("", "Parameters"),
    "Prompt": ("Prompt",),
    "Form": ("Form",),
}
"""What the names of the classes of each kind of definition end in."""


def make_class_stem(wire: str, chosen: str | None, kind: Literal["Tool", "Resource", "Prompt", "Form"]) -> str:
    """Return the start of the class names of a definition: `GetWeather` for the tool `get_weather`.

    If the package needs one of the names itself, the kind stands behind it: `CallToolTool` for `call_tool`.
    """
    stem = convert_to_pascal_case(chosen or wire)
    stem = f"_{stem}" if stem[:1].isdigit() else stem
    return stem + kind if any(stem + ending in RESERVED_NAMES for ending in _CLASS_ENDINGS[kind]) else stem


def make_field_names(fields: Iterable[Field], reserved: frozenset[str] = frozenset()) -> dict[str, str]:
    """Return the Python name of each property of an object, by wire name; `reserved` names are avoided, too."""
    return _make_distinct_names([field.wire for field in fields], lambda name: _is_reserved(name) or name in reserved)


def make_parameter_names(wires: Iterable[str], reserved: frozenset[str] = URI_EXPANSION_NAMES) -> dict[str, str]:
    """Return the Python name of each variable of a URI template or a message, by its name; `reserved` are avoided."""
    return _make_distinct_names([*wires], lambda name: keyword.iskeyword(name) or name in reserved)


def _make_distinct_names(wires: list[str], is_reserved: Callable[[str], bool]) -> dict[str, str]:
    """Return a different name for each wire name; of several with one name, that of just this wire name keeps it."""
    siblings = set(wires)
    claims: dict[str, list[str]] = defaultdict(list)
    for wire in wires:
        claims[_make_attribute_name(wire, siblings, is_reserved)].append(wire)
    names: dict[str, str] = {}
    used: set[str] = set()
    for name, claimants in sorted(claims.items()):
        for wire in sorted(claimants):
            needs_hash = len(claimants) > 1 and wire != name
            python, length = name, 4
            while needs_hash or python in used:
                python, length, needs_hash = f"{name}_{make_short_hash(wire, length)}", length + 4, False
            names[wire] = python
            used.add(python)
    return names


def _make_attribute_name(wire: str, siblings: set[str], is_reserved: Callable[[str], bool]) -> str:
    name = convert_to_snake_case(wire).lstrip("_")
    if not name:
        return f"field_{make_short_hash(wire)}"
    if name[0].isdigit():
        name = f"field_{name}"
    while is_reserved(name) or (name != wire and name in siblings):
        name += "_"
    return name


def _is_reserved(name: str) -> bool:
    return (
        keyword.iskeyword(name)
        or name in RESULT_METHODS
        or name in PYDANTIC_ATTRIBUTES
        or name in CLASS_BODY_NAMES
        or (name.startswith("model_") and not name.endswith("_"))
    )


def make_short_hash(text: str, length: int = 4) -> str:
    """Return the first hexadecimal digits of a hash of the text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]


def is_parameter_name(wire: str) -> bool:
    """Return whether a method can have a parameter of a name on the wire: `maxResults`, but not `from` or `__x`."""
    is_taken = keyword.iskeyword(wire) or wire == "self" or wire.startswith("__")  # Python changes `__x` in classes
    return wire.isascii() and wire.isidentifier() and not is_taken


def list_class_stems(words: Sequence[str]) -> list[str]:
    """Return the possible names for a list of words, the best first: `("days", "item")` gives `DaysItem`. If that
    is too long, these are the first word with the last ones, then the last ones alone.
    """
    parts = [part for part in map(convert_to_pascal_case, words) if part]
    if not parts:
        return []
    *others, last = parts
    last = _shorten_word(last)
    candidates = [_join_last(others, last)]
    if sum(map(len, others)) + len(last) > MAX_CLASS_NAME and len(others) > 1:
        rest = MAX_CLASS_NAME - len(others[0])
        if len(last) <= rest:
            candidates.insert(0, others[0] + _join_last(others[1:], last, rest))
    return [*dict.fromkeys(f"_{stem}" if stem[:1].isdigit() else stem for stem in candidates)]


def add_number(stem: str, number: int) -> str:
    """Return a name with a number behind it, not longer than any other."""
    suffix = f"_{number}" if stem[-1:].isdigit() else str(number)
    return stem[: MAX_CLASS_NAME - len(suffix)] + suffix


def _join_last(others: Sequence[str], last: str, limit: int = MAX_CLASS_NAME) -> str:
    joined = last
    for part in reversed(others):
        if len(part) + len(joined) > limit:
            break
        joined = part + joined
    return joined


def _shorten_word(word: str) -> str:
    if len(word) <= MAX_CLASS_NAME:
        return word
    fitting = [start for start in accumulate(split_words(word)) if len(start) <= MAX_CLASS_NAME]
    return fitting[-1] if fitting else word[:MAX_CLASS_NAME]
