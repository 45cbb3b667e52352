"""One use of a filter, with the arguments and values that handlers of filters read; and the entry of a filter."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from jinja2 import nodes

from mcpgen.content.context import CheckContext
from mcpgen.content.operands import check_defined, check_json, convert_to_json, get_items, print_value
from mcpgen.content.type_lookup import PRINTABLE_KINDS, is_json
from mcpgen.content.values import Facts, Value
from mcpgen.ir.template import Expr, Local, TemplateType
from mcpgen.ir.types import Type as JsonType

ATTRIBUTE = "attribute"
"""Parameter of many filters: the path of a property of each item, such as `a.b`."""
_ITEM_VARIABLE = "\0item"
"""Variable for an item within a filter; no template can contain this name."""
_TYPE_DESCRIPTIONS = {"str": "a string", "int": "an integer", "bool": "a boolean", "float": "a number"}


class FilterCall:
    """One use of a filter: its node, the facts there, the node of the filtered value, and its arguments by name."""

    def __init__(
        self, context: CheckContext, node: nodes.Filter, facts: Facts, parameters: tuple[str, ...] | None
    ) -> None:
        if node.node is None:
            context.refuse_unsupported("a filter block", node)
        self.context, self.node, self.inner, self.facts = context, node, node.node, facts
        self._arguments: dict[str, nodes.Expr] = {}
        if parameters is None:
            return
        if node.dyn_args or node.dyn_kwargs or len(node.args) > len(parameters):
            context.refuse_unsupported(f"the filter `{node.name}` with these arguments", node)
        self._arguments.update(zip(parameters, node.args, strict=False))
        for keyword in cast("list[nodes.Keyword]", node.kwargs):
            if keyword.key not in parameters or keyword.key in self._arguments:
                context.refuse_unsupported(f"the argument `{keyword.key}` of `{node.name}`", keyword.value)
            self._arguments[keyword.key] = keyword.value

    def get_argument(self, name: str) -> nodes.Expr | None:
        """Return the node of an argument, None if the call has no such argument."""
        return self._arguments.get(name)

    def get_literal(self, name: str, default: Any, *types: type[object]) -> Any:
        """Return the value of an argument that must be a literal of one of some Python types."""
        node = self._arguments.get(name)
        if node is None:
            return default
        value: Any = node.value if isinstance(node, nodes.Const) else None
        if isinstance(node, nodes.Neg) and isinstance(node.node, nodes.Const):
            value = -node.node.value
        if type(value) not in types:
            expected = " or ".join(_TYPE_DESCRIPTIONS[type.__name__] for type in types)
            self.context.refuse_unsupported(f"`{name}` of `{self.node.name}` that is not {expected} written out", node)
        return value

    def get_attribute(self) -> str | None:
        """Return the argument `attribute`."""
        path: str | None = self.get_literal(ATTRIBUTE, None, str)
        return path

    # --- the filtered value ---------------------------------------------------------------------------------------
    def check_value(self) -> Value:
        """Check the filtered value, which must be present."""
        return check_defined(self.context, self.inner, self.facts)

    def check_scalar(self) -> tuple[Value, JsonType]:
        """Check the filtered value, which must be a string, number, boolean or null. Return it with its type."""
        value, type = check_json(self.context, self.inner, self.facts)
        if not self.context.types.has_only_kinds(type, PRINTABLE_KINDS):
            message = f"`{self.node.name}` needs text, and this is {self.context.types.describe_type(type)}"
            self.context.refuse_type(message, self.node)
        return value, type

    def check_scalar_text(self) -> Expr:
        """Check the filtered value, which must be a scalar. Return its text."""
        value, type = self.check_scalar()
        return print_value(self.context, self.inner, value.expr, type)

    def check_items(self, *, as_json: bool = False) -> tuple[Expr, JsonType, TemplateType]:
        """Return the expression, the items' type and the type of the filtered value; `as_json` converts items."""
        value = self.check_value()
        if as_json:
            value = convert_to_json(self.context, value)
        expr, item = get_items(self.context, value, self.inner, f"`{self.node.name}`")
        if not is_json(item):
            message = f"`{self.node.name}` of pairs of keys and values"
            self.context.refuse_type(message, self.node, "go through them by a loop")
        return expr, item, value.type

    # --- expressions over an item ---------------------------------------------------------------------------------
    @contextmanager
    def bind_item(self, item: JsonType) -> Generator[tuple[Local, nodes.Expr]]:
        """Bind a variable to an item within a `with` block: its name in Python, and its node for the template."""
        local = self.context.scope.make_temporary()
        with self.context.scope.bind_variable(_ITEM_VARIABLE, Value(local, item)):
            yield local, nodes.Name(_ITEM_VARIABLE, "load", lineno=self.node.lineno)

    def make_member_node(self, item: nodes.Expr, path: str | None, place: nodes.Expr | None = None) -> nodes.Expr:
        """Return the node of `item.a.b` for the path `a.b`, at the offset of `place` or else of the filter."""
        if path is None:
            return item
        offset = self.node.lineno if place is None else place.lineno
        for part in path.split("."):
            key = nodes.Const(int(part) if part.isdigit() else part, lineno=offset)
            item = nodes.Getitem(item, key, "load", lineno=offset)
        return item

    def make_attribute_node(self, item: nodes.Expr) -> nodes.Expr:
        """Return the node of the property that the argument `attribute` names, or the item itself."""
        return self.make_member_node(item, self.get_attribute(), self.get_argument(ATTRIBUTE))


FilterHandler: TypeAlias = Callable[[FilterCall], Value]


@dataclass(frozen=True)
class JinjaFilter:
    """Filter that templates can use; parameters are in Jinja's order, None if the handler reads the arguments."""

    name: str
    check: FilterHandler
    takes: str
    gives: str
    parameters: tuple[str, ...] | None = ()
