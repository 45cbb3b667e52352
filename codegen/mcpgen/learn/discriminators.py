"""Find the property that tells the alternatives of a union apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from mcpgen.schema.values import Json

_TAG = re.compile(r"[A-Za-z][\w.-]{0,39}\Z", re.ASCII)
"""What a value of a discriminator looks like."""
_USUAL_NAMES = ("type", "kind", "tag", "event", "op", "status", "variant")
"""Names that discriminators usually have, the likeliest first."""
MAX_ALTERNATIVES = 12
MIN_OBJECTS_OF_ALTERNATIVE = 3
"""Recorded objects of each alternative: fewer may be alike by chance."""

Alternatives = dict[str, list[dict[str, Json]]]
"""Objects by the value of their discriminator."""


def find_discriminator(objects: Sequence[dict[str, Json]]) -> tuple[str, Alternatives] | None:
    """Return the discriminator of the recorded objects at a place, and the objects of each alternative.

    It is a property that all objects have. Its values are few words, each met several times, and whether each of the
    other properties is there depends on them alone, at least of one that some alternatives have and others do not.
    """
    counts = Counter(key for value in objects for key in value)
    optional = {key: 1 << index for index, key in enumerate(key for key in counts if counts[key] < len(objects))}
    if not optional:
        return None
    masks = [sum(optional[key] for key in value if key in optional) for value in objects]
    shared = [key for key in counts if key not in optional]
    for key in sorted(shared, key=_rate_name):
        tags = _list_tags(objects, key)
        if tags is not None and _are_different(tags, masks):
            alternatives: Alternatives = {}
            for tag, value in zip(tags, objects, strict=True):
                alternatives.setdefault(tag, []).append(value)
            return key, alternatives
    return None


def _rate_name(name: str) -> int:
    return _USUAL_NAMES.index(name) if name in _USUAL_NAMES else len(_USUAL_NAMES)


def _list_tags(objects: Sequence[dict[str, Json]], key: str) -> list[str] | None:
    """Return the value of a property in each object; None if it cannot be a discriminator."""
    tags: list[str] = []
    counts = Counter[str]()
    for value in objects:
        tag = value[key]
        if not isinstance(tag, str):
            return None
        if tag not in counts and (len(counts) == MAX_ALTERNATIVES or _TAG.match(tag) is None):
            return None
        counts[tag] += 1
        tags.append(tag)
    return tags if len(counts) > 1 and min(counts.values()) >= MIN_OBJECTS_OF_ALTERNATIVE else None


def _are_different(tags: Sequence[str], masks: Sequence[int]) -> bool:
    """Return whether the alternatives have different properties, of which none is there in some objects by chance.

    Args:
        tags: the value of the discriminator in each object.
        masks: the optional properties of each object, one bit for each of them.
    """
    present: dict[str, int] = {}
    required: dict[str, int] = {}
    for tag, mask in zip(tags, masks, strict=True):
        present[tag] = present.get(tag, 0) | mask
        required[tag] = required.get(tag, mask) & mask
    absent_in_some = required_in_some = uncertain_in_some = 0
    for tag, mask in present.items():
        absent_in_some |= ~mask
        required_in_some |= required[tag]
        uncertain_in_some |= mask & ~required[tag]
    return bool(required_in_some & absent_in_some) and not uncertain_in_some & absent_in_some
