"""`mcpgen verify`: call a live server, and report where its answers break what it promises."""

from __future__ import annotations

import json
import shlex
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mcpgen import write
from mcpgen.commands.check_servers import ServerCheckRequest, compare_named_server
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.diagnostics import Span
from mcpgen.introspect.calls import advise_about_call
from mcpgen.introspect.client import fetch_definitions
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.redaction import DefinitionRedactor, Redactor, list_public_words
from mcpgen.introspect.server_address import format_server_address
from mcpgen.introspect.server_query import ServerQuery
from mcpgen.introspect.validation import AdvertisedDefinitions
from mcpgen.read.definitions import Definitions
from mcpgen.report.exit_codes import DRIFT, INVALID_INPUT, SUCCESS, VERIFY_FAILED
from mcpgen.report.junit import JunitCase, write_junit
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_count, format_table
from mcpgen.schema.values import Json
from mcpgen.schema.violations import shorten
from mcpgen.verify.runner import Budget, FoundFault, Run, SubjectReport
from mcpgen.verify.subjects import UNKNOWN_TOOL, Choice, Subject, SubjectFinder

_TABLE_HEADER = ("name", "calls", "refused", "errors", "ms", "p95", "bytes", "p95", "")


@dataclass(frozen=True)
class VerifyRequest:
    """A server, and how it is tested."""

    query: ServerQuery
    paths: tuple[Path, ...] = ()
    exclude: tuple[str, ...] = ()
    choice: Choice = field(default_factory=Choice)
    budget: Budget = field(default_factory=Budget)
    junit: Path | None = None


def run_verify(loaded: LoadedPackages, request: VerifyRequest, output: CommandOutput) -> int:
    """Test the server, print a table, report each fault and return the exit code."""
    verification = _Verification(loaded, request, output)
    exit_code = INVALID_INPUT if loaded.findings.failed else verification.run()
    output.finish(loaded.findings, exit_code, lambda: verification.data)
    return exit_code


class _Verification:
    def __init__(self, loaded: LoadedPackages, request: VerifyRequest, output: CommandOutput) -> None:
        self._loaded, self._request, self._output = loaded, request, output
        self._findings = loaded.findings
        self._redact = Redactor(request.query.credentials, request.query.source)
        self._hiding = DefinitionRedactor(request.query.credentials, request.query.source)
        self._server = Span.of_server(format_server_address(request.query.source))
        self.data: dict[str, Json] | None = None

    def run(self) -> int:
        request, findings = self._request, self._findings
        advertised, definitions, exit_code = self._compare()
        if advertised is None:
            return INVALID_INPUT
        subjects = self._find_subjects(advertised, definitions)
        if subjects is None:
            return INVALID_INPUT
        try:
            with self._output.open_progress() as bar:
                done: list[SubjectReport] = []

                def show(report: SubjectReport) -> None:
                    done.append(report)
                    bar.show("calling", len(done), len(subjects), report.subject.name)

                reports = Run(request.query, request.budget, self._loaded.limits, show).verify(subjects)
        except IntrospectionError as error:
            findings.error(error.code, self._redact(error.message), self._server, self._redact(error.help))
            return INVALID_INPUT
        self._report_faults(reports)
        self._print(advertised, reports)
        if request.junit is not None:
            self._write_junit(request.junit, reports, exit_code)
        has_faults = any(report.faults for report in reports)
        return VERIFY_FAILED if has_faults else INVALID_INPUT if findings.failed and exit_code == SUCCESS else exit_code

    def _compare(self) -> tuple[AdvertisedDefinitions | None, Definitions, int]:
        """Return what the server advertises, its definitions here, and the exit code of their comparison."""
        loaded, request = self._loaded, self._request
        inputs = [path for package in loaded.packages for path in package.inputs if path.exists()]
        if request.paths or loaded.settings_file is not None or inputs:
            check = ServerCheckRequest(request.query, None, request.paths, request.exclude)
            return compare_named_server(loaded, check, self._output)
        self._output.print_remark("there are no definitions here, so the server is compared with what it advertises")
        fetched = fetch_definitions(request.query, request.exclude, loaded.limits, self._findings)
        return fetched, Definitions(), SUCCESS

    def _find_subjects(self, advertised: AdvertisedDefinitions, definitions: Definitions) -> list[Subject] | None:
        """Return what is tested; None, with findings, if an option names what there is not."""
        choice, findings = self._request.choice, self._findings
        tools = [str(tool["name"]) for tool in advertised.tools]
        unknown = sorted(choice.allowed - {*tools})
        for name in unknown:
            findings.error("MG701", f'the server has no tool "{name}"', self._server, advise_about_call(name, tools))

        def refuse(name: str, reason: str) -> None:
            findings.error("MG101", f'"{name}" cannot be called: {self._redact(shorten(reason))}', self._server)

        subjects = [*SubjectFinder(advertised, definitions, choice).find_subjects(refuse)]
        untested = sorted(choice.only - {subject.name for subject in subjects})
        for name in untested:
            help = "a tool that is not annotated as read-only needs --call" if name in tools else ""
            findings.error("MG701", f'"{name}" is not tested: --only names it', self._server, help)
        return None if unknown or untested else subjects

    # --- reports -----------------------------------------------------------------------------------------------------
    def _report_faults(self, reports: Sequence[SubjectReport]) -> None:
        for report in reports:
            subject = report.subject
            span = subject.span or self._server
            for found in report.faults:
                self._findings.error("MG721", self._describe(subject, found), span, self._make_help(subject, found))
            tested = (
                subject.kind == "tool" and subject.name != UNKNOWN_TOOL and report.is_finished and not report.faults
            )
            if tested and report.errors == report.accepted:
                cause = "each call was answered with an error" if report.errors else "no valid arguments were found"
                message = f'tool "{subject.name}": {cause}, so no result was tested'
                help = "give its inputSchema `examples` that succeed, or try arguments: --only NAME --arguments JSON"
                self._findings.warn("MG721", message, span, help)

    def _describe(self, subject: Subject, found: FoundFault) -> str:
        return self._redact(f'{subject.kind} "{subject.name}": {found.fault.message}')

    def _make_help(self, subject: Subject, found: FoundFault) -> str:
        """Return how to make the call again: as a command, and as JSON."""
        request, query = self._request, self._request.query
        address = [word for word in list_public_words(query.source) if word != "--"]
        words = ["mcpgen", "verify", "--server", shlex.join(address) or "…", "--only", subject.name]
        if subject.kind == "tool" and subject.name != UNKNOWN_TOOL:
            words += ["--call", subject.name]
        words += ["--arguments", json.dumps(found.arguments, ensure_ascii=False)]
        words += [] if query.protocol is None else ["--protocol", query.protocol]
        for option, value in (("--call-seconds", request.budget.call_seconds), ("--slow", request.budget.slow_seconds)):
            words += [] if value in (Budget.call_seconds, Budget.slow_seconds) else [option, f"{value:g}"]
        credentials = query.credentials
        hidden = " with the same --header and --env" if credentials.headers or credentials.env else ""
        recurs = "" if found.recurs else "; it did not happen again at once"
        asked = json.dumps(subject.make_request(found.arguments), ensure_ascii=False)
        return self._redact(f"again{hidden}: `{shlex.join(words)}`, which sends {asked}{recurs}")

    def _print(self, advertised: AdvertisedDefinitions, reports: Sequence[SubjectReport]) -> None:
        """Print the table and a summary, and keep the data for JSON."""
        choice, output = self._request.choice, self._output
        if not output.quiet:
            output.print_data(format_table([_TABLE_HEADER, *map(_make_row, reports)], range(1, 8)))
        calls = sum(report.calls for report in reports)
        faults = sum(len(report.faults) for report in reports)
        made = f"{format_count(calls, 'call')} under {advertised.protocol}, seed {choice.seed}"
        summary = [f"{made}: {format_count(faults, 'fault')}"]
        withheld = [str(tool["name"]) for tool in advertised.tools if not choice.may_call(tool)]
        if withheld:
            names = ", ".join(withheld)
            summary.append(f"not called, since they are not annotated as read-only: {names} (--call NAME calls one)")
        if unfinished := [report.subject.name for report in reports if not report.is_finished and not report.faults]:
            summary.append(f"the time was up, or the server gone, before all calls were made: {', '.join(unfinished)}")
        output.print_summary(*map(self._redact, summary), failed=faults > 0)
        described = [self._hiding.redact(_describe_report(report)) for report in reports]
        about: dict[str, Json] = {"server": self._server.file, "protocol": advertised.protocol, "seed": choice.seed}
        self.data = {**about, "subjects": described, "notCalled": [*withheld]}

    def _write_junit(self, path: Path, reports: Sequence[SubjectReport], exit_code: int) -> None:
        drift = [("definitions", "the server advertises something else than the definitions say")]
        cases = [JunitCase("server", "definitions", failures=drift if exit_code == DRIFT else ())]
        for report in reports:
            subject = report.subject
            failures = [
                (found.fault.kind, f"{self._describe(subject, found)}\n{self._make_help(subject, found)}")
                for found in report.faults
            ]
            skipped = "" if report.is_finished else "not all calls were made"
            cases.append(JunitCase(subject.kind, subject.name, sum(report.seconds), failures, skipped))
        try:
            write_junit(path, "mcpgen verify", cases)
        except OSError as error:
            write.report_failure(error, path, self._findings)


def _describe_report(report: SubjectReport) -> dict[str, Json]:
    faults: list[Json] = [
        {
            "fault": found.fault.kind,
            "message": found.fault.message,
            "arguments": found.arguments,
            "recurs": found.recurs,
            "request": report.subject.make_request(found.arguments),
        }
        for found in report.faults
    ]
    return {
        "kind": report.subject.kind,
        "name": report.subject.name,
        "calls": report.calls,
        "refused": report.refused,
        "errors": report.errors,
        "milliseconds": _describe_figures([seconds * 1000 for seconds in report.seconds]),
        "bytes": _describe_figures(report.sizes),
        "finished": report.is_finished,
        "faults": faults,
    }


def _describe_figures(values: Sequence[float]) -> dict[str, Json]:
    """Return the median and the 95th percentile; nothing without values."""
    ordered = sorted(values)
    index = min(len(ordered) - 1, int(len(ordered) * 0.95))
    return {"median": statistics.median(ordered), "p95": ordered[index]} if ordered else {}


def _make_row(report: SubjectReport) -> tuple[str, ...]:
    described = [_describe_figures([seconds * 1000 for seconds in report.seconds]), _describe_figures(report.sizes)]
    figures = [f"{values[part]:.0f}" if values else "" for values in described for part in ("median", "p95")]
    kinds = ", ".join(dict.fromkeys(found.fault.kind for found in report.faults))
    verdict = f"FAILS: {kinds}" if kinds else "holds" if report.is_finished else "not finished"
    return (report.subject.name, *map(str, (report.calls, report.refused, report.errors)), *figures, verdict)
