"""Rules for resources and resource templates: where they are read, and what is found there."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.compat.registry import Category, ResourcePair, RuleMatch, rule
from mcpgen.diagnostics import Severity
from mcpgen.ir.uri_template import UriTemplatePart, list_uri_variables
from mcpgen.read.definitions import ResourceDefinition


@rule("resource-removed", Category.RESOURCES, ResourcePair)
def check_resource_removed(pair: ResourcePair) -> RuleMatch | None:
    """A resource or template is gone: reads of it fail."""
    return RuleMatch("is no longer there", "", "keep it for as long as it is read") if pair.new is None else None


@rule("resource-renamed", Category.RESOURCES, ResourcePair, Severity.WARNING)
def check_resource_renamed(pair: ResourcePair) -> RuleMatch | None:
    """A resource has another name at the same URI: who chooses by name does not find it."""
    if pair.old is None or pair.new is None or pair.old.name == pair.new.name:
        return None
    return RuleMatch(f'is called "{pair.new.name}" now', "/name")


@rule("resource-kind-changed", Category.RESOURCES, ResourcePair)
def check_resource_kind_changed(pair: ResourcePair) -> RuleMatch | None:
    """A resource has become a template or the other way round: it is listed and read in another way."""
    if pair.old is None or pair.new is None or _is_template(pair.old) == _is_template(pair.new):
        return None
    became = "a template" if _is_template(pair.new) else "a single resource"
    return RuleMatch(f"has become {became}")


@rule("resource-uri-changed", Category.RESOURCES, ResourcePair)
def check_resource_uri_changed(pair: ResourcePair) -> RuleMatch | None:
    """A resource has another URI: reads of the old one fail."""
    old, new = _get_members(pair, "uri")
    if old is None or new is None or old == new:
        return None
    return RuleMatch(f"its URI was {old}, is {new} now", "/uri")


@rule("resource-variable-removed", Category.RESOURCES, ResourcePair)
def check_resource_variable_removed(pair: ResourcePair) -> Iterator[RuleMatch]:
    """A template lacks a variable that it had: what clients fill in is lost."""
    old, new = _get_variables(pair)
    for name in old.keys() - new.keys() if new else ():
        yield RuleMatch(f"its variable {name} is gone", "/uriTemplate")


@rule("resource-variable-added", Category.RESOURCES, ResourcePair)
def check_resource_variable_added(pair: ResourcePair) -> Iterator[RuleMatch]:
    """A template has a new variable that has to be given."""
    old, new = _get_variables(pair)
    for name, optional in new.items() if old else ():
        if name not in old and not optional:
            yield RuleMatch(f"its variable {name} is new and has to be given", "/uriTemplate")


@rule("resource-variable-became-required", Category.RESOURCES, ResourcePair)
def check_resource_variable_became_required(pair: ResourcePair) -> Iterator[RuleMatch]:
    """A variable of a template that could be left out has to be given."""
    old, new = _get_variables(pair)
    for name, optional in new.items():
        if old.get(name) and not optional:
            yield RuleMatch(f"its variable {name} could be left out, has to be given now", "/uriTemplate")


@rule("resource-template-changed", Category.RESOURCES, ResourcePair)
def check_resource_template_changed(pair: ResourcePair) -> RuleMatch | None:
    """The URIs of a template are built in another way: those that clients keep no longer match."""
    if pair.old is None or pair.new is None or not pair.old.template or not pair.new.template:
        return None
    if _list_fixed_parts(pair.old.template) == _list_fixed_parts(pair.new.template):
        return None
    old, new = _get_members(pair, "uriTemplate")
    return RuleMatch(f"its template was {old}, is {new} now", "/uriTemplate")


@rule("resource-mime-type-changed", Category.RESOURCES, ResourcePair)
def check_resource_mime_type_changed(pair: ResourcePair) -> RuleMatch | None:
    """What is read has another MIME type."""
    old, new = _get_members(pair, "mimeType")
    if old is None or old == new:
        return None
    return RuleMatch(f"its MIME type was {old}, {'is ' + new + ' now' if new else 'is gone'}", "/mimeType")


@rule("resource-schema-removed", Category.RESOURCES, ResourcePair)
def check_resource_schema_removed(pair: ResourcePair) -> RuleMatch | None:
    """The JSON of a resource no longer has a schema."""
    if pair.old is None or pair.new is None or pair.old.payload is None or pair.new.payload is not None:
        return None
    return RuleMatch("its JSON no longer has a schema, so it may be anything")


@rule("resource-cache-scope-changed", Category.RESOURCES, ResourcePair, Severity.WARNING)
def check_resource_cache_scope_changed(pair: ResourcePair) -> RuleMatch | None:
    """Shared caches may keep what was private."""
    if pair.old is None or pair.new is None or pair.new.choices.cache_scope != "public":
        return None
    if pair.old.choices.cache_scope == "public":
        return None
    return RuleMatch("was private, may be kept by shared caches now", "/x-mcpgen/cacheScope")


def _is_template(one: ResourceDefinition) -> bool:
    return "uriTemplate" in one.resource


def _get_members(pair: ResourcePair, member: str) -> tuple[str | None, str | None]:
    old = None if pair.old is None else pair.old.resource.get(member)
    new = None if pair.new is None else pair.new.resource.get(member)
    return old if isinstance(old, str) else None, new if isinstance(new, str) else None


def _get_variables(pair: ResourcePair) -> tuple[dict[str, bool], dict[str, bool]]:
    old = () if pair.old is None else pair.old.template
    new = () if pair.new is None else pair.new.template
    return list_uri_variables(old), list_uri_variables(new)


def _list_fixed_parts(parts: tuple[UriTemplatePart, ...]) -> list[str]:
    """What of a template all its URIs have in common; what a query may add is left out."""
    told = [part if isinstance(part, str) else part.operator for part in parts]
    return [one for one in told if one not in ("?", "&")]
