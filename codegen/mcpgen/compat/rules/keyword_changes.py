"""Rules for keywords that assert nothing: validation ignores them, but programs rely on them."""

from __future__ import annotations

from mcpgen.compat.rules.rule import Category, KeywordRule
from mcpgen.diagnostics import Severity

INPUT_KEYWORD_RULES = (
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
