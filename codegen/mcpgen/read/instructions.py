"""Find the instructions of a server, beside the lists of its definitions."""

from __future__ import annotations

from mcpgen.read.document import SourceDocument
from mcpgen.read.recognition import DEFINITION_LISTS


def find_instructions(document: SourceDocument) -> list[str]:
    """Return the `instructions` of a document with lists of definitions, none if it has none."""
    value = document.value
    if not isinstance(value, dict) or not any(isinstance(value.get(member), list) for member in DEFINITION_LISTS):
        return []
    instructions = value.get("instructions")
    return [instructions] if isinstance(instructions, str) and instructions.strip() else []
