"""What a model reads of a result, item by item, and what of the result that leaves out."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias, cast

from mcpgen.schema.values import Json, are_equal, as_array, as_object

Source: TypeAlias = int | str
"""A part of a result: a block by its index, or the member `structuredContent` or `_meta`."""
SERVER = "SERVER"
"""Stands for the server's name, which hosts put into tools' names."""
PATH = "PATH"
ADVICE = f"[notice: all of it is in the file {PATH}, and how to read that]"
"""Stands for what some hosts tell the model in several sentences."""
BINARY = "application/octet-stream"
SECONDS = "0.0000 seconds"


@dataclass(frozen=True)
class Item:
    """A text that a model reads, or a medium, which the text then describes."""

    text: str
    sources: frozenset[Source] = frozenset()
    """The parts of the result that it shows; none if its words are the host's own."""
    is_media: bool = False
    is_cut: bool = False
    """Whether the host has left out some of it."""


class Received:
    """A result in wire form, as a host gets it."""

    def __init__(self, wire: Mapping[str, Any], tool: str) -> None:
        self.wire, self.tool = wire, tool
        self.blocks = [as_object(block) for block in as_array(wire.get("content"))]
        self.value = wire.get("structuredContent")
        self.has_value = self.value is not None  # hosts take null for none, so it is no loss
        self.is_error = wire.get("isError") is True

    @cached_property
    def texts(self) -> list[tuple[int, str]]:
        """The text blocks, with their indices."""
        return [(index, str(block["text"])) for index, block in enumerate(self.blocks) if block.get("type") == "text"]

    @property
    def sources(self) -> frozenset[Source]:
        """All parts of the result."""
        members = [name for name in ("structuredContent", "_meta") if name in self.wire]
        return frozenset((*range(len(self.blocks)), *members))

    def join_texts(self, separator: str) -> Item | None:
        """Return the text blocks that are not blank, as one; None if there are none."""
        parts = [(index, text) for index, text in self.texts if text.strip()]
        return (
            Item(separator.join(text for _, text in parts), frozenset(index for index, _ in parts)) if parts else None
        )

    def show_value(self, write: Callable[[Json], str], *, before: str = "") -> Item:
        """Return the structured content as a text."""
        return Item(before + write(self.value), frozenset(("structuredContent",)))

    def convert(self, convert: Callable[[int, dict[str, Json]], Iterable[Item]]) -> list[Item]:
        """Return what becomes of all blocks."""
        return [item for index, block in enumerate(self.blocks) for item in convert(index, block)]


# --- parts -----------------------------------------------------------------------------------------------------------
def write_js(value: Any) -> str:
    """Return JSON as JavaScript and Rust write it: without spaces, whole numbers without a point."""
    return json.dumps(_drop_points(value), ensure_ascii=False, separators=(",", ":"))


def _drop_points(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _drop_points(item) for key, item in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_drop_points(item) for item in cast("Sequence[Any]", value)]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e21 else value


def as_text(text: Any, index: int) -> Item:
    """Return what a text shows of the block at an index."""
    return Item(str(text), frozenset((index,)))


def as_media(index: int, data: object, mime_type: object, kind: str) -> Item:
    """Return the medium of the block at an index, with its data in Base64."""
    return Item(f"[{kind} {mime_type}, {count_bytes(data):,} bytes]", frozenset((index,)), is_media=True)


def count_bytes(data: object) -> int:
    """Return how many bytes there are in a Base64 text."""
    try:
        return len(base64.b64decode(str(data)))
    except ValueError:
        return len(str(data))


def get_mime_type(members: Mapping[str, Json]) -> str:
    """Return the MIME type of a block or a resource."""
    return str(members.get("mimeType", BINARY))


def is_for_models(block: Mapping[str, Json]) -> bool:
    """Return whether the audience of a block is not people alone."""
    audience = as_array(as_object(block.get("annotations")).get("audience"))
    return not audience or "assistant" in audience


def is_true_in_js(value: Any) -> bool:
    """Return whether JavaScript takes a value for true."""
    return isinstance(value, dict | list) or bool(value)


def join_items(items: Sequence[Item], separator: str) -> list[Item]:
    """Return texts as one, with a separator between them, and then the media."""
    texts = [item for item in items if not item.is_media]
    media = [item for item in items if item.is_media]
    if not texts:
        return media
    sources = frozenset(source for item in texts for source in item.sources)
    is_cut = any(item.is_cut for item in texts)
    return [Item(separator.join(item.text for item in texts), sources, is_cut=is_cut), *media]


def cut_middle(item: Item, head: int, tail: int, notice: str) -> Item:
    """Return the start and the end of a text, and between them a notice, which says how many characters are gone."""
    left_out = len(item.text) - head - tail
    end = item.text[len(item.text) - tail :]
    return replace(item, text=item.text[:head] + notice.format(left_out) + end, is_cut=True)


# --- what a reading comes to -----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Reading:
    """What a model reads of a result."""

    items: tuple[Item, ...]
    shown: tuple[str, ...]
    """What of the result the model reads: `text`, `value`, or the type of a block."""
    lost: tuple[str, ...]
    """What it does not read, in the same words."""
    is_doubled: bool
    """Whether it reads the value, and a text beside it, too."""

    @classmethod
    def of(cls, result: Received, items: Iterable[Item]) -> Reading:
        """Compare what a model reads with the result."""
        read = tuple(items)
        shown = {source for item in read for source in item.sources}
        is_doubled = "structuredContent" in shown and any(index in shown for index, _ in result.texts)
        kinds = dict.fromkeys(str(block.get("type")) for index, block in enumerate(result.blocks) if index in shown)
        parts = (*kinds, *(["value"] if "structuredContent" in shown else []))
        return cls(read, parts, tuple(_list_lost(result, shown)), is_doubled)

    @property
    def text(self) -> str:
        """Return all texts, in lines."""
        return "\n".join(item.text for item in self.items if not item.is_media)

    @property
    def is_cut(self) -> bool:
        """Whether the host has left out some of a text."""
        return any(item.is_cut for item in self.items)


def _list_lost(result: Received, shown: set[Source]) -> Iterator[str]:
    said = [text for index, text in result.texts if index in shown]
    value = result.value if result.has_value else None
    wrapped = as_object(value).get("result")
    hidden = [text for index, text in result.texts if index not in shown and text not in said]
    if any(not ("structuredContent" in shown and _is_json_of(text, value, wrapped)) for text in hidden):
        yield "text"
    if (
        result.has_value
        and "structuredContent" not in shown
        and not any(_is_json_of(text, value, wrapped) for text in said)
    ):
        yield "value"
    kinds = {str(block.get("type")) for index, block in enumerate(result.blocks) if index not in shown}
    yield from sorted(kinds - {"text"})


def _is_json_of(text: str, *values: Any) -> bool:
    """Return whether a text is the JSON of one of these values, or the value itself."""
    try:
        parsed = json.loads(text)
    except ValueError:
        parsed = text
    return any(text == value or are_equal(parsed, value) for value in values if value is not None)
