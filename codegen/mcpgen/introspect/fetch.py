"""Fetch of a server's validated definitions, with diagnostics."""

from __future__ import annotations

from mcpgen.config.models import Limits
from mcpgen.diagnostics import Findings, Severity, Span
from mcpgen.introspect.client import ServerQuery, query_server
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.redaction import Redactor, contains_secret
from mcpgen.introspect.server_address import format_server_address
from mcpgen.introspect.validation import AdvertisedDefinitions, validate_listing


def fetch_definitions(
    query: ServerQuery, exclude: tuple[str, ...], limits: Limits, findings: Findings
) -> AdvertisedDefinitions | None:
    """Fetch what a server advertises, and validate it.

    Args:
        query: the server, and how to reach it.
        exclude: patterns of names or URIs of definitions to leave out.
        limits: what the server may send.
        findings: receives the diagnostics, without secrets.

    Returns:
        The definitions; None if there are errors.
    """
    span = Span(format_server_address(query.source))
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
    if definitions is not None and contains_secret(
        query.credentials, query.source, [definitions.lists, definitions.instructions]
    ):
        help = "it is neither shown nor written; leave the definition out with --exclude"
        findings.error("MG715", "what the server advertises holds a secret that it was given", span, help)
        return None
    return definitions
