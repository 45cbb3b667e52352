"""`mcpgen check --server`: report where a running server deviates from the definitions."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mcpgen.commands.package_selection import SEVERAL_PACKAGES_MESSAGE, LoadedPackages
from mcpgen.commands.server_package import find_pulled_files
from mcpgen.config.load import locate_setting
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Severity, Span, join_words
from mcpgen.files.project_paths import find_project, resolve_path
from mcpgen.introspect.built_definitions import list_stale_definitions
from mcpgen.introspect.client import ServerQuery
from mcpgen.introspect.drift import describe_counts, find_drift
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.fetch import fetch_definitions
from mcpgen.introspect.import_cycles import find_package_import
from mcpgen.introspect.pulled_file import (
    find_pulled_folder,
    read_exclude,
    read_prefix,
    read_server,
)
from mcpgen.introspect.redaction import Redactor
from mcpgen.introspect.returned_classes import find_misfits
from mcpgen.introspect.secret_texts import list_public_words
from mcpgen.introspect.server_address import (
    Command,
    InProcess,
    ServerAddress,
    Url,
    format_server_address,
    make_server_name,
)
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
    """Server to ask, and what to compare: `paths` if there are any, else the pulled file, else the whole package."""

    query: ServerQuery
    name: str | None
    """Name of the pulled file, None for the file that was pulled from the server."""
    paths: tuple[Path, ...]
    exclude: tuple[str, ...]
    """Names, URIs and patterns of definitions that are not compared."""
    strict: bool = False
    """Whether wording that has changed is drift."""


def run_server_check(loaded: LoadedPackages, request: ServerCheckRequest, output: CommandOutput) -> int:
    """Compare a server with the definitions, print the differences of contracts and return the exit code."""
    findings = loaded.findings
    pulled = None if findings.failed else _locate_pulled_file(loaded.packages, request, findings)
    source = request.query.source
    package = None if pulled is None else _choose_package(loaded.packages, pulled, source, findings)
    data: dict[str, Json] = {}
    report: DriftReport | None = None
    if package is not None and pulled is not None:
        report = _compare_contracts(package, pulled, request, findings, output, data)
    exit_code = INVALID_INPUT if report is None else report.exit_code
    output.finish(select_findings(findings), exit_code, lambda: data or None)
    if report is not None and pulled is not None:
        output.print_remark(*report.remarks)
        output.print_summary(report.summary, failed=exit_code == DRIFT)
        if report.differs and not has_edited_file(findings):
            is_pulled = pulled.is_file() and not request.paths
            words = _list_pull_words(request.query.source, pulled.stem) if is_pulled else ()
            credentials, is_own = request.query.credentials, isinstance(request.query.source, InProcess)
            options = {"--header": credentials.headers, "--env": credentials.env}
            given = [option for option, values in options.items() if values]
            output.print_summary(*list_drift_advice(words, given, is_own=is_own), failed=True)
    return exit_code


def has_edited_file(findings: Findings) -> bool:
    """Return whether a pulled file was edited by hand: then its warning says what to do about drift."""
    return any(finding.code == "MG401" for finding in findings)


def list_drift_advice(pull_words: Sequence[str], options: Sequence[str] = (), *, is_own: bool = False) -> list[str]:
    """Return lines that say what to do about drift.

    Args:
        pull_words: the command that fetches the definitions again; none if they are not from the server.
        options: options that the server was asked with, whose values are not shown.
        is_own: whether the server's code is in this project, so that there is nothing to deploy.
    """
    if pull_words:
        same = f" with the same {join_words(options)}" if options else ""
        return [
            f"next: pull{same}, build, then run your type checker, which finds the code that no longer fits:",
            f"  {shlex.join(pull_words)}",
            "  mcpgen build",
        ]
    if is_own:
        return [
            "next: if the definitions are right, run `mcpgen build`, and bind a handler to what is missing; if the "
            "server is right, change them, run `mcpgen build`, then your type checker"
        ]
    return [
        "next: if the definitions are right, deploy the server that is built from them; if the server is right, change "
        "them, run `mcpgen build`, then your type checker"
    ]


def _list_pull_words(source: ServerAddress, name: str) -> list[str]:
    """Return the command that pulls the file of this name again. An address that may hold a secret is not shown."""
    named = [] if name == make_server_name(source) else ["--name", name]
    hidden = ["URL"] if isinstance(source, Url) else ["--", "COMMAND"]
    return ["mcpgen", "pull", *named, *(list_public_words(source) or hidden)]


def select_findings(findings: Findings) -> Findings:
    """Return the findings about servers, edits of pulled files, a stale package, and errors.

    `build` reports the other warnings.
    """
    shown = ("MG401", "MG403", "MG7", "MG8")
    selected = Findings()
    selected.extend(
        finding for finding in findings if finding.severity is Severity.ERROR or finding.code.startswith(shown)
    )
    return selected


def _choose_package(
    packages: list[ConfiguredPackage], pulled: Path, source: ServerAddress, findings: Findings
) -> ConfiguredPackage | None:
    """Return the only package, or the only one whose input contains the pulled file; None with a finding."""
    candidates = packages
    if len(packages) != 1:
        is_pulled = pulled.is_file()
        candidates = [package for package in packages if is_pulled and package.reads(pulled)]
    if len(candidates) == 1:
        return candidates[0]
    servers = _list_file_options(packages)
    help = "pull from it first, or name a settings file with one package: --config"
    if servers:
        help = f"name the file that was pulled from it, {join_words(servers, 'or')}; if none was, pull from it first"
    missing = _find_missing_script(source)
    message = f"there is no file {missing}, and {SEVERAL_PACKAGES_MESSAGE}" if missing else SEVERAL_PACKAGES_MESSAGE
    findings.error("MG302", message, None, help)
    return None


def _locate_pulled_file(
    packages: list[ConfiguredPackage], request: ServerCheckRequest, findings: Findings
) -> Path | None:
    """Return where the definitions pulled from the server are, or would be; None, with a finding, if that is open."""
    name = request.name or make_server_name(request.query.source)
    candidates = find_pulled_files(packages, name, request.query if request.name is None else None)
    server = format_server_address(request.query.source)
    if not candidates:
        return find_pulled_folder(packages[:1]) / f"{name}.json"
    if len(candidates) == 1:
        return candidates[0]
    if len({path.stem for path in candidates}) == 1:
        files, help = [*map(format_path, candidates)], "choose one: --from mcp.json --only NAME; or rename one"
    else:
        files, help = [path.stem for path in candidates], "choose one: --name"
    findings.error("MG701", f"{server} was pulled into several files: {', '.join(files)}", None, help)
    return None


def _list_file_options(packages: list[ConfiguredPackage]) -> list[str]:
    """Return the options that choose the files that were pulled from servers, each with its server."""
    folders = dict.fromkeys(find_pulled_folder([package]) for package in packages)
    files = {path.stem: read_server(path) for folder in folders for path in folder.glob("*.json")}
    return [f"--name {name} (from {server})" for name, server in sorted(files.items()) if server]


def _find_missing_script(source: ServerAddress) -> str:
    """Return the first word of a command that should be a Python file and is none; empty if there is no such word."""
    words = list_public_words(source) or [] if isinstance(source, Command) else []
    return next((word for word in words if word.endswith(".py") and not Path(word).is_file()), "")


def _compare_contracts(
    package: ConfiguredPackage,
    pulled: Path,
    request: ServerCheckRequest,
    findings: Findings,
    output: CommandOutput,
    data: dict[str, Json],
) -> DriftReport | None:
    """Report the drift between a package and a server; `data` receives the diffs.

    Returns:
        What to say in the end; None if they cannot be compared.
    """
    definitions = read_definitions(package, findings)
    if not request.paths:
        report_stale_package(package, definitions, findings)
    definitions = exclude_definitions(definitions, request.exclude)
    if request.name is not None and not pulled.is_file():
        findings.error("MG001", "no such file", Span(format_path(pulled)), "`mcpgen pull --name` writes it")
    inputs, prefix, exclude = package.inputs, "", (*request.exclude, *read_exclude(pulled))
    others: list[str] = []
    if not request.paths and (pulled.is_file() or request.name is not None):
        definitions, inputs, prefix = select_file(definitions, pulled), [pulled], read_prefix(pulled)
    elif not request.paths:
        others = _list_file_options([package])
    if findings.failed:
        return None
    advertised = fetch_definitions(request.query, exclude, package.settings.limits, findings)
    if advertised is None:
        return None
    compared = ", ".join(format_path(path) for path in inputs)
    server = format_server_address(request.query.source)
    place = Span(compared) if inputs == [pulled] and pulled.is_file() else Span.of_server(server)
    unchecked = list_unchecked(package)
    expected = ExpectedDefinitions(definitions, compared, server, request.strict, place, unchecked)
    report = report_drift(expected, advertised.add_prefix(prefix), findings, output, data)
    if isinstance(request.query.source, InProcess) and report_returned_classes(
        package, definitions, request.query, findings
    ):
        summary = f"{report.summary}, but the classes of handlers do not fit"
        report = replace(report, exit_code=DRIFT, summary=summary)
    if report.exit_code == DRIFT and others:
        said = f"no file was pulled from {server}, so it was compared with all definitions"
        report.remarks.append(f"{said}; to compare it with one file: {join_words(others, 'or')}")
    return report


def report_returned_classes(
    package: ConfiguredPackage, definitions: Definitions, query: ServerQuery, findings: Findings
) -> bool:
    """Report classes in the settings that do not fit the outputSchema of their tool; return whether there are any.

    The classes are imported, as the server was, so this is for servers of this process.
    """
    redact = Redactor(query.credentials, query.source).redact_foreign
    has_misfits = False
    for tool in definitions.tools:
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
    """Warn about a class whose module imports the generated package, which imports the class for type checkers."""
    module = returns.partition(":")[0]
    cause = find_package_import(module, package.out, find_project(package.folder))
    if cause is None:
        return
    through = f" through {cause.module}" if cause.module != module else ""
    place = f"{format_path(cause.file)}, line {cause.line}"
    message = f'tool "{tool}": the module of {returns} imports the generated package{through} ({place})'
    help = "move the class into a module that no import leads from to the package: else mypy may not check the handler"
    findings.warn("MG720", message, span, help)


def report_stale_package(package: ConfiguredPackage, definitions: Definitions, findings: Findings) -> None:
    """Report that a package was built from other definitions than those that the server is compared with."""
    if stale := list_stale_definitions(package, definitions):
        message = f"was built before these definitions changed: {join_words(stale)}"
        help = "`mcpgen build` first: code that uses the package, and a server that is built from it, has the old ones"
        findings.warn("MG403", message, Span(format_path(package.out)), help)


def list_unchecked(package: ConfiguredPackage) -> dict[str, Sequence[str]]:
    """Return the JSON pointers of parts that the settings exclude from the comparison, by the name of their tool."""
    return {name: choice.unchecked for name, choice in package.settings.tools.items()}


@dataclass(frozen=True)
class ExpectedDefinitions:
    """What a server should advertise."""

    definitions: Definitions
    compared: str
    """The files that say so."""
    server: str
    """The server, for messages."""
    strict: bool
    """Whether wording that has changed is drift."""
    place: Span
    """The place of what only the server has."""
    unchecked: Mapping[str, Sequence[str]]
    """JSON pointers of parts that are not compared, by the name of their tool."""


@dataclass(frozen=True)
class DriftReport:
    """What to say at the end of a comparison with a server."""

    exit_code: int
    summary: str
    remarks: list[str]
    differs: bool = False
    """Whether definitions differ, so that one of the two sides should change them."""


def report_drift(
    expected: ExpectedDefinitions,
    advertised: AdvertisedDefinitions,
    findings: Findings,
    output: CommandOutput,
    data: dict[str, Json],
) -> DriftReport:
    """Report the drift of a server, and return what to say in the end; `data` receives the diffs."""
    server, version = expected.server, advertised.protocol
    drift = find_drift(
        expected.definitions, advertised, expected.place, strict=expected.strict, unchecked=expected.unchecked
    )
    findings.extend(drift.diagnostics)
    diffs = [changed.render_diff(f"{server} ({version})") for changed in drift.changed]
    data |= {
        "server": server,
        "protocol": version,
        "diffs": [*diffs],
        "changes": [change for changed in drift.changed for change in changed.describe()],
        "outputSchemasFromSettings": [*drift.undeclared_outputs],
    }
    long_diffs = [changed.render_diff(f"{server} ({version})", only_long=True) for changed in drift.changed]
    if any(long_diffs) and not output.quiet:
        output.print_data((line for diff in long_diffs for line in split_text_lines(diff)), "diff")
    counts, difference = f"{describe_counts(advertised)} under {version}", drift.summarize()
    if drift.is_failure:
        summary = f"{server}: {counts}, compared with {expected.compared}: {difference}"
    else:
        summary = f"{server}: {counts}, as in {expected.compared}"
        summary += f", {difference} (--strict makes that an error)" if difference else ""
    remarks = list[str]()
    if drift.undeclared_outputs:
        names = ", ".join(drift.undeclared_outputs)
        remarks.append(f"{server} declares no outputSchema for {names}; that of the settings was not compared")
    differs = len(drift.doubled) < sum(item.severity is Severity.ERROR for item in drift.diagnostics)
    return DriftReport(DRIFT if drift.is_failure else SUCCESS, summary, remarks, differs)


def exclude_definitions(definitions: Definitions, exclude: tuple[str, ...]) -> Definitions:
    """Return the definitions that are not excluded; those of the server are filtered in the same way."""
    tools = [tool for tool in definitions.tools if not is_excluded(tool.tool, exclude)]
    resources = [resource for resource in definitions.resources if not is_excluded(resource.resource, exclude)]
    prompts = [prompt for prompt in definitions.prompts if not is_excluded(prompt.prompt, exclude)]
    return Definitions(tools, resources, prompts, definitions.instructions)


def select_file(definitions: Definitions, file: Path) -> Definitions:
    """Return the definitions of one file, with its instructions."""
    real_path = resolve_path(file)
    documents: list[SourceDocument] = []

    def is_in_file(document: SourceDocument | None) -> bool:
        if document is None or resolve_path(document.path) != real_path:
            return False
        documents.append(document)
        return True

    tools = [tool for tool in definitions.tools if is_in_file(tool.document)]
    resources = [resource for resource in definitions.resources if is_in_file(resource.document)]
    prompts = [prompt for prompt in definitions.prompts if is_in_file(prompt.document)]
    instructions = find_instructions(documents[0]) if documents else []
    return Definitions(tools, resources, prompts, instructions)
