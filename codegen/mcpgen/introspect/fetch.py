"""Ask a server, showing progress."""

from __future__ import annotations

from mcpgen.config.models import Limits
from mcpgen.diagnostics import Findings, Severity, Span
from mcpgen.introspect.client import ServerQuery, query_server
from mcpgen.introspect.credentials import Redactor, contains_secret
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.server_address import format_server_address as shown_source
from mcpgen.introspect.validation import AdvertisedDefinitions, validate_listing


def fetch_definitions(
    question: ServerQuery, exclude: tuple[str, ...], limits: Limits, findings: Findings
) -> AdvertisedDefinitions | None:
    """What a server advertises, or None with findings."""
    where = Span(shown_source(question.source))
    try:
        answer = query_server(question, limits)
    except IntrospectionError as error:
        findings.error(error.code, error.message, where, error.help)
        return None
    own, redacted = Findings(), Redactor(question.access, question.source)
    found = validate_listing(answer, exclude, limits, where, own)
    for one in own:
        add = {Severity.ERROR: findings.error, Severity.WARNING: findings.warn, Severity.NOTE: findings.note}
        add[one.severity](one.code, redacted(one.message), one.span, redacted(one.help))
    if found is not None and contains_secret(question.access, question.source, found.lists):
        help = "it is neither shown nor written; leave the definition out with --exclude"
        findings.error("MG715", "what the server advertises holds a secret that it was given", where, help)
        return None
    return found
