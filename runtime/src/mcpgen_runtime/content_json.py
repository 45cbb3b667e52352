"""JSON in the content blocks of a result: read where structured content is missing, or compared with it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from .plain_values import Link, build_path

_JSON_MIME_TYPE = "application/json"


def find_json_resource(blocks: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the text of the only embedded resource that is JSON by its MIME type; None if there are none or several.

    Args:
        blocks: content blocks in wire form.
    """
    texts: list[str] = []
    for block in blocks:
        resource: Any = block.get("resource")
        if block.get("type") != "resource" or not isinstance(resource, dict):
            continue
        members = cast(dict[str, Any], resource)
        mime_type = str(members.get("mimeType")).partition(";")[0].strip().lower()
        text = members.get("text")
        if mime_type == _JSON_MIME_TYPE and isinstance(text, str):
            texts.append(text)
    return texts[0] if len(texts) == 1 else None


def find_text(blocks: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the text of the only block; None if it is another kind of block, or there are several."""
    return blocks[0].get("text") if len(blocks) == 1 and blocks[0].get("type") == "text" else None


def find_mismatch(blocks: Sequence[Mapping[str, Any]], structured: Any) -> tuple[str | int, ...] | None:
    """Return a place in structured content where the JSON in the content has another value.

    Args:
        blocks: content blocks in wire form.
        structured: the structured content.

    Returns:
        None if both are the same, or the content is not this JSON but a text about it. An object and a number that
        stands alone are not compared.
    """
    text = find_json_resource(blocks) or find_text(blocks)
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    places: list[tuple[str | int, ...]] = []
    for link, part in _list_wholes(structured):
        if isinstance(part, _CONTAINERS) != isinstance(value, _CONTAINERS):
            continue
        place = None if part == text else _find_difference(link, part, value)
        if place is None:
            return None
        places.append(place)
    return max(places, key=len, default=None)


_CONTAINERS = (dict, list)


def _list_wholes(structured: Any) -> Iterator[tuple[Link, Any]]:
    """Yield the parts that are the whole value: without a wrapper, and the item of an array, which may be a block."""
    link: Link = None
    part: Any = structured
    yield link, part
    members = cast(dict[str, Any], structured) if isinstance(structured, dict) else {}
    if members.keys() == {"result"}:
        link, part = (link, "result"), members["result"]
        yield link, part
    while isinstance(part, list) and len(items := cast(list[object], part)) == 1:
        link, part = (link, 0), items[0]
        yield link, part


def _find_difference(link: Link, value: Any, other: Any) -> tuple[str | int, ...] | None:
    """Return the place of a part of `value` that `other` has not; `link` is the place of `value`."""
    todo: list[tuple[Link, Any, Any]] = [(link, value, other)]
    while todo:
        link, left, right = todo.pop()
        if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
            todo += [((link, key), left[key], right[key]) for key in cast(dict[str, Any], left)]
        elif isinstance(left, list) and isinstance(right, list):
            items, others = cast(list[object], left), cast(list[object], right)
            if len(items) != len(others):
                return build_path(link)
            todo += [((link, n), item, others[n]) for n, item in enumerate(items)]
        elif isinstance(left, _CONTAINERS) or isinstance(left, bool) != isinstance(right, bool) or left != right:
            return build_path(link)
    return None


__all__ = ["find_json_resource", "find_mismatch", "find_text"]
