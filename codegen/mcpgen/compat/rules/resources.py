"""Rules for resources and resource templates: under which URIs they are read, and what a read returns."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.compat.rules.rule import Category, ResourcePair, ResourceRule, RuleMatch
from mcpgen.diagnostics import Severity
from mcpgen.ir.definitions import UriTemplatePart, list_uri_variables
from mcpgen.read.definitions import ResourceDefinition
from mcpgen.schema.values import format_pointer


def _find_removal(pair: ResourcePair) -> Iterator[RuleMatch]:
    if pair.new is None:
        yield RuleMatch("was removed", "", "keep it for as long as it is read", "reads of it fail: take them out")


def _find_new_name(pair: ResourcePair) -> Iterator[RuleMatch]:
    if pair.new is not None and pair.old.wire_name != pair.new.wire_name:
        yield RuleMatch(f'is called "{pair.new.wire_name}" now', "/name")


def _find_changed_kind(pair: ResourcePair) -> Iterator[RuleMatch]:
    if pair.new is not None and _is_template(pair.old) != _is_template(pair.new):
        kind = "a template" if _is_template(pair.new) else "a single resource"
        yield RuleMatch(f"has become {kind}")


def _find_changed_uri(pair: ResourcePair) -> Iterator[RuleMatch]:
    old, new = _get_members(pair, "uri")
    if old is not None and new is not None and old != new:
        yield RuleMatch(f"its URI was {old}, is {new} now", "/uri")


def _find_removed_variables(pair: ResourcePair) -> Iterator[RuleMatch]:
    old, new = _list_variables(pair)
    for name in old.keys() - new.keys() if new else ():
        yield RuleMatch(f"its variable {name} was removed", _make_pointer(name))


def _find_added_variables(pair: ResourcePair) -> Iterator[RuleMatch]:
    old, new = _list_variables(pair)
    for name, optional in new.items() if old else ():
        if name not in old and not optional:
            yield RuleMatch(f"its variable {name} is new and required", _make_pointer(name))


def _find_newly_required_variables(pair: ResourcePair) -> Iterator[RuleMatch]:
    old, new = _list_variables(pair)
    for name, optional in new.items():
        if old.get(name) and not optional:
            yield RuleMatch(f"its variable {name} was optional, is required now", _make_pointer(name))


def _find_changed_template(pair: ResourcePair) -> Iterator[RuleMatch]:
    if pair.new is None or not pair.old.template or not pair.new.template:
        return
    if _list_fixed_parts(pair.old.template) != _list_fixed_parts(pair.new.template):
        old, new = _get_members(pair, "uriTemplate")
        yield RuleMatch(f"its template was {old}, is {new} now", "/uriTemplate")


def _find_changed_mime_type(pair: ResourcePair) -> Iterator[RuleMatch]:
    old, new = _get_members(pair, "mimeType")
    if old is not None and old != new:
        yield RuleMatch(f"its MIME type was {old}, {'is ' + new + ' now' if new else 'was removed'}", "/mimeType")


def _find_removed_schema(pair: ResourcePair) -> Iterator[RuleMatch]:
    if pair.new is not None and pair.old.payload is not None and pair.new.payload is None:
        yield RuleMatch("its JSON no longer has a schema, so it may be anything")


def _find_widened_cache_scope(pair: ResourcePair) -> Iterator[RuleMatch]:
    if pair.new is None or pair.new.choices.cache_scope != "public":
        return
    if pair.old.choices.cache_scope != "public":
        yield RuleMatch("was private, may be stored by shared caches now", "/x-mcpgen/cacheScope")


def _is_template(resource: ResourceDefinition) -> bool:
    return "uriTemplate" in resource.resource


def _get_members(pair: ResourcePair, member: str) -> tuple[str | None, str | None]:
    """Return a text member of both resources; None where it is absent."""
    old, new = pair.old.resource.get(member), None if pair.new is None else pair.new.resource.get(member)
    return old if isinstance(old, str) else None, new if isinstance(new, str) else None


def _list_variables(pair: ResourcePair) -> tuple[dict[str, bool], dict[str, bool]]:
    """Return the URI variables of both templates, and whether each is optional."""
    return list_uri_variables(pair.old.template), list_uri_variables(() if pair.new is None else pair.new.template)


def _make_pointer(name: str) -> str:
    """Return the pointer of a variable of the template, as if the template were an object."""
    return format_pointer("uriTemplate", name)


def _list_fixed_parts(parts: tuple[UriTemplatePart, ...]) -> list[str]:
    """Return the literals and operators of a template; query parameters are left out, since they are optional."""
    texts = [part if isinstance(part, str) else part.operator for part in parts]
    return [text for text in texts if text not in ("?", "&")]


RESOURCE_RULES = (
    ResourceRule(
        "resource-removed",
        Category.RESOURCES,
        "A resource or template was removed: reads of it fail.",
        _find_removal,
    ),
    ResourceRule(
        "resource-renamed",
        Category.RESOURCES,
        "A resource has another name at the same URI: clients that choose it by name do not find it.",
        _find_new_name,
        severity=Severity.WARNING,
    ),
    ResourceRule(
        "resource-kind-changed",
        Category.RESOURCES,
        "A resource has become a template, or the reverse: clients list and read it differently.",
        _find_changed_kind,
    ),
    ResourceRule(
        "resource-uri-changed",
        Category.RESOURCES,
        "A resource has another URI: reads of the old one fail.",
        _find_changed_uri,
    ),
    ResourceRule(
        "resource-variable-removed",
        Category.RESOURCES,
        "A template lacks a variable that it had: its values from clients are lost.",
        _find_removed_variables,
    ),
    ResourceRule(
        "resource-variable-added",
        Category.RESOURCES,
        "A template has a new, required variable.",
        _find_added_variables,
    ),
    ResourceRule(
        "resource-variable-became-required",
        Category.RESOURCES,
        "An optional variable of a template has become required.",
        _find_newly_required_variables,
    ),
    ResourceRule(
        "resource-template-changed",
        Category.RESOURCES,
        "The URIs of a template have another form: URIs that clients have stored no longer match.",
        _find_changed_template,
    ),
    ResourceRule(
        "resource-mime-type-changed",
        Category.RESOURCES,
        "The contents have another MIME type.",
        _find_changed_mime_type,
    ),
    ResourceRule(
        "resource-schema-removed",
        Category.RESOURCES,
        "The JSON of a resource no longer has a schema.",
        _find_removed_schema,
    ),
    ResourceRule(
        "resource-cache-scope-changed",
        Category.RESOURCES,
        "Shared caches may keep what was private.",
        _find_widened_cache_scope,
        severity=Severity.WARNING,
    ),
)
