"""Ask a server, showing progress."""

from __future__ import annotations

from mcpgen.config.models import Limits
from mcpgen.diagnostics import Findings, Severity, Span
from mcpgen.introspect.client import Question, ask
from mcpgen.introspect.credentials import Redactor, gives_away
from mcpgen.introspect.errors import CannotAsk
from mcpgen.introspect.server_address import shown as shown_source
from mcpgen.introspect.validation import Advertised, checked


def asked(question: Question, exclude: tuple[str, ...], limits: Limits, findings: Findings) -> Advertised | None:
    """What a server advertises, or None with findings."""
    where = Span(shown_source(question.source))
    try:
        answer = ask(question, limits)
    except CannotAsk as error:
        findings.error(error.code, error.message, where, error.help)
        return None
    own, redacted = Findings(), Redactor(question.access, question.source)
    found = checked(answer, exclude, limits, where, own)
    for one in own:
        add = {Severity.ERROR: findings.error, Severity.WARNING: findings.warn, Severity.NOTE: findings.note}
        add[one.severity](one.code, redacted(one.message), one.span, redacted(one.help))
    if found is not None and gives_away(question.access, question.source, found.lists):
        help = "it is neither shown nor written; leave the definition out with --exclude"
        findings.error("MG715", "what the server advertises holds a secret that it was given", where, help)
        return None
    return found
