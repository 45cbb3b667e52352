"""Python names for wire names."""

from __future__ import annotations

import hashlib
import keyword
from collections import defaultdict
from collections.abc import Callable, Iterable

from mcpgen.ir.types import Field
from mcpgen.names.casing import camel, snake
from mcpgen.names.reserved import CALLS, DEVICE_NAMES, IMPORTS, IN_CLASS_BODIES, IN_EXPANSIONS, METHODS, PYDANTIC


def tool_module(wire: str, chosen: str | None) -> str:
    """The module of a tool or resource; empty when its wire name has no ASCII letter or digit."""
    name = chosen or snake(wire)
    dunder = name.startswith("__") and name.endswith("__")  # modules are attributes of their package: `__class__`
    return name + "_" if keyword.iskeyword(name) or dunder or name.lower() in DEVICE_NAMES else name


def method_name(module: str) -> str:
    """What a tool is called on the bound server and on the client, whose own attributes start with `_`."""
    bare = module.lstrip("_")
    name = bare if bare[:1].isalpha() else module
    return name + "_" if name in CALLS or name in IMPORTS or keyword.iskeyword(name) else name


def class_stem(wire: str, chosen: str | None) -> str:
    """The start of a tool's class names: `get_weather` → `GetWeather`."""
    stem = camel(chosen or wire)
    return f"_{stem}" if stem[:1].isdigit() else stem


def field_names(fields: Iterable[Field], reserved: frozenset[str] = frozenset()) -> dict[str, str]:
    """Wire name → Python name for the properties of one object, whose class says `reserved` itself."""
    return _distinct([field.wire for field in fields], lambda name: _taken(name) or name in reserved)


def parameter_names(wires: Iterable[str]) -> dict[str, str]:
    """Wire name → Python name for the variables of a URI template."""
    return _distinct([*wires], lambda name: keyword.iskeyword(name) or name in IN_EXPANSIONS)


def _distinct(wires: list[str], taken: Callable[[str], bool]) -> dict[str, str]:
    own = set(wires)
    wanted: dict[str, list[str]] = defaultdict(list)
    for wire in wires:
        wanted[_attribute(wire, own, taken)].append(wire)
    names: dict[str, str] = {}
    given: set[str] = set()
    for name, claims in sorted(wanted.items()):
        for wire in sorted(claims):
            alone = len(claims) == 1 or wire == name
            python, length = name, 4
            while not alone or python in given:
                python, length, alone = f"{name}_{short_hash(wire, length)}", length + 4, True
            names[wire] = python
            given.add(python)
    return names


def _attribute(wire: str, siblings: set[str], taken: Callable[[str], bool]) -> str:
    name = snake(wire).lstrip("_")
    if not name:
        return f"field_{short_hash(wire)}"
    if name[0].isdigit():
        name = f"field_{name}"
    while taken(name) or (name != wire and name in siblings):
        name += "_"
    return name


def _taken(name: str) -> bool:
    return (
        keyword.iskeyword(name)
        or name in METHODS
        or name in PYDANTIC
        or name in IN_CLASS_BODIES
        or (name.startswith("model_") and not name.endswith("_"))
    )


def short_hash(text: str, length: int = 4) -> str:
    """Return the first hexadecimal digits of a hash of the text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]
