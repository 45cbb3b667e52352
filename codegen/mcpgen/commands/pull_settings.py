"""OutputSchemas that the settings give to tools of a server, and that the server has come to declare as well."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Literal

from mcpgen_runtime.tool_contract import contract, list_contract_changes

from mcpgen.config.load import locate_setting
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings
from mcpgen.introspect.definition_drift import make_advertised_output
from mcpgen.introspect.validation import AdvertisedDefinitions
from mcpgen.read.loader import read_given_schemas

Agreement = Literal["same", "partly", "different"]
"""What the schema that a server declares is, compared with that of the settings. It is "partly" the same if another
package that reads the file has no schema for the tool in its settings."""


def compare_given_schemas(
    packages: Sequence[ConfiguredPackage], advertised: AdvertisedDefinitions
) -> dict[str, Agreement]:
    """Return how the declared outputSchemas of tools agree with those of the settings, for tools that have both.

    A file that cannot be read is left out: the next build reports it.

    Args:
        packages: all packages that read the pulled file.
        advertised: what the server declares.
    """
    declaring = {str(tool["name"]): tool["outputSchema"] for tool in advertised.tools if "outputSchema" in tool}
    verdicts: defaultdict[str, list[bool]] = defaultdict(list)
    for package in packages:
        for name, schema in read_given_schemas(package, declaring, Findings()).items():
            wrap = package.settings.tools[name].wrap or package.settings.wrap or "always"
            given = make_advertised_output(schema, wrap, advertised.protocol)
            contracts = [contract({"name": name, "outputSchema": schema}) for schema in (given, declaring[name])]
            verdicts[name].append(not list_contract_changes(*contracts))
    return {name: _sum_up(are_same, len(packages)) for name, are_same in verdicts.items()}


def _sum_up(are_same: Sequence[bool], package_count: int) -> Agreement:
    """Return the agreement of all packages from that of those whose settings have a schema."""
    if not all(are_same):
        return "different"
    return "same" if len(are_same) == package_count else "partly"


def locate_given_schemas(packages: Sequence[ConfiguredPackage], names: Collection[str]) -> tuple[str, ...]:
    """Return where the settings give outputSchemas to some tools, in words."""
    places: list[str] = []
    for package in packages:
        for name in names:
            choice = package.settings.tools.get(name)
            if choice is not None and choice.output_schema is not None:
                span = locate_setting(package, ("tools", name, "outputSchema"))
                place = "" if span is None else f" ({span.file}:{span.line})"
                places.append(f"outputSchema of {name}{place}")
    return tuple(dict.fromkeys(places))


def leave_out_schemas(advertised: AdvertisedDefinitions, names: Collection[str]) -> AdvertisedDefinitions:
    """Return the definitions without the outputSchemas of some tools."""
    tools = [
        {key: value for key, value in tool.items() if key != "outputSchema" or tool["name"] not in names}
        for tool in advertised.tools
    ]
    return replace(advertised, lists={**advertised.lists, "tools": tools})
