"""Rules for resources, resource templates and prompts: whether they are there, and how to ask for them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from mcpgen.compat.rules.rule import Category, PresenceRule, RuleMatch, define_rule
from mcpgen.diagnostics import Severity
from mcpgen.ir.definitions import PromptArgument, UriTemplatePart, list_uri_variables
from mcpgen.read.definitions import PromptDefinition, ResourceDefinition
from mcpgen.schema.values import format_pointer

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
def _renamed(old: ResourceDefinition, new: ResourceDefinition) -> Iterator[RuleMatch]:
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
def _template_changed(old: ResourceDefinition, new: ResourceDefinition) -> Iterator[RuleMatch]:
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
    _renamed,
    _kind_changed,
    _uri_changed,
    _variable_removed,
    _variable_added,
    _variable_became_required,
    _template_changed,
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
