"""Rules for tools: whether they are there, what their annotations promise, and what content they return."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from mcpgen.compat.rules.rule import Category, ComparisonRule, PresenceRule, RuleMatch, define_rule
from mcpgen.diagnostics import Severity
from mcpgen.read.definitions import ToolDefinition, find_content_strategy, find_media_type
from mcpgen.schema.object_roots import implies_object, is_sdk_wrapper
from mcpgen.schema.values import as_object
from mcpgen.targets import OBJECT_RESULT_PROTOCOLS

# --- name, schemas and execution -------------------------------------------------------------------------------------
_tool_rule = partial(define_rule, ToolDefinition, Category.TOOLS)
_WRAPPING_TEXTS = {
    "never": "never wrapped",
    "legacy": 'wrapped in {"result": …} under ' + " and ".join(OBJECT_RESULT_PROTOCOLS),
    "always": 'wrapped in {"result": …} under every version',
}


@_tool_rule("tool-renamed", "A tool has another name: calls with the old one fail.")
def _renamed(old: ToolDefinition, new: ToolDefinition) -> Iterator[RuleMatch]:
    if old.name != new.name:
        help = f'keep "{old.name}" as well for a while, with the same schemas'
        client_help = f'call it by its new name: calls of "{old.name}" fail'
        yield RuleMatch(f'is called "{new.name}" now', "/name", help, client_help)


_removed = PresenceRule(
    "tool-removed",
    Category.TOOLS,
    "A tool was removed: calls of it fail.",
    ToolDefinition,
    RuleMatch("was removed", "", "keep it for as long as it is called", "calls of it fail: take them out"),
)


@_tool_rule(
    "tool-output-schema-removed", "A tool no longer declares its results, so clients cannot rely on structured content."
)
def _output_schema_removed(old: ToolDefinition, new: ToolDefinition) -> Iterator[RuleMatch]:
    if old.output is not None and new.output is None:
        yield RuleMatch("no longer declares an outputSchema, so its results may be anything")


@_tool_rule(
    "tool-wrapping-changed",
    'A result is now wrapped in `{"result": …}` or no longer wrapped, perhaps only in some protocol versions.',
)
def _wrapping_changed(old: ToolDefinition, new: ToolDefinition) -> Iterator[RuleMatch]:
    if old.output is not None and new.output is not None and old.wrapping != new.wrapping:
        help = 'see `wrap` and the root\'s `"type": "object"`, which decide it'
        client_help = "the client reads it once the package is built again; other code that reads results has to change"
        text = f"its result was {_WRAPPING_TEXTS[old.wrapping]}, is {_WRAPPING_TEXTS[new.wrapping]} now"
        yield RuleMatch(text, "/outputSchema", help, client_help)


@_tool_rule("tool-task-required", "A tool can only be called as a task, which not every client does.")
def _task_required(old: ToolDefinition, new: ToolDefinition) -> Iterator[RuleMatch]:
    if _get_task_support(new) == "required" != _get_task_support(old):
        yield RuleMatch("can only be called as a task now", "/execution/taskSupport")


@_tool_rule(
    "tool-hidden-from-model", "A tool is for user interfaces only now: clients no longer offer it to the model."
)
def _hidden_from_model(old: ToolDefinition, new: ToolDefinition) -> Iterator[RuleMatch]:
    if _is_for_models(old) and not _is_for_models(new):
        help = 'keep "model" in the list, or make it another tool'
        text = "is hidden from the model now: _meta.ui.visibility does not list it"
        yield RuleMatch(text, "/_meta/ui/visibility", help, "the model no longer calls it: offer it in another way")


def _is_for_models(tool: ToolDefinition) -> bool:
    visibility = as_object(as_object(tool.tool.get("_meta")).get("ui")).get("visibility")
    return not isinstance(visibility, list) or "model" in visibility


@_tool_rule("tool-task-refused", "A tool can no longer be called as a task.")
def _task_refused(old: ToolDefinition, new: ToolDefinition) -> Iterator[RuleMatch]:
    if _get_task_support(new) == "forbidden" != _get_task_support(old):
        yield RuleMatch("can no longer be called as a task", "/execution/taskSupport")


def _get_task_support(tool: ToolDefinition) -> str:
    return str(as_object(tool.tool.get("execution")).get("taskSupport", "forbidden"))


TOOL_RULES = (
    _renamed,
    _removed,
    _output_schema_removed,
    _wrapping_changed,
    _task_required,
    _hidden_from_model,
    _task_refused,
)


# --- annotations, by which clients decide what to run without asking -------------------------------------------------
_USES_OF_A_PROMISE = "look at what your program does because of it, such as calls without asking, or repeated calls"


def _make_promise_rule(
    id: str,
    doc: str,
    hint: str,
    text: str,
    *,
    promised: bool,
    severity: Severity = Severity.ERROR,
    only_if_writing: bool = True,
) -> ComparisonRule[ToolDefinition]:
    """Make a rule about a lost promise: an absent hint is not `promised`; some mean nothing for a read-only tool."""

    def find_lost_promise(old: ToolDefinition, new: ToolDefinition) -> Iterator[RuleMatch]:
        if only_if_writing and _get_hint(new, "readOnlyHint", False):
            return
        if _get_hint(old, hint, not promised) is promised and _get_hint(new, hint, not promised) is not promised:
            help = f'keep `"{hint}": {str(promised).lower()}`, or make it another tool'
            yield RuleMatch(text, f"/annotations/{hint}", help, _USES_OF_A_PROMISE)

    return ComparisonRule(id, Category.ANNOTATIONS, doc, ToolDefinition, find_lost_promise, severity=severity)


def _get_hint(tool: ToolDefinition, hint: str, default: bool) -> bool:
    value = as_object(tool.tool.get("annotations")).get(hint)
    return value if isinstance(value, bool) else default


ANNOTATION_RULES = (
    _make_promise_rule(
        "tool-no-longer-read-only",
        "A tool may now change something: clients may run it without asking because it was read-only.",
        "readOnlyHint",
        "was read-only, may now change something",
        promised=True,
    ),
    _make_promise_rule(
        "tool-became-destructive",
        "A tool may now destroy something.",
        "destructiveHint",
        "only added, may now overwrite or remove something",
        promised=False,
    ),
    _make_promise_rule(
        "tool-no-longer-idempotent",
        "Repeating a call may now have another effect: clients may repeat calls because it had none.",
        "idempotentHint",
        "could be repeated without effect, no longer can",
        promised=True,
    ),
    _make_promise_rule(
        "tool-became-open-world",
        "A tool may now interact with the outside world, such as the web.",
        "openWorldHint",
        "kept to a closed domain, may now reach beyond it",
        promised=False,
        severity=Severity.WARNING,
        only_if_writing=False,
    ),
)

# --- content blocks: what the model, and programs that read text, receive --------------------------------------------
_content_rule = partial(define_rule, ToolDefinition, Category.CONTENT)
_KEEP_SDK_WAY = (
    'write "x-mcpgen": {"content": "sdk"} into the tool, or content = "sdk" into the settings, to keep the SDK\'s way'
)
_KEEP_CONVERSION = (
    f"{_KEEP_SDK_WAY}; in mcpgen's way, a handler that returns `(content, structured)` sends structuredContent"
)


@_content_rule(
    "content-strategy-changed", "The content blocks are made differently: readers find something else in them."
)
def _strategy_changed(old: ToolDefinition, new: ToolDefinition) -> Iterator[RuleMatch]:
    if new.output is None:
        return  # without an outputSchema, the handler makes the content
    before, after = find_content_strategy(old), find_content_strategy(new)
    if old.output is None:
        if after != "sdk":
            text = f'its handler made its content; it is made from its result ("{after}") now'
            yield RuleMatch(text, "/outputSchema")
    elif before != after and not _has_same_json(old, new):
        yield RuleMatch(f'its content was "{before}", is "{after}" now', "/x-mcpgen/content")


@_content_rule(
    "content-spaces-changed",
    "The text of an object is the same JSON with other spaces: compact, or as the SDK writes it.",
    Severity.NOTE,
)
def _spaces_changed(old: ToolDefinition, new: ToolDefinition) -> Iterator[RuleMatch]:
    if not _has_same_json(old, new):
        return
    if find_content_strategy(new) == "json":
        text = "its text was the SDK's JSON, which may be indented; it is compact JSON with the same values now"
        yield RuleMatch(text, "/x-mcpgen/content", _KEEP_SDK_WAY, _KEEP_SDK_WAY)
    else:
        text = "its text was compact JSON; it is the SDK's JSON with the same values now, which may be indented"
        yield RuleMatch(text, "/x-mcpgen/content")


def _has_same_json(old: ToolDefinition, new: ToolDefinition) -> bool:
    """Return whether both texts of a result are JSON of the same object, one by the SDK and one by mcpgen."""
    strategies = {find_content_strategy(old), find_content_strategy(new)}
    return strategies == {"json", "sdk"} and _is_object(old) and _is_object(new)


def _is_object(tool: ToolDefinition) -> bool:
    """Return whether a result is an object for its handler, too, so that its text is that object."""
    output = tool.output
    return output is not None and implies_object(output.value, output.dialect) and not is_sdk_wrapper(output.value)


@_content_rule(
    "content-conversion-changed",
    "The SDK no longer converts what the handler of a tool without an outputSchema returns, or now does.",
    Severity.WARNING,
)
def _conversion_changed(old: ToolDefinition, new: ToolDefinition) -> Iterator[RuleMatch]:
    if old.output is not None or new.output is not None:
        return
    was_sdk, is_sdk = (find_content_strategy(tool) == "sdk" for tool in (old, new))
    if was_sdk != is_sdk:
        before, after = ("the SDK", "mcpgen") if was_sdk else ("mcpgen", "the SDK")
        effect = "a dict may lose its structuredContent" if was_sdk else "a dict may get structuredContent"
        text = f"{before} converted what its handler returns, {after} does now: {effect}, and texts may differ"
        yield RuleMatch(text, "/x-mcpgen/content", _KEEP_CONVERSION, _KEEP_CONVERSION)


@_content_rule("content-media-type-changed", "The binary content block has another media type.")
def _media_type_changed(old: ToolDefinition, new: ToolDefinition) -> Iterator[RuleMatch]:
    if {find_content_strategy(old), find_content_strategy(new)} != {"binary"}:
        return
    before, after = (None if tool.output is None else find_media_type(tool.output.value) for tool in (old, new))
    if before != after:
        yield RuleMatch(f"its content was {before}, is {after} now", "/outputSchema/contentMediaType")


@_content_rule(
    "content-template-changed", "The template of the text that the model reads has changed.", Severity.WARNING
)
def _template_changed(old: ToolDefinition, new: ToolDefinition) -> Iterator[RuleMatch]:
    before, after = old.choices.template, new.choices.template
    if before is not None and after is not None and before.text != after.text:
        yield RuleMatch(f"the template of its text has changed ({after.name})")


@_content_rule(
    "content-audience-changed",
    "The content has another audience, so a client may no longer show it to the user or the model.",
    Severity.WARNING,
)
def _audience_changed(old: ToolDefinition, new: ToolDefinition) -> Iterator[RuleMatch]:
    before, after = (set(tool.choices.audience) or {"assistant", "user"} for tool in (old, new))
    if lost := before - after:
        yield RuleMatch(f"its content is no longer for: {', '.join(sorted(lost))}", "/x-mcpgen/audience")


CONTENT_RULES = (
    _strategy_changed,
    _spaces_changed,
    _conversion_changed,
    _media_type_changed,
    _template_changed,
    _audience_changed,
)
