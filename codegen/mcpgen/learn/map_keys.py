"""Tell maps, whose keys are data, from objects, whose keys are the names of properties."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from mcpgen.learn.string_formats import has_some_format
from mcpgen.schema.values import Json, get_json_type

_DATA_KEY = re.compile(r"\d|[0-9A-Fa-f]{16,}\Z|.*[\s/:@]")
"""Keys that no property has: those that begin with a digit, hashes, and text with spaces, slashes and the like."""
MIN_KEYS_OF_MAP = 8
"""Different keys that a map has at least if they look like names of properties."""
MIN_MEMBERS_OF_ENTRY = 2
"""Members that each value of a map has at least, if there is a single map and its keys look like names."""


def is_map(objects: Sequence[dict[str, Json]]) -> bool:
    """Return whether the recorded objects at a place are maps.

    They are if all their keys look like data. Names as keys make a map only if there are many of them, and either the
    objects have hardly any in common and all values are of one type, or it is one object of alike objects.
    """
    counts = Counter(key for value in objects for key in value)
    if not counts:
        return False
    if all(_is_data(key) for key in counts):
        return True
    if len(counts) < MIN_KEYS_OF_MAP:
        return False
    values = [member for value in objects for member in value.values()]
    filled_count = sum(map(bool, objects))
    if filled_count == 1:
        return _are_alike_objects(values)
    return max(counts.values()) * 2 <= filled_count and len(set(map(get_json_type, values))) == 1


def _is_data(key: str) -> bool:
    return _DATA_KEY.match(key) is not None or has_some_format(key)


def _are_alike_objects(values: Sequence[Json]) -> bool:
    """Return whether all values are objects with the same members."""
    shapes = {frozenset(value) if isinstance(value, dict) else None for value in values}
    return len(shapes) == 1 and all(shape is not None and len(shape) >= MIN_MEMBERS_OF_ENTRY for shape in shapes)
