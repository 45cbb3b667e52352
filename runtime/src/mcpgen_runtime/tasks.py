"""Calls that a server runs in the background, for clients.

In 2025-11-25 (Tasks), the client asks for a task, and fetches its result. With the extension
`io.modelcontextprotocol/tasks` (SEP-2663, since 2026-07-28), the server decides, and the task brings its result along.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar, cast, get_args

import anyio

from .errors import ResultError, TaskFailedError

logger = logging.getLogger(__name__)
TaskState: TypeAlias = Literal["working", "input_required", "completed", "failed", "cancelled"]
_STATES = get_args(TaskState)
ResultT_co = TypeVar("ResultT_co", covariant=True)
_FIRST_DELAY, _USUAL_DELAY, _SHORTEST_DELAY = 0.1, 0.5, 0.02
"""Seconds until a task is looked at again: they double, up to what the server asks for, or else the usual ones."""
_LONGEST_INTERVAL = 600_000
"""Milliseconds for which a server can ask to be left alone."""
_CANCEL_SECONDS = 5
_TASK_RESULT = "tasks/result"


@dataclass(frozen=True)
class TaskStatus:
    """How far a task is."""

    state: TaskState
    message: str | None
    """What the server says about it."""
    wire: Mapping[str, Any] = field(compare=False, repr=False)
    """The whole Task, as the server sent it."""
    has_extension: bool = field(compare=False, repr=False)
    """Whether the task is one of the extension, which brings its result along."""

    @classmethod
    def of(cls, wire: object, has_extension: bool) -> TaskStatus | None:
        """Read a Task in wire form; None if it is something else."""
        task = _as_object(wire)
        if not isinstance(task.get("taskId"), str) or task.get("status") not in _STATES:
            return None
        message = task.get("statusMessage")
        return cls(task["status"], message if isinstance(message, str) else None, task, has_extension)

    @property
    def has_ended(self) -> bool:
        """Whether it will not change any more."""
        return self.state in ("completed", "failed", "cancelled")

    @property
    def seconds_between_looks(self) -> float:
        """How long the server wants to be left alone."""
        interval: Any = self.wire.get("pollIntervalMs" if self.has_extension else "pollInterval")
        is_asked = isinstance(interval, int | float) and interval > 0
        return max(min(interval, _LONGEST_INTERVAL) / 1000, _SHORTEST_DELAY) if is_asked else _USUAL_DELAY


def _as_object(wire: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", wire) if isinstance(wire, Mapping) else {}


class TaskOptions(Protocol):
    """Options of the call that a task runs."""

    async def report_progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Pass on a call's progress."""
        ...


class TaskSession(Protocol):
    """Sends requests about tasks."""

    async def ask(self, method: str, params: dict[str, Any], options: Any) -> dict[str, Any]:
        """Send a request, and return its result in wire form."""
        ...

    async def answer_input(self, task: str, requests: Mapping[str, Any], options: Any) -> None:
        """Have the client's callbacks answer what a task of the extension asks, and send that."""
        ...

    def read_result(self, wire: Mapping[str, Any]) -> Any:
        """Return the SDK's CallToolResult of one in wire form."""
        ...

    def make_error(self, code: int, message: str, data: Any) -> Exception:
        """Make the SDK's exception for a protocol error."""
        ...


class ToolTask(Generic[ResultT_co]):
    """A call that may go on in the background: ask for its `status()`, `cancel()` it, or wait for its `result()`.

    If the server did not run it as a task, it has ended with the call.
    """

    def __init__(
        self,
        tool: str,
        session: TaskSession,
        started: Any,
        receive: Callable[[Any], Awaitable[Callable[[], ResultT_co]]],
        options: TaskOptions,
    ) -> None:
        """Take what the call returned, a `TaskStatus` or the SDK's result, and the options for further requests."""
        self._tool, self._session, self._receive, self._options = tool, session, receive, options
        self._started: TaskStatus | None = started if isinstance(started, TaskStatus) else None
        self._result: Any = None if self._started else started
        self._answered: set[str] = set()
        """The keys of what the task has asked, of which each is answered once."""
        self._sent: Mapping[str, Any] | Exception | None = None
        """What `tasks/result` was answered with, if the task asked for something (2025-11-25)."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._tool!r}, id={self.id!r})"

    @property
    def id(self) -> str | None:
        """The task's `taskId`; None if the server did not run the call as a task."""
        return None if self._started is None else cast(str, self._started.wire["taskId"])

    async def _ask(self, method: str) -> dict[str, Any]:
        return await self._session.ask(method, {"taskId": self.id}, self._options)

    async def status(self) -> TaskStatus:
        """Ask the server how far the task is; raise ResultError if it does not answer with a Task."""
        if self._started is None:
            return TaskStatus("completed", None, {}, False)
        wire = await self._ask("tasks/get")
        status = TaskStatus.of(wire, self._started.has_extension)
        if status is None:
            raise ResultError(self._tool, [("", "the answer to `tasks/get` is not a Task")], result=wire)
        return status

    async def updates(self) -> AsyncIterator[TaskStatus]:
        """Ask again and again until the task has ended, and yield each status that differs from the one before.

        What the task asks meanwhile, the callbacks of the SDK's client answer.
        """
        delay, last = _FIRST_DELAY, None
        while True:
            status = await self.status()
            if status != last:
                yield status
            if status.has_ended:
                return
            last = status
            if status.state == "input_required" and await self._answer(status):
                delay = _FIRST_DELAY
            await anyio.sleep(min(delay, status.seconds_between_looks))
            delay *= 2

    async def _answer(self, status: TaskStatus) -> bool:
        """Have the client answer what the task has not asked before; return whether there was something."""
        requests = _as_object(status.wire.get("inputRequests")) if status.has_extension else {_TASK_RESULT: None}
        new = {key: request for key, request in requests.items() if key not in self._answered}
        self._answered.update(new)
        if new and status.has_extension:
            await self._session.answer_input(cast(str, self.id), new, self._options)
        elif new:  # the server sends its requests during this one
            try:
                self._sent = await self._ask(_TASK_RESULT)
            except Exception as error:
                self._sent = error
        return bool(new)

    async def result(self, timeout: float | None = None) -> ResultT_co:
        """Wait for the result, for at most `timeout` seconds.

        Raises:
            TimeoutError: it takes longer; the task goes on.
            TaskFailedError: the task was cancelled, or has failed and has no result.
            ResultError: the server's answers are not those of a task.
            Exception: what a call of the tool raises.
        """
        with anyio.fail_after(timeout):
            return (await self._receive(await self._wait()))()

    async def finish(self, timeout: float | None) -> Any:
        """Wait for the SDK's CallToolResult; cancel the task if that takes too long, or is cancelled itself."""
        try:
            with anyio.fail_after(timeout):
                return await self._wait()
        except (TimeoutError, anyio.get_cancelled_exc_class()):
            with anyio.move_on_after(_CANCEL_SECONDS, shield=True):
                try:
                    await self.cancel()
                except Exception:
                    logger.warning("The task %r cannot be cancelled", self.id, exc_info=True)
            raise

    async def _wait(self) -> Any:
        if self._result is None:
            count = 0
            async for status in self.updates():
                if status.has_ended and self._result is None:
                    self._result = await self._fetch(status)
                elif status.has_extension and status.message is not None:  # its server sends no progress
                    count += 1
                    await self._options.report_progress(count, None, status.message)
        return self._result

    async def _fetch(self, status: TaskStatus) -> Any:
        if status.state == "cancelled":
            raise TaskFailedError(self._tool, status.state, status.message)
        error, wire = _as_object(status.wire.get("error")), _as_object(status.wire.get("result"))
        if isinstance(error.get("code"), int):
            raise self._session.make_error(error["code"], str(error.get("message", "")), error.get("data"))
        if not status.has_extension:
            sent = await self._ask(_TASK_RESULT) if self._sent is None else self._sent
            if isinstance(sent, Exception):
                raise sent
            wire = sent
        if "content" in wire:
            return self._session.read_result(wire)
        if status.state == "failed":
            raise TaskFailedError(self._tool, status.state, status.message)
        raise ResultError(self._tool, [("", "the task has completed without a result")], result=status.wire)

    async def cancel(self) -> None:
        """Ask the server to cancel the task; nothing happens to one that has ended."""
        if self._started is None:
            return
        try:
            await self._ask("tasks/cancel")
        except Exception:
            if not (await self.status()).has_ended:
                raise
