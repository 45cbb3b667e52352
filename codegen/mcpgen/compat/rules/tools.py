"""Rules for tools as such: whether they are there, under their names, with a result that programs can read."""

from __future__ import annotations

from mcpgen.compat.registry import Category, RuleMatch, ToolPair, rule
from mcpgen.read.definitions import ToolDefinition
from mcpgen.schema.values import Json
from mcpgen.targets import OBJECT_RESULT_PROTOCOLS


@rule("tool-renamed", Category.TOOLS, ToolPair)
def check_tool_renamed(pair: ToolPair) -> RuleMatch | None:
    """A tool has another name: calls by the old one fail."""
    if pair.old is None or pair.new is None or pair.old.name == pair.new.name:
        return None
    help = f'keep "{pair.old.name}" beside it for a while, with the same schemas'
    return RuleMatch(f'is called "{pair.new.name}" now', "/name", help)


@rule("tool-removed", Category.TOOLS, ToolPair)
def check_tool_removed(pair: ToolPair) -> RuleMatch | None:
    """A tool is gone: calls of it fail."""
    return RuleMatch("is no longer there", "", "keep it for as long as it is called") if pair.new is None else None


@rule("tool-output-schema-removed", Category.TOOLS, ToolPair)
def check_tool_output_schema_removed(pair: ToolPair) -> RuleMatch | None:
    """A tool no longer declares its results, so that there is no structured content to rely on."""
    if pair.old is None or pair.new is None or pair.old.output is None or pair.new.output is not None:
        return None
    return RuleMatch("no longer declares an outputSchema, so its results may be anything")


@rule("tool-wrapping-changed", Category.TOOLS, ToolPair)
def check_tool_wrapping_changed(pair: ToolPair) -> RuleMatch | None:
    """Whether a result is wrapped in `{"result": …}`, or in which protocol versions, has changed."""
    if pair.old is None or pair.new is None or pair.old.output is None or pair.new.output is None:
        return None
    old, new = find_wrapping(pair.old), find_wrapping(pair.new)
    if old == new:
        return None
    help = 'see `wrap` and the root\'s `"type": "object"`, which decide it'
    return RuleMatch(f"its result was {_WRAPPING_TEXTS[old]}, is {_WRAPPING_TEXTS[new]} now", "/outputSchema", help)


@rule("tool-task-required", Category.TOOLS, ToolPair)
def check_tool_task_required(pair: ToolPair) -> RuleMatch | None:
    """A tool can only be called as a task, which not every client does."""
    old, new = _get_task_support(pair.old), _get_task_support(pair.new)
    if pair.new is None or new != "required" or old == "required":
        return None
    return RuleMatch("can only be called as a task now", "/execution/taskSupport")


@rule("tool-task-refused", Category.TOOLS, ToolPair)
def check_tool_task_refused(pair: ToolPair) -> RuleMatch | None:
    """A tool can no longer be called as a task."""
    old, new = _get_task_support(pair.old), _get_task_support(pair.new)
    if pair.new is None or new != "forbidden" or old == "forbidden":
        return None
    return RuleMatch("can no longer be called as a task", "/execution/taskSupport")


_WRAPPING_TEXTS = {
    "never": "never wrapped",
    "legacy": 'wrapped in {"result": …} under ' + " and ".join(OBJECT_RESULT_PROTOCOLS),
    "always": 'wrapped in {"result": …} under every version',
}


def find_wrapping(tool: ToolDefinition) -> str:
    """When a tool's result is wrapped."""
    schema: Json = None if tool.output is None else tool.output.value
    if isinstance(schema, dict) and schema.get("type") == "object":
        return "never"
    return tool.choices.wrap or "legacy"


def _get_task_support(tool: ToolDefinition | None) -> str:
    execution = None if tool is None else tool.tool.get("execution")
    return str(execution.get("taskSupport", "forbidden")) if isinstance(execution, dict) else "forbidden"
