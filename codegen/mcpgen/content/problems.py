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

    def refuse(self, code: str, message: str, node: nodes.Node, help: str = "") -> NoReturn:
        """Record a problem at a node.

        Raises:
            TemplateRefused: always.
        """
        offset = node.lineno + isinstance(node, nodes.Getattr)  # the member's name starts after the dot
        self.problems.append(TemplateProblem(code, message, offset, help))
        raise TemplateRefused

    def list_sorted(self) -> list[TemplateProblem]:
        """Return each problem once, sorted by offset."""
        return sorted(dict.fromkeys(self.problems), key=lambda problem: problem.offset)
