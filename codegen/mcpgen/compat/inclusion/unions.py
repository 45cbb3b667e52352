"""Unions in a conjunction: splitting it into one case for each branch of an `anyOf` or `oneOf`."""

from __future__ import annotations

from dataclasses import replace

from mcpgen.compat.inclusion.conjunction import Conjunction
from mcpgen.compat.inclusion.keyword_reader import make_key
from mcpgen.schema.document import SchemaLocation


def split_union(conjunction: Conjunction) -> list[Conjunction] | None:
    """Return a conjunction for each branch of one union, None if no union is left to split."""
    for part in conjunction.parts_with("anyOf", "oneOf"):
        for keyword in ("anyOf", "oneOf"):
            branches = conjunction.view.get_subschemas(part, keyword)
            if branches and not is_settled(conjunction, part, keyword):
                return _split_branches(conjunction, part, keyword, branches)
    return None


def _split_branches(
    conjunction: Conjunction, part: SchemaLocation, keyword: str, branches: list[SchemaLocation]
) -> list[Conjunction]:
    settled = replace(conjunction, split_unions=conjunction.split_unions | {(make_key(part), keyword)})
    cases: list[Conjunction] = []
    for index, branch in enumerate(branches):
        case = settled.intersect((branch,))
        if keyword == "oneOf" and len(branches) > 1:
            other_branches = tuple(branches[:index] + branches[index + 1 :])
            case = replace(case, excluded=(*case.excluded, *other_branches))
        cases.append(case)
    return cases


def is_settled(conjunction: Conjunction, part: SchemaLocation, keyword: str) -> bool:
    """Return whether a keyword is a union that excludes nothing more: one of its branches is among the parts."""
    if (make_key(part), keyword) in conjunction.split_unions:
        return True
    if keyword != "anyOf":
        return False
    branches = conjunction.view.get_subschemas(part, keyword)
    return any(make_key(branch) in conjunction.part_keys for branch in branches)
