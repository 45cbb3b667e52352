"""Drift between a server's listing and the definitions, under the protocol version of the listing."""

from __future__ import annotations

import difflib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from typing import Any

from mcpgen_runtime.core_schemas import ABSENT
from mcpgen_runtime.tool_contract import MOST_LISTED, Change, list_contract_changes, list_wording, list_wording_changes

from mcpgen.diagnostics import Diagnostic, Severity, Span
from mcpgen.introspect.definition_drift import (
    DefinitionPair,
    list_declared,
    list_left_out,
    list_undeclared_outputs,
    pair_definitions,
    pair_instructions,
)
from mcpgen.introspect.validation import KEY_MEMBERS, LIST_TITLES, AdvertisedDefinitions
from mcpgen.read.definitions import Definitions
from mcpgen.read.foreign_definitions import SCHEMA_MEMBERS
from mcpgen.report.visible import escape_line, format_lines
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import (
    DEFINITION_KEYWORDS,
    DRAFT_2020_12,
    REFERENCE_KEYWORDS,
    SCHEMA_MAP_KEYWORDS,
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

MOST_CHANGES = 10
"""Changes of one definition that are reported apart; the others are counted."""
MOST_NOTES = 5
"""Texts of one definition that are noted apart where they do not count."""
CONTRACT_CODE = "MG716"
WORDING_CODE = "MG717"
MOST_DIFFED_LINES = 2_000
"""Lines of a value up to which a minimal diff is computed, which takes quadratic time."""
LONGEST_WHOLE_VALUE = 100
"""Characters of JSON up to which `describe_change` shows a value whole."""


@dataclass(frozen=True)
class DefinitionDrift:
    """What differs in one definition that both sides have."""

    pair: DefinitionPair
    contract: Sequence[Change]
    """Changes that programs notice."""
    wording: Sequence[Change]
    """Changes that models and people notice."""
    companions: Sequence[Change]
    """Members of `$defs` that come with a change of the contract; they are shown, but not reported."""

    @property
    def has_only_other_defaults(self) -> bool:
        """Whether nothing has changed but defaults of arguments and results."""
        return not self.contract and all(_is_default(change.pointer) for change in self.wording)

    def render_diff(self, server: str, *, only_long: bool = False) -> str:
        """Return the changes as a diff; with `only_long`, perhaps empty, without what a diagnostic shows whole."""
        changes = [*map(self._restore, self.contract), *self.companions, *self.wording]
        if only_long:
            reported = {change.pointer for change in (*self.contract[:MOST_CHANGES], *self.wording[:MOST_CHANGES])}
            changes = [change for change in changes if is_long(change) or change.pointer not in reported]
        return render_diff(self.pair.label, changes, self.pair.file, server) if changes else ""

    def make_diagnostics(self, severity: Severity) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each change; those of the wording have the given severity."""
        yield from _report(CONTRACT_CODE, self.pair, self.contract, Severity.ERROR, MOST_CHANGES)
        most = MOST_NOTES if severity is Severity.NOTE else MOST_CHANGES
        yield from _report(WORDING_CODE, self.pair, self.wording, severity, most)

    def describe(self) -> list[Json]:
        """Return the changes for the JSON document; a side without a value has no member."""
        return [
            {"definition": self.pair.label, "pointer": change.pointer, "code": code, **_describe_sides(change)}
            for code, changes in ((CONTRACT_CODE, self.contract), (WORDING_CODE, self.wording))
            for change in changes
        ]

    def _restore(self, change: Change) -> Change:
        """Return a change with the values from before contracts were made, which have titles and descriptions."""
        before = _find_value(self.pair.declared, change.pointer, change.before)
        after = _find_value(self.pair.advertised, change.pointer, change.after)
        return change._replace(before=before, after=after)


def _describe_sides(change: Change) -> dict[str, Json]:
    sides: dict[str, Json] = {"declared": change.before, "advertised": change.after}
    return {name: value for name, value in sides.items() if value is not ABSENT}


def _is_default(pointer: str) -> bool:
    tokens = parse_pointer(pointer)
    is_in_default = any(token == "default" and outer not in SCHEMA_MAP_KEYWORDS for outer, token in pairwise(tokens))
    return is_in_default and tokens[0] in SCHEMA_MEMBERS


def _find_value(definition: dict[str, Json], pointer: str, default: Json) -> Json:
    """Return the value at a pointer of a definition if that is a schema as it stands in the contract, too."""
    if not isinstance(default, dict):
        return default
    try:
        return follow_pointer(definition, parse_pointer(find_written(definition, pointer)))
    except KeyError:  # it is written in another way
        return default


@dataclass(frozen=True)
class Drift:
    """Differences between a server and the definitions."""

    missing: tuple[Diagnostic, ...]
    new: tuple[Diagnostic, ...]
    changed: tuple[DefinitionDrift, ...]
    undeclared_outputs: tuple[str, ...]
    """Tools whose outputSchema only the settings have, so that it was not compared."""
    severity: Severity
    """How bad wording that has changed is."""
    doubled: tuple[Diagnostic, ...] = ()
    """Handlers that also have the SDK's decorator, so that they are not checked."""

    @cached_property
    def diagnostics(self) -> list[Diagnostic]:
        """All of it, as errors, and as notes where only wording has changed and does not count."""
        changed = [item for drift in self.changed for item in drift.make_diagnostics(self.severity)]
        return [*self.missing, *self.new, *changed, *self.doubled]

    @cached_property
    def is_failure(self) -> bool:
        """Whether anything differs that counts, or a handler is not checked."""
        return any(item.severity is Severity.ERROR for item in self.diagnostics)

    def summarize(self) -> str:
        """Return how many definitions differ, as in "1 changed, 2 missing"; empty if none does."""
        worded = [drift for drift in self.changed if not drift.contract]
        with_other_default = sum(drift.has_only_other_defaults for drift in worded)
        counts = {
            "changed": len(self.changed) - len(worded),
            "missing": len(self.missing),
            "new": len(self.new),
            "described differently": len(worded) - with_other_default,
            f"with {'another default' if with_other_default == 1 else 'other defaults'}": with_other_default,
            "with two decorators": len(self.doubled),
        }
        return ", ".join(f"{count} {words}" for words, count in counts.items() if count)


def find_drift(
    definitions: Definitions,
    advertised: AdvertisedDefinitions,
    place: Span,
    *,
    strict: bool = False,
    unchecked: Mapping[str, Sequence[str]] | None = None,
) -> Drift:
    """Compare definitions but for `unchecked` parts; new ones are at `place`, and `strict` makes wording an error."""
    severity = Severity.ERROR if strict else Severity.NOTE
    missing, new = _compare_lists(definitions, advertised, place)
    pairs = [*pair_definitions(definitions, advertised), *pair_instructions(definitions, advertised, place)]
    ignored = {f'tool "{name}"': pointers for name, pointers in (unchecked or {}).items()}
    changed = [drift for pair in pairs if (drift := _compare_pair(pair, ignored.get(pair.label, ())))]
    undeclared = list_undeclared_outputs(definitions, advertised)
    doubled = (sentence.rpartition(". ") for sentence in advertised.doubled)
    errors = tuple(_make_error(message, place, help[:1].lower() + help[1:]) for message, _, help in doubled)
    return Drift(tuple(missing), tuple(new), tuple(changed), undeclared, severity, errors)


def _compare_pair(pair: DefinitionPair, unchecked: Sequence[str]) -> DefinitionDrift | None:
    contract = list_contract_changes(pair.old_contract, pair.new_contract)
    wording, companions = list_separate_wording(pair.declared, pair.advertised, contract)
    wording = join_moved_texts(wording, pair.declared, pair.advertised, contract)
    contract = [change for change in _join_written(pair, contract) if not _is_inside(pair, change, unchecked)]
    wording = [change for change in wording if not _is_inside(pair, change, unchecked)]
    return DefinitionDrift(pair, contract, wording, companions) if contract or wording else None


def _is_inside(pair: DefinitionPair, change: Change, pointers: Sequence[str]) -> bool:
    """Check whether a change is at one of some pointers or below, as they are written or as a reader reaches them."""
    places = (change.pointer, find_written(pair.declared, change.pointer)) if pointers else ()
    return any(f"{place}/".startswith(f"{pointer}/") for place in places for pointer in pointers)


def _join_written(pair: DefinitionPair, changes: Iterable[Change]) -> list[Change]:
    """Return changes at the pointers where both sides have written them; of a shared definition, each change once."""
    joined: dict[str, Change] = {}
    for change in changes:
        written, elsewhere = (find_written(side, change.pointer) for side in (pair.declared, pair.advertised))
        if written == elsewhere and joined.get(written, change) in (change, change._replace(pointer=written)):
            change = change._replace(pointer=written)
        joined[change.pointer] = change
    return [joined[pointer] for pointer in sorted(joined)]


def _report(
    code: str, pair: DefinitionPair, changes: Sequence[Change], severity: Severity, most: int
) -> Iterator[Diagnostic]:
    for change in changes[:most]:
        message = f"{pair.label}: {describe_change(change)}"
        yield Diagnostic(code, message, _locate(pair, change), "", severity)
    if rest := changes[most:]:
        message = f"{pair.label}: {len(rest)} more differences"
        if severity is Severity.NOTE:
            differ = "text differs" if len(rest) == 1 else "texts differ"
            message = f"{pair.label}: {len(rest)} more {differ} (--strict names all)"
        yield Diagnostic(code, message, _locate(pair, rest[0]), "", severity)


def _locate(pair: DefinitionPair, change: Change) -> Span:
    return pair.locate(find_written(pair.declared, change.pointer))


def _compare_lists(
    definitions: Definitions, advertised: AdvertisedDefinitions, place: Span
) -> tuple[list[Diagnostic], list[Diagnostic]]:
    missing, new = list[Diagnostic](), list[Diagnostic]()
    declared: dict[str, dict[str, Span]] = {member: {} for member in LIST_TITLES}
    for item in list_declared(definitions):
        declared[item.member][item.key] = item.span
    for member, kind in LIST_TITLES.items():
        spans = declared[member]
        names = {str(definition[KEY_MEMBERS[member]]) for definition in advertised.lists.get(member, [])}
        for name in sorted(spans.keys() - names):
            missing.append(_make_error(f'{kind} "{name}" is missing on the server', spans[name]))
        for name in sorted(names - spans.keys() - list_left_out(definitions, member)):
            new.append(_make_error(f'{kind} "{name}" is new on the server', place))
    return missing, new


def _make_error(message: str, span: Span, help: str = "") -> Diagnostic:
    return Diagnostic(CONTRACT_CODE, message, span, help, Severity.ERROR)


def describe_counts(advertised: AdvertisedDefinitions) -> str:
    """Describe how many definitions of each kind there are, as in "2 tools, 1 resource"."""
    counts = [(len(advertised.lists.get(member, [])), kind) for member, kind in LIST_TITLES.items()]
    return ", ".join(f"{count} {kind}{'s' * (count != 1)}" for count, kind in counts if count) or "nothing"


def describe_change(change: Change) -> str:
    """Return a change in one line of visible characters, in the words of generated clients."""
    if change.pointer.startswith("/arguments/") and ABSENT in (change.before, change.after):  # of a prompt
        is_new = change.before is ABSENT
        said = f"new on the server, and {change.after}" if is_new else "missing on the server"
        return escape_line(f"{change.pointer} is {said}")
    return escape_line(str(change))


def is_long(change: Change) -> bool:
    """Tell whether `describe_change` cuts a side of a change, or does not name all values that differ."""
    values = change.compare_lists()
    if any(values):
        return any(len(side) > MOST_LISTED or max(map(len, side)) > LONGEST_WHOLE_VALUE for side in values if side)
    sides = [_split_value(side) for side in (change.before, change.after)]
    return any(len(lines) > 1 or len(line) > LONGEST_WHOLE_VALUE for lines in sides for line in lines)


def render_diff(label: str, changes: Sequence[Change], old_name: str, new_name: str) -> str:
    """Return the changes of one definition as a diff, with a JSON pointer in the place of line numbers."""
    lines = [f"--- {old_name}: {label}", f"+++ {new_name}: {label}"]
    for change in sorted(changes, key=lambda change: change.pointer):
        lines += [f"@@ {change.pointer} @@", *_diff_lines(_split_value(change.before), _split_value(change.after))]
    return format_lines(lines)


def _split_value(value: Any) -> list[str]:
    """Return the lines of a value: of a text as it is, of others as JSON, with a line for each value of a long list."""
    if value is ABSENT:
        return []
    if isinstance(value, str) and "\n" in value:
        return value.split("\n")
    line = json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict) or (isinstance(value, list) and len(line) > LONGEST_WHOLE_VALUE):
        return json.dumps(value, ensure_ascii=False, indent=2).split("\n")
    return [line]


def _diff_lines(old: list[str], new: list[str]) -> Iterator[str]:
    """Yield the lines of two values with their signs; lines that both have are left out if they are far away."""
    if max(len(old), len(new)) > MOST_DIFFED_LINES:
        yield from (f"-{line}" for line in old)
        yield from (f"+{line}" for line in new)
        return
    for number, line in enumerate(islice(difflib.unified_diff(old, new, n=2, lineterm=""), 2, None)):
        if not line.startswith("@@"):
            yield line
        elif number:
            yield " …"


# --- wording ----------------------------------------------------------------------------------------------------------
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
