"""Interface of the expression checker, as the modules that check single kinds of expressions see it."""

from __future__ import annotations

from typing import NoReturn, Protocol

from jinja2 import nodes

from mcpgen.content.narrowing import Condition, Facts
from mcpgen.content.scope import Scope
from mcpgen.content.type_lookup import TypeLookup
from mcpgen.content.values import Value
from mcpgen.ir.template import Expr
from mcpgen.ir.types import Type as JsonType


class CheckContext(Protocol):
    """Classes, variables and problems of the template that is being checked, and the recursion into expressions.

    `declared_types` holds the types of expressions before conditions narrowed them.
    """

    types: TypeLookup
    scope: Scope
    declared_types: dict[Expr, JsonType]

    def refuse(self, code: str, message: str, node: nodes.Node, help: str = "") -> NoReturn:
        """Record a problem and raise `TemplateRefused`."""
        ...

    def refuse_unsupported(self, construct: str, node: nodes.Node, help: str = "") -> NoReturn:
        """Record that a construct cannot be compiled and raise `TemplateRefused`."""
        ...

    def refuse_type(self, message: str, node: nodes.Node, help: str = "") -> NoReturn:
        """Record that a value has the wrong type and raise `TemplateRefused`."""
        ...

    def note_printed_null(self, message: str, node: nodes.Node, help: str) -> None:
        """Record that a node prints `None` for null, which is valid but seldom meant."""
        ...

    def check_value(self, node: nodes.Expr, facts: Facts) -> Value:
        """Check an expression, which may be absent."""
        ...

    def check_condition(self, node: nodes.Expr, facts: Facts) -> Condition:
        """Check an expression as a condition."""
        ...
