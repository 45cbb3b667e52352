"""Join the members of a union to one annotation."""

from __future__ import annotations

from collections.abc import Callable

from mcpgen.ir.types import Choice, FixedArray, Scalar, ScalarKind, Type
from mcpgen.ir.visitors import walk_type
from mcpgen.render.scope import Scope

NULL = Scalar(ScalarKind.NULL)

MAX_UNION_MEMBERS = 100
"""The most members of a union that are joined without brackets."""


def render_union(members: tuple[Type, ...], scope: Scope, render: Callable[[Type, Scope], str]) -> str:
    """Return the annotation of a union: its different members, None last.

    Args:
        members: the members' types.
        scope: the names in the module.
        render: returns the annotation of a member.
    """
    parts = dict.fromkeys(render(member, scope) for member in _sort_members(members, scope) if member != NULL)
    if NULL in members:
        parts["None"] = None
    return _join_in_chunks([*parts])


def _sort_members(members: tuple[Type, ...], scope: Scope) -> list[Type]:
    """Put scalars last if there are tuples: pydantic dumps by the first member that fits, and some fit anything."""
    parts = (part for member in members for part in walk_type(member))
    if not any(isinstance(part, FixedArray) or scope.refers_to_alias(part) for part in parts):
        return [*members]
    return sorted(members, key=lambda member: isinstance(member, Scalar | Choice))


def _join_in_chunks(parts: list[str]) -> str:
    """Return the union of some types; many are bracketed in chunks, since `|` nests and Python limits the depth."""
    while len(parts) > MAX_UNION_MEMBERS:
        chunks = [parts[start : start + MAX_UNION_MEMBERS] for start in range(0, len(parts), MAX_UNION_MEMBERS)]
        parts = [f"({' | '.join(chunk)})" if len(chunk) > 1 else chunk[0] for chunk in chunks]
    return " | ".join(parts)
