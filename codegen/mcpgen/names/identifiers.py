"""Python names for wire names."""

from __future__ import annotations

import hashlib
import keyword
from collections import defaultdict
from collections.abc import Callable, Iterable

from mcpgen.ir.types import Field
from mcpgen.names.casing import convert_to_pascal_case, convert_to_snake_case
from mcpgen.names.reserved import (
    CLASS_BODY_NAMES,
    DEVICE_NAMES,
    IMPORT_SOURCES,
    PYDANTIC_ATTRIBUTES,
    RESULT_METHODS,
    SERVER_AND_CLIENT_NAMES,
    URI_EXPANSION_NAMES,
)


def make_module_name(wire: str, chosen: str | None) -> str:
    """The module of a tool or resource; empty when its wire name has no ASCII letter or digit."""
    name = chosen or convert_to_snake_case(wire)
    dunder = name.startswith("__") and name.endswith("__")  # modules are attributes of their package: `__class__`
    return name + "_" if keyword.iskeyword(name) or dunder or name.lower() in DEVICE_NAMES else name


def make_method_name(module: str) -> str:
    """What a tool is called on the bound server and on the client, whose own attributes start with `_`."""
    bare = module.lstrip("_")
    name = bare if bare[:1].isalpha() else module
    return name + "_" if name in SERVER_AND_CLIENT_NAMES or name in IMPORT_SOURCES or keyword.iskeyword(name) else name


def make_class_stem(wire: str, chosen: str | None) -> str:
    """The start of a tool's class names: `get_weather` → `GetWeather`."""
    stem = convert_to_pascal_case(chosen or wire)
    return f"_{stem}" if stem[:1].isdigit() else stem


def make_field_names(fields: Iterable[Field], reserved: frozenset[str] = frozenset()) -> dict[str, str]:
    """Wire name → Python name for the properties of one object, whose class says `reserved` itself."""
    return _make_distinct_names([field.wire for field in fields], lambda name: _is_reserved(name) or name in reserved)


def make_parameter_names(wires: Iterable[str]) -> dict[str, str]:
    """Wire name → Python name for the variables of a URI template."""
    return _make_distinct_names([*wires], lambda name: keyword.iskeyword(name) or name in URI_EXPANSION_NAMES)


def _make_distinct_names(wires: list[str], taken: Callable[[str], bool]) -> dict[str, str]:
    own = set(wires)
    wanted: dict[str, list[str]] = defaultdict(list)
    for wire in wires:
        wanted[_make_attribute_name(wire, own, taken)].append(wire)
    names: dict[str, str] = {}
    given: set[str] = set()
    for name, claims in sorted(wanted.items()):
        for wire in sorted(claims):
            alone = len(claims) == 1 or wire == name
            python, length = name, 4
            while not alone or python in given:
                python, length, alone = f"{name}_{make_short_hash(wire, length)}", length + 4, True
            names[wire] = python
            given.add(python)
    return names


def _make_attribute_name(wire: str, siblings: set[str], taken: Callable[[str], bool]) -> str:
    name = convert_to_snake_case(wire).lstrip("_")
    if not name:
        return f"field_{make_short_hash(wire)}"
    if name[0].isdigit():
        name = f"field_{name}"
    while taken(name) or (name != wire and name in siblings):
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
