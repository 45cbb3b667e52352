"""`mcpgen verify`: call a live server, and report where its answers break what it promises."""

from __future__ import annotations

import json
import re
import shlex
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from mcpgen_runtime.sdk import uri_templates

from mcpgen import write
from mcpgen.commands.check_servers import ServerCheckRequest, compare_named_server
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.diagnostics import Span
from mcpgen.introspect.calls import advise_about_call
from mcpgen.introspect.client import fetch_definitions
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.redaction import Redactor, list_public_words
from mcpgen.introspect.server_address import format_server_address
from mcpgen.introspect.server_query import ServerQuery
from mcpgen.introspect.validation import AdvertisedDefinitions
from mcpgen.read.definitions import Definitions
from mcpgen.report.exit_codes import INVALID_INPUT, SUCCESS, VERIFY_FAILED
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_count, format_table
from mcpgen.schema.values import Json, as_array, as_object
from mcpgen.verify.cases import ArgumentCases, Case
from mcpgen.verify.claims import Fault, ResourceClaims, ToolClaims, find_common_faults
from mcpgen.verify.runner import Budget, FoundFault, Subject, SubjectReport, verify_subjects

UNKNOWN_TOOL = "mcpgen-no-such-tool"
_TABLE_HEADER = ("name", "calls", "refused", "errors", "ms", "p95", "bytes", "p95", "")
_SILENT_STRATEGIES = ("items", "binary", "resource", "none", "sdk")
"""Values of `content` with which a result may have no text."""
_EXPRESSION = re.compile(r"\{([+#./;?&]?)([^}]*)\}")
_TEMPLATE_CASES = 4


@dataclass(frozen=True)
class VerifyRequest:
    """A server, and how it is tested."""

    query: ServerQuery
    paths: tuple[Path, ...] = ()
    exclude: tuple[str, ...] = ()
    allowed: frozenset[str] = frozenset()
    """Tools that may be called whatever their annotations say."""
    only: frozenset[str] = frozenset()
    """Names and URIs that are tested; empty: all."""
    arguments: str | None = None
    """The arguments of the only call, as JSON; None: they are drawn."""
    seed: int = 0
    budget: Budget = field(default_factory=Budget)
    junit: Path | None = None


def run_verify(loaded: LoadedPackages, request: VerifyRequest, output: CommandOutput) -> int:
    """Test the server, print a table, report each fault and return the exit code."""
    findings, verification = loaded.findings, _Verification(loaded, request, output)
    exit_code = INVALID_INPUT if findings.failed else verification.run()
    if exit_code == SUCCESS and findings.failed:
        exit_code = INVALID_INPUT
    output.finish(findings, exit_code, lambda: verification.data)
    return exit_code


class _Verification:
    def __init__(self, loaded: LoadedPackages, request: VerifyRequest, output: CommandOutput) -> None:
        self._loaded, self._request, self._output = loaded, request, output
        self._findings = loaded.findings
        self._redact = Redactor(request.query.credentials, request.query.source)
        self._spans: dict[tuple[str, str], Span] = {}
        self._server = Span.of_server(format_server_address(request.query.source))
        self._withheld: list[str] = []
        self.data: dict[str, Json] | None = None

    def run(self) -> int:
        request, limits = self._request, self._loaded.limits
        advertised, definitions, exit_code = self._compare()
        if advertised is None:
            return INVALID_INPUT
        subjects = self._list_subjects(advertised, definitions)
        if subjects is None:
            return INVALID_INPUT
        try:
            with self._output.open_progress() as bar:
                done: list[SubjectReport] = []

                def show(report: SubjectReport) -> None:
                    done.append(report)
                    bar.show("calling", len(done), len(subjects), report.subject.name)

                reports = verify_subjects(request.query, subjects, request.budget, limits, show)
        except IntrospectionError as error:
            self._findings.error(error.code, self._redact(error.message), self._server, self._redact(error.help))
            return INVALID_INPUT
        self._report(reports, advertised.protocol)
        if any(report.faults for report in reports):
            return VERIFY_FAILED
        return exit_code

    def _compare(self) -> tuple[AdvertisedDefinitions | None, Definitions, int]:
        """Return what the server advertises, its definitions here, and the exit code of their comparison."""
        loaded, request = self._loaded, self._request
        if (
            not request.paths
            and loaded.settings_file is None
            and not any(path.exists() for package in loaded.packages for path in package.inputs)
        ):
            self._output.print_remark(
                "there are no definitions here, so the server is compared with what it advertises"
            )
            fetched = fetch_definitions(request.query, request.exclude, loaded.limits, self._findings)
            return fetched, Definitions(), SUCCESS
        check = ServerCheckRequest(request.query, None, request.paths, request.exclude)
        return compare_named_server(loaded, check, self._output)

    # --- what is tested ----------------------------------------------------------------------------------------------
    def _list_subjects(self, advertised: AdvertisedDefinitions, definitions: Definitions) -> list[Subject] | None:
        """Return what is called, read and asked for; None, with findings, if an option names what there is not."""
        lists, request = advertised.lists, self._request
        names = [str(tool["name"]) for tool in advertised.tools]
        for name in sorted(request.allowed - {*names}):
            self._findings.error(
                "MG701", f'the server has no tool "{name}"', self._server, advise_about_call(name, names)
            )
        if self._findings.failed:
            return None
        subjects = [*self._list_tools(advertised, definitions)]
        subjects += self._list_resources(advertised, definitions)
        subjects += [_make_prompt(prompt, advertised.protocol, request) for prompt in lists.get("prompts", [])]
        if names and not request.only:
            case = Case({}, False)
            subjects.append(
                Subject(
                    "tool", UNKNOWN_TOOL, "tools/call", partial(_make_call, UNKNOWN_TOOL), [case], _find_unknown_faults
                )
            )
        known = {subject.name for subject in subjects}
        for name in sorted(request.only - known):
            help = "a tool that is not annotated as read-only needs --call" if name in names else ""
            self._findings.error("MG701", f'"{name}" is not tested: --only names it', self._server, help)
        if self._findings.failed:
            return None
        return [subject for subject in subjects if not request.only or subject.name in request.only]

    def _list_tools(self, advertised: AdvertisedDefinitions, definitions: Definitions) -> Iterator[Subject]:
        request, declared = self._request, {tool.name: tool for tool in definitions.tools}
        for tool in advertised.tools:
            name = str(tool["name"])
            if name not in request.allowed and not _is_read_only(tool):
                self._withheld.append(name)
                continue
            content = declared[name].choices.content if name in declared else "json"
            if name in declared:
                self._spans["tool", name] = declared[name].span
            try:
                cases = ArgumentCases(tool["inputSchema"], f"{request.seed}/{name}")
                claims = ToolClaims(
                    tool.get("outputSchema"), advertised.protocol, content == "json", content not in _SILENT_STRATEGIES
                )
                planned = self._plan(cases)
            except ValueError as error:
                self._findings.error("MG101", f'the schemas of the tool "{name}" cannot be used: {error}', self._server)
                continue
            find = partial(_find_tool_faults, claims)
            call = partial(_make_call, name)
            yield Subject("tool", name, "tools/call", call, planned, find, cases.classify, may_fail=False)

    def _plan(self, cases: ArgumentCases) -> list[Case]:
        text = self._request.arguments
        if text is None:
            return cases.plan(self._request.budget.calls)
        case = cases.classify(json.loads(text))
        if case is None:
            raise ValueError("--arguments is no object, or has strings that do not have their formats")
        return [case]

    def _list_resources(self, advertised: AdvertisedDefinitions, definitions: Definitions) -> Iterator[Subject]:
        declared = {resource.uri: resource for resource in definitions.resources}
        for member in ("resources", "resourceTemplates"):
            for resource in advertised.lists.get(member, []):
                uri = str(resource["uri" if member == "resources" else "uriTemplate"])
                payload = declared[uri].payload if uri in declared else None
                if uri in declared:
                    self._spans["resource", uri] = declared[uri].span
                make_claims = partial(
                    ResourceClaims,
                    version=advertised.protocol,
                    mime_type=resource.get("mimeType"),
                    payload=None if payload is None else payload.value,
                )
                yield _make_resource(uri, make_claims, self._request.seed)

    # --- reports -----------------------------------------------------------------------------------------------------
    def _report(self, reports: Sequence[SubjectReport], protocol: str) -> None:
        rows = [_TABLE_HEADER, *map(_make_row, reports)]
        output = self._output
        if not output.quiet:
            output.print_data(format_table(rows, range(1, 8)))
        for report in reports:
            subject = report.subject
            span = self._spans.get((subject.kind, subject.name), self._server)
            for found in report.faults:
                message, help = self._redact(_describe(subject, found)), self._redact(self._make_help(subject, found))
                self._findings.error("MG721", message, span, help)
            if subject.kind == "tool" and report.errors and not report.sizes[report.errors + report.refused :]:
                message = f'tool "{subject.name}": each call was answered with an error, so no result was tested'
                help = "give its inputSchema `examples` that succeed"
                self._findings.warn("MG721", message, span, help)
        calls = sum(report.calls for report in reports)
        faults = sum(len(report.faults) for report in reports)
        made = f"{format_count(calls, 'call')} under {protocol}, seed {self._request.seed}"
        summary = [f"{made}: {format_count(faults, 'fault')}"]
        if self._withheld:
            names = ", ".join(self._withheld)
            summary.append(f"not called, since they are not annotated as read-only: {names} (--call NAME calls one)")
        if unfinished := [report.subject.name for report in reports if report.unfinished]:
            summary.append(f"the time was up before all calls were made: {', '.join(unfinished)}")
        output.print_summary(*map(self._redact, summary), failed=faults > 0)
        self.data = {
            "server": self._server.file,
            "protocol": protocol,
            "seed": self._request.seed,
            "subjects": [self._describe_report(report) for report in reports],
            "notCalled": [*self._withheld],
        }
        if self._request.junit is not None:
            self._write_junit(self._request.junit, reports)

    def _make_help(self, subject: Subject, found: FoundFault) -> str:
        """Return how to make the call again: as a command, and as JSON."""
        asked = json.dumps(
            {"method": subject.method, "params": subject.make_params(found.arguments)}, ensure_ascii=False
        )
        recurs = "" if found.recurs else "it did not happen again; "
        if subject.kind != "tool":
            return f"{recurs}the request: {asked}"
        words = ["mcpgen", "verify", "--server", shlex.join(list_public_words(self._request.query.source) or ["…"])]
        words += ["--call", subject.name, "--only", subject.name]
        words += ["--arguments", json.dumps(found.arguments, ensure_ascii=False)]
        return f"{recurs}{shlex.join(words)}\nthe request: {asked}"

    def _describe_report(self, report: SubjectReport) -> Json:
        subject = report.subject
        faults: list[Json] = [
            {
                "fault": found.fault.kind,
                "message": self._redact(found.fault.message),
                "arguments": found.arguments,
                "recurs": found.recurs,
                "request": {"method": subject.method, "params": subject.make_params(found.arguments)},
            }
            for found in report.faults
        ]
        return {
            "kind": subject.kind,
            "name": subject.name,
            "calls": report.calls,
            "refused": report.refused,
            "errors": report.errors,
            "milliseconds": _describe_figures([seconds * 1000 for seconds in report.seconds]),
            "bytes": _describe_figures(report.sizes),
            "finished": not report.unfinished,
            "faults": faults,
        }

    def _write_junit(self, path: Path, reports: Sequence[SubjectReport]) -> None:
        """Write a test case for each definition, as JUnit's XML."""
        failed = sum(bool(report.faults) for report in reports)
        suite = ElementTree.Element("testsuite", name="mcpgen verify", tests=str(len(reports)), failures=str(failed))
        for report in reports:
            subject, seconds = report.subject, f"{sum(report.seconds):.3f}"
            case = ElementTree.SubElement(
                suite, "testcase", classname=subject.kind, name=_clean(subject.name), time=seconds
            )
            for found in report.faults:
                text = _clean(self._redact(f"{_describe(subject, found)}\n{self._make_help(subject, found)}"))
                failure = ElementTree.SubElement(case, "failure", type=found.fault.kind, message=text.split("\n")[0])
                failure.text = text
            if report.unfinished:
                ElementTree.SubElement(case, "skipped", message="the time was up")
        try:
            ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)
        except OSError as error:
            write.report_failure(error, path, self._findings)


def _clean(text: str) -> str:
    """Return a text without characters that XML cannot have."""
    return re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)


def _is_read_only(tool: Mapping[str, Json]) -> bool:
    annotations = as_object(tool.get("annotations"))
    return annotations.get("readOnlyHint") is True and annotations.get("destructiveHint") is not True


def _make_call(name: str, arguments: dict[str, Json]) -> dict[str, Json]:
    return {"name": name, "arguments": arguments}


def _find_tool_faults(claims: ToolClaims, result: dict[str, Json], case: Case) -> Iterator[Fault]:
    return claims.find_faults(result) if case.is_valid else claims.find_refusal_faults(result)


def _find_unknown_faults(result: dict[str, Json], _: Case) -> Iterator[Fault]:
    if result.get("isError") is not True:
        yield Fault("unknown tool", "a call of a tool that there is not is answered with a result")


def _make_resource(uri: str, make_claims: Any, seed: int) -> Subject:
    names = [name for _, part in _EXPRESSION.findall(uri) for name in re.split(r":\d+|\*|,", part) if name]
    cases = [Case({}, True)]
    if names:
        schema: Json = {
            "type": "object",
            "properties": {name: {"type": "string", "minLength": 1, "maxLength": 20} for name in names},
            "required": [*dict.fromkeys(names)],
        }
        drawn = ArgumentCases(schema, f"{seed}/{uri}").plan(8 * _TEMPLATE_CASES)
        cases = [case for case in drawn if case.is_valid][:_TEMPLATE_CASES]

    def make_params(values: dict[str, Json]) -> dict[str, Json]:
        return {"uri": expand_template(uri, {name: str(value) for name, value in values.items()})}

    def find_faults(result: dict[str, Json], case: Case) -> Iterator[Fault]:
        return make_claims(str(make_params(case.arguments)["uri"])).find_faults(result)  # type: ignore[no-any-return]

    return Subject("resource", uri, "resources/read", make_params, cases, find_faults, may_fail=bool(names))


def expand_template(template: str, values: Mapping[str, str]) -> str:
    """Return the URI of a template (RFC 6570) with values for its variables."""

    def expand(match: re.Match[str]) -> str:
        operator, names = match[1], [re.sub(r":\d+$|\*$", "", name) for name in match[2].split(",")]
        given = [(name, values[name]) for name in names if name in values]
        if operator in ("?", "&"):
            return uri_templates.query(operator, *given)
        if operator == ";":
            return "".join(f";{uri_templates.parameter(name, value)}" for name, value in given)
        encode = uri_templates.reserved if operator in ("+", "#") else uri_templates.unreserved
        separator = operator if operator in (".", "/") else ","
        lead = operator if operator in ("#", ".", "/") and given else ""
        return lead + separator.join(encode(value) for _, value in given)

    return _EXPRESSION.sub(expand, template)


def _make_prompt(prompt: Mapping[str, Json], version: str, request: VerifyRequest) -> Subject:
    name = str(prompt["name"])
    arguments = [as_object(argument) for argument in as_array(prompt.get("arguments"))]
    schema: Json = {
        "type": "object",
        "properties": {str(one["name"]): {"type": "string", "minLength": 1, "maxLength": 40} for one in arguments},
        "required": [one["name"] for one in arguments if one.get("required") is True],
    }
    planned = ArgumentCases(schema, f"{request.seed}/{name}").plan(request.budget.calls)
    cases = [case for case in planned if all(isinstance(value, str) for value in case.arguments.values())]

    def find_faults(result: dict[str, Json], case: Case) -> Iterator[Fault]:
        if case.is_valid:
            yield from find_common_faults(result, "GetPromptResult", version)
        elif not {*as_array(as_object(schema)["required"])} <= case.arguments.keys():
            yield Fault("accepted arguments", "a request without a required argument is answered")

    return Subject("prompt", name, "prompts/get", partial(_make_call, name), cases, find_faults)


def _describe(subject: Subject, found: FoundFault) -> str:
    return f'{subject.kind} "{subject.name}": {found.fault.message}'


def _make_row(report: SubjectReport) -> tuple[str, ...]:
    times, sizes = _describe_figures([seconds * 1000 for seconds in report.seconds]), _describe_figures(report.sizes)
    figures = [f"{values[part]:.0f}" if values else "" for values in (times, sizes) for part in ("median", "p95")]
    kinds = ", ".join(dict.fromkeys(found.fault.kind for found in report.faults))
    verdict = f"FAILS: {kinds}" if kinds else "not finished" if report.unfinished else "holds"
    counts = map(str, (report.calls, report.refused, report.errors))
    return (report.subject.name, *counts, *figures, verdict)


def _describe_figures(values: Sequence[float]) -> Any:
    """Return the median and the 95th percentile; None without values."""
    if not values:
        return None
    ordered = sorted(values)
    return {"median": statistics.median(ordered), "p95": ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]}
