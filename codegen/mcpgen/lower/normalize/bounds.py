"""How much a schema may unfold into, and what makes values and types of the small language comparable at once."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from mcpgen.schema.values import Json

Core: TypeAlias = dict[str, Json]

MAX_TYPE_DEPTH = 40
"""Levels of one type. Python takes 200 brackets inside each other, and a level of a type takes up to four."""
MAX_OPEN_PLACES = 300
"""Places that are looked at inside each other before any of them is done: references may nest more than a file."""
MAX_TYPE_PARTS = 5_000
"""Parts of one type, each as often as it stands there."""
MIN_TYPE_BUDGET = 10_000
"""Types that any schema may unfold into, however small it is."""
LOOKUPS_PER_TYPE = 5
"""Places that may be looked at for each type."""


@dataclass(frozen=True)
class LoweringLimits:
    """The limits of the settings that hold for what a schema becomes; see `config.Limits`."""

    classes: int = 20_000
    members: int = 1_000
    unfolding: int = 20


class SchemaTooLarge(Exception):
    """The schema unfolds into more than a package should hold; the message says into what, and names the limit."""


class LoweringBudget:
    """Counts what a schema unfolds into, so that the work is at most a constant times its subschemas."""

    def __init__(self, bounds: LoweringLimits, subschemas: int) -> None:
        self._unfolding = bounds.unfolding
        self._types = max(MIN_TYPE_BUDGET, bounds.unfolding * subschemas)
        self._looks = self._types * LOOKUPS_PER_TYPE

    def count_places(self, count: int = 1) -> None:
        """Count places that are looked at.

        Raises:
            TooLarge: there are too many.
        """
        self._looks -= count
        if self._looks < 0:
            self._refuse()

    def count_types(self, count: int = 1) -> None:
        """Count types that will stand in a module.

        Raises:
            TooLarge: there are too many.
        """
        self._types -= count
        if self._types < 0:
            self._refuse()

    def _refuse(self) -> None:
        raise SchemaTooLarge(
            f"it unfolds into more than {self._unfolding} types for each subschema (`limits.unfolding`)"
        )


class TypeSizes:
    """The size of types: how deep each is, and how many parts it has, each part measured once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Core, int, int]] = {}  # with the type itself, so that no other one has its id

    def measure(self, core: Core) -> tuple[int, int]:
        """The levels and the parts of a type."""
        found = self._known.get(id(core))
        if found is None:
            inner = [self.measure(one) for one in _list_parts(core)]
            values = core.get("enum")
            own = len(values) if isinstance(values, list) else 1
            found = (core, 1 + max((one[0] for one in inner), default=0), own + sum(one[1] for one in inner))
            self._known[id(core)] = found
        return found[1:]


def _list_parts(core: Core) -> list[Core]:
    found: list[Core] = []
    for word in ("anyOf", "prefixItems", "items", "additionalProperties"):
        held = core.get(word)
        found += [one for one in (held if isinstance(held, list) else [held]) if isinstance(one, dict)]
    return found


def remove_duplicates(cores: Iterable[Core]) -> list[Core]:
    """The types that are not equal to one before them."""
    found: dict[str, Core] = {}
    for core in cores:
        found.setdefault(json.dumps(core, sort_keys=True), core)
    return [*found.values()]


def make_identity_key(value: Json) -> object:
    """What is equal for JSON values that are equal (2020-12 core, section 4.2.2): 1 and 1.0 are, 1 and true are not."""
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, list):
        return ("array", *map(make_identity_key, value))
    if isinstance(value, dict):
        return ("object", frozenset((key, make_identity_key(inner)) for key, inner in value.items()))
    return value
