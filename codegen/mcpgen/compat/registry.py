"""Registry of the compatibility rules, in the order in which they are listed and reported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from mcpgen.compat.rules.definitions import (
    ADDITION_RULES,
    ANNOTATION_RULES,
    CONTENT_RULES,
    PROMPT_RULES,
    RESOURCE_RULES,
    TOOL_RULES,
    WORDING_RULES,
)
from mcpgen.compat.rules.python_names import PYTHON_NAMES_RULES
from mcpgen.compat.rules.rule import Rule
from mcpgen.compat.rules.schemas import (
    EMPTIED_INPUT_RULE,
    EMPTIED_OUTPUT_RULE,
    INPUT_GAP_RULES,
    INPUT_KEYWORD_RULES,
    OUTPUT_GAP_RULES,
    OUTPUT_KEYWORD_RULES,
    GapRule,
)


def index_rules(rules: Iterable[Rule]) -> Mapping[str, Rule]:
    """Index rules by id, in their order; raise `ValueError` if two have the same id."""
    by_id: dict[str, Rule] = {}
    for rule in rules:
        if rule.id in by_id:
            raise ValueError(f"two rules have the id {rule.id}")
        by_id[rule.id] = rule
    return MappingProxyType(by_id)


RULES = index_rules(
    (
        *ANNOTATION_RULES,
        *CONTENT_RULES,
        *INPUT_GAP_RULES,
        *INPUT_KEYWORD_RULES,
        EMPTIED_INPUT_RULE,
        *OUTPUT_GAP_RULES,
        *OUTPUT_KEYWORD_RULES,
        EMPTIED_OUTPUT_RULE,
        *PROMPT_RULES,
        *PYTHON_NAMES_RULES,
        *RESOURCE_RULES,
        *TOOL_RULES,
        *WORDING_RULES,
        *ADDITION_RULES,
    )
)


def are_akin(rule: Rule, other: Rule) -> bool:
    """Return whether two rules are one, or report the same kind of gap."""
    if isinstance(rule, GapRule) and isinstance(other, GapRule):
        return (rule.category, rule.kind) == (other.category, other.kind)
    return rule.id == other.id
