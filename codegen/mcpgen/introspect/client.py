"""Query of a server: connect, negotiate a protocol version, fetch the lists, and explain failures."""

from __future__ import annotations

import importlib
import logging
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeAlias, TypeVar, assert_never

from mcpgen.config.models import Limits
from mcpgen.introspect.credentials import Credentials, parse_credentials
from mcpgen.introspect.error_messages import ErrorMessages, shorten_text
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.limits import Meter
from mcpgen.introspect.listing import ServerListing, fetch_listing
from mcpgen.introspect.oauth import LOGIN_SECONDS, open_authorisation
from mcpgen.introspect.redaction import Redactor
from mcpgen.introspect.server_address import Command, InProcess, ServerAddress, Url, parse_server_address
from mcpgen.introspect.session import (
    UNSUPPORTED_VERSION_CODE,
    ConnectionEnded,
    GarbledAnswer,
    McpSession,
    RequestRefused,
    Wire,
)
from mcpgen.introspect.transports.base import SdkTransports, TransportLog
from mcpgen.introspect.transports.in_process import list_doubled_handlers, open_server
from mcpgen.introspect.transports.installed import INSTALL_COMMAND, select_transports
from mcpgen.introspect.transports.process import run_server_process
from mcpgen.targets import HANDSHAKE_PROTOCOLS, PROTOCOLS, STATELESS_PROTOCOLS

AnswerT = TypeVar("AnswerT")
WireOpener: TypeAlias = Callable[[], AbstractAsyncContextManager[Wire]]
"""Function that connects to the server."""
QueryFailure: TypeAlias = IntrospectionError | ConnectionEnded | GarbledAnswer | RequestRefused
_LONGEST_MESSAGE = 600
DEFAULT_LIMITS = Limits.model_validate({})


@dataclass(frozen=True)
class ServerQuery:
    """Query for everything that one server advertises."""

    source: ServerAddress
    credentials: Credentials
    timeout: float | None
    """Seconds for the whole query; None: as the settings say."""
    protocol: str | None = None
    """The version to negotiate; None: the newest one that both sides know."""
    oauth: bool = False
    """Whether somebody can log in, in the browser, if the server asks for authorisation."""


def parse_server_query(
    arguments: Sequence[str],
    headers: Sequence[str],
    headers_env: Sequence[str],
    env: Sequence[str],
    timeout: float | None,
    protocol: str | None,
    oauth: bool = False,
) -> ServerQuery:
    """Build a query from the options of a command line.

    Args:
        words: the server's address, or its command.
        headers: values of `--header`.
        headers_env: values of `--header-env`.
        env: values of `--env`.
        timeout: the value of `--timeout`, in seconds.
        protocol: the value of `--protocol`.
        oauth: whether there is `--oauth`.

    Raises:
        IntrospectionError: an option is malformed.
    """
    if protocol is not None and protocol not in PROTOCOLS:
        help = f"there are {', '.join(PROTOCOLS)}"
        raise IntrospectionError("MG701", "--protocol names no version of the protocol", help)
    address = parse_server_address(arguments)
    credentials = parse_credentials(headers, headers_env, env, os.environ)
    if credentials.headers and not isinstance(address, Url):
        raise IntrospectionError("MG701", "headers are for a server with a URL", "a command takes --env")
    if credentials.env and isinstance(address, Url):
        help = "a URL takes --header, --header-env"
        raise IntrospectionError("MG701", "--env is for a server that is started here", help)
    if oauth and not isinstance(address, Url):
        raise IntrospectionError("MG701", "--oauth is for a server with a URL")
    return ServerQuery(address, credentials, timeout, protocol, oauth)


@dataclass(frozen=True)
class Conversation:
    """What a talk with a server has: the session, the SDK that connected, and the words for messages.

    `server` is the server object, if it runs in this process.
    """

    session: McpSession
    sdk: str
    messages: ErrorMessages
    server: Any = None


Talk: TypeAlias = Callable[[Conversation], Awaitable[AnswerT]]
"""Function that asks a server over a session with a negotiated version."""


def query_server(query: ServerQuery, limits: Limits = DEFAULT_LIMITS) -> ServerListing:
    """Fetch everything that a server advertises, within the limits.

    Raises:
        IntrospectionError: the query fails; the message holds no secret.
    """
    return talk_to_server(query, _fetch_listing, limits)


async def _fetch_listing(conversation: Conversation) -> ServerListing:
    listing = await fetch_listing(conversation.session, conversation.sdk, conversation.messages.clean_text)
    if conversation.server is None:
        return listing
    return replace(listing, doubled=tuple(list_doubled_handlers(conversation.server)))


def talk_to_server(query: ServerQuery, talk: Talk[AnswerT], limits: Limits = DEFAULT_LIMITS) -> AnswerT:
    """Connect to a server, negotiate a version, and return what `talk` makes of its answers, within the limits.

    Raises:
        IntrospectionError: the query fails; the message holds no secret.
    """
    redactor = Redactor(query.credentials, query.source)
    log = TransportLog(Meter(limits))
    try:
        with _silence_logging():
            messages = ErrorMessages(query.source, log, redactor)
            return _QueryRun(query, talk, select_transports(), log, messages).fetch()
    except IntrospectionError as error:
        # A module of this process raises anything, so its messages are as foreign as those of other servers.
        redact = redactor.redact_foreign if isinstance(query.source, InProcess) else redactor
        message, help = (shorten_text(redact(text), _LONGEST_MESSAGE) for text in (error.message, error.help))
        reason = redactor.explain(f"{message} {help}")
        raise IntrospectionError(error.code, message, "; ".join(filter(None, (help, reason)))) from None


@contextmanager
def _silence_logging() -> Generator[None]:
    """Keep the SDK's log, which has tracebacks and messages, away from the terminal within the block."""
    old_level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(old_level)


@asynccontextmanager
async def _open_http(
    transports: SdkTransports, url: Url, query: ServerQuery, log: TransportLog
) -> AsyncGenerator[Wire]:
    """Connect to an HTTP server, with the SDK's OAuth flow if that is wanted."""
    if not query.oauth:
        async with transports.open_http(url, query.credentials, log) as wire:
            yield wire
        return
    async with (
        open_authorisation(url, query.credentials.used) as authentication,
        transports.open_http(url, query.credentials, log, authentication) as wire,
    ):
        yield wire


@dataclass(frozen=True)
class _Answer(Generic[AnswerT]):
    """What a talk has come to."""

    value: AnswerT


class _QueryRun(Generic[AnswerT]):
    """Run of one query; a server that ends at the first request is started again, for the handshake."""

    def __init__(
        self,
        query: ServerQuery,
        talk: Talk[AnswerT],
        transports: SdkTransports,
        log: TransportLog,
        messages: ErrorMessages,
    ) -> None:
        self._query, self._talk, self._transports = query, talk, transports
        self._log, self._messages = log, messages
        self._seconds = query.timeout or log.meter.limits.pull_seconds + (LOGIN_SECONDS if query.oauth else 0)
        self._session: McpSession | None = None
        self._server: Any = None

    def fetch(self) -> AnswerT:
        """Return what the talk comes to; raise `IntrospectionError` if it fails."""
        protocol = self._query.protocol
        discover = self._transports.knows_discovery and (protocol is None or protocol in STATELESS_PROTOCOLS)
        if protocol in STATELESS_PROTOCOLS and not discover:
            message = f"the installed {self._transports.name} does not speak {protocol}"
            raise IntrospectionError("MG709", message, INSTALL_COMMAND)
        with self._prepare_opener() as opener:
            result = self._converse(opener, discover)
            ended_early = isinstance(result, ConnectionEnded) and self._pending_method == "server/discover"
            if ended_early and discover and protocol is None:
                result = self._converse(opener, False)
        if isinstance(result, _Answer):
            return result.value
        raise self._describe(result)

    def _describe(self, failure: QueryFailure) -> IntrospectionError:
        match failure:
            case ConnectionEnded():
                return self._messages.describe_end(self._pending_method)
            case GarbledAnswer():
                return self._messages.describe_garbled(self._pending_method, self._invalid_lines)
            case RequestRefused():
                return self._messages.describe_refusal(failure, self._pending_method)
            case _:
                return failure

    @property
    def _pending_method(self) -> str:
        return self._session.pending_method if self._session is not None else ""

    @property
    def _invalid_lines(self) -> list[str]:
        return self._session.invalid_lines if self._session is not None else []

    @contextmanager
    def _prepare_opener(self) -> Generator[WireOpener]:
        """Yield a function that connects to the server; it can be called several times within the block."""
        credentials, transports, log = self._query.credentials, self._transports, self._log
        source = self._query.source
        match source:
            case Command() as command:
                yield lambda: run_server_process(
                    command, {**transports.get_default_environment(), **credentials.env}, log
                )
            case Url() as url:
                yield lambda: _open_http(transports, url, self._query, log)
            case InProcess() as address:
                with open_server(address, credentials.env) as self._server:
                    yield lambda: transports.open_memory(self._server)
            case _:
                assert_never(source)

    def _converse(self, opener: WireOpener, discover: bool) -> _Answer[AnswerT] | QueryFailure:
        """Connect once; return the answer or the reason why there is none."""
        anyio: Any = importlib.import_module("anyio")
        self._session = None
        self._log.stderr.clear()
        try:
            result: _Answer[AnswerT] | QueryFailure | None = anyio.run(self._talk_in_time, anyio, opener, discover)
        except Exception as error:  # a transport may raise anything, in groups
            return self._log.meter.error or self._messages.describe_failure(error, self._pending_method)
        if self._log.meter.error is not None:
            return self._log.meter.error
        if result is None:
            return self._messages.describe_timeout(self._pending_method, self._seconds, self._invalid_lines)
        return result

    async def _talk_in_time(
        self, anyio: Any, opener: WireOpener, discover: bool
    ) -> _Answer[AnswerT] | QueryFailure | None:
        """Return the answer or a failure; None if time is up.

        A failure is returned, not raised, because the transports' task groups would wrap it.
        """
        result: _Answer[AnswerT] | QueryFailure | None = None
        with anyio.move_on_after(self._seconds) as scope:
            self._log.meter.watch(scope)
            async with opener() as wire:
                self._session = McpSession(wire, self._log.meter)
                if self._query.oauth:  # somebody has to log in before the first answer comes
                    self._session.probe_seconds += LOGIN_SECONDS
                try:
                    await self._negotiate(self._session, discover)
                    conversation = Conversation(self._session, self._transports.name, self._messages, self._server)
                    result = _Answer(await self._talk(conversation))
                except (IntrospectionError, ConnectionEnded, GarbledAnswer, RequestRefused) as error:
                    result = error
        return result

    async def _negotiate(self, session: McpSession, discover: bool) -> None:
        """Agree on a protocol version, without a handshake first if `discover` is set."""
        protocol = self._query.protocol
        if discover:
            versions = STATELESS_PROTOCOLS if protocol is None else (protocol,)
            if await session.discover(versions):
                return
            self._check_authorised()
            if protocol is not None:
                raise IntrospectionError("MG709", f"the server does not speak {protocol}", "leave --protocol out")
        try:
            await session.initialize(protocol or HANDSHAKE_PROTOCOLS[-1])
        except RequestRefused as error:
            self._check_authorised()
            if error.code == UNSUPPORTED_VERSION_CODE and discover and await session.discover():
                return  # the server was slow to start, and has processed the first request meanwhile
            raise
        if protocol is not None and session.protocol != protocol:
            raise IntrospectionError("MG709", f"the server does not speak {protocol}, but {session.protocol}")

    def _check_authorised(self) -> None:
        if (unauthorised := self._messages.describe_unauthorised()) is not None:
            raise unauthorised
