"""Notes about tools that are valid, but that clients in use cannot call or read."""

from __future__ import annotations

from mcpgen.diagnostics import Findings
from mcpgen.read.context import DefinitionSite
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12, walk_subschemas
from mcpgen.schema.values import Json


def note_required_tasks(name: str, tool: dict[str, Json], site: DefinitionSite, findings: Findings) -> None:
    """Report a tool that can only be called as a task; `site` is the place of the Tool."""
    execution = tool.get("execution")
    if isinstance(execution, dict) and execution.get("taskSupport") == "required":
        findings.note(
            "MG111",
            f'tool "{name}" can only be called as a task, which few clients do, and not the typed client',
            site.make_span("/execution/taskSupport"),
            '"taskSupport": "optional" lets all others call it, too',
        )


def note_closed_tuple(name: str, output: Schema, site: DefinitionSite, findings: Findings) -> None:
    """Report the first array of a fixed length: validators of draft-07 read its `items: false` as "no items"."""
    if output.dialect != DRAFT_2020_12:
        return
    closed = [
        pointer
        for pointer, schema in walk_subschemas(output.value, output.dialect)
        if isinstance(schema, dict) and schema.get("prefixItems") and schema.get("items") is False
    ]
    if closed:
        findings.note(
            "MG111",
            f'tool "{name}": clients on the TypeScript SDK 1.x, and the Inspector, refuse each result with items here: '
            "their validator does not know prefixItems, and items is false",
            site.make_span(f"{min(closed)}/items"),
            "say the length in another way, which they accept: maxItems in place of items",
        )
