"""Rules for tools as a whole: their presence, their name, and whether programs can read their results."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.compat.rules.rule import Category, RuleMatch, ToolPair, ToolRule
from mcpgen.read.definitions import ToolDefinition
from mcpgen.schema.values import as_object
from mcpgen.targets import OBJECT_RESULT_PROTOCOLS


def _find_new_name(pair: ToolPair) -> Iterator[RuleMatch]:
    if pair.new is not None and pair.old.name != pair.new.name:
        help = f'keep "{pair.old.name}" as well for a while, with the same schemas'
        client_help = f'call it by its new name: calls of "{pair.old.name}" fail'
        yield RuleMatch(f'is called "{pair.new.name}" now', "/name", help, client_help)


def _find_removal(pair: ToolPair) -> Iterator[RuleMatch]:
    if pair.new is None:
        yield RuleMatch("was removed", "", "keep it for as long as it is called", "calls of it fail: take them out")


def _find_removed_output_schema(pair: ToolPair) -> Iterator[RuleMatch]:
    if pair.new is not None and pair.old.output is not None and pair.new.output is None:
        yield RuleMatch("no longer declares an outputSchema, so its results may be anything")


def _find_changed_wrapping(pair: ToolPair) -> Iterator[RuleMatch]:
    if pair.new is None or pair.old.output is None or pair.new.output is None:
        return
    old, new = pair.old.wrapping, pair.new.wrapping
    if old != new:
        help = 'see `wrap` and the root\'s `"type": "object"`, which decide it'
        client_help = "the client reads it once the package is built again; other code that reads results has to change"
        text = f"its result was {_WRAPPING_TEXTS[old]}, is {_WRAPPING_TEXTS[new]} now"
        yield RuleMatch(text, "/outputSchema", help, client_help)


def _find_required_task(pair: ToolPair) -> Iterator[RuleMatch]:
    if pair.new is not None and _get_task_support(pair.new) == "required" != _get_task_support(pair.old):
        yield RuleMatch("can only be called as a task now", "/execution/taskSupport")


def _find_refused_task(pair: ToolPair) -> Iterator[RuleMatch]:
    if pair.new is not None and _get_task_support(pair.new) == "forbidden" != _get_task_support(pair.old):
        yield RuleMatch("can no longer be called as a task", "/execution/taskSupport")


def _find_lost_visibility(pair: ToolPair) -> Iterator[RuleMatch]:
    if pair.new is not None and _is_for_models(pair.old) and not _is_for_models(pair.new):
        help = 'keep "model" in the list, or make it another tool'
        text = "is hidden from the model now: _meta.ui.visibility does not list it"
        yield RuleMatch(text, "/_meta/ui/visibility", help, "the model no longer calls it: offer it in another way")


def _is_for_models(tool: ToolDefinition) -> bool:
    visibility = as_object(as_object(tool.tool.get("_meta")).get("ui")).get("visibility")
    return not isinstance(visibility, list) or "model" in visibility


_WRAPPING_TEXTS = {
    "never": "never wrapped",
    "legacy": 'wrapped in {"result": …} under ' + " and ".join(OBJECT_RESULT_PROTOCOLS),
    "always": 'wrapped in {"result": …} under every version',
}


def _get_task_support(tool: ToolDefinition) -> str:
    execution = tool.tool.get("execution")
    return str(execution.get("taskSupport", "forbidden")) if isinstance(execution, dict) else "forbidden"


TOOL_RULES = (
    ToolRule(
        "tool-renamed",
        Category.TOOLS,
        "A tool has another name: calls with the old one fail.",
        _find_new_name,
    ),
    ToolRule(
        "tool-removed",
        Category.TOOLS,
        "A tool was removed: calls of it fail.",
        _find_removal,
    ),
    ToolRule(
        "tool-output-schema-removed",
        Category.TOOLS,
        "A tool no longer declares its results, so clients cannot rely on structured content.",
        _find_removed_output_schema,
    ),
    ToolRule(
        "tool-wrapping-changed",
        Category.TOOLS,
        'A result is now wrapped in `{"result": …}` or no longer wrapped, perhaps only in some protocol versions.',
        _find_changed_wrapping,
    ),
    ToolRule(
        "tool-task-required",
        Category.TOOLS,
        "A tool can only be called as a task, which not every client does.",
        _find_required_task,
    ),
    ToolRule(
        "tool-hidden-from-model",
        Category.TOOLS,
        "A tool is for user interfaces only now: clients no longer offer it to the model.",
        _find_lost_visibility,
    ),
    ToolRule(
        "tool-task-refused",
        Category.TOOLS,
        "A tool can no longer be called as a task.",
        _find_refused_task,
    ),
)
