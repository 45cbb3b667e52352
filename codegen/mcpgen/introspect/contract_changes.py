"""Changes between a definition and what a server advertises, each at a JSON pointer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from mcpgen.schema.keywords import DEFINITION_KEYWORDS
from mcpgen.schema.shipped_code import load_runtime_module
from mcpgen.schema.values import Json, as_object, follow_pointer, format_pointer, parse_pointer
from mcpgen.schema.wording import list_wording_changes

Path = tuple[str, ...]
_SCHEMA_MEMBERS = ("inputSchema", "outputSchema")


@dataclass(frozen=True)
class Change:
    """A part of a definition that a server advertises differently."""

    pointer: str
    """JSON pointer into the definition."""
    before: Json
    """The value of the definition; None if it has none."""
    after: Json
    """The value on the server; None if it has none."""
    is_required: bool = False
    """Whether it is a property that only one side has, and that side requires it."""

    def covers(self, pointer: str) -> bool:
        """Check whether a pointer leads into the part that has changed."""
        return f"{pointer}/".startswith(f"{self.pointer}/")


def list_contract_changes(old: dict[str, Json], new: dict[str, Json]) -> list[Change]:
    """Return the differences of two contracts in canonical form, sorted by JSON pointer, as generated clients do."""
    found = load_runtime_module("contract_changes").list_contract_changes(old, new)
    return [Change(*change) for change in found]


# --- wording ---------------------------------------------------------------------------------------------------------
def list_separate_wording(
    old: dict[str, Json], new: dict[str, Json], contract_changes: Sequence[Change]
) -> tuple[list[Change], list[Change]]:
    """Return the changes of what two definitions in wire form say that do not come with a change of the contract.

    The title of a new property comes with it, and so does a whole new member of `$defs` that only the property uses.

    Returns:
        The changes of wording, and the members of `$defs` that come with a change of the contract.
    """
    wording = [Change(change.pointer, change.before, change.after) for change in list_wording_changes(old, new)]
    separate = [change for change in wording if not any(other.covers(change.pointer) for other in contract_changes)]
    companions = [
        *_find_lone_definitions(old, new, contract_changes, is_new=False),
        *_find_lone_definitions(new, old, contract_changes, is_new=True),
    ]
    return [change for change in separate if not any(lone.covers(change.pointer) for lone in companions)], companions


def _find_lone_definitions(
    definition: dict[str, Json], other: dict[str, Json], contract_changes: Sequence[Change], *, is_new: bool
) -> Iterator[Change]:
    """Yield the members of `$defs` that only this definition has, and that nothing outside of the changes uses."""
    for member in _SCHEMA_MEMBERS:
        schema, others = as_object(definition.get(member)), as_object(other.get(member))
        used: set[str] | None = None
        for key in sorted(DEFINITION_KEYWORDS & schema.keys()):
            for name in sorted(as_object(schema[key]).keys() - as_object(others.get(key)).keys()):
                used = _list_used_references(schema, member, contract_changes) if used is None else used
                if contract_changes and f"#{format_pointer(key, name)}" not in used:
                    value = as_object(schema[key])[name]
                    sides = (None, value) if is_new else (value, None)
                    yield Change(format_pointer(member, key, name), *sides)


def _list_used_references(schema: dict[str, Json], member: str, contract_changes: Sequence[Change]) -> set[str]:
    """Return the references of a schema that can be reached without going through a changed part."""
    changed = {change.pointer for change in contract_changes}
    used: set[str] = set()
    stack: list[tuple[Json, Path]] = [(schema, (member,))]
    while stack:
        value, path = stack.pop()
        if format_pointer(*path) in changed:
            continue
        if isinstance(value, list):
            stack.extend((item, (*path, str(index))) for index, item in enumerate(value))
        elif isinstance(value, dict):
            reference = value.get("$ref")
            if isinstance(reference, str) and reference not in used:
                used.add(reference)
                stack.append((_resolve(schema, reference), path))
            stack.extend((item, (*path, key)) for key, item in value.items() if key not in DEFINITION_KEYWORDS)
    return used


def _resolve(schema: Json, reference: str) -> Json:
    """Return what a reference such as `#/$defs/Day` points to; None for another kind."""
    try:
        return follow_pointer(schema, parse_pointer(unquote(reference.removeprefix("#"))))
    except (KeyError, ValueError):
        return None
