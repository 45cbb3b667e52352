"""Rules for a tool's annotations: what clients allow without asking."""

from __future__ import annotations

from mcpgen.compat.registry import Category, Found, Pair, rule
from mcpgen.diagnostics import Severity
from mcpgen.read.definitions import ToolDefinition


@rule("tool-no-longer-read-only", Category.ANNOTATIONS, Pair)
def no_longer_read_only(pair: Pair) -> Found | None:
    """A tool may now change something: clients that let it run unasked did so because it could not."""
    return _lost(pair, "readOnlyHint", True, False, "was read-only, may now change something")


@rule("tool-became-destructive", Category.ANNOTATIONS, Pair)
def became_destructive(pair: Pair) -> Found | None:
    """A tool may now destroy something."""
    if _hint(pair.new, "readOnlyHint", False):
        return None
    return _lost(pair, "destructiveHint", False, True, "only added, may now overwrite or remove something")


@rule("tool-no-longer-idempotent", Category.ANNOTATIONS, Pair)
def no_longer_idempotent(pair: Pair) -> Found | None:
    """Calling a tool again may now do something again: clients repeated calls because it did not."""
    if _hint(pair.new, "readOnlyHint", False):
        return None
    return _lost(pair, "idempotentHint", True, False, "could be repeated without effect, no longer can")


@rule("tool-became-open-world", Category.ANNOTATIONS, Pair, Severity.WARNING)
def became_open_world(pair: Pair) -> Found | None:
    """A tool may now reach out to what nobody controls, such as the web."""
    return _lost(pair, "openWorldHint", False, True, "kept to a closed domain, may now reach beyond it")


def _lost(pair: Pair, hint: str, promised: bool, default: bool, text: str) -> Found | None:
    """What a rule says where the old definition promised something and the new one no longer does."""
    if pair.old is None or pair.new is None:
        return None
    if _hint(pair.old, hint, default) is not promised or _hint(pair.new, hint, default) is promised:
        return None
    return Found(text, f"/annotations/{hint}", f'keep `"{hint}": {str(promised).lower()}`, or make it another tool')


def _hint(tool: ToolDefinition | None, hint: str, default: bool) -> bool:
    annotations = None if tool is None else tool.tool.get("annotations")
    value = annotations.get(hint) if isinstance(annotations, dict) else None
    return value if isinstance(value, bool) else default
