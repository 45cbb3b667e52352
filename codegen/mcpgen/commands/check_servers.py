"""`mcpgen check --server` and `--from`: report where running servers deviate from the definitions."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mcpgen.commands.package_selection import SEVERAL_PACKAGES_MESSAGE, LoadedPackages
from mcpgen.commands.pulled_files import (
    find_folder_of_server,
    find_pulled_files,
    find_pulled_folder,
    read_pulled_header,
)
from mcpgen.config.load import locate_setting
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Severity, Span, join_words
from mcpgen.files.project_paths import find_project, resolve_path
from mcpgen.introspect.client import FetchedServer, fetch_from_servers
from mcpgen.introspect.client_config import ConfiguredServer, ServerChoice, list_servers
from mcpgen.introspect.definition_drift import list_stale_definitions
from mcpgen.introspect.drift import describe_counts, find_drift
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.redaction import Redactor, list_public_words
from mcpgen.introspect.returned_classes import find_misfits, find_package_import
from mcpgen.introspect.server_address import (
    Command,
    InProcess,
    ServerAddress,
    Url,
    format_server_address,
    make_server_name,
)
from mcpgen.introspect.server_query import ServerQuery
from mcpgen.introspect.validation import AdvertisedDefinitions, is_excluded
from mcpgen.paths import format_path
from mcpgen.read.definitions import Definitions
from mcpgen.read.document import SourceDocument
from mcpgen.read.loader import read_definitions
from mcpgen.read.recognition import find_instructions
from mcpgen.report.exit_codes import DRIFT, INVALID_INPUT, SUCCESS
from mcpgen.report.output import CommandOutput
from mcpgen.report.visible import split_text_lines
from mcpgen.schema.values import Json


@dataclass(frozen=True)
class ServerCheckRequest:
    """Servers to ask, each compared with its pulled file; one server with what `paths` say, or a whole package."""

    source: ServerQuery | ServerChoice
    name: str | None = None
    """Name of the pulled file; None: the file that was pulled from the server."""
    paths: tuple[Path, ...] = ()
    exclude: tuple[str, ...] = ()
    """Names, URIs and patterns of definitions that are not compared."""
    strict: bool = False
    """Whether wording that has changed is drift."""


@dataclass(frozen=True)
class _Expected:
    package: ConfiguredPackage
    definitions: Definitions
    compared: str
    place: Span
    prefix: str = ""
    """Text before the names of tools and prompts in the definitions."""
    remark: str = ""
    """What to say about the choice of the file."""
    is_guess: bool = False
    """Whether that is only said about drift, which may be that of another server."""


@dataclass(frozen=True)
class _DriftReport:
    exit_code: int
    summary: str
    data: dict[str, Json]
    remarks: Sequence[str] = ()
    differs: bool = False
    """Whether definitions differ, so that one of the two sides should change them."""


def run_server_check(loaded: LoadedPackages, request: ServerCheckRequest, output: CommandOutput) -> int:
    """Compare each server with its definitions, print the differences and return the highest of the exit codes."""
    findings, is_alone = loaded.findings, isinstance(request.source, ServerQuery)
    options = loaded, request, output
    comparison: _NamedServer | _ConfiguredServers = _NamedServer(*options) if is_alone else _ConfiguredServers(*options)
    servers = [] if findings.failed else comparison.list_servers()
    reports: list[_DriftReport] = []
    for fetched in fetch_from_servers(servers, request.exclude, comparison.limits):
        findings.extend(fetched.findings)
        expected = None if fetched.definitions is None else comparison.find_expected(fetched.server)
        reports.append(comparison.compare(fetched, expected))
    exit_code = max((report.exit_code for report in reports), default=SUCCESS)
    if findings.failed and exit_code == SUCCESS:
        exit_code = INVALID_INPUT
    data: Json = {"servers": [report.data for report in reports]}
    if is_alone:
        reports = [report for report in reports if report.exit_code != INVALID_INPUT]  # the errors say it all
        data = reports[0].data if reports else None
    output.finish(_select_findings(findings), exit_code, lambda: data)
    output.print_remark(*(remark for report in reports for remark in report.remarks))
    output.print_summary(*(report.summary for report in reports), failed=exit_code != SUCCESS)
    is_edited = any(finding.code == "MG401" for finding in findings)  # then its warning says what to do
    if any(report.differs for report in reports) and not is_edited:
        output.print_summary(*comparison.advise(servers), failed=True)
    return exit_code


def compare_named_server(
    loaded: LoadedPackages, request: ServerCheckRequest, output: CommandOutput
) -> tuple[AdvertisedDefinitions | None, Definitions, int]:
    """Return what a server advertises, the definitions that it is compared with, and the exit code; print the diff.

    What it advertises is None, with findings, if it could not be asked.
    """
    comparison = _NamedServer(loaded, request, output)
    for fetched in fetch_from_servers(comparison.list_servers(), request.exclude, comparison.limits):
        loaded.findings.extend(fetched.findings)
        expected = comparison.find_expected(fetched.server)
        report = comparison.compare(fetched, expected)
        if fetched.definitions is not None and expected is not None:
            output.print_remark(report.summary, *report.remarks)
            named = Definitions() if expected.prefix else expected.definitions  # then the names are other ones
            return fetched.definitions, named, report.exit_code
    return None, Definitions(), INVALID_INPUT


class _Comparison:
    def __init__(self, loaded: LoadedPackages, request: ServerCheckRequest, output: CommandOutput) -> None:
        self._packages, self._findings = loaded.packages, loaded.findings
        self._request, self._output = request, output
        self._definitions: dict[int, Definitions] = {}
        self.limits = loaded.limits

    def compare(self, fetched: FetchedServer, expected: _Expected | None) -> _DriftReport:
        name, query, advertised = fetched.server.name, fetched.server.query, fetched.definitions
        if advertised is None or expected is None or isinstance(query, IntrospectionError):
            return _DriftReport(INVALID_INPUT, f"{name}: could not be compared", {"server": name})
        report = self._report_drift(name, expected, advertised.add_prefix(expected.prefix))
        if isinstance(query.source, InProcess) and _report_returned_classes(expected, query, self._findings):
            summary = f"{report.summary}, but the classes of handlers do not fit"
            report = replace(report, exit_code=DRIFT, summary=summary)
        if expected.remark and (report.exit_code == DRIFT or not expected.is_guess):
            report = replace(report, remarks=[*report.remarks, expected.remark])
        return report

    def _report_drift(self, server: str, expected: _Expected, advertised: AdvertisedDefinitions) -> _DriftReport:
        version, output = advertised.protocol, self._output
        unchecked = {name: choice.unchecked for name, choice in expected.package.settings.tools.items()}
        strict = self._request.strict
        drift = find_drift(expected.definitions, advertised, expected.place, strict=strict, unchecked=unchecked)
        self._findings.extend(drift.diagnostics)
        diffs, long_diffs = (
            [changed.render_diff(f"{server} ({version})", only_long=only_long) for changed in drift.changed]
            for only_long in (False, True)
        )
        data: dict[str, Json] = {
            "server": server,
            "protocol": version,
            "diffs": [*diffs],
            "changes": [change for changed in drift.changed for change in changed.describe()],
            "outputSchemasFromSettings": [*drift.undeclared_outputs],
        }
        if any(long_diffs) and not output.quiet:
            output.print_data((line for diff in long_diffs for line in split_text_lines(diff)), "diff")
        counts, difference = f"{server}: {describe_counts(advertised)} under {version}", drift.summarize()
        if drift.is_failure:
            summary = f"{counts}, compared with {expected.compared}: {difference}"
        else:
            summary = f"{counts}, as in {expected.compared}"
            summary += f", {difference} (--strict makes that an error)" if difference else ""
        names = ", ".join(drift.undeclared_outputs)
        remark = f"{server} declares no outputSchema for {names}; that of the settings was not compared"
        differs = len(drift.doubled) < sum(item.severity is Severity.ERROR for item in drift.diagnostics)
        exit_code = DRIFT if drift.is_failure else SUCCESS
        return _DriftReport(exit_code, summary, data, [remark] if names else [], differs)

    def _read_package(self, package: ConfiguredPackage) -> Definitions:
        if id(package) not in self._definitions:
            definitions = read_definitions(package, self._findings)
            if not self._request.paths:
                _report_stale_package(package, definitions, self._findings)
            self._definitions[id(package)] = _filter_definitions(
                definitions, lambda definition, _: not is_excluded(definition, self._request.exclude)
            )
        return self._definitions[id(package)]


class _NamedServer(_Comparison):
    _expected: _Expected | None = None
    _pulled: Path | None = None
    """The file that was pulled from it, or would be."""

    def list_servers(self) -> list[ConfiguredServer]:
        servers = list_servers(self._request.source, self.limits, self._findings)
        pulled = self._locate_pulled_file(servers[0])
        package = None if pulled is None else self._choose_package(pulled, servers[0])
        if pulled is None or package is None:
            return []
        self._pulled, self._expected = pulled, self._expect(package, pulled, servers[0].name)
        self.limits = package.settings.limits
        exclude = read_pulled_header(pulled).exclude
        return [] if self._findings.failed else [replace(server, exclude=exclude) for server in servers]

    def _locate_pulled_file(self, server: ConfiguredServer) -> Path | None:
        name = self._request.name or server.slug
        query = server.query if isinstance(server.query, ServerQuery) and self._request.name is None else None
        candidates = find_pulled_files(self._packages, name, query)
        if not candidates:
            return find_pulled_folder(self._packages[:1]) / f"{name}.json"
        if len(candidates) == 1:
            return candidates[0]
        if len({path.stem for path in candidates}) == 1:
            files, help = [*map(format_path, candidates)], "choose one: --from mcp.json --only NAME; or rename one"
        else:
            files, help = [path.stem for path in candidates], "choose one: --name"
        message = f"{server.name} was pulled into several files: {', '.join(files)}"
        self._findings.error("MG701", message, None, help)
        return None

    def _choose_package(self, pulled: Path, server: ConfiguredServer) -> ConfiguredPackage | None:
        candidates = packages = self._packages
        if len(packages) != 1:
            is_pulled = pulled.is_file()
            candidates = [package for package in packages if is_pulled and package.reads(pulled)]
        if len(candidates) == 1:
            return candidates[0]
        help = "pull from it first, or name a settings file with one package: --config"
        if files := _list_file_options(packages):
            help = f"name the file that was pulled from it, {join_words(files, 'or')}; if none was, pull from it first"
        missing = "" if isinstance(server.query, IntrospectionError) else _find_missing_script(server.query.source)
        message = f"there is no file {missing}, and {SEVERAL_PACKAGES_MESSAGE}" if missing else SEVERAL_PACKAGES_MESSAGE
        self._findings.error("MG302", message, None, help)
        return None

    def _expect(self, package: ConfiguredPackage, pulled: Path, server: str) -> _Expected:
        definitions, is_named = self._read_package(package), self._request.name is not None
        if is_named and not pulled.is_file():
            self._findings.error("MG001", "no such file", Span(format_path(pulled)), "`mcpgen pull --name` writes it")
        if not self._request.paths and (pulled.is_file() or is_named):
            definitions, path = _select_file(definitions, pulled), format_path(pulled)
            return _Expected(package, definitions, path, Span(path), read_pulled_header(pulled).prefix)
        compared = ", ".join(format_path(path) for path in package.inputs)
        place = Span(compared) if package.inputs == [pulled] and pulled.is_file() else Span.of_server(server)
        others = [] if self._request.paths else _list_file_options([package])
        remark = f"no file was pulled from {server}, so it was compared with all definitions"
        remark = f"{remark}; to compare it with one file: {join_words(others, 'or')}" if others else ""
        return _Expected(package, definitions, compared, place, "", remark, is_guess=True)

    def find_expected(self, server: ConfiguredServer) -> _Expected | None:
        return self._expected

    def advise(self, servers: Sequence[ConfiguredServer]) -> list[str]:
        (query,) = [server.query for server in servers if isinstance(server.query, ServerQuery)]
        given = {"--header": query.credentials.headers, "--env": query.credentials.env}
        options = [option for option, values in given.items() if values]
        source, pulled = query.source, self._pulled
        if pulled is not None and pulled.is_file() and not self._request.paths:
            named = [] if pulled.stem == make_server_name(source) else ["--name", pulled.stem]
            hidden = ["URL"] if isinstance(source, Url) else ["--", "COMMAND"]  # in place of what may be a secret
            return _advise_pull(["mcpgen", "pull", *named, *(list_public_words(source) or hidden)], options)
        if isinstance(source, InProcess):
            return [
                "next: if the definitions are right, run `mcpgen build`, and bind a handler to what is missing; if the "
                "server is right, change them, run `mcpgen build`, then your type checker"
            ]
        return [
            "next: if the definitions are right, deploy the server that is built from them; if the server is right, "
            "change them, run `mcpgen build`, then your type checker"
        ]


class _ConfiguredServers(_Comparison):
    """Comparison of the servers of a client's configuration, each with the file that was pulled from it."""

    def list_servers(self) -> list[ConfiguredServer]:
        servers = list_servers(self._request.source, self.limits, self._findings)
        files = [self._find_file(server) for server in servers]
        return [
            replace(server, exclude=() if file is None else read_pulled_header(file).exclude)
            for server, file in zip(servers, files, strict=True)
        ]

    def find_expected(self, server: ConfiguredServer) -> _Expected | None:
        file = self._find_file(server)
        if file is None:
            places = ", ".join(map(format_path, self._list_named_files(server)))
            help = f"`{shlex.join(self._list_pull_words([server]))}` writes it"
            message = f"nothing was pulled from it: there is no {places}"
            self._findings.error("MG001", message, Span.of_server(server.name), help)
            return None
        package = next(package for package in self._packages if find_pulled_folder([package]) == file.parent)
        path, remark = format_path(file), ""
        if file.stem != server.slug:
            renamed = f"rename it to {server.slug}.json, which `pull --from` writes"
            remark = f"{path} was pulled from the address of {server.name}: {renamed}"
        definitions = _select_file(self._read_package(package), file)
        return _Expected(package, definitions, path, Span(path), read_pulled_header(file).prefix, remark)

    def advise(self, servers: Sequence[ConfiguredServer]) -> list[str]:
        return _advise_pull(self._list_pull_words(servers))

    def _list_pull_words(self, servers: Sequence[ConfiguredServer]) -> list[str]:
        choice = self._request.source
        assert isinstance(choice, ServerChoice)
        words = ["mcpgen", "pull", "--from", format_path(choice.file)]
        for name in choice.names:
            words += ["--only", name]
        files = {server.slug: self._find_file(server) for server in servers}
        known = {slug: file for slug, file in files.items() if file is not None}
        has_own = all(file.parent == find_folder_of_server(self._packages, slug) for slug, file in known.items())
        if len(self._packages) > 1 and has_own:
            words.append("--each")
        elif any(read_pulled_header(file).prefix for file in known.values()):
            words.append("--prefix")
        return words

    def _find_file(self, server: ConfiguredServer) -> Path | None:
        named = next((file for file in self._list_named_files(server) if file.is_file()), None)
        if named is not None or isinstance(server.query, IntrospectionError):
            return named
        source = server.query.source
        pulled = find_pulled_files(self._packages, make_server_name(source), server.query)
        alone = [file for file in pulled if read_pulled_header(file).server == format_server_address(source)]
        return alone[0] if len(alone) == 1 else None

    def _list_named_files(self, server: ConfiguredServer) -> list[Path]:
        return [find_pulled_folder([package]) / f"{server.slug}.json" for package in self._packages]


def _advise_pull(words: Sequence[str], options: Sequence[str] = ()) -> list[str]:
    same = f" with the same {join_words(options)}" if options else ""
    return [
        f"next: pull{same}, build, then run your type checker, which finds the code that no longer fits:",
        f"  {shlex.join(words)}",
        "  mcpgen build",
    ]


def _select_findings(findings: Findings) -> Findings:
    """Return the findings about servers, edited pulled files, a stale package, and errors; `build` reports others."""
    shown = ("MG401", "MG403", "MG7", "MG8")
    selected = Findings()
    selected.extend(
        finding for finding in findings if finding.severity is Severity.ERROR or finding.code.startswith(shown)
    )
    return selected


def _list_file_options(packages: list[ConfiguredPackage]) -> list[str]:
    """Return the options that choose the files that were pulled from servers, each with its server."""
    folders = dict.fromkeys(find_pulled_folder([package]) for package in packages)
    files = {path.stem: read_pulled_header(path).server for folder in folders for path in folder.glob("*.json")}
    return [f"--name {name} (from {server})" for name, server in sorted(files.items()) if server]


def _find_missing_script(source: ServerAddress) -> str:
    words = list_public_words(source) or [] if isinstance(source, Command) else []
    return next((word for word in words if word.endswith(".py") and not Path(word).is_file()), "")


def _report_returned_classes(expected: _Expected, query: ServerQuery, findings: Findings) -> bool:
    """Report classes that do not fit the outputSchema of their tool, for servers of this process, which import them."""
    redact = Redactor(query.credentials, query.source).redact_foreign
    package, has_misfits = expected.package, False
    for tool in expected.definitions.tools:
        choice = package.settings.tools.get(tool.name)
        if choice is None or choice.returns is None or tool.output is None:
            continue
        span = locate_setting(package, ("tools", tool.name, "returns"))
        try:
            misfits = find_misfits(tool.output, choice.returns, query.credentials.env)
        except IntrospectionError as error:
            findings.error("MG720", f'tool "{tool.name}": {redact(error.message)}', span, redact(error.help))
            has_misfits = True
            continue
        _warn_about_import(package, tool.name, choice.returns, span, findings)
        for misfit in misfits:
            findings.error("MG720", f'tool "{tool.name}", {choice.returns}: {misfit}', span, "change one of the two")
        has_misfits = has_misfits or bool(misfits)
    return has_misfits


def _warn_about_import(
    package: ConfiguredPackage, tool: str, returns: str, span: Span | None, findings: Findings
) -> None:
    module = returns.partition(":")[0]
    cause = find_package_import(module, package.out, find_project(package.folder))
    if cause is None:
        return
    through = f" through {cause.module}" if cause.module != module else ""
    place = f"{format_path(cause.file)}, line {cause.line}"
    message = f'tool "{tool}": the module of {returns} imports the generated package{through} ({place})'
    help = "move the class into a module that no import leads from to the package: else mypy may not check the handler"
    findings.warn("MG720", message, span, help)


def _report_stale_package(package: ConfiguredPackage, definitions: Definitions, findings: Findings) -> None:
    if stale := list_stale_definitions(package, definitions):
        message = f"was built before these definitions changed: {join_words(stale)}"
        help = "`mcpgen build` first: code that uses the package, and a server that is built from it, has the old ones"
        findings.warn("MG403", message, Span(format_path(package.out)), help)


def _filter_definitions(
    definitions: Definitions, accept: Callable[[dict[str, Json], SourceDocument | None], bool]
) -> Definitions:
    return replace(
        definitions,
        tools=[item for item in definitions.tools if accept(item.tool, item.document)],
        resources=[item for item in definitions.resources if accept(item.resource, item.document)],
        prompts=[item for item in definitions.prompts if accept(item.prompt, item.document)],
    )


def _select_file(definitions: Definitions, file: Path) -> Definitions:
    real_path = resolve_path(file)
    documents: list[SourceDocument] = []

    def is_in_file(_: object, document: SourceDocument | None) -> bool:
        if document is None or resolve_path(document.path) != real_path:
            return False
        documents.append(document)
        return True

    selected = _filter_definitions(definitions, is_in_file)
    return replace(selected, instructions=find_instructions(documents[0]) if documents else [])
