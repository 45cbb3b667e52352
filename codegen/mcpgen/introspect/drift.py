"""What a server advertises against what the definitions say it does, under the version that it was asked under."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mcpgen.diagnostics import Diagnostic, Severity, Span
from mcpgen.introspect.validation import KINDS, Advertised
from mcpgen.read.definitions import Definitions, ToolDefinition
from mcpgen.report.visible import visible
from mcpgen.schema.contract import contract, contract_text
from mcpgen.schema.result_wrapper import says_object, wrapped_schema
from mcpgen.schema.values import Json, canonical
from mcpgen.targets import NATURAL, STRUCTURED

MOST_LINES = 2_000
"""Lines of contracts that are compared line by line, which takes time by their square."""
BESIDE = ("title", "description", "annotations")
"""Members of a Tool that say something of it and promise nothing."""


@dataclass(frozen=True)
class Drift:
    """The differences: errors, each with the place of its definition; the changed contracts as unified diffs; notes."""

    found: tuple[Diagnostic, ...]
    diffs: tuple[str, ...]
    notes: tuple[Diagnostic, ...]


def drift(definitions: Definitions, advertised: Advertised, server: str) -> Drift:
    """Compare: every tool's contract, and which tools, resources and resource templates there are."""
    version = advertised.protocol
    declared = {one.name: one.span for one in definitions.tools}
    found = [*_presence("tool", declared, [str(tool["name"]) for tool in advertised.tools], server)]
    for member, key in (("resources", "uri"), ("resourceTemplates", "uriTemplate")):
        declared = {str(one.resource[key]): one.span for one in definitions.resources if key in one.resource}
        live = [str(one[key]) for one in advertised.lists[member]]
        word = "resource" if member == "resources" else "resource template"
        found += _presence(word, declared, live, server)
    diffs: list[str] = []
    notes: list[Diagnostic] = []
    live_tools = {tool["name"]: tool for tool in advertised.tools}
    for tool in definitions.tools:
        live_tool = live_tools.get(tool.name)
        if live_tool is None:
            continue
        wanted, seen = expected(tool, version), _comparable(live_tool, version)
        if contract_text(wanted) != contract_text(seen):
            found.append(_difference(f'tool "{tool.name}" is another on the server', tool.span))
            diffs.append(_diff(wanted, seen, tool, f"{server} ({version})"))
        different = [word for word in BESIDE if canonical(wanted.get(word)) != canonical(seen.get(word))]
        if different:
            text = f'tool "{tool.name}" has another {" and ".join(different)} on the server'
            notes.append(_difference(text, tool.span, Severity.NOTE))
    return Drift(tuple(found), tuple(diffs), tuple(notes))


def expected(tool: ToolDefinition, version: str) -> dict[str, Json]:
    """A Tool as a generated package advertises it under a version: natural, wrapped, or without outputSchema."""
    out = dict(tool.tool)
    wraps = version < NATURAL or tool.choices.wrap == "always"
    if tool.output is not None and wraps and not says_object(tool.output.value):
        out["outputSchema"] = wrapped_schema(tool.output.value, tool.output.dialect)
    return _comparable(out, version)


def _comparable(tool: dict[str, Json], version: str) -> dict[str, Json]:
    """A Tool without an outputSchema where the version knows none: an SDK that sends it nevertheless is no drift."""
    return tool if version >= STRUCTURED else {key: value for key, value in tool.items() if key != "outputSchema"}


def _presence(word: str, declared: Mapping[str, Span], live: list[str], server: str) -> Iterator[Diagnostic]:
    for name in sorted(declared.keys() - live):
        yield _difference(f'{word} "{name}" is missing on the server', declared[name])
    for name in sorted(set(live) - declared.keys()):
        yield _difference(f'{word} "{name}" is new on the server', Span(server))


def _difference(text: str, span: Span, severity: Severity = Severity.ERROR) -> Diagnostic:
    return Diagnostic("MG716", text, span, "", severity)


def _diff(wanted: dict[str, Json], found: dict[str, Json], tool: ToolDefinition, server: str) -> str:
    old, new = (json.dumps(contract(one), indent=2, sort_keys=True).splitlines() for one in (wanted, found))
    names = visible(f"{tool.origin}: {tool.name}"), visible(f"{server}: {tool.name}")
    small = max(len(old), len(new)) <= MOST_LINES
    lines = difflib.unified_diff(old, new, *names, lineterm="") if small else replaced(old, new, *names)
    return "".join(f"{line}\n" for line in lines)


def replaced(old: list[str], new: list[str], old_name: str, new_name: str) -> Iterator[str]:
    """A unified diff of one hunk, from the first line that differs to the last one, whatever is alike in between."""
    shorter = min(len(old), len(new))
    start = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    rest = shorter - start
    end = next((at for at in range(rest) if old[-1 - at] != new[-1 - at]), rest)
    gone, come = old[start : len(old) - end], new[start : len(new) - end]
    yield from (f"--- {old_name}", f"+++ {new_name}")
    yield f"@@ -{start + bool(gone)},{len(gone)} +{start + bool(come)},{len(come)} @@"
    yield from (f"-{line}" for line in gone)
    yield from (f"+{line}" for line in come)


def words_of(advertised: Advertised) -> str:
    """How many definitions of each kind there are, in words."""
    singular = {"tools": "tool", "resources": "resource", "resourceTemplates": "resource template"}
    counts = [(len(advertised.lists[member]), singular[member]) for member in KINDS if advertised.lists[member]]
    return ", ".join(f"{count} {word}" if count == 1 else f"{count} {word}s" for count, word in counts) or "nothing"
