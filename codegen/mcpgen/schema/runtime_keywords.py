"""Sets of keywords that generated packages have, made from the table of keywords."""

from __future__ import annotations

from dataclasses import dataclass

from mcpgen.schema.keywords import (
    ANNOTATION_KEYWORDS,
    DEFINITION_KEYWORDS,
    DRAFT_07,
    DRAFT_2020_12,
    KEYWORD_TABLE,
    REFERENCE_KEYWORDS,
    SCHEMA_LIST_KEYWORDS,
    SCHEMA_MAP_KEYWORDS,
    SINGLE_SCHEMA_KEYWORDS,
    VALUE_KEYWORDS,
)


@dataclass(frozen=True)
class KeywordSet:
    """Constant of the run-time module `schema_keywords`."""

    name: str
    keywords: tuple[str, ...]
    doc: str


def _make_set(name: str, keywords: frozenset[str], doc: str) -> KeywordSet:
    return KeywordSet(name, tuple(sorted(keywords)), doc)


def _list_only_in(dialect: str) -> frozenset[str]:
    return frozenset(name for name, keyword in KEYWORD_TABLE.items() if keyword.only_in == dialect)


RUNTIME_KEYWORD_SETS = (
    _make_set(
        "SCHEMA_KEYWORDS",
        SINGLE_SCHEMA_KEYWORDS | SCHEMA_LIST_KEYWORDS,
        "Keywords whose value is a schema or a list of schemas.",
    ),
    _make_set(
        "SCHEMA_MAP_KEYWORDS",
        SCHEMA_MAP_KEYWORDS,
        "Keywords whose value maps names to schemas; `dependencies` also maps names to lists of names.",
    ),
    _make_set("DEFINITION_KEYWORDS", DEFINITION_KEYWORDS, "Those of them that apply nothing by themselves."),
    _make_set(
        "VALUE_KEYWORDS",
        VALUE_KEYWORDS,
        "Keywords whose value holds JSON values, in which `$ref` is an ordinary member.",
    ),
    _make_set(
        "URI_KEYWORDS",
        frozenset([*REFERENCE_KEYWORDS[DRAFT_2020_12], "$id"]),
        "Keywords whose value is a URI reference to a schema, or the base of such references.",
    ),
    _make_set(
        "TYPED_KEYWORDS",
        frozenset(name for name, keyword in KEYWORD_TABLE.items() if keyword.type),
        "Keywords that concern the values of one type alone.",
    ),
    _make_set("ANNOTATION_KEYWORDS", ANNOTATION_KEYWORDS, "Keywords that describe a value and refuse none."),
    _make_set("ONLY_IN_DRAFT_07", _list_only_in(DRAFT_07), "Keywords of draft-07 that 2020-12 does not have."),
    _make_set("ONLY_IN_2020_12", _list_only_in(DRAFT_2020_12), "Keywords of 2020-12 that draft-07 does not have."),
)
