"""Read the `anyOf` and `oneOf` of parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcpgen.lower.normalize.core import SchemaPart, SchemaPlace


@dataclass(frozen=True)
class Alternatives:
    """An `anyOf` or `oneOf` of a part."""

    part: SchemaPart
    keyword: str


def find_alternatives(parts: Sequence[SchemaPart]) -> list[Alternatives]:
    """Return every `anyOf` and `oneOf` of some parts, but for those whose branches are conditions."""
    return [
        Alternatives(part, keyword)
        for part in parts
        for keyword in ("anyOf", "oneOf")
        if keyword in part.schema and keyword not in part.place.merged
    ]


def list_branches(part: SchemaPart, keyword: str) -> list[SchemaPlace]:
    """Return the places of the branches of a part's `anyOf` or `oneOf`."""
    branches = part.schema[keyword]
    assert isinstance(branches, list)
    return [SchemaPlace(f"{part.place.pointer}/{keyword}/{index}") for index in range(len(branches))]


def remove_alternatives(
    parts: Sequence[SchemaPart], removed: Sequence[Alternatives], merged: Sequence[Alternatives] = ()
) -> tuple[SchemaPlace, ...]:
    """Return the places of some parts without their alternatives, and with the branches of others as conditions."""
    without, conditions = _collect_keywords(removed), _collect_keywords(merged)
    return tuple(
        part.place._replace(
            without=part.place.without | without.get(part.place, frozenset()),
            merged=part.place.merged | conditions.get(part.place, frozenset()),
        )
        for part in parts
    )


def _collect_keywords(alternatives: Sequence[Alternatives]) -> dict[SchemaPlace, frozenset[str]]:
    keywords: dict[SchemaPlace, frozenset[str]] = {}
    for alternative in alternatives:
        keywords[alternative.part.place] = keywords.get(alternative.part.place, frozenset()) | {alternative.keyword}
    return keywords
