"""Choices for resources in the settings, and what tells resources of one name apart."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial

from mcpgen.config.load import locate_setting
from mcpgen.config.models import ConfiguredPackage, ResourceSettings
from mcpgen.diagnostics import Findings, Span
from mcpgen.read.context import ReadContext
from mcpgen.read.definitions import ResourceDefinition
from mcpgen.read.tool_options import check_python_name
from mcpgen.read.unknown_names import report_unknown_names
from mcpgen.schema.values import Json


def distinguish_resources(resources: list[ResourceDefinition]) -> list[ResourceDefinition]:
    """Return resources whose names tell them apart: those that share one have their URI or URI template instead.

    Only URIs are unique on a server, and a server often gives a resource and a template the same name.
    """
    uris_by_name: dict[str, set[str]] = {}
    for resource in resources:
        uris_by_name.setdefault(resource.wire_name, set()).add(resource.uri)
    names = Counter({name: len(uris) for name, uris in uris_by_name.items()})
    return [
        replace(resource, name=resource.uri) if names[resource.wire_name] > 1 else resource for resource in resources
    ]


def merge_resource_settings(resource: dict[str, Json], context: ReadContext) -> ResourceSettings:
    """Return the choices of the settings for a resource: those under its URI win over those under its name.

    Args:
        resource: the Resource or ResourceTemplate.
        context: the run's context.
    """
    package = context.package
    merged = ResourceSettings.model_validate({})
    for member in ("name", "uri", "uriTemplate"):
        key = resource.get(member)
        if not isinstance(key, str) or key not in package.settings.resources:
            continue
        choice = package.settings.resources[key]
        locate = partial(_locate_option, package, key)
        values = {name: getattr(choice, name) for name in choice.model_fields_set}
        if choice.name is not None and not check_python_name(choice.name, locate, context.findings):
            del values["name"]
        merged = merged.model_copy(update=values)
    return merged


def _locate_option(package: ConfiguredPackage, resource: str, option: str) -> Span | None:
    return locate_setting(package, ("resources", resource, option))


def report_unknown_resources(
    resources: list[ResourceDefinition], package: ConfiguredPackage, findings: Findings
) -> None:
    """Warn about resources in the settings that nothing defines, unless errors may have hidden their definitions."""
    if findings.failed:
        return
    names = [name for resource in resources for name in (resource.wire_name, resource.uri)]
    report_unknown_names("resource", package.settings.resources, names, package, findings)
