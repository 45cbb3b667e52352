"""Answers of one inclusion check: what is assumed, proved and refuted, and how many questions are left."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.inclusion.context import ValuePath


class Answers:
    """Answers to questions "is every value of this kind and conjunction valid under that subschema?".

    A question that comes up again deeper in the value, while it is being answered, is assumed to be true: that is how
    recursive schemas are compared. What was proved under an assumption is forgotten if the assumption turns out false.
    """

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._active: dict[Hashable, int] = {}
        """Questions that are being answered, with the depth of their value."""
        self._proved: dict[Hashable, int] = {}
        self._refuted: dict[Hashable, list[Gap]] = {}
        """Gaps of answered questions, with paths that start at the question's value."""

    def is_active(self, question: Hashable) -> bool:
        """Return whether a question is being answered."""
        return question in self._active

    def is_assumed(self, question: Hashable, depth: int) -> bool:
        """Return whether the answer is yes: proved, or assumed since the question is active further up."""
        if question in self._active:
            return depth > self._active[question]
        return self._proved.get(question, depth + 1) <= depth

    def recall_gaps(self, question: Hashable, path: ValuePath) -> list[Gap] | None:
        """Return the gaps of an answered question, at another path; None if there is no such answer."""
        gaps = self._refuted.get(question)
        return None if gaps is None else [replace(gap, path=(*path.steps, *gap.path)) for gap in gaps]

    def spend_question(self) -> bool:
        """Return whether one more question may be answered, and count it."""
        self._budget -= 1
        return self._budget >= 0

    def begin(self, question: Hashable, path: ValuePath) -> int:
        """Mark a question as active; return the mark to end it with."""
        self._active[question] = path.depth
        return len(self._proved)

    def end(self, question: Hashable, mark: int, gaps: list[Gap], path: ValuePath) -> None:
        """Store the answer to an active question.

        Args:
            question: the question.
            mark: what `begin` returned.
            gaps: the gaps; none means that the question is proved.
            path: the path of the question's value.
        """
        del self._active[question]
        if not gaps:
            self._proved.setdefault(question, path.depth)
            return
        while len(self._proved) > mark:  # what was proved meanwhile may rest on this question
            self._proved.popitem()
        if all(gap.kind is not GapKind.UNKNOWN for gap in gaps):
            self._refuted[question] = [replace(gap, path=gap.path[len(path.steps) :]) for gap in gaps]
