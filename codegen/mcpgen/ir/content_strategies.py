"""Content strategies: the ways in which a result becomes content blocks."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

ContentStrategy: TypeAlias = Literal[
    "json", "template", "table", "csv", "tsv", "items", "binary", "resource", "sdk", "none"
]
"""Values of the settings key `content`. What each one prints is in `render/content_view.py`."""
TABLE_STRATEGIES: frozenset[ContentStrategy] = frozenset({"table", "csv", "tsv"})
"""Those that write a result as a table."""


BUILDERS: Mapping[ContentStrategy, str] = MappingProxyType(
    {
        "json": "text_block",
        "template": "text_block",
        "table": "text_block",
        "csv": "text_block",
        "tsv": "text_block",
        "items": "item_blocks",
        "binary": "binary_block",
        "resource": "json_block",
        "sdk": "sdk_blocks",
    }
)
"""Content strategy → the function of the run-time library that generated modules call for it."""
