"""`mcpgen verify`: call a live server, and report where its answers break what it promises."""

from __future__ import annotations

import json
import shlex
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mcpgen import write
from mcpgen.commands.check_servers import ServerCheckRequest, compare_named_server
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.diagnostics import Span
from mcpgen.introspect.calls import advise_about_call
from mcpgen.introspect.client import fetch_definitions
from mcpgen.introspect.definition_drift import list_declared
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.redaction import DefinitionRedactor, Redactor, list_public_words
from mcpgen.introspect.server_address import format_server_address
from mcpgen.introspect.validation import AdvertisedDefinitions
from mcpgen.read.definitions import Definitions
from mcpgen.report.exit_codes import DRIFT, INVALID_INPUT, SUCCESS, VERIFY_FAILED
from mcpgen.report.junit import JunitCase, write_junit
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_count, format_table
from mcpgen.schema.document import shorten
from mcpgen.schema.values import Json
from mcpgen.verify.claims import Fault
from mcpgen.verify.runner import Run, SubjectReport
from mcpgen.verify.subjects import UNKNOWN_TOOL, Subject, SubjectFinder, VerifyRequest

_TABLE_HEADER = ("name", "calls", "refused", "errors", "ms", "p95", "bytes", "p95", "")


def run_verify(loaded: LoadedPackages, request: VerifyRequest, output: CommandOutput) -> int:
    """Test the server, print a table, report each fault and return the exit code."""
    verification = _Verification(loaded, request, output)
    exit_code = INVALID_INPUT if loaded.findings.failed else verification.run()
    return output.finish(loaded.findings, exit_code, lambda: verification.data)


class _Verification:
    def __init__(self, loaded: LoadedPackages, request: VerifyRequest, output: CommandOutput) -> None:
        self._loaded, self._request, self._output = loaded, request, output
        self._findings = loaded.findings
        self._redact = Redactor(request.query.credentials, request.query.source)
        self._server = Span.of_server(format_server_address(request.query.source))
        self.data: dict[str, Json] | None = None

    def run(self) -> int:
        advertised, definitions, exit_code = self._compare()
        subjects = None if advertised is None else self._find_subjects(advertised, definitions)
        if advertised is None or subjects is None:
            return INVALID_INPUT
        try:
            with self._output.open_progress() as bar:
                run = Run(self._request, self._loaded.limits, subjects, bar)
                run.make_calls()
        except IntrospectionError as error:
            self._findings.error(error.code, self._redact(error.message), self._server, self._redact(error.help))
            return INVALID_INPUT
        reports = run.reports
        places = {(item.kind, item.key): item.span for item in list_declared(definitions)}
        for report in reports:
            self._report_faults(report, places.get((report.subject.kind, report.subject.name), self._server))
        self._print(advertised, reports)
        if self._request.junit is not None:
            self._write_junit(self._request.junit, reports, exit_code)
        if any(report.faults for report in reports):
            return VERIFY_FAILED
        return INVALID_INPUT if self._findings.failed and exit_code == SUCCESS else exit_code

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
        request, findings = self._request, self._findings
        tools = [str(tool["name"]) for tool in advertised.tools]
        unknown = sorted(request.allowed - {*tools})
        for name in unknown:
            findings.error("MG701", f'the server has no tool "{name}"', self._server, advise_about_call(name, tools))

        def refuse(name: str, reason: str) -> None:
            findings.error("MG101", f'"{name}" cannot be called: {self._redact(shorten(reason))}', self._server)

        subjects = [*SubjectFinder(advertised, definitions, request).find_subjects(refuse)]
        untested = sorted(request.only - {subject.name for subject in subjects})
        for name in untested:
            help = "a tool that is not annotated as read-only needs --call" if name in tools else ""
            findings.error("MG701", f'"{name}" is not tested: --only names it', self._server, help)
        return None if unknown or untested else subjects

    def _report_faults(self, report: SubjectReport, span: Span) -> None:
        subject = report.subject
        for fault in report.faults:
            message, help = self._explain(subject, fault)
            self._findings.error("MG721", message, span, help)
        is_tested = subject.kind == "tool" and subject.name != UNKNOWN_TOOL and report.is_finished
        if is_tested and not report.faults and not report.successes:
            cause = "each call was answered with an error" if report.errors else "no valid arguments were found"
            help = "give its inputSchema `examples` that succeed, or try arguments: --only NAME --arguments JSON"
            self._findings.warn("MG721", f'tool "{subject.name}": {cause}, so no result was tested', span, help)

    def _explain(self, subject: Subject, fault: Fault) -> tuple[str, str]:
        """Return the message of a fault, and how to make the call again: as a command, and as JSON."""
        request, query = self._request, self._request.query
        address = [word for word in list_public_words(query.source) if word != "--"]
        words = ["mcpgen", "verify", "--server", shlex.join(address) or "…", "--only", subject.name]
        if subject.kind == "tool" and subject.name != UNKNOWN_TOOL:
            words += ["--call", subject.name]
        words += ["--arguments", json.dumps(fault.arguments, ensure_ascii=False)]
        words += [] if query.protocol is None else ["--protocol", query.protocol]
        for option, name in (("--call-seconds", "call_seconds"), ("--slow", "slow_seconds")):
            value = getattr(request, name)
            words += [] if value == getattr(VerifyRequest, name) else [option, str(value)]
        hidden = " with the same --header and --env" if query.credentials.headers or query.credentials.env else ""
        recurs = "" if fault.recurs else "; it did not happen again at once"
        asked = json.dumps(_make_request(subject, fault), ensure_ascii=False)
        help = f"again{hidden}: `{shlex.join(words)}`, which sends {asked}{recurs}"
        return self._redact(f'{subject.kind} "{subject.name}": {fault.message}'), self._redact(help)

    def _print(self, advertised: AdvertisedDefinitions, reports: Sequence[SubjectReport]) -> None:
        """Print the table and a summary, and keep the data for JSON."""
        request, output = self._request, self._output
        described = [_describe_report(report) for report in reports]
        if not output.quiet:
            output.print_data(format_table([_TABLE_HEADER, *map(_make_row, described)], range(1, 8)))
        calls, faults = (sum(report.calls for report in reports), sum(len(report.faults) for report in reports))
        made = f"{format_count(calls, 'call')} under {advertised.protocol}, seed {request.seed}"
        summary = [f"{made}: {format_count(faults, 'fault')}"]
        withheld = [str(tool["name"]) for tool in advertised.tools if not request.may_call(tool)]
        if withheld:
            names = ", ".join(withheld)
            summary.append(f"not called, since they are not annotated as read-only: {names} (--call NAME calls one)")
        if unfinished := [report.subject.name for report in reports if not report.is_finished and not report.faults]:
            summary.append(f"the time was up, or the server gone, before all calls were made: {', '.join(unfinished)}")
        output.print_summary(*map(self._redact, summary), failed=faults > 0)
        hiding = DefinitionRedactor(request.query.credentials, request.query.source)
        about: dict[str, Json] = {"server": self._server.file, "protocol": advertised.protocol, "seed": request.seed}
        self.data = {**about, "subjects": [*map(hiding.redact, described)], "notCalled": [*withheld]}

    def _write_junit(self, path: Path, reports: Sequence[SubjectReport], exit_code: int) -> None:
        drift = [("definitions", "the server advertises something else than the definitions say")]
        cases = [JunitCase("server", "definitions", failures=drift if exit_code == DRIFT else ())]
        for report in reports:
            subject = report.subject
            failures = [(fault.kind, "\n".join(self._explain(subject, fault))) for fault in report.faults]
            skipped = "" if report.is_finished or failures else "not all calls were made"
            cases.append(JunitCase(subject.kind, subject.name, sum(report.seconds), failures, skipped))
        try:
            write_junit(path, "mcpgen verify", cases)
        except OSError as error:
            write.report_failure(error, path, self._findings)


def _describe_report(report: SubjectReport) -> dict[str, Any]:
    subject, faults = report.subject, list[Json]()
    for fault in report.faults:
        shown: dict[str, Json] = {"fault": fault.kind, "message": fault.message, "recurs": fault.recurs}
        faults.append({**shown, "arguments": fault.arguments, "request": _make_request(subject, fault)})
    counts = {"calls": report.calls, "refused": report.refused, "errors": report.errors}
    milliseconds = _describe_figures([seconds * 1000 for seconds in report.seconds])
    figures = {"milliseconds": milliseconds, "bytes": _describe_figures(report.sizes)}
    about = {"kind": subject.kind, "name": subject.name, "finished": report.is_finished}
    return {**about, **counts, **figures, "faults": faults}


def _make_request(subject: Subject, fault: Fault) -> Json:
    method, params = subject.make_request(fault.arguments)
    return {"method": method, "params": params}


def _describe_figures(values: Sequence[float]) -> dict[str, float]:
    """Return the median and the 95th percentile; nothing without values."""
    ordered = sorted(values)
    return {"median": statistics.median(ordered), "p95": ordered[int(len(ordered) * 0.95)]} if ordered else {}


def _make_row(described: dict[str, Any]) -> tuple[str, ...]:
    pairs = [(described[figure], part) for figure in ("milliseconds", "bytes") for part in ("median", "p95")]
    figures = [f"{figure[part]:.0f}" if figure else "" for figure, part in pairs]
    kinds = ", ".join(dict.fromkeys(fault["fault"] for fault in described["faults"]))
    verdict = f"FAILS: {kinds}" if kinds else "holds" if described["finished"] else "not finished"
    return (*(str(described[name]) for name in ("name", "calls", "refused", "errors")), *figures, verdict)
