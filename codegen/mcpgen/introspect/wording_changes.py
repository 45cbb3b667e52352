"""Changes of texts for models and people: those that neither a contract explains, nor another place of the text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mcpgen_runtime.core_schemas import ABSENT
from mcpgen_runtime.tool_contract import Change, list_wording, list_wording_changes

from mcpgen.read.foreign_definitions import SCHEMA_MEMBERS
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import (
    DEFINITION_KEYWORDS,
    DRAFT_2020_12,
    REFERENCE_KEYWORDS,
    detect_dialect,
    iterate_subschemas,
)
from mcpgen.schema.values import (
    Json,
    as_object,
    canonicalize,
    follow_pointer,
    format_pointer,
    has_pointer,
    parse_pointer,
)

MOST_PARTS = 20_000
"""Parts of a schema, repeated for each reference, that are looked at; in a larger one, no text counts as moved."""
Path = tuple[str, ...]
_REFERENCE_KEYWORDS = frozenset(REFERENCE_KEYWORDS[DRAFT_2020_12])


@dataclass(frozen=True)
class _Texts:
    """Where the texts of a definition's schemas are written, and at which parts references put them."""

    parts: Mapping[str, set[str]]
    """Pointer of a text → pointers that a reader reaches it at, without `$ref`s."""
    values: Mapping[str, set[str]]
    """Pointer that a reader reaches → the texts there, as canonical JSON."""

    def says(self, pointers: Collection[str], text: Json) -> bool:
        return bool(pointers) and all(canonicalize(text) in self.values.get(at, ()) for at in pointers)


def join_moved_texts(
    changes: Iterable[Change], old: dict[str, Json], new: dict[str, Json], contract: Sequence[Change] = ()
) -> list[Change]:
    """Return changes of wording without texts that only stand elsewhere; one that has changed as well is one change.

    What only stands in parts that are new or missing on the server, such as the title of a new property, comes with
    the change of the contract. Texts are at the pointers where they are written, contracts at those that a reader
    reaches.
    """
    changes = [*changes]
    if not changes:
        return []
    before, after = _collect_texts(old), _collect_texts(new)
    lone_parts = [change.pointer for change in contract if ABSENT in (change.before, change.after)]
    left = [
        change
        for change in changes
        if not (_is_same(change, before, after) or _is_in_parts(change, lone_parts, before, after))
    ]
    added = {at: change for change in left if change.before is ABSENT for at in after.parts.get(change.pointer, ())}
    joined: set[str] = set()
    result: list[Change] = []
    for change in left:
        places: Collection[str] = before.parts.get(change.pointer, ()) if change.after is ABSENT else ()
        other = next((added[at] for at in sorted(places) if at in added), None)
        if other is not None:
            joined.add(other.pointer)
            change = change._replace(after=other.after)
        result.append(change)
    return [change for change in result if change.before is not ABSENT or change.pointer not in joined]


def find_written(definition: dict[str, Json], pointer: str) -> str:
    """Return the pointer at which a definition has what a reader reaches at a pointer, perhaps behind a `$ref`."""
    for member in SCHEMA_MEMBERS:
        inner = pointer.removeprefix(f"/{member}")
        if not f"{pointer}/".startswith(f"/{member}/") or has_pointer(definition, pointer):
            continue
        index = SchemaIndex(definition.get(member), detect_dialect(definition.get(member)) or DRAFT_2020_12)
        around = [pair for pair in _list_parts(index) if f"{inner}/".startswith(f"{pair[1]}/")]
        nearest_first = sorted(around, key=lambda pair: len(pair[1]))[::-1]  # the target before its `$ref`
        found = [written + inner.removeprefix(reached) for written, reached in nearest_first]
        existing = [at for at in found if has_pointer(index.root, at)]
        return f"/{member}{(existing or found or [inner])[0]}"
    return pointer


def _is_same(change: Change, before: _Texts, after: _Texts) -> bool:
    old_is_kept = change.before is ABSENT or after.says(before.parts.get(change.pointer, ()), change.before)
    return old_is_kept and (change.after is ABSENT or before.says(after.parts.get(change.pointer, ()), change.after))


def _is_in_parts(change: Change, parts: Sequence[str], before: _Texts, after: _Texts) -> bool:
    if change.before is not ABSENT and change.after is not ABSENT:
        return False
    texts = after if change.before is ABSENT else before
    places = texts.parts.get(change.pointer, set())
    return bool(places) and all(any(place.startswith(f"{part}/") for part in parts) for place in places)


def _collect_texts(definition: dict[str, Json]) -> _Texts:
    wording = list_wording(definition)
    parts: dict[str, set[str]] = defaultdict(set)
    values: dict[str, set[str]] = defaultdict(set)
    for member in SCHEMA_MEMBERS:
        schema = definition.get(member)
        index = SchemaIndex(schema, detect_dialect(schema) or DRAFT_2020_12)
        texts: dict[str, list[str]] = defaultdict(list)
        for pointer in wording:
            if pointer.startswith(f"/{member}/"):
                texts[_find_owner(index, pointer.removeprefix(f"/{member}"))].append(pointer)
        for written, reached in _list_parts(index):
            for pointer in texts[written]:
                place = f"/{member}{reached}{pointer.removeprefix(f'/{member}{written}')}"
                parts[pointer].add(place)
                values[place].add(canonicalize(wording[pointer]))
    return _Texts(parts, values)


def _find_owner(index: SchemaIndex, pointer: str) -> str:
    while pointer not in index.bases:
        pointer = pointer.rpartition("/")[0]
    return pointer


def _list_parts(index: SchemaIndex) -> list[tuple[str, str]]:
    """Return where parts are written and reached, at each `$ref` but not inside of itself; none of too many."""
    parts: list[tuple[str, str]] = []
    stack: list[tuple[str, str, frozenset[str]]] = [("", "", frozenset())]
    while stack:
        written, reached, inside = stack.pop()
        parts.append((written, reached))
        if len(parts) > MOST_PARTS:
            return []
        schema = as_object(follow_pointer(index.root, parse_pointer(written)))
        reference = schema.get("$ref")
        target = index.find_target(written, reference) if isinstance(reference, str) else None
        if target is not None and target not in inside:
            stack.append((format_pointer(*parse_pointer(target)), reached, inside | {target}))
        for path, _ in iterate_subschemas(schema, index.dialect):
            if path[0] not in DEFINITION_KEYWORDS:
                step = format_pointer(*path)
                stack.append((written + step, reached + step, inside))
    return parts


def list_separate_wording(
    old: dict[str, Json], new: dict[str, Json], contract_changes: Sequence[Change]
) -> tuple[list[Change], list[Change]]:
    """Return changes of wording that do not come with those of the contract, and the lone `$defs` that do."""
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
    while pointer:
        yield pointer
        pointer = pointer.rpartition("/")[0]


def _find_lone_definitions(
    definition: dict[str, Json], other: dict[str, Json], targets: set[str], *, is_new: bool
) -> Iterator[Change]:
    used = {prefix for target in targets for prefix in _iterate_prefixes(target)}
    for member in SCHEMA_MEMBERS:
        schema, others = as_object(definition.get(member)), as_object(other.get(member))
        for key in sorted(DEFINITION_KEYWORDS & schema.keys()):
            for name in sorted(as_object(schema[key]).keys() - as_object(others.get(key)).keys()):
                pointer, value = format_pointer(member, key, name), as_object(schema[key])[name]
                if pointer not in used:
                    yield Change(pointer, ABSENT, value) if is_new else Change(pointer, value, ABSENT)


def _list_targets(definition: dict[str, Json], changed: set[str]) -> set[str]:
    """Return the pointers to which references lead that can be reached without going through a changed part."""
    targets: set[str] = set()
    for member in SCHEMA_MEMBERS:
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
    """Return where references may lead: those that cannot be followed, to every definition and every anchor."""
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
