"""Changes of wording that do not come with a change of the contract."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcpgen_runtime.core_schemas import ABSENT
from mcpgen_runtime.tool_contract import Change, list_wording_changes

from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import (
    DEFINITION_KEYWORDS,
    DRAFT_2020_12,
    REFERENCE_KEYWORDS,
    detect_dialect,
)
from mcpgen.schema.values import Json, as_object, follow_pointer, format_pointer, parse_pointer

Path = tuple[str, ...]
_SCHEMA_MEMBERS = ("inputSchema", "outputSchema")
_REFERENCE_KEYWORDS = frozenset(REFERENCE_KEYWORDS[DRAFT_2020_12])


def list_separate_wording(
    old: dict[str, Json], new: dict[str, Json], contract_changes: Sequence[Change]
) -> tuple[list[Change], list[Change]]:
    """Return the changes of what two definitions in wire form say that do not come with a change of the contract.

    The title of a new property comes with it, and so does a whole new member of `$defs` that only the property uses.
    What an unchanged part refers to comes with nothing: its text is new for a part that models know.

    Returns:
        The changes of wording, and the members of `$defs` that come with a change of the contract.
    """
    wording = list_wording_changes(old, new)
    if not contract_changes:
        return wording, []
    changed = {change.pointer for change in contract_changes}
    old_targets, new_targets = _list_targets(old, changed), _list_targets(new, changed)
    companions = [
        *_find_lone_definitions(old, new, old_targets, is_new=False),
        *_find_lone_definitions(new, old, new_targets, is_new=True),
    ]
    parts = {change.pointer for change in (*contract_changes, *companions)}
    targets = old_targets | new_targets
    return [change for change in wording if not _comes_with_part(change.pointer, parts, targets)], companions


def _comes_with_part(pointer: str, parts: set[str], targets: set[str]) -> bool:
    """Check whether a pointer is in one of some parts, and not in a target of a reference inside the part."""
    for outer in _iterate_prefixes(pointer):
        if outer in targets or outer in parts:
            return outer not in targets
    return False


def _iterate_prefixes(pointer: str) -> Iterator[str]:
    """Yield a pointer and those of everything around it, except for the whole."""
    while pointer:
        yield pointer
        pointer = pointer.rpartition("/")[0]


def _find_lone_definitions(
    definition: dict[str, Json], other: dict[str, Json], targets: set[str], *, is_new: bool
) -> Iterator[Change]:
    """Yield the members of `$defs` that only this definition has, and that nothing outside of the changes uses."""
    used = {prefix for target in targets for prefix in _iterate_prefixes(target)}
    for member in _SCHEMA_MEMBERS:
        schema, others = as_object(definition.get(member)), as_object(other.get(member))
        for key in sorted(DEFINITION_KEYWORDS & schema.keys()):
            for name in sorted(as_object(schema[key]).keys() - as_object(others.get(key)).keys()):
                pointer, value = format_pointer(member, key, name), as_object(schema[key])[name]
                if pointer not in used:
                    yield Change(pointer, ABSENT, value) if is_new else Change(pointer, value, ABSENT)


def _list_targets(definition: dict[str, Json], changed: set[str]) -> set[str]:
    """Return the pointers to which references lead that can be reached without going through a changed part."""
    targets: set[str] = set()
    for member in _SCHEMA_MEMBERS:
        schema = definition.get(member)
        index = SchemaIndex(schema, detect_dialect(schema) or DRAFT_2020_12)
        followed = {""}  # the root is not a part of anything
        stack: list[tuple[Json, Path, str]] = [(schema, (member,), "")]
        while stack:
            value, path, at = stack.pop()
            if changed & {format_pointer(*path), f"/{member}{at}"}:
                continue
            for target in _follow_references(index, value, at) - followed:
                followed.add(target)
                stack.append((follow_pointer(schema, parse_pointer(target)), path, target))
            members = enumerate(value) if isinstance(value, list) else as_object(value).items()
            stack += [
                (inner, (*path, str(key)), at + format_pointer(key))
                for key, inner in members
                if at or key not in DEFINITION_KEYWORDS  # deeper, that may be the name of a property
            ]
        targets.update(f"/{member}{target}" for target in followed if target)
    return targets


def _follow_references(index: SchemaIndex, value: Json, at: str) -> set[str]:
    """Return the pointers to which the references of a value may lead.

    A dynamic reference, or one that cannot be followed, may lead to every definition and every anchor.
    """
    targets: set[str] = set()
    for keyword in _REFERENCE_KEYWORDS & as_object(value).keys():
        reference = as_object(value)[keyword]
        if not isinstance(reference, str):
            continue
        target = index.find_target(at, reference) if keyword == "$ref" else None
        if target is None:
            root = as_object(index.root)
            targets.update(
                format_pointer(key, name) for key in DEFINITION_KEYWORDS for name in as_object(root.get(key))
            )
            targets.update(index.anchors.values())
        else:
            targets.add(format_pointer(*parse_pointer(target)))
    return targets
