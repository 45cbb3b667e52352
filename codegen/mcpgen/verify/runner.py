"""Run of the calls that test a server, within budgets."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from statistics import median

from mcpgen.config.models import Limits
from mcpgen.introspect.client import Conversation, talk_to_server
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.server_address import InProcess
from mcpgen.introspect.server_query import ServerQuery
from mcpgen.introspect.session import GarbledAnswer, McpSession, RequestRefused
from mcpgen.samples.mutator import simplify_value
from mcpgen.schema.values import Json
from mcpgen.schema.violations import shorten
from mcpgen.verify.cases import Case
from mcpgen.verify.claims import Fault
from mcpgen.verify.subjects import Subject

MOST_SHRINK_CALLS = 40
REPEATS = 8
"""Times that the first valid call is made again, to see whether its outcome is always the same."""
_FAILURES = {"MG704": "crash", "MG705": "crash", "MG706": "hang"}
"""Faults by the code of the error that ended the connection."""


@dataclass(frozen=True)
class Budget:
    """What a run may take; a fault costs some calls more, to find the simplest arguments that show it."""

    seconds: float = 300
    call_seconds: float = 10
    slow_seconds: float = 3
    connections: int = 1


@dataclass
class SubjectReport:
    """What came of the calls of a subject."""

    subject: Subject
    faults: list[Fault] = field(default_factory=list[Fault])
    calls: int = 0
    refused: int = 0
    """Near misses that were refused, as they should be."""
    accepted: int = 0
    """Calls with valid arguments."""
    errors: int = 0
    """Those of them that were answered with an error."""
    seconds: list[float] = field(default_factory=list[float])
    sizes: list[int] = field(default_factory=list[int])
    """Bytes of results as JSON."""
    is_finished: bool = False
    last_arguments: dict[str, Json] = field(default_factory=dict[str, Json])


class Run:
    """Run of all calls, over several connections if the budget allows."""

    def __init__(
        self, query: ServerQuery, budget: Budget, limits: Limits, show: Callable[[SubjectReport], None]
    ) -> None:
        self._query, self._budget, self._limits, self._show = query, budget, limits, show
        self._reports: list[SubjectReport] = []
        self._deadline = time.monotonic() + budget.seconds

    def verify(self, subjects: Sequence[Subject]) -> list[SubjectReport]:
        """Make the calls, and return the reports in order; raise IntrospectionError if nothing could be called."""
        self._reports = [*map(SubjectReport, subjects)]
        waiting = iter(self._reports)
        connections = 1 if isinstance(self._query.source, InProcess) else min(self._budget.connections, len(subjects))
        if connections <= 1:  # without a thread, so that a Ctrl-C ends the server at once
            self._work(waiting)
            return self._reports
        with ThreadPoolExecutor(connections) as pool:
            try:
                for future in [pool.submit(self._work, waiting) for _ in range(connections)]:
                    future.result()
            finally:
                self._deadline = 0.0  # if one has failed or Ctrl-C was pressed, the others end after their call
        return self._reports

    def _work(self, waiting: Iterator[SubjectReport]) -> None:
        """Test what is waiting, over a new connection whenever one is lost."""
        for report in waiting:
            if self._is_late():
                return
            tested = [report]
            query = replace(self._query, timeout=self._deadline - time.monotonic() + self._budget.call_seconds)
            try:
                talk_to_server(query, partial(self._talk, tested, waiting), self._limits)
            except IntrospectionError as error:
                if not tested[-1].calls and any(report.faults for report in self._reports):
                    return  # a fault has ended the server, which does not come back
                if not tested[-1].calls:
                    raise
                self._add_failure(tested[-1], error)

    async def _talk(
        self, tested: list[SubjectReport], waiting: Iterator[SubjectReport], conversation: Conversation
    ) -> None:
        """Test the last of `tested`, then what is waiting, which is added to that."""
        report: SubjectReport | None = tested[-1]
        while report is not None and not self._is_late():
            await _Tester(conversation.session, report, self._budget, self._is_late).test()
            self._show(report)
            if (report := next(waiting, None)) is not None:
                tested.append(report)

    def _is_late(self) -> bool:
        return time.monotonic() > self._deadline

    def _add_failure(self, report: SubjectReport, error: IntrospectionError) -> None:
        """Add the fault that the connection was lost in the last call."""
        kind = "not finite" if re.search(r"\b(NaN|Infinity)\b", error.message) else "broken answer"
        report.faults.append(Fault(_FAILURES.get(error.code, kind), error.message, report.last_arguments))
        self._show(report)


class _Tester:
    """Test of one subject over a connection; a lost connection is an exception."""

    def __init__(self, session: McpSession, report: SubjectReport, budget: Budget, is_late: Callable[[], bool]) -> None:
        self._session, self._report, self._subject = session, report, report.subject
        self._budget, self._is_late = budget, is_late

    async def test(self) -> None:
        report, cases = self._report, self._subject.cases
        known: set[str] = set()
        for case in cases:
            if self._is_late():
                return
            for fault in await self._call(case):
                if fault.kind not in known:
                    known.add(fault.kind)
                    report.faults.append(await self._shrink(case, fault))
        valid = next((case for case in cases if not case.refusal), None)
        if valid is not None and not report.faults:
            await self._repeat(valid)
        report.is_finished = not self._is_late()
        if report.seconds and median(report.seconds) > self._budget.slow_seconds:
            message = f"half of its calls take more than {self._budget.slow_seconds:g} s"
            report.faults.append(Fault("slow", message, cases[0].arguments))

    async def _repeat(self, case: Case) -> None:
        """Make a valid call again: its outcome should be the same."""
        outcomes: list[str] = []
        while len(outcomes) < REPEATS and not self._is_late():
            errors = self._report.errors
            faults = await self._call(case)
            outcomes.append(faults[0].message if faults else "an error" if self._report.errors > errors else "")
        if len({*outcomes}) > 1:
            failures = len(outcomes) - outcomes.count("")
            message = f"{failures} of {len(outcomes)} calls with the same arguments failed: {max(outcomes)}"
            self._report.faults.append(Fault("flaky", message, case.arguments, recurs=False))

    async def _call(self, case: Case) -> list[Fault]:
        """Make a call, and return what is wrong with the answer."""
        import anyio

        session, report = self._session, self._report
        session.meter.restart_all()
        session.invalid_lines.clear()
        report.calls, report.last_arguments = report.calls + 1, case.arguments
        start = time.perf_counter()
        answer: dict[str, Json] | RequestRefused | None = None
        try:
            with anyio.move_on_after(self._budget.call_seconds):
                answer = await session.send_request(*self._subject.make_request(case.arguments))
        except RequestRefused as refusal:
            answer = refusal
        report.seconds.append(time.perf_counter() - start)
        if answer is None and session.invalid_lines:
            raise GarbledAnswer
        if answer is None:
            raise IntrospectionError("MG706", f"no answer within {self._budget.call_seconds:g} s")
        faults = [replace(fault, arguments=case.arguments) for fault in self._judge(answer, case)]
        if any(stray := session.invalid_lines):
            message = f"it prints what is not a message: {shorten(' '.join(stray))}"
            faults.append(Fault("stray output", message, case.arguments))
        return faults

    def _judge(self, answer: dict[str, Json] | RequestRefused, case: Case) -> list[Fault]:
        """Count the answer, and return what is wrong with it."""
        report, faults, is_error = self._report, list[Fault](), True
        if isinstance(answer, dict):
            text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
            report.sizes.append(len(text.encode("utf-8", "surrogatepass")))
            is_error = answer.get("isError") is True
            faults = [*self._subject.find_faults(answer, case)]
        elif not case.refusal and not self._subject.may_fail:
            said = f"{answer.code}: {shorten(answer.message)}"
            faults = [Fault("protocol error", f"valid arguments are answered with the protocol error {said}")]
        if case.refusal:
            report.refused += is_error
        else:
            report.accepted, report.errors = report.accepted + 1, report.errors + is_error
        return faults

    async def _shrink(self, case: Case, fault: Fault) -> Fault:
        """Make the call again, and look for simpler arguments that show the same fault."""
        shown = await self._show_again(case, fault)
        if shown is None:
            return replace(fault, recurs=False)
        last_call = self._report.calls + MOST_SHRINK_CALLS
        simpler = self._simplify(case)
        while self._report.calls < last_call and not self._is_late() and (other := next(simpler, None)) is not None:
            if again := await self._show_again(other, fault):
                shown, simpler = again, self._simplify(other)
        return shown

    def _simplify(self, case: Case) -> Iterator[Case]:
        for candidate in map(self._subject.classify, islice(simplify_value(case.arguments), 10 * MOST_SHRINK_CALLS)):
            if candidate is not None and candidate.refusal == case.refusal:
                yield candidate

    async def _show_again(self, case: Case, fault: Fault) -> Fault | None:
        return next((found for found in await self._call(case) if found.kind == fault.kind), None)
