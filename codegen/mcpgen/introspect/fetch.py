"""Fetch of a server's validated definitions, with diagnostics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from mcpgen.config.models import Limits
from mcpgen.diagnostics import Findings, Severity, Span
from mcpgen.introspect.client import ServerQuery, query_server
from mcpgen.introspect.client_config import ConfiguredServer
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.redaction import DefinitionRedactor, Redactor
from mcpgen.introspect.server_address import format_server_address
from mcpgen.introspect.validation import DEFINITION_KINDS, AdvertisedDefinitions, validate_listing
from mcpgen.schema.values import Json, as_object
from mcpgen.workers import Workers

MOST_SERVERS_AT_ONCE = 8


@dataclass(frozen=True)
class FetchedServer:
    """What came of asking one of several servers."""

    server: ConfiguredServer
    definitions: AdvertisedDefinitions | None
    """None if there are errors."""
    findings: Findings


def fetch_from_servers(
    servers: Sequence[ConfiguredServer], exclude: tuple[str, ...], limits: Limits
) -> Iterator[FetchedServer]:
    """Fetch what each of several servers advertises, at the same time; yield each as soon as it is known.

    Args:
        servers: the servers.
        exclude: patterns of names or URIs of definitions to leave out.
        limits: what each server may send.
    """
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
    """Fetch what a server advertises, and validate it.

    Args:
        query: the server, and how to reach it.
        exclude: patterns of names or URIs of definitions to leave out.
        limits: what the server may send.
        findings: receives the diagnostics, without secrets.
        span: the server, for diagnostics; by default its address.

    Returns:
        The definitions; None if there are errors.
    """
    span = span or Span.of_server(format_server_address(query.source))
    try:
        listing = query_server(query, limits)
    except IntrospectionError as error:
        findings.error(error.code, error.message, span, error.help)
        return None
    redactor = Redactor(query.credentials, query.source)
    unredacted = Findings()
    definitions = validate_listing(listing, exclude, limits, span, unredacted)
    report = {Severity.ERROR: findings.error, Severity.WARNING: findings.warn, Severity.NOTE: findings.note}
    for finding in unredacted:
        report[finding.severity](finding.code, redactor(finding.message), finding.span, redactor(finding.help))
    return None if definitions is None else _hide_secrets(definitions, query, span, redactor, findings)


def _hide_secrets(
    definitions: AdvertisedDefinitions, query: ServerQuery, span: Span, redactor: Redactor, findings: Findings
) -> AdvertisedDefinitions:
    """Return the definitions with *** in the place of secrets that the server was given; those are warnings."""
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
