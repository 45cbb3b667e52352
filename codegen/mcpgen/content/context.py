"""What the checks of filters, tests, operators and attributes need of the checker that calls them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import NoReturn, Protocol

from jinja2 import nodes

from mcpgen.content.narrowing import Condition, Facts, LoopState, TemplateVariable, Value
from mcpgen.content.value_types import TypeLookup
from mcpgen.ir.template import Expr, KeyValuePair, Local
from mcpgen.ir.types import Type as JsonType


class CheckContext(Protocol):
    """The checker of a template's expressions, as its parts see it.

    `declared` holds the types of attributes before they were narrowed. `where` says, for messages, what a name is
    looked up in.
    """

    types: TypeLookup
    variables: dict[str, TemplateVariable]
    declared: dict[Expr, JsonType]
    loop: LoopState | None
    where: str

    def refuse(self, code: str, message: str, node: nodes.Node | int, help: str = "") -> NoReturn:
        """Report a problem and raise `Refused`."""
        ...

    def refuse_unsupported(self, what: str, node: nodes.Node, help: str = "") -> NoReturn:
        """Report something that cannot be compiled."""
        ...

    def refuse_type(self, message: str, node: nodes.Node, help: str = "") -> NoReturn:
        """Report a value of the wrong type."""
        ...

    def make_temporary(self) -> Local:
        """Return a new variable for a comprehension or lambda."""
        ...

    def bind_variable(self, name: str, value: Value) -> AbstractContextManager[None]:
        """Bind a variable within a `with` block."""
        ...

    def check_value(self, node: nodes.Expr, facts: Facts) -> Value:
        """Check an expression, which may be absent."""
        ...

    def check_defined(self, node: nodes.Expr, facts: Facts) -> Value:
        """Check an expression that must be present."""
        ...

    def check_json(self, node: nodes.Expr, facts: Facts) -> tuple[Value, JsonType]:
        """Check an expression that must be a JSON value, and return it with its type."""
        ...

    def check_json_or_list(self, node: nodes.Expr, facts: Facts) -> tuple[Value, JsonType]:
        """Check an expression that must be a JSON value; a list is not converted."""
        ...

    def check_text(self, node: nodes.Expr, facts: Facts) -> Expr:
        """Check an expression and return the string that Jinja prints for it."""
        ...

    def convert_to_text(self, expr: Expr, type: JsonType) -> Expr:
        """Return the string that Jinja prints for an expression of a known type."""
        ...

    def convert_to_json(self, value: Value) -> Value:
        """Convert a value to plain JSON where its Python form differs."""
        ...

    def check_items_of(self, value: Value, node: nodes.Expr, what: str) -> tuple[Expr, JsonType | KeyValuePair]:
        """Return an expression that can be iterated over, and the type of its items."""
        ...

    def check_number(self, node: nodes.Expr, facts: Facts, what: str) -> tuple[Expr, JsonType]:
        """Check an expression that must be a number."""
        ...

    def check_condition(self, node: nodes.Expr, facts: Facts) -> Condition:
        """Check a condition, and return what holds where it is true and where it is false."""
        ...

    def make_truth_test(self, expr: Expr, type: JsonType, node: nodes.Expr) -> Expr:
        """Return the condition that a value is true, as Jinja sees it."""
        ...
