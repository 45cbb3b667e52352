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


def split_node_id(node_id: str) -> tuple[str, str, str]:
    """Return the side, the kind and the places of an id.

    Raises:
        ValueError: it is not an id.
    """
    for index, char in enumerate(node_id):
        if char in ":~":
            return node_id[:index], char, node_id[index + 1 :]
    raise ValueError(node_id)


def list_place_pointers(places: str) -> list[str] | None:
    """Return the pointers of the places of an id, None if keywords of one count as absent or merged."""
    if "!" in places:
        return None
    return [place.replace("%21", "!").replace("%26", "&").replace("%25", "%") for place in places.split("&")]


def _escape_pointer(pointer: str) -> str:
    return pointer.replace("%", "%25").replace("&", "%26").replace("!", "%21")
