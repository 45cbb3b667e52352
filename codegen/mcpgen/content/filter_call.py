"""One use of a filter: its value and its arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, cast

from jinja2 import nodes

from mcpgen.content.context import CheckContext
from mcpgen.content.narrowing import Facts, Value
from mcpgen.content.value_types import PRINTABLE_KINDS, is_json
from mcpgen.ir.template import Expr, Local, TemplateType
from mcpgen.ir.types import Type as JsonType

ITEM_VARIABLE = "\0item"
"""The variable that stands for an item inside of a filter, which no template can name."""
_TYPE_DESCRIPTIONS = {"str": "a string", "int": "an integer", "bool": "a boolean", "float": "a number"}
ATTRIBUTE = "attribute"


class FilterCall:
    """One use of a filter: its node, its arguments by their names."""

    def __init__(
        self, context: CheckContext, node: nodes.Filter, facts: Facts, names: tuple[str, ...] | None, inner: nodes.Expr
    ) -> None:
        self.context, self.node, self.facts, self.inner = context, node, facts, inner
        self._arguments: dict[str, nodes.Expr] = {}
        if names is None:
            return
        if node.dyn_args or node.dyn_kwargs or len(node.args) > len(names):
            context.refuse_unsupported(f"the filter `{node.name}` with these arguments", node)
        self._arguments.update(zip(names, node.args, strict=False))
        for keyword in cast("list[nodes.Keyword]", node.kwargs):
            if keyword.key not in names or keyword.key in self._arguments:
                context.refuse_unsupported(f"the argument `{keyword.key}` of `{node.name}`", keyword.value)
            self._arguments[keyword.key] = keyword.value

    def get_argument(self, name: str) -> nodes.Expr | None:
        """An argument, if it is given."""
        return self._arguments.get(name)

    def get_literal(self, name: str, default: Any, *types: type[object]) -> Any:
        """An argument that has to be a literal."""
        node = self._arguments.get(name)
        if node is None:
            return default
        value: Any = node.value if isinstance(node, nodes.Const) else None
        if isinstance(node, nodes.Neg) and isinstance(node.node, nodes.Const):
            value = -node.node.value
        if type(value) not in types:
            wanted = " or ".join(_TYPE_DESCRIPTIONS[one.__name__] for one in types)
            self.context.refuse_unsupported(f"`{name}` of `{self.node.name}` that is not {wanted} written out", node)
        return value

    def check_scalar(self) -> tuple[Value, JsonType]:
        """The value, which has to be a string, number, boolean or null."""
        value, type = self.context.check_json(self.inner, self.facts)
        if not self.context.types.has_only_kinds(type, PRINTABLE_KINDS):
            self.context.refuse_type(
                f"`{self.node.name}` needs text, and this is {self.context.types.describe_type(type)}", self.node
            )
        return value, type

    def check_value_text(self) -> Expr:
        """The value as text."""
        value, type = self.check_scalar()
        return self.context.convert_to_text(value.expr, type)

    def check_value_items(self, plain: bool = False) -> tuple[Expr, JsonType, TemplateType]:
        """The list, the type of its items, and its context type; `plain`: as JSON values."""
        value = self.context.check_defined(self.inner, self.facts)
        if plain:
            value = self.context.convert_to_json(value)
        expr, item = self.context.check_items_of(value, self.inner, f"`{self.node.name}`")
        if not is_json(item):
            self.context.refuse_type(
                f"`{self.node.name}` of pairs of keys and values", self.node, "go through them by a loop"
            )
        return expr, item, value.type

    def make_item_variable(self, item: JsonType) -> tuple[Local, nodes.Name, Facts]:
        """A variable for an item, as the generated code and as templates name it."""
        local = self.context.make_temporary()
        return local, nodes.Name(ITEM_VARIABLE, "load", lineno=self.node.lineno), self.facts

    def make_member_node(self, item: nodes.Expr, path: nodes.Expr | None, text: str) -> nodes.Expr:
        """`item.a.b` for the argument `a.b`."""
        at = self.node.lineno if path is None else path.lineno
        for part in text.split("."):
            key = nodes.Const(int(part) if part.isdigit() else part, lineno=at)
            item = nodes.Getitem(item, key, "load", lineno=at)
        return item


FilterHandler: TypeAlias = Callable[[FilterCall], Value]
