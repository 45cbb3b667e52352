"""`mcpgen check --from mcp.json`: report where the servers that a client is configured for deviate from their files."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mcpgen.commands.check_server import (
    DriftReport,
    ExpectedDefinitions,
    exclude_definitions,
    has_edited_file,
    list_drift_advice,
    list_unchecked,
    report_drift,
    report_stale_package,
    select_file,
    select_findings,
)
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.commands.pull_many import find_folder_of_server
from mcpgen.config.models import ConfiguredPackage, Limits
from mcpgen.diagnostics import Findings, Span
from mcpgen.introspect.client import FetchedServer, fetch_from_servers
from mcpgen.introspect.client_config import ConfiguredServer, ServerChoice, read_client_config
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.pulled_file import find_pulled_files, find_pulled_folder, read_exclude, read_prefix, read_server
from mcpgen.introspect.server_address import format_server_address, make_server_name
from mcpgen.paths import format_path
from mcpgen.read.definitions import Definitions
from mcpgen.read.loader import read_definitions
from mcpgen.report.exit_codes import INVALID_INPUT, SUCCESS
from mcpgen.report.output import CommandOutput
from mcpgen.schema.values import Json


@dataclass(frozen=True)
class ServersCheckRequest:
    """Servers to ask, and what is compared."""

    choice: ServerChoice
    exclude: tuple[str, ...]
    """Names, URIs and patterns of definitions that are not compared."""
    strict: bool
    """Whether wording that has changed is drift."""


def run_servers_check(loaded: LoadedPackages, request: ServersCheckRequest, output: CommandOutput) -> int:
    """Compare each server with the file that was pulled from it, and return the highest of the exit codes."""
    findings, packages = loaded.findings, loaded.packages
    limits = packages[0].settings.limits if packages else Limits.model_validate({})
    servers = [] if findings.failed else read_client_config(request.choice, limits, findings)
    servers = [replace(server, exclude=_read_exclude(packages, server)) for server in servers]
    comparison = _Comparison(packages, request, findings, output)
    exit_code, summaries, remarks = SUCCESS, list[str](), list[str]()
    data: list[Json] = []
    has_drift = False
    for fetched in fetch_from_servers(servers, request.exclude, limits):
        findings.extend(fetched.findings)
        item: dict[str, Json] = {"server": fetched.server.name}
        report = comparison.compare_server(fetched, item)
        exit_code, has_drift = max(exit_code, report.exit_code), has_drift or report.differs
        summaries.append(report.summary)
        remarks += report.remarks
        data.append(item)
    if findings.failed and exit_code == SUCCESS:
        exit_code = INVALID_INPUT
    output.finish(select_findings(findings), exit_code, lambda: {"servers": data})
    output.print_remark(*remarks)
    output.print_summary(*summaries, failed=exit_code != SUCCESS)
    if has_drift and not has_edited_file(findings):
        output.print_summary(*list_drift_advice(comparison.list_pull_words(servers)), failed=True)
    return exit_code


class _Comparison:
    """Comparison of several servers with the packages of the settings, each of which is read once."""

    def __init__(
        self,
        packages: Sequence[ConfiguredPackage],
        request: ServersCheckRequest,
        findings: Findings,
        output: CommandOutput,
    ) -> None:
        self._packages, self._request = packages, request
        self._findings, self._output = findings, output
        self._definitions: dict[int, Definitions] = {}

    def compare_server(self, fetched: FetchedServer, data: dict[str, Json]) -> DriftReport:
        """Report the drift of a server, and return what to say in the end; `data` receives the diffs."""
        server = fetched.server
        failure = DriftReport(INVALID_INPUT, f"{server.name}: could not be compared", [])
        if fetched.definitions is None:
            return failure
        if (file := _find_file(self._packages, server)) is not None:
            number = [find_pulled_folder([package]) for package in self._packages].index(file.parent)
            definitions, unchecked = self._read_package(number), list_unchecked(self._packages[number])
            compared = select_file(exclude_definitions(definitions, self._request.exclude), file)
            path, strict = format_path(file), self._request.strict
            expected = ExpectedDefinitions(compared, path, server.name, strict, Span(path), unchecked)
            advertised = fetched.definitions.add_prefix(read_prefix(file))
            report = report_drift(expected, advertised, self._findings, self._output, data)
            if file.stem != server.slug:
                renamed = f"rename it to {server.slug}.json, which `pull --from` writes"
                report.remarks.append(f"{path} was pulled from the address of {server.name}: {renamed}")
            return report
        places = ", ".join(map(format_path, _list_named_files(self._packages, server)))
        help = f"`{shlex.join(self.list_pull_words([server]))}` writes it"
        message = f"nothing was pulled from it: there is no {places}"
        self._findings.error("MG001", message, Span.of_server(server.name), help)
        return failure

    def list_pull_words(self, servers: Sequence[ConfiguredServer]) -> list[str]:
        """Return the command that pulls servers again, each into its file."""
        choice = self._request.choice
        words = ["mcpgen", "pull", "--from", format_path(choice.file)]
        for name in choice.names:
            words += ["--only", name]
        files = {server.slug: _find_file(self._packages, server) for server in servers}
        known = {slug: file for slug, file in files.items() if file is not None}
        has_own = all(file.parent == find_folder_of_server(self._packages, slug) for slug, file in known.items())
        if len(self._packages) > 1 and has_own:
            words.append("--each")
        elif any(map(read_prefix, known.values())):
            words.append("--prefix")
        return words

    def _read_package(self, number: int) -> Definitions:
        """Return the definitions of a package; they are read the first time."""
        package = self._packages[number]
        if number not in self._definitions:
            self._definitions[number] = read_definitions(package, self._findings)
            report_stale_package(package, self._definitions[number], self._findings)
        return self._definitions[number]


def _find_file(packages: Sequence[ConfiguredPackage], server: ConfiguredServer) -> Path | None:
    """Return the file of a server: the one of its name, else the only one that was pulled from its address alone."""
    named = next((file for file in _list_named_files(packages, server) if file.is_file()), None)
    if named is not None or isinstance(server.query, IntrospectionError):
        return named
    address = format_server_address(server.query.source)
    pulled = find_pulled_files(packages, make_server_name(server.query.source), server.query)
    alone = [file for file in pulled if read_server(file) == address]
    return alone[0] if len(alone) == 1 else None


def _list_named_files(packages: Sequence[ConfiguredPackage], server: ConfiguredServer) -> list[Path]:
    """Return the file that each package would have of a server."""
    return [find_pulled_folder([package]) / f"{server.slug}.json" for package in packages]


def _read_exclude(packages: Sequence[ConfiguredPackage], server: ConfiguredServer) -> tuple[str, ...]:
    """Return what `pull` has left out of the file of a server."""
    file = _find_file(packages, server)
    return () if file is None else read_exclude(file)
