"""What a server advertises against what the definitions say it does, under the version that it was asked under."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from dataclasses import dataclass

from mcpgen.contract import contract, contract_text
from mcpgen.json_types import Json, canonical
from mcpgen.live.checked import KINDS, Advertised
from mcpgen.read.definitions import Definitions, ToolDefinition
from mcpgen.read.wrap import says_object, wrapped_schema

STRUCTURED = "2025-06-18"
"""The version from which on results have structured content, and tools an outputSchema."""
NATURAL = "2026-07-28"
"""The version from which on a result may be any JSON value."""
BESIDE = ("title", "description", "annotations")
"""Members of a Tool that say something of it and promise nothing."""


@dataclass(frozen=True)
class Drift:
    """The differences: lines that each name one, the changed contracts as unified diffs, and what is merely noted."""

    lines: tuple[str, ...]
    diffs: tuple[str, ...]
    notes: tuple[str, ...]


def drift(definitions: Definitions, advertised: Advertised, server: str) -> Drift:
    """Compare: every tool's contract, and which tools, resources and resource templates there are."""
    version = advertised.protocol
    lines = list(_presence("tool", [one.name for one in definitions.tools], [str(t["name"]) for t in advertised.tools]))
    for member, key in (("resources", "uri"), ("resourceTemplates", "uriTemplate")):
        declared = [str(one.resource[key]) for one in definitions.resources if key in one.resource]
        live = [str(one[key]) for one in advertised.lists[member]]
        word = "resource" if member == "resources" else "resource template"
        lines += _presence(word, declared, live)
    diffs: list[str] = []
    notes: list[str] = []
    live_tools = {tool["name"]: tool for tool in advertised.tools}
    for tool in definitions.tools:
        live_tool = live_tools.get(tool.name)
        if live_tool is None:
            continue
        wanted, found = expected(tool, version), _comparable(live_tool, version)
        if contract_text(wanted) != contract_text(found):
            lines.append(f"changed: tool {tool.name}")
            diffs.append(_diff(wanted, found, tool, f"{server} ({version})"))
        different = [word for word in BESIDE if canonical(wanted.get(word)) != canonical(found.get(word))]
        if different:
            notes.append(f"note: tool {tool.name} has another {' and '.join(different)}")
    return Drift(tuple(sorted(lines)), tuple(diffs), tuple(notes))


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


def _presence(word: str, declared: list[str], live: list[str]) -> Iterator[str]:
    yield from (f"missing: {word} {name}" for name in sorted(set(declared) - set(live)))
    yield from (f"new: {word} {name}" for name in sorted(set(live) - set(declared)))


def _diff(wanted: dict[str, Json], found: dict[str, Json], tool: ToolDefinition, server: str) -> str:
    old, new = (json.dumps(contract(one), indent=2, sort_keys=True).splitlines() for one in (wanted, found))
    lines = difflib.unified_diff(old, new, f"{tool.origin}: {tool.name}", f"{server}: {tool.name}", lineterm="")
    return "".join(f"{line}\n" for line in lines)


def words_of(advertised: Advertised) -> str:
    """How many definitions of each kind there are, in words."""
    singular = {"tools": "tool", "resources": "resource", "resourceTemplates": "resource template"}
    counts = [(len(advertised.lists[member]), singular[member]) for member in KINDS if advertised.lists[member]]
    return ", ".join(f"{count} {word}" if count == 1 else f"{count} {word}s" for count, word in counts) or "nothing"
