"""Make the changes to a schema of an old dialect that mcpgen proposes."""

from __future__ import annotations

import copy
from typing import Any

from mcpgen.read.old_dialects import SUCCESSORS, DialectChange, list_dialect_changes
from mcpgen.schema.values import parse_pointer


def apply_changes(schema: Any, dialect: str) -> tuple[Any, bool]:
    """Return a changed copy, and whether mcpgen says for every change what to write."""
    changes = list_dialect_changes(schema, dialect)
    converted = copy.deepcopy(schema)
    for change in sorted(changes, key=lambda change: -len(parse_pointer(change.pointer))):  # the innermost first
        _apply(_follow(converted, change.pointer), change)
    converted["$schema"] = SUCCESSORS[dialect]
    return converted, all(change.removed or change.added for change in changes)


def _follow(value: Any, pointer: str) -> Any:
    for token in parse_pointer(pointer):
        value = value[int(token)] if isinstance(value, list) else value[token]
    return value


def _apply(target: Any, change: DialectChange) -> None:
    before = dict(target)
    for keyword in change.removed:
        target.pop(keyword, None)
    target.update(change.added)
    if change.keyword == "items":  # what is inside of the values was changed before they are renamed
        renamed = {"prefixItems": "items", "items": "additionalItems"}
        target.update({new: before[old] for new, old in renamed.items() if new in change.added})
