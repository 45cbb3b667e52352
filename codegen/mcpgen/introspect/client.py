"""Asking a server for everything it advertises: connect, agree on a version, list; what goes wrong is said in words."""

from __future__ import annotations

import importlib
import importlib.metadata
import logging
import os
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from mcpgen.config.models import Limits
from mcpgen.introspect.credentials import Credentials, Redactor, parse_credentials
from mcpgen.introspect.error_messages import ErrorMessages, shorten_text
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.limits import Meter
from mcpgen.introspect.server_address import Command, InProcess, ServerAddress, Url, parse_server_address
from mcpgen.introspect.session import ConnectionEnded, GarbledAnswer, McpSession, RequestRefused, Wire
from mcpgen.introspect.transports.base import SdkTransports, TransportLog
from mcpgen.introspect.transports.in_process import load_server
from mcpgen.introspect.transports.process import run_server_process
from mcpgen.schema.values import Json
from mcpgen.targets import HANDSHAKE_PROTOCOLS, MCP_2, PROTOCOLS, SDK_DISTRIBUTION, STATELESS_SINCE

WireOpener: TypeAlias = Callable[[], AbstractAsyncContextManager[Wire]]
INSTALL_COMMAND = f"pip install '{MCP_2.http_requirement}'"
SERVER_LISTS = (
    ("tools", "tools/list", "tools"),
    ("resources", "resources/list", "resources"),
    ("resources", "resources/templates/list", "resourceTemplates"),
)
"""The capability, the method and the member of its answer, for each list."""
_UNSUPPORTED_VERSION_CODE = -32022
DEFAULT_LIMITS = Limits.model_validate({})
MOST_LIST_ATTEMPTS = 3
"""How often the lists are read again because the server said meanwhile that they changed."""


@dataclass(frozen=True)
class ServerListing:
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
class ServerQuery:
    """Whom to ask, with what, and under which version (None: the newest that both sides speak)."""

    source: ServerAddress
    access: Credentials
    timeout: float | None
    """Seconds in all; None: as the settings say."""
    protocol: str | None = None


def parse_server_query(
    words: Sequence[str],
    headers: Sequence[str],
    headers_env: Sequence[str],
    env: Sequence[str],
    timeout: float | None,
    protocol: str | None,
) -> ServerQuery:
    """What the options of a command line ask.

    Raises:
        CannotAsk: an option is malformed.
    """
    if protocol is not None and protocol not in PROTOCOLS:
        raise IntrospectionError(
            "MG701", "--protocol names no version of the protocol", f"there are {', '.join(PROTOCOLS)}"
        )
    source = parse_server_address(words)
    held = parse_credentials(headers, headers_env, env, os.environ)
    if held.headers and not isinstance(source, Url):
        raise IntrospectionError("MG701", "headers are for a server with a URL", "a command takes --env")
    if held.env and isinstance(source, Url):
        raise IntrospectionError(
            "MG701", "--env is for a server that is started here", "a URL takes --header, --header-env"
        )
    return ServerQuery(source, held, timeout, protocol)


def query_server(question: ServerQuery, limits: Limits = DEFAULT_LIMITS) -> ServerListing:
    """Ask a server, which may send no more than the limits say.

    Raises:
        CannotAsk: it cannot be asked; the message holds no secret.
    """
    redacted = Redactor(question.access, question.source)
    seen = TransportLog(Meter(limits))
    try:
        with _silence_logging():
            return _QueryAttempt(
                question, _select_transports(), seen, ErrorMessages(question.source, seen, redacted)
            ).answer()
    except IntrospectionError as error:
        clean = (
            redacted.redact_foreign if isinstance(question.source, InProcess) else redacted
        )  # a module raises anything
        said, help = (shorten_text(clean(text), 600) for text in (error.message, error.help))
        raise IntrospectionError(error.code, said, help) from None


def _select_transports() -> SdkTransports:
    """The transports of the installed SDK."""
    try:
        version = importlib.metadata.version(SDK_DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        raise IntrospectionError(
            "MG702", "no MCP SDK is installed, and asking a server takes one", INSTALL_COMMAND
        ) from None
    from mcpgen.introspect.transports.mcp1 import Mcp1
    from mcpgen.introspect.transports.mcp2 import Mcp2

    return Mcp1() if version.startswith("1.") else Mcp2()


@contextmanager
def _silence_logging() -> Generator[None]:
    """Keep the SDK's log, which shows tracebacks and messages, away from the terminal."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


class _QueryAttempt:
    """One server being asked; one that ends at the first question is started again, for the handshake."""

    def __init__(
        self, question: ServerQuery, generation: SdkTransports, seen: TransportLog, words: ErrorMessages
    ) -> None:
        self._question, self._generation, self._seen, self._words = question, generation, seen, words
        self._session: McpSession | None = None
        self._seconds = question.timeout or seen.meter.limits.pull_seconds

    def answer(self) -> ServerListing:
        """The answer; `IntrospectionError` where there is none."""
        wanted = self._question.protocol
        discovers = self._generation.knows_discovery and wanted in (None, STATELESS_SINCE)
        if wanted == STATELESS_SINCE and not discovers:
            raise IntrospectionError(
                "MG709", f"the installed {self._generation.name} does not speak {STATELESS_SINCE}", INSTALL_COMMAND
            )
        opener = self._opener()
        out = self._run(opener, discovers)
        if isinstance(out, ConnectionEnded) and discovers and wanted is None and "discover" in self._asking:
            out = self._run(opener, False)
        match out:
            case ServerListing():
                return out
            case ConnectionEnded():
                raise self._words.describe_end(self._asking)
            case GarbledAnswer():
                raise self._words.describe_garbled(self._asking, self._nonsense)
            case RequestRefused():
                raise self._words.describe_refusal(out, self._asking)
            case _:
                raise out

    @property
    def _asking(self) -> str:
        return self._session.asking if self._session is not None else "to be connected"

    @property
    def _nonsense(self) -> list[str]:
        return self._session.nonsense if self._session is not None else []

    def _opener(self) -> WireOpener:
        question, generation, seen = self._question, self._generation, self._seen
        match question.source:
            case Command() as command:
                return lambda: run_server_process(command, question.access, seen)
            case Url() as url:
                return lambda: generation.open_http(url, question.access, seen)
            case InProcess() as place:
                os.environ.update(question.access.env)
                server = load_server(place)
                return lambda: generation.open_memory(server)

    def _run(self, opener: WireOpener, discover: bool) -> ServerListing | Exception:
        """An answer, or why there is none: in words, or as an exception of ours."""
        anyio: Any = importlib.import_module("anyio")
        self._session = None
        self._seen.stderr.clear()
        try:
            out: ServerListing | Exception | None = anyio.run(self._asked, anyio, opener, discover)
        except Exception as error:  # a transport may raise anything, in groups
            return self._seen.meter.error or self._words.describe_failure(error, self._asking)
        if self._seen.meter.error is not None:
            return self._seen.meter.error
        return self._words.describe_timeout(self._asking, self._seconds, self._nonsense) if out is None else out

    async def _asked(self, anyio: Any, opener: WireOpener, discover: bool) -> ServerListing | Exception | None:
        """The answer, an exception of ours in its place (raised, task groups would wrap it), None when it is late."""
        out: ServerListing | Exception | None = None
        with anyio.move_on_after(self._seconds) as scope:
            self._seen.meter.watch(scope)
            async with opener() as wire:
                self._session = McpSession(wire, self._seen.meter)
                try:
                    await self._open(self._session, discover)
                    out = await self._lists(self._session)
                except (IntrospectionError, ConnectionEnded, GarbledAnswer, RequestRefused) as error:
                    out = error
        return out

    async def _open(self, session: McpSession, discover: bool) -> None:
        wanted = self._question.protocol
        if discover:
            if await session.discover():
                return
            self._check_authorised()
            if wanted == STATELESS_SINCE:
                raise IntrospectionError(
                    "MG709", f"the server does not speak {STATELESS_SINCE}", "leave --protocol out"
                )
        try:
            await session.initialize(wanted or HANDSHAKE_PROTOCOLS[-1])
        except RequestRefused as error:
            self._check_authorised()
            if error.code == _UNSUPPORTED_VERSION_CODE and discover and await session.discover():
                return  # it was slow to start, and has taken the first question up meanwhile
            raise
        if wanted is not None and session.protocol != wanted:
            raise IntrospectionError("MG709", f"the server does not speak {wanted}, but {session.protocol}")

    def _check_authorised(self) -> None:
        if (unauthorised := self._words.describe_unauthorised()) is not None:
            raise unauthorised

    async def _lists(self, session: McpSession) -> ServerListing:
        """Every list, read again when the server says that one changed meanwhile."""
        lists: dict[str, list[Json]] = {}
        failed: list[str] = []
        for _ in range(MOST_LIST_ATTEMPTS):
            session.changed = False
            session.meter.restart_definitions()
            failed.clear()
            for capability, method, member in SERVER_LISTS:
                lists[member] = []
                try:
                    if member == "tools" or capability in session.capabilities:
                        lists[member] = await session.fetch_list(capability, method, member)
                except RequestRefused as error:
                    if member == "tools":
                        raise
                    failed.append(f"{method}: {self._words.clean_text(error.said)}")
            if not session.changed:
                break
        nonsense = tuple(self._words.clean_text(line) for line in session.nonsense)
        return ServerListing(session.protocol, self._generation.name, lists, nonsense, tuple(failed))
