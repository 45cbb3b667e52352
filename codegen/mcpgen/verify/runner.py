"""Run of the calls that test a server, within budgets."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Literal

from mcpgen.config.models import Limits
from mcpgen.introspect.client import Conversation, talk_to_server
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.limits import LimitName
from mcpgen.introspect.server_address import InProcess
from mcpgen.introspect.server_query import ServerQuery
from mcpgen.introspect.session import ConnectionEnded, GarbledAnswer, RequestRefused
from mcpgen.samples.mutator import simplify_value
from mcpgen.schema.values import Json
from mcpgen.verify.cases import Case
from mcpgen.verify.claims import Fault

MOST_SHRINK_CALLS = 40
REPEATS = 3
"""Times that the first valid call is made again, to see whether it always succeeds."""
_COUNTED: tuple[LimitName, ...] = ("transfer_size", "response_size", "response_values", "requests", "messages")


@dataclass(frozen=True)
class Budget:
    """What a run may take."""

    calls: int = 40
    """Planned calls of each definition; a fault costs some more, to find the simplest arguments that show it."""
    seconds: float = 300
    call_seconds: float = 10
    """Seconds after which a call hangs."""
    slow_seconds: float = 3
    """Median seconds from which on a definition is slow."""
    connections: int = 1


@dataclass(frozen=True)
class Subject:
    """A tool, resource or prompt, with the calls that test it."""

    kind: Literal["tool", "resource", "prompt"]
    name: str
    method: str
    make_params: Callable[[dict[str, Json]], dict[str, Json]]
    """Returns the parameters of a request with some arguments."""
    cases: Sequence[Case]
    find_faults: Callable[[dict[str, Json], Case], Iterator[Fault]]
    classify: Callable[[Json], Case | None] = lambda _: None
    """Returns simpler arguments as a case."""
    may_fail: bool = True
    """Whether it may answer valid arguments with an error of the protocol, as a resource that is not there does."""


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
    errors: int = 0
    """Valid calls that were answered with an error."""
    seconds: list[float] = field(default_factory=list[float])
    sizes: list[int] = field(default_factory=list[int])
    """Bytes of results as JSON."""
    unfinished: bool = False
    """Whether the time was up, or the server was gone, before all calls were made."""


class _Lost(Exception):
    """The connection cannot be used any more."""


def verify_subjects(
    query: ServerQuery,
    subjects: Sequence[Subject],
    budget: Budget,
    limits: Limits,
    show: Callable[[SubjectReport], None],
) -> list[SubjectReport]:
    """Make the calls, over several connections if the budget allows, and return the reports in order.

    Raises:
        IntrospectionError: the server cannot be reached.
    """
    reports = [SubjectReport(subject) for subject in subjects]
    waiting = deque(reports)
    deadline = time.monotonic() + budget.seconds
    connections = 1 if isinstance(query.source, InProcess) else max(1, min(budget.connections, len(subjects)))
    run = partial(_run_connections, query, waiting, budget, limits, deadline, show)
    with ThreadPoolExecutor(connections) as pool:
        for future in [pool.submit(run) for _ in range(connections)]:
            future.result()
    for report in waiting:
        report.unfinished = True
    return reports


def _run_connections(
    query: ServerQuery,
    waiting: deque[SubjectReport],
    budget: Budget,
    limits: Limits,
    deadline: float,
    show: Callable[[SubjectReport], None],
) -> None:
    """Test what is waiting, over a new connection whenever one is lost."""
    while waiting and (left := deadline - time.monotonic()) > 0:
        current: list[SubjectReport] = []

        async def talk(conversation: Conversation, current: list[SubjectReport] = current) -> bool:
            while waiting and time.monotonic() < deadline:
                current[:] = [waiting.popleft()]
                tester = _Tester(conversation, current[0], budget, deadline)
                try:
                    await tester.test()
                except _Lost:
                    return False
                finally:
                    show(current[0])
                current.clear()
            return True

        try:
            talk_to_server(replace(query, timeout=left + budget.call_seconds), talk, limits)
        except IntrospectionError as error:
            if not current or (error.code == "MG704" and not current[0].calls):
                raise
            current[0].faults.append(FoundFault(Fault("broken answer", error.message), {}))


class _Tester:
    def __init__(self, conversation: Conversation, report: SubjectReport, budget: Budget, deadline: float) -> None:
        self._session, self._report, self._budget, self._deadline = conversation.session, report, budget, deadline
        self._statuses: dict[str, set[bool]] = {}

    async def test(self) -> None:
        """Make the calls of the subject; raise `_Lost` if the connection cannot be used any more."""
        report, subject = self._report, self._report.subject
        known: set[tuple[str, bool]] = set()
        for case in subject.cases:
            if time.monotonic() > self._deadline:
                report.unfinished = True
                return
            for fault in await self._call(case):
                if (fault.kind, case.is_valid) not in known:
                    known.add((fault.kind, case.is_valid))
                    report.faults.append(await self._shrink(case, fault))
        await self._repeat()
        timed = sorted(report.seconds)
        if timed and timed[len(timed) // 2] > self._budget.slow_seconds:
            message = f"half of the calls take longer than {self._budget.slow_seconds:g} s"
            report.faults.append(FoundFault(Fault("slow", message), subject.cases[0].arguments))

    async def _repeat(self) -> None:
        """Make the first valid call again: its outcome should be the same."""
        case = next((case for case in self._report.subject.cases if case.is_valid), None)
        if case is None or self._report.faults:
            return
        outcomes = [await self._find_outcome(case) for _ in range(REPEATS + 1)]
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

        session, subject, report = self._session, self._report.subject, self._report
        for limit in _COUNTED:
            session.meter.restart(limit)
        report.calls += 1
        start = time.perf_counter()
        result: dict[str, Json] | None = None
        refusal: RequestRefused | None = None
        try:
            with anyio.move_on_after(self._budget.call_seconds):
                result = await session.send_request(subject.method, subject.make_params(case.arguments))
        except RequestRefused as error:
            refusal = error
        except ConnectionEnded:
            self._lose(case, Fault("crash", "the server ended the connection"))
        except GarbledAnswer:
            self._lose(case, Fault("garbled", "the server sent something that is not a message"))
        if refusal is None and result is None:
            self._lose(case, Fault("hang", f"no answer within {self._budget.call_seconds:g} s"))
        report.seconds.append(time.perf_counter() - start)
        if refusal is not None:
            return [*self._judge_refusal(case, refusal)]
        assert result is not None
        report.sizes.append(len(_dump(result)))
        faults = [*subject.find_faults(result, case)]
        is_error = result.get("isError") is True
        report.errors += is_error and case.is_valid
        report.refused += is_error and not case.is_valid
        return faults

    def _lose(self, case: Case, fault: Fault) -> None:
        self._report.faults.append(FoundFault(fault, case.arguments))
        raise _Lost

    def _judge_refusal(self, case: Case, refusal: RequestRefused) -> Iterator[Fault]:
        if not case.is_valid:
            self._report.refused += 1
            return
        self._report.errors += 1
        if not self._report.subject.may_fail:
            text = f"valid arguments are answered with the protocol error {refusal.code}: {refusal.message[:200]}"
            yield Fault("protocol error", text)

    async def _shrink(self, case: Case, fault: Fault) -> FoundFault:
        """Look for simpler arguments that show the same fault."""
        shown, calls = fault, 0

        async def shows(candidate: Case) -> bool:
            nonlocal shown, calls
            calls += 1
            same = [found for found in await self._call(candidate) if found.kind == fault.kind]
            shown = same[0] if same else shown
            return bool(same)

        recurs = await shows(case)
        improved = recurs
        while improved and calls < MOST_SHRINK_CALLS:
            improved = False
            for simpler in islice(simplify_value(case.arguments), 10 * MOST_SHRINK_CALLS):
                candidate = self._report.subject.classify(simpler)
                if candidate is None or candidate.is_valid != case.is_valid:
                    continue
                if await shows(candidate):
                    case, improved = candidate, True
                    break
                if calls >= MOST_SHRINK_CALLS or time.monotonic() > self._deadline:
                    break
        return FoundFault(shown, case.arguments, recurs)


def _dump(value: Json) -> bytes:
    import json

    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
