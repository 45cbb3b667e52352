"""Rules for keywords that assert nothing: validation ignores them, but programs rely on them."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.compat.rules.rule import Category, KeywordRule, RuleMatch, SubschemaPair, SubschemaRule
from mcpgen.diagnostics import Severity
from mcpgen.schema.values import format_pointer

_HEADER = "x-mcp-header"


def _find_new_header(subschemas: SubschemaPair) -> Iterator[RuleMatch]:
    """Yield a match if clients must send a value in a header that they did not send before."""
    old, new = subschemas.old.get(_HEADER), subschemas.new.get(_HEADER)
    if isinstance(new, str) and not (isinstance(old, str) and old.lower() == new.lower()):
        text = f'clients must send the argument in the header "Mcp-Param-{new}", too'
        help = "servers refuse calls without it, and clients that know the old definition do not send it"
        client_help = "build the client again; other code has to send the header"
        yield RuleMatch(text, subschemas.pointer + format_pointer(_HEADER), help, client_help)


INPUT_KEYWORD_RULES = (
    SubschemaRule(
        "input-header-added",
        Category.INPUT,
        "Clients must send an argument as an HTTP header, too, by a new or another `x-mcp-header`.",
        Category.INPUT,
        _find_new_header,
    ),
    KeywordRule(
        "input-format-changed",
        Category.INPUT,
        "The format of an argument has changed: nothing checks it, but handlers may.",
        "format",
        severity=Severity.WARNING,
    ),
    KeywordRule(
        "input-content-encoding-changed",
        Category.INPUT,
        "The encoding of binary data in an argument has changed, and the handler now decodes it differently.",
        "contentEncoding",
    ),
    KeywordRule(
        "input-default-changed",
        Category.INPUT,
        "The default of an argument has changed: calls that leave it out do something else.",
        "default",
        severity=Severity.WARNING,
    ),
)
OUTPUT_KEYWORD_RULES = (
    KeywordRule(
        "output-format-changed",
        Category.OUTPUT,
        "The format of a string has changed: nothing checks it, but readers rely on it.",
        "format",
        severity=Severity.WARNING,
    ),
    KeywordRule(
        "output-content-encoding-changed",
        Category.OUTPUT,
        "The encoding of binary data in a string has changed: nothing checks it, but readers use it to decode.",
        "contentEncoding",
    ),
    KeywordRule(
        "output-content-media-type-changed",
        Category.OUTPUT,
        "The media type of a string has changed: nothing checks it, but readers rely on it.",
        "contentMediaType",
    ),
)
