"""Find the property that tells the alternatives of a union apart."""

from __future__ import annotations

import re
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
    first = objects[0] if objects else {}
    shared = [key for key in first if all(key in value for value in objects)]
    for key in sorted(shared, key=_rate_name):
        alternatives = _split_objects(objects, key)
        if alternatives is not None and _are_different(list(alternatives.values())):
            return key, alternatives
    return None


def _rate_name(name: str) -> int:
    return _USUAL_NAMES.index(name) if name in _USUAL_NAMES else len(_USUAL_NAMES)


def _split_objects(objects: Sequence[dict[str, Json]], key: str) -> Alternatives | None:
    """Return the objects by the value of a property; None if it cannot be a discriminator."""
    alternatives: Alternatives = {}
    for value in objects:
        tag = value[key]
        if not isinstance(tag, str) or _TAG.match(tag) is None:
            return None
        alternatives.setdefault(tag, []).append(value)
        if len(alternatives) > MAX_ALTERNATIVES:
            return None
    smallest = min(map(len, alternatives.values()), default=0)
    return alternatives if len(alternatives) > 1 and smallest >= MIN_OBJECTS_OF_ALTERNATIVE else None


def _are_different(alternatives: Sequence[Sequence[dict[str, Json]]]) -> bool:
    """Return whether the alternatives have different properties, of which none is there in some objects by chance."""
    present = [set[str]().union(*values) for values in alternatives]
    required = [set(values[0]).intersection(*values) for values in alternatives]
    all_keys = set[str]().union(*present)
    telling = [
        key for key in all_keys if any(key in keys for keys in required) and any(key not in keys for keys in present)
    ]
    uncertain = [
        key
        for key in all_keys
        if any(key in keys and key not in certain for keys, certain in zip(present, required, strict=True))
        and any(key not in keys for keys in present)
    ]
    return bool(telling) and not uncertain
