"""Rules for resources and resource templates: where they are read, and what is found there."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.compat.registry import Category, Found, ResourcePair, rule
from mcpgen.diagnostics import Severity
from mcpgen.ir.uri_template import TemplatePart, variables
from mcpgen.read.definitions import ResourceDefinition


@rule("resource-removed", Category.RESOURCES, ResourcePair)
def removed(pair: ResourcePair) -> Found | None:
    """A resource or template is gone: reads of it fail."""
    return Found("is no longer there", "", "keep it for as long as it is read") if pair.new is None else None


@rule("resource-renamed", Category.RESOURCES, ResourcePair, Severity.WARNING)
def renamed(pair: ResourcePair) -> Found | None:
    """A resource has another name at the same URI: who chooses by name does not find it."""
    if pair.old is None or pair.new is None or pair.old.name == pair.new.name:
        return None
    return Found(f'is called "{pair.new.name}" now', "/name")


@rule("resource-kind-changed", Category.RESOURCES, ResourcePair)
def kind_changed(pair: ResourcePair) -> Found | None:
    """A resource has become a template or the other way round: it is listed and read in another way."""
    if pair.old is None or pair.new is None or _is_template(pair.old) == _is_template(pair.new):
        return None
    became = "a template" if _is_template(pair.new) else "a single resource"
    return Found(f"has become {became}")


@rule("resource-uri-changed", Category.RESOURCES, ResourcePair)
def uri_changed(pair: ResourcePair) -> Found | None:
    """A resource has another URI: reads of the old one fail."""
    old, new = _of(pair, "uri")
    if old is None or new is None or old == new:
        return None
    return Found(f"its URI was {old}, is {new} now", "/uri")


@rule("resource-variable-removed", Category.RESOURCES, ResourcePair)
def variable_removed(pair: ResourcePair) -> Iterator[Found]:
    """A template lacks a variable that it had: what clients fill in is lost."""
    old, new = _variables(pair)
    for name in old.keys() - new.keys() if new else ():
        yield Found(f"its variable {name} is gone", "/uriTemplate")


@rule("resource-variable-added", Category.RESOURCES, ResourcePair)
def variable_added(pair: ResourcePair) -> Iterator[Found]:
    """A template has a new variable that has to be given."""
    old, new = _variables(pair)
    for name, optional in new.items() if old else ():
        if name not in old and not optional:
            yield Found(f"its variable {name} is new and has to be given", "/uriTemplate")


@rule("resource-variable-became-required", Category.RESOURCES, ResourcePair)
def variable_became_required(pair: ResourcePair) -> Iterator[Found]:
    """A variable of a template that could be left out has to be given."""
    old, new = _variables(pair)
    for name, optional in new.items():
        if old.get(name) and not optional:
            yield Found(f"its variable {name} could be left out, has to be given now", "/uriTemplate")


@rule("resource-template-changed", Category.RESOURCES, ResourcePair)
def template_changed(pair: ResourcePair) -> Found | None:
    """The URIs of a template are built in another way: those that clients keep no longer match."""
    if pair.old is None or pair.new is None or not pair.old.template or not pair.new.template:
        return None
    if _fixed(pair.old.template) == _fixed(pair.new.template):
        return None
    old, new = _of(pair, "uriTemplate")
    return Found(f"its template was {old}, is {new} now", "/uriTemplate")


@rule("resource-mime-type-changed", Category.RESOURCES, ResourcePair)
def mime_type_changed(pair: ResourcePair) -> Found | None:
    """What is read has another MIME type."""
    old, new = _of(pair, "mimeType")
    if old is None or old == new:
        return None
    return Found(f"its MIME type was {old}, {'is ' + new + ' now' if new else 'is gone'}", "/mimeType")


@rule("resource-schema-removed", Category.RESOURCES, ResourcePair)
def schema_removed(pair: ResourcePair) -> Found | None:
    """The JSON of a resource no longer has a schema."""
    if pair.old is None or pair.new is None or pair.old.payload is None or pair.new.payload is not None:
        return None
    return Found("its JSON no longer has a schema, so it may be anything")


@rule("resource-cache-scope-changed", Category.RESOURCES, ResourcePair, Severity.WARNING)
def cache_scope_changed(pair: ResourcePair) -> Found | None:
    """Shared caches may keep what was private."""
    if pair.old is None or pair.new is None or pair.new.choices.cache_scope != "public":
        return None
    if pair.old.choices.cache_scope == "public":
        return None
    return Found("was private, may be kept by shared caches now", "/x-mcpgen/cacheScope")


def _is_template(one: ResourceDefinition) -> bool:
    return "uriTemplate" in one.resource


def _of(pair: ResourcePair, member: str) -> tuple[str | None, str | None]:
    old = None if pair.old is None else pair.old.resource.get(member)
    new = None if pair.new is None else pair.new.resource.get(member)
    return old if isinstance(old, str) else None, new if isinstance(new, str) else None


def _variables(pair: ResourcePair) -> tuple[dict[str, bool], dict[str, bool]]:
    old = () if pair.old is None else pair.old.template
    new = () if pair.new is None else pair.new.template
    return variables(old), variables(new)


def _fixed(parts: tuple[TemplatePart, ...]) -> list[str]:
    """What of a template all its URIs have in common; what a query may add is left out."""
    told = [part if isinstance(part, str) else part.operator for part in parts]
    return [one for one in told if one not in ("?", "&")]
