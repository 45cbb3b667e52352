"""Check a template: from its text to the statements of the generated code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from jinja2 import nodes

from mcpgen.content.context import (
    CheckContext,
    LoopState,
    TemplateProblem,
    TemplateRefused,
    TemplateVariable,
    sort_problems,
)
from mcpgen.content.expressions import ExpressionChecker
from mcpgen.content.members import check_member
from mcpgen.content.operands import check_defined, check_text, get_items
from mcpgen.content.syntax import TemplateSyntaxProblem, cast_to_expr, parse_jinja
from mcpgen.content.type_lookup import TypeLookup, is_json, widen_type
from mcpgen.content.values import Facts, Value, evaluate_test, merge_texts
from mcpgen.ir import template as code
from mcpgen.ir.package import SchemaRoot
from mcpgen.ir.template import is_reference, mentions_local
from mcpgen.ir.types import FixedArray, Node
from mcpgen.ir.types import Type as JsonType

_STATEMENT_NAMES: dict[type[nodes.Node], str] = {
    nodes.AssignBlock: "a `set` block",
    nodes.CallBlock: "`call`",
    nodes.FilterBlock: "a `filter` block",
    nodes.FromImport: "`from … import`",
}
"""Statements that are not called like their node."""
_MAX_STATEMENT_DEPTH = 18
"""Python allows 20 nested loops."""
_LENGTH_MEMBERS = frozenset(("last", "length", "revindex", "revindex0"))
"""Members of `loop` that need the number of items."""


def check_template(
    text: str, root: SchemaRoot, nodes_by_id: Mapping[str, Node]
) -> tuple[tuple[code.Statement, ...], list[TemplateProblem]]:
    """Return the statements of a normalized text, incomplete with problems, and these problems, sorted by offset."""
    statements, checker = _check_text(text, root, nodes_by_id)
    return statements, sort_problems(checker.problems)


def find_printed_nulls(text: str, root: SchemaRoot, nodes_by_id: Mapping[str, Node]) -> list[TemplateProblem]:
    """Return the places where a template prints a value that may be null; none if it cannot be compiled."""
    _, checker = _check_text(text, root, nodes_by_id)
    return [] if checker.problems else sort_problems(checker.printed_nulls)


def _check_text(
    text: str, root: SchemaRoot, nodes_by_id: Mapping[str, Node]
) -> tuple[tuple[code.Statement, ...], StatementChecker]:
    checker = StatementChecker(TypeLookup(nodes_by_id))
    try:
        tree = parse_jinja(text)
    except TemplateSyntaxProblem as error:
        message = error.message.rstrip(".")
        checker.problems.append(TemplateProblem("MG501", message[:1].lower() + message[1:], error.offset))
        return (), checker
    _define_result(checker, root)
    return checker.check_body(tree.body, Facts()), checker


def _define_result(checker: ExpressionChecker, root: SchemaRoot) -> None:
    owner = checker.types.get_class(root.type)
    result = Value(code.This(owner is None), root.type)
    checker.scope.define("value", TemplateVariable(result))
    for field in owner.fields if owner is not None else ():
        if field.wire != "self":  # Jinja uses this name itself
            node = nodes.Name(field.wire, "load", lineno=0)
            checker.scope.define(field.wire, TemplateVariable(check_member(checker, result, field.wire, node)))


class StatementChecker(ExpressionChecker):
    """Recursion into the bodies of statements."""

    def __init__(self, types: TypeLookup) -> None:
        super().__init__(types)
        self._statement_depth = 0

    def check_body(self, children: Iterable[nodes.Node], facts: Facts) -> tuple[code.Statement, ...]:
        """Check statements one after the other; those that are refused are left out."""
        statements: list[code.Statement] = []
        self._statement_depth += 1
        for child in children:
            start = self.scope.count_assignments()
            try:
                statements += self._check_statement(child, facts)
            except TemplateRefused:
                continue
            facts = self.scope.drop_assigned(facts, start)
        self._statement_depth -= 1
        return merge_texts(statements)

    def _check_statement(self, node: nodes.Node, facts: Facts) -> list[code.Statement]:
        if self._statement_depth > _MAX_STATEMENT_DEPTH:
            self.refuse_unsupported(f"what stands inside of {_MAX_STATEMENT_DEPTH} other statements", node)
        match node:
            case nodes.Output(nodes=parts):
                return [code.Write(tuple(self._check_pieces(parts, facts)))]
            case nodes.If():
                return check_if(self, node, facts)
            case nodes.For():
                return check_for(self, node, facts)
            case nodes.Assign():
                return [check_assignment(self, node, facts)]
            case nodes.Scope(body=[option, *_]):
                self.refuse_unsupported("`autoescape`", option)
            case _:
                name = _STATEMENT_NAMES.get(type(node), f"`{type(node).__name__.lower()}`")
                self.refuse_unsupported(name, node)

    def _check_pieces(self, parts: Iterable[nodes.Expr], facts: Facts) -> Iterator[str | code.Expr]:
        for part in parts:
            try:
                yield part.data if isinstance(part, nodes.TemplateData) else check_text(self, part, facts)
            except TemplateRefused:
                continue


# --- `set` -----------------------------------------------------------------------------------------------------------
def check_assignment(context: CheckContext, node: nodes.Assign, facts: Facts) -> code.Assign:
    """Check `set name = value`, and define the variable."""
    target, scope = node.target, context.scope
    if not isinstance(target, nodes.Name):
        construct = "a `set` of several names" if isinstance(target, nodes.Tuple) else "a namespace"
        context.refuse_unsupported(construct, target)
    name = target.name
    try:
        expr, type = _check_assigned_value(context, node, facts)
        local = _find_reassigned_local(context, name, type, node)
    except TemplateRefused:
        scope.define(name, TemplateVariable(None))
        raise
    if local is None:
        local = scope.make_assigned_local(name, type)
    scope.record_assignment(local)
    scope.define(name, TemplateVariable(Value(local, type)))
    return code.Assign(local.name, expr)


def _check_assigned_value(
    context: CheckContext, node: nodes.Assign, facts: Facts
) -> tuple[code.Expr, code.TemplateType]:
    value = check_defined(context, cast_to_expr(node.node), facts)
    if not is_json(value.type) and not isinstance(value.type, code.Markup):
        message = f"{context.types.describe_type(value.type)} cannot be kept"
        context.refuse_type(message, node.node, "add `| list`")
    if value.expr == code.ListLiteral(()):
        context.refuse_unsupported("an empty list in a variable", node.node)
    if is_json(value.type) and isinstance(value.expr, code.Constant):
        return value.expr, widen_type(value.type)
    return value.expr, value.type


def _find_reassigned_local(
    context: CheckContext, name: str, type: code.TemplateType, node: nodes.Assign
) -> code.Local | None:
    """Return the Python variable that another `set` of a name assigns, None where it creates a new one."""
    scope = context.scope
    variable = scope.variables.get(name)
    if variable is None or variable.value is None:
        return None
    local = variable.value.expr
    if isinstance(local, code.Local) and scope.can_assign(local):
        if variable.value.type != type:
            describe = context.types.describe_type
            message = f"`{name}` was {describe(variable.value.type)} and becomes {describe(type)}"
            context.refuse_type(message, node, "use another name")
        return local
    if scope.is_in_branch:
        construct = f"the `set` of `{name}`, which is something else outside of the branch,"
        help = "use another name: what a branch sets would sometimes be this one and sometimes the other"
        context.refuse_unsupported(construct, node, help)
    return None


# --- `if` ------------------------------------------------------------------------------------------------------------
def check_if(checker: StatementChecker, node: nodes.If, facts: Facts) -> list[code.Statement]:
    """Check an `if` with its branches; those that are never taken are checked, and left out."""
    branches: list[tuple[code.Expr, tuple[code.Statement, ...]]] = []
    is_decided = False
    with checker.scope.enter_branches() as scope_branches:
        for branch in (node, *node.elif_):
            try:
                condition = checker.check_condition(cast_to_expr(branch.test), facts)
            except TemplateRefused:  # the problem is recorded; which facts would follow is unknown
                return []
            outcome = evaluate_test(condition.expr)
            scope_branches.start_branch()
            body = checker.check_body(branch.body, facts if outcome is False else condition.yes)
            if outcome is not False and not is_decided:
                branches.append((condition.expr, body))
                scope_branches.end_branch()
            is_decided = is_decided or outcome is True
            facts = facts if outcome is True else condition.no
        scope_branches.start_branch()
        otherwise = checker.check_body(node.else_, facts)
        if not is_decided:
            scope_branches.end_branch()
    if branches and evaluate_test(branches[-1][0]) is True:
        otherwise = branches.pop()[1]
    elif is_decided:
        otherwise = ()
    return [code.If(tuple(branches), otherwise)] if branches else list(otherwise)


# --- `for` -----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Target:
    name: str
    local: code.Local
    type: JsonType


@dataclass(frozen=True)
class _Iteration:
    """Source, test and facts of a loop; `items` is the list whose length is needed, stored by the `preparation`."""

    source: code.Expr
    test: code.Expr | None
    facts: Facts
    preparation: tuple[code.Statement, ...] = ()
    items: code.Expr | None = None


def check_for(checker: StatementChecker, node: nodes.For, facts: Facts) -> list[code.Statement]:
    """Check a loop with its `if` and `else`."""
    if node.recursive:
        checker.refuse_unsupported("a `recursive` loop", node)
    iterated = cast_to_expr(node.iter)
    source, item = get_items(checker, check_defined(checker, iterated, facts), iterated, "`for`")
    if source == code.ListLiteral(()):
        checker.refuse_unsupported("a loop over an empty list", node.iter)
    targets = _check_targets(checker, node.target, item)
    members = frozenset(_find_loop_members(node.body))
    scope = checker.scope
    with scope.enter_loop({target.name: TemplateVariable(Value(target.local, target.type)) for target in targets}):
        iteration = _check_iteration(checker, node, source, targets, members, facts)
        index = scope.make_local("index") if members else None
        scope.start_body(LoopState(index, iteration.items))
        body = checker.check_body(node.body, iteration.facts)
    if index is not None and not mentions_local(body, index):
        index = None
    names = tuple(
        target.local.name if mentions_local((body, iteration.test), target.local) else "_" for target in targets
    )
    loop = code.For(names, iteration.source, body, None if index is None else index.name, iteration.test)
    if not node.else_:
        return [*iteration.preparation, loop]
    assert iteration.items is not None
    with scope.enter_branches() as branches:
        branches.end_branch()
        otherwise = checker.check_body(node.else_, facts)
        branches.end_branch()
    return [*iteration.preparation, code.If(((iteration.items, (loop,)),), otherwise)]


def _check_iteration(
    context: CheckContext,
    node: nodes.For,
    source: code.Expr,
    targets: list[_Target],
    members: frozenset[str],
    facts: Facts,
) -> _Iteration:
    condition = None if node.test is None else context.check_condition(cast_to_expr(node.test), facts)
    iteration = _Iteration(source, None, facts)
    if condition is not None and not members and not node.else_:
        iteration = _Iteration(source, condition.expr, condition.yes)
    elif condition is not None:
        if len(targets) != 1:
            construct = "a loop over pairs with an `if` and an `else` or `loop`"
            context.refuse_unsupported(construct, node, "move the `if` inside")
        local = targets[0].local
        iteration = _Iteration(code.Comprehension(local.name, source, local, condition.expr), None, facts)
    if not members & _LENGTH_MEMBERS and not node.else_:
        return iteration
    if is_reference(iteration.source):
        return _Iteration(iteration.source, iteration.test, iteration.facts, (), iteration.source)
    items = context.scope.make_local("items")
    value = iteration.source if _is_list(iteration.source) else code.Call("list", (iteration.source,))
    return _Iteration(items, iteration.test, iteration.facts, (code.Assign(items.name, value),), items)


def _check_targets(context: CheckContext, target: nodes.Node, item: JsonType | code.KeyValuePair) -> list[_Target]:
    scope = context.scope
    if isinstance(target, nodes.Name):
        if isinstance(item, code.KeyValuePair):
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


def _unpack_item(context: CheckContext, item: JsonType | code.KeyValuePair) -> tuple[JsonType, ...]:
    if isinstance(item, code.KeyValuePair):
        return (item.first, item.second)
    match context.types.split_atoms(item):
        case (FixedArray(items=items),):
            return items
        case _:
            return ()


def _is_list(source: code.Expr) -> bool:
    """Return whether the generated code makes a list of its own for an expression."""
    return isinstance(source, code.Comprehension | code.ListLiteral) or (
        isinstance(source, code.Call) and source.function in ("sorted", "list", "unique")
    )


def _find_loop_members(body: Iterable[nodes.Node]) -> Iterable[str]:
    for node in body:
        if isinstance(node, nodes.Getattr) and isinstance(node.node, nodes.Name) and node.node.name == "loop":
            yield node.attr
        elif isinstance(node, nodes.For):
            yield from _find_loop_members((node.iter, *node.else_))
        else:
            yield from _find_loop_members(node.iter_child_nodes())
