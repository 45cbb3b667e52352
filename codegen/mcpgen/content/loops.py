"""Check `for` statements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from jinja2 import nodes

from mcpgen.content.branches import BodyChecker
from mcpgen.content.context import CheckContext
from mcpgen.content.jinja_parser import cast_to_expr
from mcpgen.content.narrowing import Facts
from mcpgen.content.operands import check_iterable
from mcpgen.content.scope import LoopState, TemplateVariable
from mcpgen.content.values import Value
from mcpgen.ir.template import (
    Assign,
    Call,
    Comprehension,
    Expr,
    For,
    If,
    KeyValuePair,
    ListLiteral,
    Local,
    Statement,
    is_reference,
    mentions_local,
)
from mcpgen.ir.types import FixedArray
from mcpgen.ir.types import Type as JsonType

_LENGTH_MEMBERS = frozenset(("last", "length", "revindex", "revindex0"))
"""Members of `loop` that need the number of items."""


@dataclass(frozen=True)
class _Target:
    """Variable of a loop: its name in the template, its name in Python, its type."""

    name: str
    local: Local
    type: JsonType


@dataclass(frozen=True)
class _Iteration:
    """Items that a loop goes through: the source, the test of an item, and the facts in the body.

    `items` is the list whose length is needed, which `preparation` may have to store in a variable.
    """

    source: Expr
    test: Expr | None
    facts: Facts
    preparation: tuple[Statement, ...] = ()
    items: Expr | None = None


def check_for(context: CheckContext, node: nodes.For, facts: Facts, check_body: BodyChecker) -> list[Statement]:
    """Check a loop with its `if` and `else`."""
    if node.recursive:
        context.refuse_unsupported("a `recursive` loop", node)
    source, item = check_iterable(context, cast_to_expr(node.iter), facts, "`for`")
    if source == ListLiteral(()):
        context.refuse_unsupported("a loop over an empty list", node.iter)
    targets = _check_targets(context, node.target, item)
    members = frozenset(_find_loop_members(node.body))
    scope = context.scope
    with scope.enter_loop({target.name: TemplateVariable(Value(target.local, target.type)) for target in targets}):
        iteration = _check_iteration(context, node, source, targets, members, facts)
        index = scope.make_local("index") if members else None
        scope.start_body(LoopState(index, iteration.items))
        body = check_body(node.body, iteration.facts)
    if index is not None and not mentions_local(body, index):
        index = None
    names = tuple(
        target.local.name if mentions_local((body, iteration.test), target.local) else "_" for target in targets
    )
    loop = For(names, iteration.source, body, None if index is None else index.name, iteration.test)
    if not node.else_:
        return [*iteration.preparation, loop]
    assert iteration.items is not None
    with scope.enter_branches() as branches:
        branches.end_branch()
        otherwise = check_body(node.else_, facts)
        branches.end_branch()
    return [*iteration.preparation, If(((iteration.items, (loop,)),), otherwise)]


def _check_iteration(
    context: CheckContext,
    node: nodes.For,
    source: Expr,
    targets: list[_Target],
    members: frozenset[str],
    facts: Facts,
) -> _Iteration:
    """Check the loop's `if`, and store the items in a variable where their number is needed."""
    condition = None if node.test is None else context.check_condition(cast_to_expr(node.test), facts)
    iteration = _Iteration(source, None, facts)
    if condition is not None and not members and not node.else_:
        iteration = _Iteration(source, condition.expr, condition.yes)
    elif condition is not None:
        if len(targets) != 1:
            construct = "a loop over pairs with an `if` and an `else` or `loop`"
            context.refuse_unsupported(construct, node, "move the `if` inside")
        local = targets[0].local
        iteration = _Iteration(Comprehension(local.name, source, local, condition.expr), None, facts)
    if not members & _LENGTH_MEMBERS and not node.else_:
        return iteration
    if is_reference(iteration.source):
        return _Iteration(iteration.source, iteration.test, iteration.facts, (), iteration.source)
    items = context.scope.make_local("items")
    value = iteration.source if _is_list(iteration.source) else Call("list", (iteration.source,))
    return _Iteration(items, iteration.test, iteration.facts, (Assign(items.name, value),), items)


def _check_targets(context: CheckContext, target: nodes.Node, item: JsonType | KeyValuePair) -> list[_Target]:
    scope = context.scope
    if isinstance(target, nodes.Name):
        if isinstance(item, KeyValuePair):
            construct = "a pair of key and value in one variable"
            context.refuse_unsupported(construct, target, "write {% for key, value in …")
        return [_Target(target.name, scope.make_local(target.name), item)]
    if not isinstance(target, nodes.Tuple):
        context.refuse_unsupported("this target of a loop", target)
    names = [name.name for name in target.items if isinstance(name, nodes.Name)]
    if len(names) != len(target.items):
        context.refuse_unsupported("this target of a loop", target)
    parts = _unpack_item(context, item)
    if len(parts) != len(names):
        actual = f"{len(parts)} values" if parts else context.types.describe_type(item)
        help = "" if parts else "`| items` and `| dictsort` give keys and values"
        context.refuse_type(f"each item is {actual}, and not {len(names)} values", target, help)
    return [_Target(name, scope.make_local(name), type) for name, type in zip(names, parts, strict=True)]


def _unpack_item(context: CheckContext, item: JsonType | KeyValuePair) -> tuple[JsonType, ...]:
    """Return the types of an item's values, none if it cannot be unpacked."""
    if isinstance(item, KeyValuePair):
        return (item.first, item.second)
    match context.types.split_atoms(item):
        case (FixedArray(items=items),):
            return items
        case _:
            return ()


def _is_list(source: Expr) -> bool:
    """Return whether the generated code makes a list of its own for an expression."""
    return isinstance(source, Comprehension | ListLiteral) or (
        isinstance(source, Call) and source.function in ("sorted", "list", "unique")
    )


def _find_loop_members(body: Iterable[nodes.Node]) -> Iterable[str]:
    """Yield the members of `loop` that a loop's body uses, without those of inner loops."""
    for node in body:
        if isinstance(node, nodes.Getattr) and isinstance(node.node, nodes.Name) and node.node.name == "loop":
            yield node.attr
        elif isinstance(node, nodes.For):
            yield from _find_loop_members((node.iter, *node.else_))
        else:
            yield from _find_loop_members(node.iter_child_nodes())
