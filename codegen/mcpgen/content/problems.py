"""Problems found in a content template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from jinja2 import nodes


class TemplateRefused(Exception):
    """Raised after a problem was recorded: the surrounding expression or statement cannot be checked."""


@dataclass(frozen=True)
class TemplateProblem:
    """Problem in a template, at an offset in its text."""

    code: str
    message: str
    offset: int
    help: str = ""


class ProblemLog:
    """Problems of one template, in the order in which they were found."""

    def __init__(self) -> None:
        self.problems: list[TemplateProblem] = []
        self._printed_nulls: list[TemplateProblem] = []

    def refuse(self, code: str, message: str, node: nodes.Node, help: str = "") -> NoReturn:
        """Record a problem at a node.

        Raises:
            TemplateRefused: always.
        """
        self.problems.append(TemplateProblem(code, message, _find_offset(node), help))
        raise TemplateRefused

    def note_printed_null(self, message: str, node: nodes.Node, help: str) -> None:
        """Record that a node prints `None` for null, which is valid but seldom meant."""
        self._printed_nulls.append(TemplateProblem("MG936", message, _find_offset(node), help))

    def list_sorted(self) -> list[TemplateProblem]:
        """Return each problem once, sorted by offset."""
        return _sort_problems(self.problems)

    def list_printed_nulls(self) -> list[TemplateProblem]:
        """Return each place where null is printed once, sorted by offset."""
        return _sort_problems(self._printed_nulls)


def _find_offset(node: nodes.Node) -> int:
    return node.lineno + isinstance(node, nodes.Getattr)  # the member's name starts after the dot


def _sort_problems(problems: list[TemplateProblem]) -> list[TemplateProblem]:
    return sorted(dict.fromkeys(problems), key=lambda problem: problem.offset)
