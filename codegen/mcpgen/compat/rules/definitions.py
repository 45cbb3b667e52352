"""Rules for definitions: whether they are there, how to ask for them, what they promise, and what people read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from mcpgen_runtime.tool_contract import list_wording_changes

from mcpgen.compat.rules.rule import (
    Category,
    ComparisonRule,
    Definition,
    PresenceRule,
    RuleMatch,
    SubschemaPair,
    SubschemaRule,
    define_rule,
)
from mcpgen.diagnostics import Severity
from mcpgen.ir.definitions import PromptArgument, UriTemplatePart, list_uri_variables
from mcpgen.read.definitions import (
    FormDefinition,
    PromptDefinition,
    ResourceDefinition,
    ToolDefinition,
    find_content_strategy,
    find_media_type,
)
from mcpgen.schema.keywords import IN_PLACE_KEYWORDS
from mcpgen.schema.object_roots import is_sdk_wrapper
from mcpgen.schema.values import Json, as_array, as_object, format_pointer, parse_pointer
from mcpgen.targets import OBJECT_RESULT_PROTOCOLS

# --- tools ------------------------------------------------------------------------------------------------------------
_tool_rule = partial(define_rule, ToolDefinition, Category.TOOLS)
_WRAPPING_TEXTS = {
    "never": "never wrapped",
    "legacy": 'wrapped in {"result": …} under ' + " and ".join(OBJECT_RESULT_PROTOCOLS),
    "always": 'wrapped in {"result": …} under every version',
}


@_tool_rule("tool-renamed", "A tool has another name: calls with the old one fail.")
def _tool_renamed(old: ToolDefinition, new: ToolDefinition) -> Iterator[RuleMatch]:
    if old.name != new.name:
        help = f'keep "{old.name}" as well for a while, with the same schemas'
        client_help = f'call it by its new name: calls of "{old.name}" fail'
        yield RuleMatch(f'is called "{new.name}" now', "/name", help, client_help)


_tool_removed = PresenceRule(
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


@_tool_rule("tool-error-data-removed", "A tool no longer declares data of its errors, so clients no longer read any.")
def _error_data_removed(old: ToolDefinition, new: ToolDefinition) -> Iterator[RuleMatch]:
    if old.error is not None and new.error is None:
        yield RuleMatch("no longer declares data of its errors, so a client's `error.data` is always None")


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
    if old.is_for_models and not new.is_for_models:
        help = 'keep "model" in the list, or make it another tool'
        text = "is hidden from the model now: _meta.ui.visibility does not list it"
        yield RuleMatch(text, "/_meta/ui/visibility", help, "the model no longer calls it: offer it in another way")


@_tool_rule("tool-task-refused", "A tool can no longer be called as a task.")
def _task_refused(old: ToolDefinition, new: ToolDefinition) -> Iterator[RuleMatch]:
    if _get_task_support(new) == "forbidden" != _get_task_support(old):
        yield RuleMatch("can no longer be called as a task", "/execution/taskSupport")


def _get_task_support(tool: ToolDefinition) -> str:
    return str(as_object(tool.tool.get("execution")).get("taskSupport", "forbidden"))


TOOL_RULES = (
    _tool_renamed,
    _tool_removed,
    _output_schema_removed,
    _error_data_removed,
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
        effects = {before: "have structuredContent again", after: "have a link instead of structuredContent"}
        effect = f", so its results {effects['link']}" if "link" in effects else ""
        yield RuleMatch(f'its content was "{before}", is "{after}" now{effect}', "/x-mcpgen/content")


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
    return output is not None and tool.has_object_result and not is_sdk_wrapper(output.value)


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


# --- resources and templates -----------------------------------------------------------------------------------------
_resource_rule = partial(define_rule, ResourceDefinition, Category.RESOURCES)
_resource_removed = PresenceRule(
    "resource-removed",
    Category.RESOURCES,
    "A resource or template was removed: reads of it fail.",
    ResourceDefinition,
    RuleMatch("was removed", "", "keep it for as long as it is read", "reads of it fail: take them out"),
)


@_resource_rule(
    "resource-renamed",
    "A resource has another name at the same URI: clients that choose it by name do not find it.",
    Severity.WARNING,
)
def _resource_renamed(old: ResourceDefinition, new: ResourceDefinition) -> Iterator[RuleMatch]:
    if old.wire_name != new.wire_name:
        yield RuleMatch(f'is called "{new.wire_name}" now', "/name")


@_resource_rule(
    "resource-kind-changed", "A resource has become a template, or the reverse: clients list and read it differently."
)
def _kind_changed(old: ResourceDefinition, new: ResourceDefinition) -> Iterator[RuleMatch]:
    was_template, is_template = ("uriTemplate" in resource.resource for resource in (old, new))
    if was_template != is_template:
        yield RuleMatch(f"has become {'a template' if is_template else 'a single resource'}")


@_resource_rule("resource-uri-changed", "A resource has another URI: reads of the old one fail.")
def _uri_changed(old: ResourceDefinition, new: ResourceDefinition) -> Iterator[RuleMatch]:
    before, after = _get_text(old, "uri"), _get_text(new, "uri")
    if before is not None and after is not None and before != after:
        yield RuleMatch(f"its URI was {before}, is {after} now", "/uri")


@_resource_rule(
    "resource-variable-removed", "A template lacks a variable that it had: its values from clients are lost."
)
def _variable_removed(old: ResourceDefinition, new: ResourceDefinition) -> Iterator[RuleMatch]:
    before, after = list_uri_variables(old.template), list_uri_variables(new.template)
    for name in before.keys() - after.keys() if after else ():
        yield RuleMatch(f"its variable {name} was removed", format_pointer("uriTemplate", name))


@_resource_rule("resource-variable-added", "A template has a new, required variable.")
def _variable_added(old: ResourceDefinition, new: ResourceDefinition) -> Iterator[RuleMatch]:
    before, after = list_uri_variables(old.template), list_uri_variables(new.template)
    for name, optional in after.items() if before else ():
        if name not in before and not optional:
            yield RuleMatch(f"its variable {name} is new and required", format_pointer("uriTemplate", name))


@_resource_rule("resource-variable-became-required", "An optional variable of a template has become required.")
def _variable_became_required(old: ResourceDefinition, new: ResourceDefinition) -> Iterator[RuleMatch]:
    before = list_uri_variables(old.template)
    for name, optional in list_uri_variables(new.template).items():
        if before.get(name) and not optional:
            yield RuleMatch(f"its variable {name} was optional, is required now", format_pointer("uriTemplate", name))


@_resource_rule(
    "resource-template-changed",
    "The URIs of a template have another form: URIs that clients have stored no longer match.",
)
def _uri_template_changed(old: ResourceDefinition, new: ResourceDefinition) -> Iterator[RuleMatch]:
    if old.template and new.template and _list_fixed_parts(old.template) != _list_fixed_parts(new.template):
        before, after = _get_text(old, "uriTemplate"), _get_text(new, "uriTemplate")
        yield RuleMatch(f"its template was {before}, is {after} now", "/uriTemplate")


def _list_fixed_parts(parts: tuple[UriTemplatePart, ...]) -> list[str]:
    """Return the literals and operators of a template; query parameters are left out, since they are optional."""
    texts = [part if isinstance(part, str) else part.operator for part in parts]
    return [text for text in texts if text not in ("?", "&")]


@_resource_rule("resource-mime-type-changed", "The contents have another MIME type.")
def _mime_type_changed(old: ResourceDefinition, new: ResourceDefinition) -> Iterator[RuleMatch]:
    before, after = _get_text(old, "mimeType"), _get_text(new, "mimeType")
    if before is not None and before != after:
        outcome = f"is {after} now" if after else "was removed"
        yield RuleMatch(f"its MIME type was {before}, {outcome}", "/mimeType")


def _get_text(resource: ResourceDefinition, member: str) -> str | None:
    value = resource.resource.get(member)
    return value if isinstance(value, str) else None


@_resource_rule("resource-schema-removed", "The JSON of a resource no longer has a schema.")
def _schema_removed(old: ResourceDefinition, new: ResourceDefinition) -> Iterator[RuleMatch]:
    if old.payload is not None and new.payload is None:
        yield RuleMatch("its JSON no longer has a schema, so it may be anything")


@_resource_rule("resource-cache-scope-changed", "Shared caches may keep what was private.", Severity.WARNING)
def _cache_scope_changed(old: ResourceDefinition, new: ResourceDefinition) -> Iterator[RuleMatch]:
    if old.choices.cache_scope != "public" == new.choices.cache_scope:
        yield RuleMatch("was private, may be stored by shared caches now", "/x-mcpgen/cacheScope")


RESOURCE_RULES = (
    _resource_removed,
    _resource_renamed,
    _kind_changed,
    _uri_changed,
    _variable_removed,
    _variable_added,
    _variable_became_required,
    _uri_template_changed,
    _mime_type_changed,
    _schema_removed,
    _cache_scope_changed,
)

# --- prompts ---------------------------------------------------------------------------------------------------------
_prompt_rule = partial(define_rule, PromptDefinition, Category.PROMPTS)
_prompt_removed = PresenceRule(
    "prompt-removed",
    Category.PROMPTS,
    "A prompt was removed: requests for it fail.",
    PromptDefinition,
    RuleMatch("was removed", "", "keep it for as long as it is used", "requests for it fail: take them out"),
)


@_prompt_rule("prompt-argument-removed", "A prompt lacks an argument that it had: requests with it are refused.")
def _argument_removed(old: PromptDefinition, new: PromptDefinition) -> Iterator[RuleMatch]:
    for name in _index_arguments(old).keys() - _index_arguments(new).keys():
        yield _match_argument(name, "was removed")


@_prompt_rule("prompt-argument-added", "A prompt has a new, required argument.")
def _argument_added(old: PromptDefinition, new: PromptDefinition) -> Iterator[RuleMatch]:
    before = _index_arguments(old)
    for name, argument in _index_arguments(new).items():
        if name not in before and argument.required:
            yield _match_argument(name, "is new and required")


@_prompt_rule("prompt-argument-became-required", "An optional argument of a prompt has become required.")
def _argument_became_required(old: PromptDefinition, new: PromptDefinition) -> Iterator[RuleMatch]:
    before = _index_arguments(old)
    for name, argument in _index_arguments(new).items():
        if name in before and argument.required and not before[name].required:
            yield _match_argument(name, "was optional, is required now")


@_prompt_rule("prompt-argument-values-removed", "An argument of a prompt accepts fewer values than before.")
def _argument_values_removed(old: PromptDefinition, new: PromptDefinition) -> Iterator[RuleMatch]:
    before = _index_arguments(old)
    for name, argument in _index_arguments(new).items():
        if name not in before or not argument.values:
            continue
        removed_values = [value for value in before[name].values if value not in argument.values]
        if not before[name].values:
            yield _match_argument(name, f"accepted any string, accepts {', '.join(argument.values)} now")
        elif removed_values:
            yield _match_argument(name, f"no longer accepts {', '.join(removed_values)}")


def _index_arguments(prompt: PromptDefinition) -> dict[str, PromptArgument]:
    return {argument.wire: argument for argument in prompt.arguments}


def _match_argument(name: str, text: str) -> RuleMatch:
    return RuleMatch(f"its argument {name} {text}", format_pointer("arguments", name))


PROMPT_RULES = (
    _prompt_removed,
    _argument_removed,
    _argument_added,
    _argument_became_required,
    _argument_values_removed,
)


# --- titles, descriptions, annotations, icons, `_meta` and texts in schemas ------------------------------------------
_REFERRING_KEYWORDS = frozenset(["$ref", "$dynamicRef"]) | IN_PLACE_KEYWORDS
"""Keywords by which an object may have properties that are declared elsewhere."""


def _make_wording_rule(subject: type[Definition], member: str, doc: str) -> ComparisonRule[Any]:
    def compare_texts(old: Definition, new: Definition) -> Iterator[RuleMatch]:
        sides = getattr(old, member), getattr(new, member)
        for change in list_wording_changes(*sides):
            if not any(_is_in_lone_property(change.pointer, side) for side in sides):  # it comes with the property
                yield RuleMatch(change.describe_wording(), change.pointer)

    return ComparisonRule(
        f"{member}-wording-changed", Category.WORDING, doc, subject, compare_texts, severity=Severity.NOTE
    )


def _is_in_lone_property(pointer: str, other: Mapping[str, Json]) -> bool:
    path = parse_pointer(pointer)
    if path[0] == "arguments" and len(path) > 1:
        return path[1] not in (as_object(argument).get("name") for argument in as_array(other.get("arguments")))
    container: Json = {**other}
    for index, token in enumerate(path):
        members = as_object(container)
        if token not in members:
            declares_none = token == "properties" and index + 1 < len(path) and _REFERRING_KEYWORDS.isdisjoint(members)
            return declares_none or path[index - 1 : index] == ["properties"]
        container = members[token]
    return False


WORDING_RULES = (
    _make_wording_rule(
        ToolDefinition,
        "tool",
        "The wording of a tool for models and people has changed: its title, description, annotations, icons, "
        "`_meta`, or a description in its schemas.",
    ),
    _make_wording_rule(ResourceDefinition, "resource", "The wording of a resource for models and people has changed."),
    _make_wording_rule(
        PromptDefinition,
        "prompt",
        "The wording of a prompt, or of one of its arguments, for models and people has changed.",
    ),
    _make_wording_rule(
        FormDefinition,
        "form",
        "The wording of a form, or of one of its properties, for people has changed.",
    ),
)


# --- additions -------------------------------------------------------------------------------------------------------
def _find_new_properties(subschemas: SubschemaPair) -> Iterator[RuleMatch]:
    old, new = (as_object(schema.get("properties")) for schema in (subschemas.old, subschemas.new))
    is_open = old and subschemas.old.get("additionalProperties") is not False
    for name in new if is_open else ():
        if name not in old and new[name] is not False:
            presence = "is always there" if name in as_array(subschemas.new.get("required")) else "may be absent"
            pointer = subschemas.pointer + format_pointer("properties", name)
            yield RuleMatch(f'the property "{name}" is new, and {presence}', pointer)


_make_addition_rule = partial(PresenceRule, match=RuleMatch("is new"), is_addition=True, severity=Severity.NOTE)
ADDITION_RULES = (
    _make_addition_rule("tool-added", Category.ADDITIONS, "A tool is new.", ToolDefinition),
    _make_addition_rule("resource-added", Category.ADDITIONS, "A resource or template is new.", ResourceDefinition),
    _make_addition_rule("prompt-added", Category.ADDITIONS, "A prompt is new.", PromptDefinition),
    _make_addition_rule("form-added", Category.ADDITIONS, "A form is new.", FormDefinition),
    SubschemaRule(
        "output-member-added",
        Category.ADDITIONS,
        "A result has a new property, which clients that do not know it ignore.",
        Category.OUTPUT,
        _find_new_properties,
        severity=Severity.NOTE,
    ),
)
