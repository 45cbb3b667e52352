"""Answers are assumed, proved, refuted and forgotten."""

from __future__ import annotations

from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.inclusion.answers import Answers
from mcpgen.compat.inclusion.context import ValuePath

ROOT, DEEPER = ValuePath(), ValuePath(("a",), 1)


def test_an_active_question_is_assumed_deeper_in_the_value_only() -> None:
    answers = Answers(10)
    answers.begin("question", ROOT)
    assert answers.is_active("question")
    assert answers.is_assumed("question", 1)
    assert not answers.is_assumed("question", 0)


def test_a_proved_question_counts_at_its_depth_and_deeper() -> None:
    answers = Answers(10)
    answers.end("question", answers.begin("question", DEEPER), [], DEEPER)
    assert not answers.is_active("question")
    assert answers.is_assumed("question", 1)
    assert answers.is_assumed("question", 2)
    assert not answers.is_assumed("question", 0)


def test_a_refutation_takes_back_what_was_proved_meanwhile() -> None:
    answers = Answers(10)
    outer = answers.begin("outer", ROOT)
    answers.end("inner", answers.begin("inner", DEEPER), [], DEEPER)
    answers.end("outer", outer, [Gap(GapKind.TYPE, (), "", "")], ROOT)
    assert not answers.is_assumed("inner", 1)


def test_gaps_are_recalled_at_another_path() -> None:
    answers = Answers(10)
    answers.end("question", answers.begin("question", DEEPER), [Gap(GapKind.TYPE, ("a", "b"), "", "")], DEEPER)
    assert answers.recall_gaps("question", ValuePath(("x", "y"), 2)) == [Gap(GapKind.TYPE, ("x", "y", "b"), "", "")]
    assert answers.recall_gaps("other", ROOT) is None


def test_a_question_that_was_not_followed_is_asked_again() -> None:
    answers = Answers(10)
    answers.end("question", answers.begin("question", ROOT), [Gap(GapKind.UNKNOWN, (), "", "")], ROOT)
    assert answers.recall_gaps("question", ROOT) is None
    assert not answers.is_assumed("question", 0)


def test_the_budget() -> None:
    answers = Answers(2)
    assert [answers.spend_question() for _ in range(3)] == [True, True, False]
