"""Rules for new definitions: they break nobody, and complete the report."""

from __future__ import annotations

from mcpgen.compat.rules.rule import AdditionRule, Category
from mcpgen.diagnostics import Severity

ADDITION_RULES = (
    AdditionRule("tool-added", Category.ADDITIONS, "A tool is new.", "tool", severity=Severity.NOTE),
    AdditionRule(
        "resource-added", Category.ADDITIONS, "A resource or template is new.", "resource", severity=Severity.NOTE
    ),
    AdditionRule("prompt-added", Category.ADDITIONS, "A prompt is new.", "prompt", severity=Severity.NOTE),
)
