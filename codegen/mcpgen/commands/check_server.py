"""A run of `mcpgen check --server` as a person sees it: whether a live server advertises what the definitions say."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mcpgen.config.load import LoadedPackages
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Severity, Span
from mcpgen.files.project_paths import resolve_path
from mcpgen.introspect.client import ServerQuery
from mcpgen.introspect.drift import describe_counts, find_drift
from mcpgen.introspect.fetch import fetch_definitions
from mcpgen.introspect.pulled_file import find_pulled_folder
from mcpgen.introspect.server_address import format_server_address as shown_source
from mcpgen.introspect.server_address import make_server_name
from mcpgen.introspect.validation import is_excluded
from mcpgen.paths import format_path
from mcpgen.read.definitions import Definitions
from mcpgen.read.loader import read_definitions
from mcpgen.report.exit_codes import DRIFT, INVALID_INPUT, SUCCESS
from mcpgen.report.output import CommandOutput
from mcpgen.report.visible import split_text_lines
from mcpgen.schema.values import Json


@dataclass(frozen=True)
class ServerCheckRequest:
    """Which server to ask; `name`: of its pulled file, None for one made from the source."""

    question: ServerQuery
    name: str | None
    paths: tuple[Path, ...]
    exclude: tuple[str, ...]


def check_server(packages: LoadedPackages, wanted: ServerCheckRequest, output: CommandOutput) -> int:
    """Compare, with the differences of contracts as data; the exit code."""
    found, findings = packages
    package = None if findings.failed else _choose_package(found, wanted, findings)
    data: dict[str, Json] = {}
    code = INVALID_INPUT if package is None else _compare_contracts(package, wanted, findings, output, data)
    said = Findings()  # what else there is to say of the definitions is for `build` to say
    said.extend(one for one in findings if one.severity is Severity.ERROR or one.code >= "MG7")
    return output.close(said, code, lambda: data or None)


def _choose_package(
    packages: list[ConfiguredPackage], wanted: ServerCheckRequest, findings: Findings
) -> ConfiguredPackage | None:
    """The package that holds what was pulled from the server, or the only one there is."""
    pulled = _locate_pulled_file(packages, wanted)
    inputs = {id(one): [one.folder / path for path in one.settings.schemas] for one in packages}
    holding = [one for one in packages if any(pulled == path or path in pulled.parents for path in inputs[id(one)])]
    chosen = packages if len(packages) == 1 else holding if pulled.is_file() else []
    if len(chosen) == 1:
        return chosen[0]
    help = "pull from it first, or name a settings file with one package: --config"
    findings.error("MG302", "the settings hold several packages, and none is known to be this server's", None, help)
    return None


def _locate_pulled_file(packages: list[ConfiguredPackage], wanted: ServerCheckRequest) -> Path:
    return find_pulled_folder(packages) / f"{wanted.name or make_server_name(wanted.question.source)}.json"


def _compare_contracts(
    package: ConfiguredPackage,
    wanted: ServerCheckRequest,
    findings: Findings,
    output: CommandOutput,
    data: dict[str, Json],
) -> int:
    inputs = [package.folder / path for path in package.settings.schemas]
    definitions = _exclude_definitions(read_definitions(inputs, package, findings), wanted.exclude)
    pulled = _locate_pulled_file([package], wanted)
    if wanted.name is not None and not pulled.is_file():
        findings.error("MG001", "no such file", Span(format_path(pulled)), "`mcpgen pull --name` writes it")
    if not wanted.paths and (pulled.is_file() or wanted.name is not None):
        definitions, inputs = _select_file(definitions, pulled), [pulled]
    if findings.failed:
        return INVALID_INPUT
    advertised = fetch_definitions(wanted.question, wanted.exclude, package.settings.limits, findings)
    if advertised is None:
        return INVALID_INPUT
    server = shown_source(wanted.question.source)
    seen = find_drift(definitions, advertised, server)
    findings.extend((*seen.found, *seen.notes))
    data |= {"server": server, "protocol": advertised.protocol, "diffs": [*seen.diffs]}
    if seen.diffs and not output.quiet:
        output.show((line for one in seen.diffs for line in split_text_lines(one)), "diff")
    if seen.found:
        return DRIFT
    held = ", ".join(format_path(path) for path in inputs)
    output.say(f"{server}: {describe_counts(advertised)} under {advertised.protocol}, as {held} has it")
    return SUCCESS


def _exclude_definitions(definitions: Definitions, exclude: tuple[str, ...]) -> Definitions:
    """The definitions that are not to be left out: on the server, these are not looked at either."""
    tools = [one for one in definitions.tools if not is_excluded(one.tool, exclude)]
    resources = [one for one in definitions.resources if not is_excluded(one.resource, exclude)]
    return Definitions(tools, resources, definitions.protocols)


def _select_file(definitions: Definitions, file: Path) -> Definitions:
    """The definitions of one file."""
    mine = resolve_path(file)
    tools = [one for one in definitions.tools if one.document and resolve_path(one.document.path) == mine]
    resources = [one for one in definitions.resources if one.document and resolve_path(one.document.path) == mine]
    return Definitions(tools, resources, definitions.protocols)
