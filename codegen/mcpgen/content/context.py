"""The template that is being checked, as the functions that check single kinds of expressions see it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NoReturn

from jinja2 import nodes

from mcpgen.content.scope import Scope
from mcpgen.content.type_lookup import TypeLookup
from mcpgen.content.values import Condition, Facts, Value
from mcpgen.ir.template import Expr
from mcpgen.ir.types import Type as JsonType


class TemplateRefused(Exception):
    """Raised after a problem was recorded: the surrounding expression or statement cannot be checked."""


@dataclass(frozen=True)
class TemplateProblem:
    """Problem in a template, at an offset in its text."""

    code: str
    message: str
    offset: int
    help: str = ""


class CheckContext(ABC):
    """Classes, variables and problems of the template that is being checked, and the recursion into expressions."""

    def __init__(self, types: TypeLookup) -> None:
        self.types, self.scope = types, Scope()
        self.declared_types: dict[Expr, JsonType] = {}
        """Types of expressions before conditions narrowed them."""
        self.problems: list[TemplateProblem] = []
        """Problems in the order in which they were found; some may be there twice."""
        self.printed_nulls: list[TemplateProblem] = []
        """Places that print `None` for null, which is valid but seldom meant."""

    def refuse(self, code: str, message: str, node: nodes.Node, help: str = "") -> NoReturn:
        """Record a problem and raise `TemplateRefused`."""
        self.problems.append(_make_problem(code, message, node, help))
        raise TemplateRefused

    def refuse_unsupported(self, construct: str, node: nodes.Node, help: str = "") -> NoReturn:
        """Record that a construct cannot be compiled and raise `TemplateRefused`."""
        self.refuse("MG502", f"{construct} cannot be compiled", node, help)

    def refuse_type(self, message: str, node: nodes.Node, help: str = "") -> NoReturn:
        """Record that a value has the wrong type and raise `TemplateRefused`."""
        self.refuse("MG505", message, node, help)

    def note_printed_null(self, message: str, node: nodes.Node, help: str) -> None:
        """Record that a node prints `None` for null."""
        self.printed_nulls.append(_make_problem("MG936", message, node, help))

    @abstractmethod
    def check_value(self, node: nodes.Expr, facts: Facts) -> Value:
        """Check an expression, which may be absent."""

    @abstractmethod
    def check_condition(self, node: nodes.Expr, facts: Facts) -> Condition:
        """Check an expression as a condition."""


def _make_problem(code: str, message: str, node: nodes.Node, help: str) -> TemplateProblem:
    offset = node.lineno + isinstance(node, nodes.Getattr)  # the member's name starts after the dot
    return TemplateProblem(code, message, offset, help)


def sort_problems(problems: Iterable[TemplateProblem]) -> list[TemplateProblem]:
    """Return each problem once, sorted by offset."""
    return sorted(dict.fromkeys(problems), key=lambda problem: problem.offset)
