"""Query of a server: connect, negotiate a protocol version, fetch the lists, and explain failures."""

from __future__ import annotations

import importlib
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypeAlias, TypeVar, assert_never

from mcpgen.config.models import Limits
from mcpgen.diagnostics import Findings, Span
from mcpgen.introspect.client_config import ConfiguredServer
from mcpgen.introspect.error_messages import ErrorMessages, shorten_text
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.in_process import list_doubled_handlers, open_server
from mcpgen.introspect.limits import Meter, TransportLog
from mcpgen.introspect.oauth import LOGIN_SECONDS, open_authorisation
from mcpgen.introspect.redaction import DefinitionRedactor, Redactor
from mcpgen.introspect.server_address import Command, InProcess, Url, format_server_address
from mcpgen.introspect.server_query import ServerQuery
from mcpgen.introspect.session import (
    UNSUPPORTED_VERSION_CODE,
    ConnectionEnded,
    GarbledAnswer,
    McpSession,
    RequestRefused,
    ServerListing,
    Wire,
    fetch_listing,
)
from mcpgen.introspect.transports import INSTALL_COMMAND, run_server_process, select_transports
from mcpgen.introspect.validation import DEFINITION_KINDS, AdvertisedDefinitions, validate_listing
from mcpgen.schema.values import Json, as_object
from mcpgen.targets import HANDSHAKE_PROTOCOLS, STATELESS_PROTOCOLS
from mcpgen.workers import Workers

AnswerT = TypeVar("AnswerT")
WireOpener: TypeAlias = Callable[[], AbstractAsyncContextManager[Wire]]
QueryFailure: TypeAlias = IntrospectionError | ConnectionEnded | GarbledAnswer | RequestRefused
_LONGEST_MESSAGE = 600
DEFAULT_LIMITS = Limits.model_validate({})
MOST_SERVERS_AT_ONCE = 8


@dataclass(frozen=True)
class Conversation:
    """What a talk with a server has: the session, the words for messages, and a server object of this process."""

    session: McpSession
    messages: ErrorMessages
    server: Any = None


Talk: TypeAlias = Callable[[Conversation], Awaitable[AnswerT]]
"""Function that asks a server over a session with a negotiated version."""


def query_server(query: ServerQuery, limits: Limits = DEFAULT_LIMITS) -> ServerListing:
    """Fetch everything that a server advertises; raise `IntrospectionError`, without secrets, if that fails."""
    return talk_to_server(query, _fetch_listing, limits)


async def _fetch_listing(conversation: Conversation) -> ServerListing:
    listing = await fetch_listing(conversation.session, conversation.messages.clean_text)
    if conversation.server is None:
        return listing
    return replace(listing, doubled=tuple(list_doubled_handlers(conversation.server)))


def talk_to_server(query: ServerQuery, talk: Talk[AnswerT], limits: Limits = DEFAULT_LIMITS) -> AnswerT:
    """Return what `talk` makes of a server's answers; raise `IntrospectionError`, without secrets, if that fails."""
    redactor = Redactor(query.credentials, query.source)
    messages = ErrorMessages(query.source, TransportLog(Meter(limits)), redactor)
    try:
        with _silence_logging():
            return _QueryRun(query, talk, messages).fetch()
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


class _QueryRun(Generic[AnswerT]):
    """Run of one query; a server that ends at the first request is started again, for the handshake."""

    def __init__(self, query: ServerQuery, talk: Talk[AnswerT], messages: ErrorMessages) -> None:
        self._query, self._talk, self._transports = query, talk, select_transports()
        self._log, self._messages = messages.log, messages
        pull_seconds = self._log.meter.limits.pull_seconds
        self._seconds = query.timeout or pull_seconds + (LOGIN_SECONDS if query.oauth else 0)
        self._session: McpSession | None = None
        self._server: Any = None
        self._answers: list[AnswerT] = []

    def fetch(self) -> AnswerT:
        protocol = self._query.protocol
        discover = self._transports.knows_discovery and (protocol is None or protocol in STATELESS_PROTOCOLS)
        if protocol in STATELESS_PROTOCOLS and not discover:
            message = f"the installed {self._transports.name} does not speak {protocol}"
            raise IntrospectionError("MG709", message, INSTALL_COMMAND)
        with self._prepare_opener() as opener:
            failure = self._converse(opener, discover)
            ended_early = isinstance(failure, ConnectionEnded) and self._pending_method == "server/discover"
            if ended_early and discover and protocol is None:
                failure = self._converse(opener, False)
        if failure is not None:
            raise self._describe(failure)
        return self._answers[0]

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
        credentials, transports, log = self._query.credentials, self._transports, self._log
        source = self._query.source
        match source:
            case Command() as command:
                yield lambda: run_server_process(
                    command, {**transports.get_default_environment(), **credentials.env}, log
                )
            case Url() as url:
                yield lambda: self._open_http(url)
            case InProcess() as address:
                with open_server(address, credentials.env) as self._server:
                    yield lambda: transports.open_memory(self._server)
            case _:
                assert_never(source)

    @asynccontextmanager
    async def _open_http(self, url: Url) -> AsyncGenerator[Wire]:
        credentials, transports = self._query.credentials, self._transports
        login: Any = open_authorisation(url, credentials.used) if self._query.oauth else nullcontext()
        async with login as authentication, transports.open_http(url, credentials, self._log, authentication) as wire:
            yield wire

    def _converse(self, opener: WireOpener, discover: bool) -> QueryFailure | None:
        anyio: Any = importlib.import_module("anyio")
        self._session = None
        self._log.stderr.clear()
        try:
            failure: QueryFailure | None = anyio.run(self._talk_in_time, anyio, opener, discover)
        except Exception as error:  # a transport may raise anything, in groups
            failure = self._messages.describe_failure(error, self._pending_method)
        return self._log.meter.error or failure

    async def _talk_in_time(self, anyio: Any, opener: WireOpener, discover: bool) -> QueryFailure | None:
        """Like `_converse`; a failure is returned, not raised, because the transports' task groups would wrap it."""
        failure: QueryFailure | None = None
        with anyio.move_on_after(self._seconds) as scope:
            self._log.meter.watch(scope)
            async with opener() as wire:
                self._session = McpSession(wire, self._log.meter)
                if self._query.oauth:  # somebody has to log in before the first answer comes
                    self._session.probe_seconds += LOGIN_SECONDS
                try:
                    await self._negotiate(self._session, discover)
                    conversation = Conversation(self._session, self._messages, self._server)
                    self._answers.append(await self._talk(conversation))
                except (IntrospectionError, ConnectionEnded, GarbledAnswer, RequestRefused) as error:
                    failure = error
        if failure is None and not self._answers:
            return self._messages.describe_timeout(self._pending_method, self._seconds, self._invalid_lines)
        return failure

    async def _negotiate(self, session: McpSession, discover: bool) -> None:
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


@dataclass(frozen=True)
class FetchedServer:
    """What came of asking one of several servers."""

    server: ConfiguredServer
    definitions: AdvertisedDefinitions | None
    findings: Findings


def fetch_from_servers(
    servers: Sequence[ConfiguredServer], exclude: tuple[str, ...], limits: Limits
) -> Iterator[FetchedServer]:
    """Fetch what each of several servers advertises, at the same time; yield each as soon as it is known."""
    with Workers(min(len(servers), MOST_SERVERS_AT_ONCE)) as workers:
        for _, fetched in workers.map_completed(partial(_fetch_server, exclude, limits), servers):
            yield fetched


def _fetch_server(exclude: tuple[str, ...], limits: Limits, server: ConfiguredServer) -> FetchedServer:
    findings = Findings()
    query = server.query
    span = Span.of_server(server.name)
    if isinstance(query, IntrospectionError):
        findings.error(query.code, query.message, span, query.help)
        return FetchedServer(server, None, findings)
    left_out = (*exclude, *server.exclude)
    return FetchedServer(server, fetch_definitions(query, left_out, limits, findings, span), findings)


def fetch_definitions(
    query: ServerQuery, exclude: tuple[str, ...], limits: Limits, findings: Findings, span: Span | None = None
) -> AdvertisedDefinitions | None:
    """Fetch and validate what a server advertises, without secrets; None, with findings at `span`, if that fails."""
    span = span or Span.of_server(format_server_address(query.source))
    try:
        listing = query_server(query, limits)
    except IntrospectionError as error:
        findings.error(error.code, error.message, span, error.help)
        return None
    redactor = Redactor(query.credentials, query.source)
    unredacted = Findings()
    definitions = validate_listing(listing, exclude, limits, span, unredacted)
    findings.extend(replace(item, message=redactor(item.message), help=redactor(item.help)) for item in unredacted)
    return None if definitions is None else _hide_secrets(definitions, query, span, redactor, findings)


def _hide_secrets(
    definitions: AdvertisedDefinitions, query: ServerQuery, span: Span, redactor: Redactor, findings: Findings
) -> AdvertisedDefinitions:
    hiding = DefinitionRedactor(query.credentials, query.source)
    lists: dict[str, list[dict[str, Json]]] = {member: [] for member in definitions.lists}
    for member, items in definitions.lists.items():
        for item in items:
            redacted = as_object(hiding.redact(item))
            if not hiding.is_decisive:
                lists[member].append(redacted)
            if hiding.found:
                label = f'the {DEFINITION_KINDS[member]} "{redactor(str(item["name"]))}"'
                _report_secret(f"{label} holds", span, findings, is_left_out=hiding.is_decisive)
    instructions = str(hiding.redact(definitions.instructions))
    if hiding.found:
        _report_secret("the server's instructions hold", span, findings)
    return replace(definitions, lists=lists, instructions=instructions)


def _report_secret(holds: str, span: Span, findings: Findings, *, is_left_out: bool = False) -> None:
    rest = "in a name or a value that programs rely on, so it is left out" if is_left_out else "*** takes its place"
    message = f"{holds} a secret that the server was given; {rest}"
    findings.warn("MG715", message, span, "correct the server, and replace the secret: all its clients can see it")
