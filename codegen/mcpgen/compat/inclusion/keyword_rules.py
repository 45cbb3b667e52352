"""The rules of all keywords, and the keywords that have none."""

from __future__ import annotations

from collections.abc import Iterable

from mcpgen.compat.inclusion.arrays import ARRAY_RULES
from mcpgen.compat.inclusion.combinators import COMBINATOR_RULES, CONJUNCTION_RULES
from mcpgen.compat.inclusion.constants import CONSTANT_RULES
from mcpgen.compat.inclusion.context import KeywordRule
from mcpgen.compat.inclusion.objects import OBJECT_RULES
from mcpgen.compat.inclusion.scalars import NUMBER_RULES, STRING_RULES
from mcpgen.schema.keywords import DRAFT_2020_12, REFERENCE_KEYWORDS, REFUSING_KEYWORDS

CHECKER_KEYWORDS = frozenset(["type", *REFERENCE_KEYWORDS[DRAFT_2020_12]])
"""Keywords that the checker compares itself."""


class RuleTable:
    """Rules by the kinds of values that their keywords can refuse, in the order in which they find gaps."""

    def __init__(self, rules: Iterable[KeywordRule]) -> None:
        self.rules = tuple(rules)
        ruled = CHECKER_KEYWORDS.union(*(rule.keywords for rule in self.rules))
        self.by_kind = {
            kind: [rule for rule in self.rules if not keywords.isdisjoint(rule.keywords)]
            for kind, keywords in REFUSING_KEYWORDS.items()
        }
        self.unruled = {kind: sorted(keywords - ruled) for kind, keywords in REFUSING_KEYWORDS.items()}
        """Kind of value → keywords that can refuse it and that no rule compares."""


KEYWORD_RULES = RuleTable(
    (
        *CONJUNCTION_RULES,
        *CONSTANT_RULES,
        *COMBINATOR_RULES,
        *OBJECT_RULES,
        *ARRAY_RULES,
        *STRING_RULES,
        *NUMBER_RULES,
    )
)
