"""Run of the calls that test a server, within budgets."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from statistics import median

from mcpgen.config.models import Limits
from mcpgen.introspect.client import Conversation, talk_to_server
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.server_address import InProcess
from mcpgen.introspect.session import GarbledAnswer, McpSession, RequestRefused
from mcpgen.report.output import ProgressBar
from mcpgen.samples.mutator import simplify_value
from mcpgen.schema.document import shorten
from mcpgen.schema.values import Json
from mcpgen.verify.cases import Case
from mcpgen.verify.claims import Fault
from mcpgen.verify.subjects import Subject, VerifyRequest

MOST_SHRINK_CALLS = 40
REPEATS = 8
"""Times that the first valid call is made again, to see whether its outcome is always the same."""
_FAILURES = {"MG704": "crash", "MG705": "crash", "MG706": "hang"}
"""Faults by the code of the error that ended the connection."""


@dataclass
class SubjectReport:
    """What came of the calls of a subject: near misses that were `refused`, and what valid arguments led to."""

    subject: Subject
    faults: list[Fault] = field(default_factory=list[Fault])
    calls: int = 0
    refused: int = 0
    successes: int = 0
    errors: int = 0
    seconds: list[float] = field(default_factory=list[float])
    sizes: list[int] = field(default_factory=list[int])
    """Bytes of results as JSON."""
    is_finished: bool = False


class Run:
    """Run of all calls."""

    def __init__(self, request: VerifyRequest, limits: Limits, subjects: Sequence[Subject], bar: ProgressBar) -> None:
        self.request, self.limits, self._bar = request, limits, bar
        self.reports = [*map(SubjectReport, subjects)]
        self.waiting = iter(self.reports)
        self._deadline = time.monotonic() + request.seconds

    def make_calls(self) -> None:
        """Make the calls, which fills the reports; raise IntrospectionError if nothing could be called."""
        count = 1 if isinstance(self.request.query.source, InProcess) else self.request.connections
        if count == 1:  # without a thread, so that a Ctrl-C ends the server at once
            return _Tester(self).work()
        with ThreadPoolExecutor(count) as pool:
            try:
                for future in [pool.submit(_Tester(self).work) for _ in range(count)]:
                    future.result()
            finally:
                self._deadline = 0.0  # if one has failed or Ctrl-C was pressed, the others end after their call

    def count_seconds_left(self) -> float:
        """Return the time until the deadline, 0 after it."""
        return max(0, self._deadline - time.monotonic())

    def show(self, report: SubjectReport) -> None:
        """Show that a subject is done."""
        self._bar.show("calling", self.reports.index(report) + 1, len(self.reports), report.subject.name)


class _Tester:
    """Test of one subject after the other, over a new connection whenever one is lost."""

    _session: McpSession
    _report: SubjectReport
    _calling: dict[str, Json] | None
    """The arguments of the call that has no answer yet."""

    def __init__(self, run: Run) -> None:
        self._run, self._request = run, run.request

    def work(self) -> None:
        for report in self._run.waiting:
            self._report, self._calling, left = report, None, self._run.count_seconds_left()
            query = replace(self._request.query, timeout=left + self._request.call_seconds)
            try:
                if left:
                    talk_to_server(query, self._talk, self._run.limits)
            except IntrospectionError as error:
                if self._calling is not None:
                    self._add_failure(error, self._calling)
                elif any(report.faults for report in self._run.reports):
                    return  # a fault has ended the server, which does not come back
                else:
                    raise

    def _add_failure(self, error: IntrospectionError, arguments: dict[str, Json]) -> None:
        kind = "not finite" if re.search(r"\b(NaN|Infinity)\b", error.message) else "broken answer"
        self._report.faults.append(Fault(_FAILURES.get(error.code, kind), error.message, arguments))
        self._run.show(self._report)

    async def _talk(self, conversation: Conversation) -> None:
        """Test the present subject, and those that wait."""
        self._session = conversation.session
        for report in chain([self._report], self._run.waiting):
            self._report = report
            await self._test(report, report.subject.cases)
            self._run.show(report)

    async def _test(self, report: SubjectReport, cases: Sequence[Case]) -> None:
        for case in cases:
            if not self._run.count_seconds_left():
                return
            for fault in await self._call(case):
                if fault.kind not in {known.kind for known in report.faults}:
                    report.faults.append(await self._shrink(case, fault))
        if not report.faults:
            await self._repeat(next((case for case in cases if not case.refusal), None))
        report.is_finished = self._run.count_seconds_left() > 0
        if report.seconds and median(report.seconds) > self._request.slow_seconds:
            message = f"half of its calls take more than {self._request.slow_seconds:g} s"
            report.faults.append(Fault("slow", message, cases[0].arguments))

    async def _repeat(self, case: Case | None) -> None:
        """Make a valid call again: its outcome should be the same."""
        outcomes: list[str] = []
        while case is not None and len(outcomes) < REPEATS and self._run.count_seconds_left():
            errors = self._report.errors
            faults = await self._call(case)
            outcomes.append(faults[0].message if faults else "an error" if self._report.errors > errors else "")
        if case is not None and len({*outcomes}) > 1:
            failures = len(outcomes) - outcomes.count("")
            message = f"{failures} of {len(outcomes)} calls with the same arguments failed: {max(outcomes)}"
            self._report.faults.append(Fault("flaky", message, case.arguments, recurs=False))

    async def _call(self, case: Case) -> list[Fault]:
        """Make a call, and return what is wrong with the answer."""
        import anyio

        session, report = self._session, self._report
        session.meter.restart_all()
        session.invalid_lines.clear()
        report.calls, self._calling = report.calls + 1, case.arguments
        start = time.perf_counter()
        answer: dict[str, Json] | RequestRefused | None = None
        try:
            with anyio.move_on_after(self._request.call_seconds):
                answer = await session.send_request(*report.subject.make_request(case.arguments))
        except RequestRefused as refusal:
            answer = refusal
        report.seconds.append(time.perf_counter() - start)
        if answer is None and session.invalid_lines:
            raise GarbledAnswer
        if answer is None:
            raise IntrospectionError("MG706", f"no answer within {self._request.call_seconds:g} s")
        self._calling = None
        faults = self._judge(answer, case)
        if any(stray := session.invalid_lines):
            faults.append(Fault("stray output", f"it prints what is not a message: {shorten(' '.join(stray))}"))
        return [replace(fault, arguments=case.arguments) for fault in faults]

    def _judge(self, answer: dict[str, Json] | RequestRefused, case: Case) -> list[Fault]:
        """Count the answer, and return what is wrong with it."""
        report, is_result, faults = self._report, False, list[Fault]()
        if isinstance(answer, dict):
            text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
            report.sizes.append(len(text.encode("utf-8", "surrogatepass")))
            is_result = answer.get("isError") is not True
            faults += report.subject.find_faults(answer, case)
        elif not case.refusal and not report.subject.may_fail:
            said = f"{answer.code}: {shorten(answer.message)}"
            faults.append(Fault("protocol error", f"valid arguments are answered with the protocol error {said}"))
        report.refused += bool(case.refusal) and not is_result
        report.successes += not case.refusal and is_result
        report.errors += not case.refusal and not is_result
        return faults

    async def _shrink(self, case: Case, fault: Fault) -> Fault:
        """Make the call again, and look for simpler arguments that show the same fault."""
        shown = await self._show_again(case, fault)
        if shown is None:
            return replace(fault, recurs=False)
        last_call, simpler = self._report.calls + MOST_SHRINK_CALLS, self._simplify(case)
        while self._report.calls < last_call and self._run.count_seconds_left() and (other := next(simpler, None)):
            if again := await self._show_again(other, fault):
                shown, simpler = again, self._simplify(other)
        return shown

    def _simplify(self, case: Case) -> Iterator[Case]:
        simpler = islice(simplify_value(case.arguments), 10 * MOST_SHRINK_CALLS)
        cases = filter(None, map(self._report.subject.classify, simpler))
        return (other for other in cases if other.refusal == case.refusal)

    async def _show_again(self, case: Case, fault: Fault) -> Fault | None:
        return next((found for found in await self._call(case) if found.kind == fault.kind), None)
