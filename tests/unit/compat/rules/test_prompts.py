"""Rules for prompts."""

from __future__ import annotations

import pytest
from mcpgen.compat.rules.prompts import PROMPT_RULES
from mcpgen.compat.rules.rule import PromptPair
from mcpgen.diagnostics import Span
from mcpgen.ir.prompt import PromptArgument
from mcpgen.read.definitions import PromptDefinition


def make_prompt(*arguments: PromptArgument) -> PromptDefinition:
    return PromptDefinition("review", "review.json", Span("review.json"), {"name": "review"}, arguments)


def list_matches(old: PromptDefinition, new: PromptDefinition | None) -> list[tuple[str, str]]:
    return [(rule.id, match.text) for rule in PROMPT_RULES for match in rule.find(PromptPair(old, new))]


def test_a_removed_prompt_is_reported_once() -> None:
    assert list_matches(make_prompt(PromptArgument("a", True)), None) == [("prompt-removed", "was removed")]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ((), (PromptArgument("a", False),), []),
        ((PromptArgument("a", True),), (PromptArgument("a", False),), []),
        ((PromptArgument("a", False),), (), ["prompt-argument-removed"]),
        ((), (PromptArgument("a", True),), ["prompt-argument-added"]),
        ((PromptArgument("a", False),), (PromptArgument("a", True),), ["prompt-argument-became-required"]),
        ((PromptArgument("a", False),), (PromptArgument("a", False, ("x",)),), ["prompt-argument-values-removed"]),
        (
            (PromptArgument("a", False, ("x", "y")),),
            (PromptArgument("a", False, ("x",)),),
            ["prompt-argument-values-removed"],
        ),
        ((PromptArgument("a", False, ("x",)),), (PromptArgument("a", False, ("x", "y")),), []),
        ((PromptArgument("a", False, ("x",)),), (PromptArgument("a", False),), []),
    ],
)
def test_arguments(old: tuple[PromptArgument, ...], new: tuple[PromptArgument, ...], expected: list[str]) -> None:
    assert [id for id, _ in list_matches(make_prompt(*old), make_prompt(*new))] == expected
    pair = PromptPair(make_prompt(*old), make_prompt(*new))
    assert {match.pointer for rule in PROMPT_RULES for match in rule.find(pair)} <= {"/arguments/a"}
