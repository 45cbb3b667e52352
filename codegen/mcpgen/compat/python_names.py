"""The Python names by which programs import and use what is generated for one tool or resource."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class PythonNames:
    """A module and its classes."""

    module: str
    main: tuple[str, ...]
    """The classes that every module of its sort has: the result and the arguments, or the resource."""
    classes: frozenset[str]
    attributes: Mapping[tuple[str, str], str]
    """(Class, wire name) → the attribute."""
