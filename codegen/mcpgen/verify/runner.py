"""Run of the calls that test a server, within budgets."""

from __future__ import annotations

import json
import re
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice

from mcpgen.config.models import Limits
from mcpgen.introspect.client import Conversation, talk_to_server
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.server_address import InProcess
from mcpgen.introspect.server_query import ServerQuery
from mcpgen.introspect.session import GarbledAnswer, RequestRefused
from mcpgen.samples.mutator import simplify_value
from mcpgen.schema.values import Json, as_object
from mcpgen.schema.violations import shorten
from mcpgen.verify.cases import Case
from mcpgen.verify.claims import Fault
from mcpgen.verify.subjects import Subject

MOST_SHRINK_CALLS = 40
REPEATS = 7
"""Times that the first valid call is made again, to see whether its outcome is always the same."""
_FAILURES = {"MG704": "crash", "MG705": "crash", "MG706": "hang"}
"""Faults by the code of the error that ended the connection."""


@dataclass(frozen=True)
class Budget:
    """What a run may take; a fault costs some calls more, to find the simplest arguments that show it."""

    seconds: float = 300
    call_seconds: float = 10
    """Seconds after which a call hangs."""
    slow_seconds: float = 3
    """Median seconds from which on a definition is slow."""
    connections: int = 1


@dataclass(frozen=True)
class FoundFault:
    """A fault, and the simplest arguments that were found to show it."""

    fault: Fault
    arguments: dict[str, Json]
    recurs: bool = True
    """Whether the same call has shown it again."""


@dataclass
class SubjectReport:
    """What came of the calls of a subject."""

    subject: Subject
    faults: list[FoundFault] = field(default_factory=list[FoundFault])
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

    def add_failure(self, error: IntrospectionError) -> None:
        """Add the fault that the connection was lost in the last call."""
        kind = "not finite" if re.search(r"\b(NaN|Infinity)\b", error.message) else "broken answer"
        self.faults.append(FoundFault(Fault(_FAILURES.get(error.code, kind), error.message), self.last_arguments))


class Run:
    """Run of all calls, over several connections if the budget allows."""

    def __init__(
        self, query: ServerQuery, budget: Budget, limits: Limits, show: Callable[[SubjectReport], None]
    ) -> None:
        self._query, self._budget, self._limits, self._show = query, budget, limits, show
        self._waiting = deque[SubjectReport]()
        self._deadline = 0.0
        self._has_faults = False

    def verify(self, subjects: Sequence[Subject]) -> list[SubjectReport]:
        """Make the calls, and return the reports in order; raise IntrospectionError if nothing could be called."""
        reports = [*map(SubjectReport, subjects)]
        self._waiting.extend(reports)
        self._deadline = time.monotonic() + self._budget.seconds
        connections = 1 if isinstance(self._query.source, InProcess) else min(self._budget.connections, len(subjects))
        if connections <= 1:  # without a thread, so that a Ctrl-C ends the server at once
            self._work()
            return reports
        with ThreadPoolExecutor(connections) as pool:
            try:
                for future in [pool.submit(self._work) for _ in range(connections)]:
                    future.result()
            finally:
                self._deadline = 0.0  # if one has failed or Ctrl-C was pressed, the others end after their call
        return reports

    def _work(self) -> None:
        """Test what is waiting, over a new connection whenever one is lost."""
        while self._waiting and (left := self._deadline - time.monotonic()) > 0:
            tested: list[SubjectReport] = []
            query = replace(self._query, timeout=left + self._budget.call_seconds)
            try:
                talk_to_server(query, partial(self._talk, tested), self._limits)
            except IntrospectionError as error:
                if not tested and not self._has_faults:
                    raise
                if not tested:  # a fault has ended the server, which does not come back
                    return
                tested[0].add_failure(error)
                self._finish(tested[0])

    async def _talk(self, tested: list[SubjectReport], conversation: Conversation) -> None:
        """Test what is waiting; `tested` holds what is tested right now."""
        while time.monotonic() < self._deadline and (report := self._take()) is not None:
            tested[:] = [report]
            await _Tester(conversation, report, self._budget, lambda: time.monotonic() > self._deadline).test()
            self._finish(tested.pop())

    def _take(self) -> SubjectReport | None:
        with suppress(IndexError):  # another connection may have taken the last one
            return self._waiting.popleft()
        return None

    def _finish(self, report: SubjectReport) -> None:
        self._has_faults |= bool(report.faults)
        self._show(report)


class _Tester:
    """Test of one subject over a connection; a lost connection is an exception."""

    def __init__(
        self, conversation: Conversation, report: SubjectReport, budget: Budget, is_late: Callable[[], bool]
    ) -> None:
        self._session, self._report, self._subject = conversation.session, report, report.subject
        self._budget, self._is_late = budget, is_late

    async def test(self) -> None:
        report = self._report
        known: set[str] = set()
        for case in self._subject.cases:
            if self._is_late():
                return
            for fault in await self._call(case):
                if fault.kind not in known:
                    known.add(fault.kind)
                    report.faults.append(await self._shrink(case, fault))
        await self._repeat()
        report.is_finished = not self._is_late()
        if report.seconds and sorted(report.seconds)[len(report.seconds) // 2] > self._budget.slow_seconds:
            fault = Fault("slow", f"half of its calls take more than {self._budget.slow_seconds:g} s")
            report.faults.append(FoundFault(fault, self._subject.cases[0].arguments))

    async def _repeat(self) -> None:
        """Make the first valid call again: its outcome should be the same."""
        case = next((case for case in self._subject.cases if not case.refusal), None)
        if case is None or self._report.faults:
            return
        outcomes = [await self._find_outcome(case) for _ in range(REPEATS + 1) if not self._is_late()]
        if len({*outcomes}) > 1:
            failures = sum(outcome != "" for outcome in outcomes)
            message = f"{failures} of {len(outcomes)} calls with the same arguments failed: {max(outcomes)}"
            self._report.faults.append(FoundFault(Fault("flaky", message), case.arguments, recurs=False))

    async def _find_outcome(self, case: Case) -> str:
        errors = self._report.errors
        faults = await self._call(case)
        return faults[0].message if faults else "an error" if self._report.errors > errors else ""

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
                request = self._subject.make_request(case.arguments)
                answer = await session.send_request(self._subject.method, as_object(request["params"]))
        except RequestRefused as refusal:
            answer = refusal
        report.seconds.append(time.perf_counter() - start)
        if answer is None and session.invalid_lines:
            raise GarbledAnswer
        if answer is None:
            raise IntrospectionError("MG706", f"no answer within {self._budget.call_seconds:g} s")
        faults = [*(self._judge(answer, case) if isinstance(answer, dict) else self._judge_refusal(answer, case))]
        if any(stray := session.invalid_lines):
            faults.append(Fault("stray output", f"it prints what is not a message: {shorten(' '.join(stray))}"))
        return faults

    def _judge(self, result: dict[str, Json], case: Case) -> Iterator[Fault]:
        text = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
        self._report.sizes.append(len(text.encode("utf-8", "surrogatepass")))
        self._count_error(result.get("isError") is True, case)
        return self._subject.find_faults(result, case)

    def _judge_refusal(self, refusal: RequestRefused, case: Case) -> Iterator[Fault]:
        self._count_error(True, case)
        if not case.refusal and not self._subject.may_fail:
            said = f"{refusal.code}: {shorten(refusal.message)}"
            yield Fault("protocol error", f"valid arguments are answered with the protocol error {said}")

    def _count_error(self, is_error: bool, case: Case) -> None:
        if case.refusal:
            self._report.refused += is_error
        else:
            self._report.accepted += 1
            self._report.errors += is_error

    async def _shrink(self, case: Case, fault: Fault) -> FoundFault:
        """Make the call again, and look for simpler arguments that show the same fault."""
        shown = await self._show_again(case, fault)
        if shown is None:
            return FoundFault(fault, case.arguments, recurs=False)
        most_calls = self._report.calls + MOST_SHRINK_CALLS
        simpler: Iterator[Json] = simplify_value(case.arguments)
        for candidate in map(self._subject.classify, islice(simpler, 10 * MOST_SHRINK_CALLS)):
            if self._report.calls >= most_calls or self._is_late():
                break
            if candidate is not None and candidate.refusal == case.refusal:
                again = await self._show_again(candidate, shown)
                if again is not None:
                    return await self._shrink(candidate, again)
        return FoundFault(shown, case.arguments)

    async def _show_again(self, case: Case, fault: Fault) -> Fault | None:
        return next((found for found in await self._call(case) if found.kind == fault.kind), None)
