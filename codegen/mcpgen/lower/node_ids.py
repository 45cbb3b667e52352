"""Ids of classes and aliases, made from the places in the schema that they describe."""

from __future__ import annotations

from collections.abc import Sequence

from mcpgen.lower.normalize.core import SchemaPlace


def make_node_id(places: Sequence[SchemaPlace], kind: str) -> str:
    """Return the part of an id that follows the side: the kind and the places, joined by `&`.

    Args:
        places: the places that the node describes.
        kind: `:` for a class, `~` for an alias.
    """
    texts = (
        _escape_pointer(place.pointer)
        + "".join(f"!{keyword}" for keyword in sorted(place.without))
        + "".join(f"!{keyword}*" for keyword in sorted(place.merged))
        for place in places
    )
    return kind + "&".join(sorted(texts))


def _escape_pointer(pointer: str) -> str:
    return pointer.replace("%", "%25").replace("&", "%26").replace("!", "%21")
