"""Drift between a server's listing and the definitions, under the protocol version of the listing."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from typing import Any

from mcpgen_runtime.core_schemas import ABSENT
from mcpgen_runtime.tool_contract import MOST_LISTED, Change, list_contract_changes

from mcpgen.diagnostics import Diagnostic, Severity, Span
from mcpgen.introspect.definition_drift import (
    DefinitionPair,
    list_declared,
    list_left_out,
    list_undeclared_outputs,
    pair_definitions,
    pair_instructions,
)
from mcpgen.introspect.validation import KEY_MEMBERS, AdvertisedDefinitions
from mcpgen.introspect.wording_changes import find_written, join_moved_texts, list_separate_wording
from mcpgen.read.definitions import Definitions
from mcpgen.read.foreign_definitions import SCHEMA_MEMBERS
from mcpgen.report.visible import escape_line, format_lines
from mcpgen.schema.keywords import SCHEMA_MAP_KEYWORDS
from mcpgen.schema.values import Json, follow_pointer, parse_pointer

_KIND_NAMES = {"tools": "tool", "resources": "resource", "resourceTemplates": "resource template", "prompts": "prompt"}
"""Singular of the definitions of each list."""
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
    """Check whether a pointer leads into a default, and not into a property of that name."""
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
    declared: dict[str, dict[str, Span]] = {member: {} for member in _KIND_NAMES}
    for item in list_declared(definitions):
        declared[item.member][item.key] = item.span
    for member, kind in _KIND_NAMES.items():
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
    counts = [(len(advertised.lists.get(member, [])), kind) for member, kind in _KIND_NAMES.items()]
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
