"""Content strategies: the ways in which a result becomes content blocks."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

ContentStrategy: TypeAlias = Literal[
    "json", "template", "table", "csv", "tsv", "items", "binary", "resource", "sdk", "none"
]
"""Values of the settings key `content`. What each one prints is in `render/content_view.py`."""
TABLE_STRATEGIES: frozenset[ContentStrategy] = frozenset({"table", "csv", "tsv"})
"""Those that write a result as a table."""


class Builder(NamedTuple):
    """Run-time function that makes content blocks."""

    module: str
    name: str


BUILDERS: Mapping[ContentStrategy, Builder] = MappingProxyType(
    {
        "json": Builder("content_blocks", "text_block"),
        "template": Builder("content_blocks", "text_block"),
        "table": Builder("content_blocks", "text_block"),
        "csv": Builder("content_blocks", "text_block"),
        "tsv": Builder("content_blocks", "text_block"),
        "items": Builder("content_blocks", "item_blocks"),
        "binary": Builder("content_blocks", "binary_block"),
        "resource": Builder("content_blocks", "json_block"),
        "sdk": Builder("sdk_text", "sdk_blocks"),
    }
)
"""Content strategy → the function that generated modules call for it."""


def list_builders(module: str) -> list[str]:
    """Return the names of the functions that a run-time module has, sorted."""
    return sorted({builder.name for builder in BUILDERS.values() if builder.module == module})
