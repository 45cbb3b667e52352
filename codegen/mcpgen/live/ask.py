"""Asking a server for everything it advertises: connect, agree on a version, list; what goes wrong is said in words."""

from __future__ import annotations

import importlib
import importlib.metadata
import logging
import os
import tempfile
from collections.abc import Callable, Coroutine, Generator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from mcpgen.config import PROTOCOLS
from mcpgen.json_types import Json
from mcpgen.live.errors import CannotAsk
from mcpgen.live.in_process import found
from mcpgen.live.secrets import Access, Redactor, access
from mcpgen.live.session import HANDSHAKE, NATURAL, Ended, Refused, Session, Wire
from mcpgen.live.source import Command, InProcess, Source, Url, parse
from mcpgen.live.streams import Generation, Seen

INSTALL = "pip install 'mcp>=2.3,<3'"
LISTS = (
    ("tools", "tools/list", "tools"),
    ("resources", "resources/list", "resources"),
    ("resources", "resources/templates/list", "resourceTemplates"),
)
"""The capability, the method and the member of its answer, for each list."""
_WRONG_VERSION = -32022
MOST_TRIES = 3
"""How often the lists are read again because the server said meanwhile that they changed."""


@dataclass(frozen=True)
class Answer:
    """Everything a server advertises, as it was sent, and the version under which it was."""

    protocol: str
    sdk: str
    lists: dict[str, list[Json]]
    """By the member's name: `tools`, `resources`, `resourceTemplates`."""
    nonsense: tuple[str, ...] = ()
    """Lines that the server wrote beside its messages."""
    failed: tuple[str, ...] = ()
    """The lists of resources that the server could not give, with its error; without tools there is no answer."""


@dataclass(frozen=True)
class Question:
    """Whom to ask, with what, and under which version (None: the newest that both sides speak)."""

    source: Source
    access: Access
    timeout: float
    protocol: str | None = None


def question(
    words: Sequence[str],
    headers: Sequence[str],
    headers_env: Sequence[str],
    env: Sequence[str],
    timeout: float,
    protocol: str | None,
) -> Question:
    """What the options of a command line ask.

    Raises:
        CannotAsk: an option is malformed.
    """
    if protocol is not None and protocol not in PROTOCOLS:
        raise CannotAsk("MG701", "--protocol names no version of the protocol", f"there are {', '.join(PROTOCOLS)}")
    source = parse(words)
    held = access(headers, headers_env, env, os.environ)
    if held.headers and not isinstance(source, Url):
        raise CannotAsk("MG701", "headers are for a server with a URL", "a command takes --env")
    if held.env and isinstance(source, Url):
        raise CannotAsk("MG701", "--env is for a server that is started here", "a URL takes --header, --header-env")
    return Question(source, held, timeout, protocol)


def ask(question: Question) -> Answer:
    """Ask a server.

    Raises:
        CannotAsk: it cannot be asked; the message holds no secret.
    """
    redacted = Redactor(question.access, question.source)
    try:
        with _quiet(), tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as stderr:
            return _Attempt(question, _generation(), Seen(stderr), redacted).answer()
    except CannotAsk as error:
        said, help = (_short(redacted(text), 600) for text in (error.message, error.help))
        raise CannotAsk(error.code, said, help) from None


def _generation() -> Generation:
    """The transports of the installed SDK."""
    try:
        version = importlib.metadata.version("mcp")
    except importlib.metadata.PackageNotFoundError:
        raise CannotAsk("MG702", "no MCP SDK is installed, and asking a server takes one", INSTALL) from None
    from mcpgen.live.mcp1 import Mcp1
    from mcpgen.live.mcp2 import Mcp2

    return Mcp1() if version.startswith("1.") else Mcp2()


@contextmanager
def _quiet() -> Generator[None]:
    """Keep the SDK's log, which shows tracebacks and messages, away from the terminal."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


class _Attempt:
    """One server being asked, at most twice: a server that a first question ends is started anew for the handshake."""

    def __init__(self, question: Question, generation: Generation, seen: Seen, redacted: Redactor) -> None:
        self._question, self._generation, self._seen = question, generation, seen
        self._redacted = redacted
        self._session: Session | None = None

    def answer(self) -> Answer:
        anyio: Any = importlib.import_module("anyio")
        wanted = self._question.protocol
        discovers = self._generation.knows_discovery and wanted in (None, NATURAL)
        if wanted == NATURAL and not discovers:
            raise CannotAsk("MG709", f"the installed {self._generation.name} does not speak {NATURAL}", INSTALL)
        opener = self._opener()
        for first in (True, False) if discovers and wanted is None else (discovers,):
            try:
                return self._run(anyio, lambda first=first: self._asked(opener, first))  # type: ignore[misc]
            except Ended:
                if not (first and wanted is None and self._question_was_first()):
                    raise self._ended() from None
        raise AssertionError("unreachable")

    def _question_was_first(self) -> bool:
        return self._session is None or self._session.asking.endswith("server/discover")

    def _opener(self) -> Callable[[], AbstractAsyncContextManager[Wire]]:
        question, generation, seen = self._question, self._generation, self._seen
        match question.source:
            case Command() as command:
                return lambda: generation.stdio(command, question.access, seen)
            case Url() as url:
                return lambda: generation.http(url, question.access, seen)
            case InProcess() as place:
                os.environ.update(question.access.env)
                server = found(place)
                return lambda: generation.memory(server)

    def _run(self, anyio: Any, work: Callable[[], Coroutine[Any, Any, Answer | Exception]]) -> Answer:
        """Run to an answer; whatever the transport raises in its tasks becomes words."""
        try:
            out = anyio.run(work)
        except Exception as error:  # a transport may raise anything, in groups
            raise self._broken(error) from None
        match out:
            case Refused():
                raise self._refused(out)
            case Exception():
                raise out
            case _:
                return out  # type: ignore[no-any-return]

    async def _asked(self, opener: Callable[[], AbstractAsyncContextManager[Wire]], discover: bool) -> Any:
        """The answer, or the exception of ours in its place, since task groups would wrap it."""
        anyio: Any = importlib.import_module("anyio")
        out: Any = None
        self._session = None
        with anyio.move_on_after(self._question.timeout) as limit:
            async with opener() as wire:
                self._session = Session(wire)
                try:
                    await self._open(self._session, discover)
                    out = await self._lists(self._session)
                except (CannotAsk, Ended, Refused) as error:
                    out = error
        if out is None and limit.cancelled_caught:
            return self._late()
        return out

    # --- talking ------------------------------------------------------------------------------------------------
    async def _open(self, session: Session, discover: bool) -> None:
        wanted = self._question.protocol
        if discover:
            found = await session.discover()
            self._check_status()
            if found:
                return
            if wanted == NATURAL:
                raise CannotAsk("MG709", f"the server does not speak {NATURAL}", "leave --protocol out")
        try:
            await session.initialize(wanted or HANDSHAKE[-1])
        except Refused as error:
            self._check_status()
            if error.code == _WRONG_VERSION and discover and await session.discover():
                return  # it was slow to start, and has taken the first question up meanwhile
            raise
        if wanted is not None and session.protocol != wanted:
            raise CannotAsk("MG709", f"the server does not speak {wanted}, but {session.protocol}", "")

    async def _lists(self, session: Session) -> Answer:
        lists: dict[str, list[Json]] = {}
        failed: list[str] = []
        for _ in range(MOST_TRIES):
            session.changed = False
            failed.clear()
            for capability, method, member in LISTS:
                lists[member] = []
                try:
                    if member == "tools" or capability in session.capabilities:
                        lists[member] = await session.listed(capability, method, member)
                except Refused as error:
                    if member == "tools":
                        raise
                    failed.append(f"{method}: {self._clean(error.said)}")
            if not session.changed:
                break
        nonsense = tuple(self._clean(line) for line in session.nonsense)
        return Answer(session.protocol, self._generation.name, lists, nonsense, tuple(failed))

    # --- in words -----------------------------------------------------------------------------------------------
    def _check_status(self) -> None:
        if self._seen.status in (401, 403):
            help = (
                "give --header-env Authorization=VARIABLE, with `Bearer …` in the variable, or --header 'Name: value'"
            )
            raise CannotAsk("MG707", f"the server asks for authorisation (HTTP {self._seen.status})", help)

    def _refused(self, error: Refused) -> CannotAsk:
        asking = self._session.asking.removeprefix("to answer ") if self._session is not None else ""
        status = self._seen.status
        if status in (404, 405):
            help = "the path of the endpoint is often /mcp; servers of the older HTTP+SSE transport cannot be asked"
            return CannotAsk("MG704", f"there is no Streamable HTTP endpoint (HTTP {status})", help)
        if status >= 400:
            return CannotAsk("MG708", f"the server answers {asking} with HTTP {status}: {self._clean(error.said)}", "")
        if status and not self._seen.content_type.startswith(("application/json", "text/event-stream")):
            kind = _short(self._seen.content_type.partition(";")[0]) or "nothing"
            return CannotAsk(
                "MG708", f"what answers {asking} is no MCP server: it sends {kind}", "look at the URL's path"
            )
        return CannotAsk("MG708", f"the server answers {asking} with an error: {self._clean(error.said)}", self._tail())

    def _ended(self) -> CannotAsk:
        asking = self._session.asking if self._session is not None else "to be connected"
        match self._question.source:
            case InProcess():
                message = f"the server ended instead {asking}"
            case Url():
                message = f"the server closed the connection instead {asking}"
            case Command():
                message = f"the server's process ended instead {asking}"
        return CannotAsk("MG705", message.replace("instead to answer", "before it answered"), self._tail())

    def _late(self) -> CannotAsk:
        seconds = f"{self._question.timeout:g} seconds"
        asking = self._session.asking if self._session is not None else "to be connected"
        nonsense = self._session.nonsense if self._session is not None else []
        if nonsense:
            return CannotAsk(
                "MG708", f'the server writes what is no message: "{self._clean(nonsense[0])}"', self._tail()
            )
        what = f"the server took more than {seconds} {asking}"
        return CannotAsk("MG706", what, self._tail() or "allow it more with --timeout")

    def _broken(self, error: Exception) -> Exception:
        """What a transport raised, in words."""
        leaf = _leaf(error)
        if isinstance(leaf, CannotAsk | Ended):
            return leaf
        try:
            self._check_status()
        except CannotAsk as asks:
            return asks
        kind, said = type(leaf).__name__, self._clean(str(leaf)) or type(leaf).__name__
        source = self._question.source
        if isinstance(source, Command) and isinstance(leaf, OSError):
            program = source.words[0].replace("\\", "/").rpartition("/")[2]
            reason = leaf.strerror or "it cannot be run"
            return CannotAsk("MG704", f'the program "{program}" cannot be started: {reason}', "")
        if isinstance(source, Url) and ("Connect" in kind or isinstance(leaf, OSError)):
            return CannotAsk("MG704", f"the server cannot be reached: {said}", "is it running, and is this its port?")
        if isinstance(source, Url) and self._seen.status >= 400:
            return self._refused(Refused({"message": said}))
        if isinstance(source, InProcess):
            return CannotAsk("MG703", f"the server fails to run: {kind}: {said}", "")
        return CannotAsk("MG705", f"the connection broke: {kind}: {said}", self._tail())

    def _tail(self) -> str:
        """What the server wrote last on its standard error."""
        self._seen.stderr.seek(0, 2)
        self._seen.stderr.seek(max(0, self._seen.stderr.tell() - 4096))
        lines = [self._clean(line) for line in self._seen.stderr.read().splitlines() if line.strip()]
        return f"it wrote on its standard error: {' | '.join(lines[-3:])}" if lines else ""

    def _clean(self, text: str) -> str:
        """A text of the server's without secrets, which is to be made sure before it is cut."""
        return _short(self._redacted(text))


def _leaf(error: BaseException) -> BaseException:
    """The exception that matters in a group: one of ours, else the first that is no mere consequence."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    leaves = [_leaf(one) for one in error.exceptions]
    ours = [one for one in leaves if isinstance(one, CannotAsk | Ended)]
    return (ours or leaves)[0]


def _short(text: str, most: int = 200) -> str:
    """A text of someone else's on one line, of a length that can be read."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 3] + "..."
