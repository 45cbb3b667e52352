"""Select rules, and ask them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mcpgen.lint.clients import expand_clients
from mcpgen.lint.registry import LINT_RULES
from mcpgen.lint.rule import LintedDefinition, LintRule, Problem


@dataclass(frozen=True)
class SelectedRule:
    """A rule, and the clients that it is asked for."""

    rule: LintRule
    clients: frozenset[str]


@dataclass(frozen=True)
class LintFinding:
    """Problem that a rule has found in a definition."""

    rule: LintRule
    problem: Problem


def select_rules(select: Sequence[str], ignore: Sequence[str], clients: Sequence[str]) -> tuple[SelectedRule, ...]:
    """Return the rules whose codes begin with a selected text, and those of the clients, without the ignored ones.

    A rule that is selected by its code is asked for all clients that it knows if none is named.
    """
    named = expand_clients(clients)
    selected: list[SelectedRule] = []
    for rule in LINT_RULES:
        concerned = named.intersection(rule.clients)
        is_selected = bool(concerned) or rule.code.startswith(tuple(select))
        if is_selected and not rule.code.startswith(tuple(ignore)):
            selected.append(SelectedRule(rule, concerned or frozenset(rule.clients)))
    return tuple(selected)


def lint_definition(definition: LintedDefinition, rules: Sequence[SelectedRule]) -> Iterator[LintFinding]:
    """Yield what the rules about single definitions find."""
    for selected in rules:
        if selected.rule.check is not None:
            for problem in selected.rule.check(definition, selected.clients):
                yield LintFinding(selected.rule, problem)


def lint_package(
    definitions: Sequence[LintedDefinition], rules: Sequence[SelectedRule]
) -> Iterator[tuple[int, LintFinding]]:
    """Yield what the rules about several definitions find, each with the number of its definition."""
    for selected in rules:
        if selected.rule.check_package is not None:
            for number, problem in selected.rule.check_package(definitions, selected.clients):
                yield number, LintFinding(selected.rule, problem)
