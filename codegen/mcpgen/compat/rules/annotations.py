"""Rules for a tool's annotations: what clients allow without asking."""

from __future__ import annotations

from mcpgen.compat.registry import Category, RuleMatch, ToolPair, rule
from mcpgen.diagnostics import Severity
from mcpgen.read.definitions import ToolDefinition


@rule("tool-no-longer-read-only", Category.ANNOTATIONS, ToolPair)
def check_tool_no_longer_read_only(pair: ToolPair) -> RuleMatch | None:
    """A tool may now change something: clients that let it run unasked did so because it could not."""
    return _check_promise(pair, "readOnlyHint", True, False, "was read-only, may now change something")


@rule("tool-became-destructive", Category.ANNOTATIONS, ToolPair)
def check_tool_became_destructive(pair: ToolPair) -> RuleMatch | None:
    """A tool may now destroy something."""
    if _get_hint(pair.new, "readOnlyHint", False):
        return None
    return _check_promise(pair, "destructiveHint", False, True, "only added, may now overwrite or remove something")


@rule("tool-no-longer-idempotent", Category.ANNOTATIONS, ToolPair)
def check_tool_no_longer_idempotent(pair: ToolPair) -> RuleMatch | None:
    """Calling a tool again may now do something again: clients repeated calls because it did not."""
    if _get_hint(pair.new, "readOnlyHint", False):
        return None
    return _check_promise(pair, "idempotentHint", True, False, "could be repeated without effect, no longer can")


@rule("tool-became-open-world", Category.ANNOTATIONS, ToolPair, Severity.WARNING)
def check_tool_became_open_world(pair: ToolPair) -> RuleMatch | None:
    """A tool may now reach out to what nobody controls, such as the web."""
    return _check_promise(pair, "openWorldHint", False, True, "kept to a closed domain, may now reach beyond it")


def _check_promise(pair: ToolPair, hint: str, promised: bool, default: bool, text: str) -> RuleMatch | None:
    """What a rule says where the old definition promised something and the new one no longer does."""
    if pair.old is None or pair.new is None:
        return None
    if _get_hint(pair.old, hint, default) is not promised or _get_hint(pair.new, hint, default) is promised:
        return None
    return RuleMatch(text, f"/annotations/{hint}", f'keep `"{hint}": {str(promised).lower()}`, or make it another tool')


def _get_hint(tool: ToolDefinition | None, hint: str, default: bool) -> bool:
    annotations = None if tool is None else tool.tool.get("annotations")
    value = annotations.get(hint) if isinstance(annotations, dict) else None
    return value if isinstance(value, bool) else default
