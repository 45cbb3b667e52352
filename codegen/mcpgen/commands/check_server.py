"""A run of `mcpgen check --server` as a person sees it: whether a live server advertises what the definitions say."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mcpgen.config.models import Package
from mcpgen.diagnostics import Findings, Severity, Span
from mcpgen.files.input_files import real
from mcpgen.introspect.client import Question
from mcpgen.introspect.drift import drift, words_of
from mcpgen.introspect.fetch import asked
from mcpgen.introspect.pulled_file import folder_of
from mcpgen.introspect.server_address import name_of
from mcpgen.introspect.server_address import shown as shown_source
from mcpgen.introspect.validation import excluded
from mcpgen.paths import shown
from mcpgen.read.definitions import Definitions
from mcpgen.read.loader import read
from mcpgen.report.exit_codes import DRIFT, FINE, INPUT
from mcpgen.report.output import Output
from mcpgen.report.visible import lines
from mcpgen.schema.values import Json


@dataclass(frozen=True)
class Wanted:
    """Which server to ask; `name`: of its pulled file, None for one made from the source."""

    question: Question
    name: str | None
    paths: tuple[Path, ...]
    exclude: tuple[str, ...]


def check_server(packages: tuple[list[Package], Findings], wanted: Wanted, output: Output) -> int:
    """Compare, with the differences of contracts as data; the exit code."""
    found, findings = packages
    package = None if findings.failed else _package(found, wanted, findings)
    data: dict[str, Json] = {}
    code = INPUT if package is None else _compare(package, wanted, findings, output, data)
    said = Findings()  # what else there is to say of the definitions is for `build` to say
    said.extend(one for one in findings if one.severity is Severity.ERROR or one.code >= "MG7")
    return output.close(said, code, lambda: data or None)


def _package(packages: list[Package], wanted: Wanted, findings: Findings) -> Package | None:
    """The package that holds what was pulled from the server, or the only one there is."""
    pulled = _pulled(packages, wanted)
    inputs = {id(one): [one.folder / path for path in one.settings.schemas] for one in packages}
    holding = [one for one in packages if any(pulled == path or path in pulled.parents for path in inputs[id(one)])]
    chosen = packages if len(packages) == 1 else holding if pulled.is_file() else []
    if len(chosen) == 1:
        return chosen[0]
    help = "pull from it first, or name a settings file with one package: --config"
    findings.error("MG302", "the settings hold several packages, and none is known to be this server's", None, help)
    return None


def _pulled(packages: list[Package], wanted: Wanted) -> Path:
    return folder_of(packages) / f"{wanted.name or name_of(wanted.question.source)}.json"


def _compare(package: Package, wanted: Wanted, findings: Findings, output: Output, data: dict[str, Json]) -> int:
    inputs = [package.folder / path for path in package.settings.schemas]
    definitions = _without(read(inputs, package, findings), wanted.exclude)
    pulled = _pulled([package], wanted)
    if wanted.name is not None and not pulled.is_file():
        findings.error("MG001", "no such file", Span(shown(pulled)), "`mcpgen pull --name` writes it")
    if not wanted.paths and (pulled.is_file() or wanted.name is not None):
        definitions, inputs = _only(definitions, pulled), [pulled]
    if findings.failed:
        return INPUT
    advertised = asked(wanted.question, wanted.exclude, package.settings.limits, findings)
    if advertised is None:
        return INPUT
    server = shown_source(wanted.question.source)
    seen = drift(definitions, advertised, server)
    findings.extend((*seen.found, *seen.notes))
    data |= {"server": server, "protocol": advertised.protocol, "diffs": [*seen.diffs]}
    if seen.diffs and not output.quiet:
        output.show((line for one in seen.diffs for line in lines(one)), "diff")
    if seen.found:
        return DRIFT
    held = ", ".join(shown(path) for path in inputs)
    output.say(f"{server}: {words_of(advertised)} under {advertised.protocol}, as {held} has it")
    return FINE


def _without(definitions: Definitions, exclude: tuple[str, ...]) -> Definitions:
    """The definitions that are not to be left out: on the server, these are not looked at either."""
    tools = [one for one in definitions.tools if not excluded(one.tool, exclude)]
    resources = [one for one in definitions.resources if not excluded(one.resource, exclude)]
    return Definitions(tools, resources, definitions.protocols)


def _only(definitions: Definitions, file: Path) -> Definitions:
    """The definitions of one file."""
    mine = real(file)
    tools = [one for one in definitions.tools if one.document and real(one.document.path) == mine]
    resources = [one for one in definitions.resources if one.document and real(one.document.path) == mine]
    return Definitions(tools, resources, definitions.protocols)
