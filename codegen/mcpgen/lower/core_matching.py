"""Check that a generated type accepts exactly the values of its core schema."""

from __future__ import annotations

from mcpgen.ir.types import Array, Bound, Choice, FixedArray, Map, Ref, Scalar, ScalarKind, Type, Union
from mcpgen.lower.normalize.core import Core, make_reference
from mcpgen.schema.formats import CORE_FORMATS
from mcpgen.schema.keywords import BOUND_NAMES
from mcpgen.schema.values import Json, as_array, as_object

_NULL = Scalar(ScalarKind.NULL)
_KINDS = {"byte": ScalarKind.BASE64} | {core: ScalarKind(name) for name, core in CORE_FORMATS.items()}
"""Format in a core schema → the kind of its strings."""


def matches_core(core: Core, node: Type) -> bool:
    """Report whether a type accepts exactly the values of a core schema.

    The members of unions may be in another order. Null may be a literal or a member of its own.
    """
    branches = _list_branches(core)
    members: list[Type] = [*node.members] if isinstance(node, Union) else [node]
    expected_values = [value for branch in branches for value in as_array(branch.get("enum"))]
    values = [value for member in members if isinstance(member, Choice) for value in member.values]
    if _NULL in members and None in expected_values:
        values.append(None)
        members.remove(_NULL)
    if _make_keys(values) != _make_keys(expected_values):
        return False
    branches = [branch for branch in branches if "enum" not in branch]
    members = [member for member in members if not isinstance(member, Choice)]
    if None in values and _NULL not in members:
        branches = [branch for branch in branches if branch != {"type": "null"}]
    # Each pair is compared once: comparing again in the other direction would double the work at every level.
    matches = [[_matches_branch(branch, member) for member in members] for branch in branches]
    every_branch = all(any(row) for row in matches)
    every_member = all(any(row[index] for row in matches) for index in range(len(members)))
    return every_branch and every_member


def _make_keys(values: list[Json] | list[str | int | bool | None]) -> set[tuple[type, object]]:
    """Return keys that are equal for equal literals; true is not 1."""
    return {(type(value), value) for value in values if isinstance(value, str | int | None)}


def _list_branches(core: Core) -> list[Core]:
    """Return the members of a union, or the schema itself."""
    members = core.get("anyOf")
    if not isinstance(members, list):
        return [core]
    return [branch for member in members if isinstance(member, dict) for branch in _list_branches(member)]


def _matches_branch(core: Core, node: Type) -> bool:
    match node:
        case Scalar(kind=kind, bounds=bounds):
            return "$ref" not in core and _get_scalar_kind(core) == kind and _has_bounds(core, bounds)
        case Ref(id=key):
            return core == make_reference(key)
        case Array(item=item, bounds=bounds):
            items = core.get("items")
            is_list = core.get("type") == "array" and "prefixItems" not in core
            return is_list and isinstance(items, dict) and _has_bounds(core, bounds) and matches_core(items, item)
        case FixedArray(items=items):
            prefix = as_array(core.get("prefixItems"))
            return len(prefix) == len(items) and all(
                matches_core(as_object(part), item) for part, item in zip(prefix, items, strict=True)
            )
        case Map(value=value):
            return core.get("type") == "object" and matches_core(as_object(core.get("additionalProperties")), value)
        case Choice() | Union():
            return False


def _get_scalar_kind(core: Core) -> Json:
    kind = core.get("format", core.get("type", "any"))
    return _KINDS.get(kind, kind) if isinstance(kind, str) else kind


def _has_bounds(core: Core, bounds: tuple[Bound, ...]) -> bool:
    return {BOUND_NAMES[keyword]: value for keyword, value in core.items() if keyword in BOUND_NAMES} == dict(bounds)
