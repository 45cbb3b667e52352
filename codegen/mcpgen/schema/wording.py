"""Compare what definitions say to models and people, with the module that generated packages contain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, cast

from mcpgen.schema.shipped_code import load_runtime_module
from mcpgen.schema.values import Json


class WordingChange(Protocol):
    """A part of a definition that says something else; None where it says nothing. Its text describes the change."""

    @property
    def pointer(self) -> str:
        """JSON pointer into the definition."""
        ...

    @property
    def before(self) -> Json:
        """What was said."""
        ...

    @property
    def after(self) -> Json:
        """What is said now."""
        ...


def list_wording(definition: Mapping[str, Json]) -> dict[str, Json]:
    """Return what a definition says to models and people, by JSON pointer."""
    return cast("dict[str, Json]", load_runtime_module("tool_wording").list_wording(definition))


def list_wording_changes(old: Mapping[str, Json], new: Mapping[str, Json]) -> list[WordingChange]:
    """Return the differences of what two definitions in wire form say, sorted by JSON pointer."""
    return cast("list[WordingChange]", load_runtime_module("tool_wording").list_wording_changes(old, new))


def hash_wording(definition: Mapping[str, Json]) -> str:
    """Return the SHA-256 of all that a definition says to models and people, in hex."""
    return cast(str, load_runtime_module("tool_wording").hash_wording(definition))
