"""Check a template: from its text to the statements of the generated code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from jinja2 import nodes

from mcpgen.content.assignments import check_assignment
from mcpgen.content.attributes import check_member
from mcpgen.content.branches import check_if
from mcpgen.content.expressions import ExpressionChecker
from mcpgen.content.jinja_parser import TemplateSyntaxProblem, parse_jinja
from mcpgen.content.loops import check_for
from mcpgen.content.narrowing import Facts
from mcpgen.content.operands import check_text
from mcpgen.content.problems import ProblemLog, TemplateProblem, TemplateRefused
from mcpgen.content.scope import Scope, TemplateVariable
from mcpgen.content.type_lookup import TypeLookup
from mcpgen.content.values import Value
from mcpgen.ir.package import SchemaRoot
from mcpgen.ir.template import Constant, Expr, Statement, This, Write
from mcpgen.ir.types import Node

_STATEMENT_NAMES: dict[type[nodes.Node], str] = {
    nodes.AssignBlock: "a `set` block",
    nodes.Block: "`block`",
    nodes.CallBlock: "`call`",
    nodes.Extends: "`extends`",
    nodes.FilterBlock: "a `filter` block",
    nodes.FromImport: "`from … import`",
    nodes.Import: "`import`",
    nodes.Include: "`include`",
    nodes.Macro: "`macro`",
    nodes.With: "`with`",
}
_MAX_STATEMENT_DEPTH = 18
"""Python allows 20 nested loops."""


def check_template(
    text: str, root: SchemaRoot, nodes_by_id: Mapping[str, Node]
) -> tuple[tuple[Statement, ...], list[TemplateProblem]]:
    """Check a template (its normalized text) against the type of its value.

    `nodes_by_id` holds the classes and aliases that the root refers to. Returns the statements of the generated code,
    and the problems, sorted by offset; with problems, the statements are incomplete.
    """
    try:
        tree = parse_jinja(text)
    except TemplateSyntaxProblem as error:
        return (), [TemplateProblem("MG501", _decapitalize(error.message.rstrip(".")), error.offset)]
    statements, log = _check_tree(tree, root, nodes_by_id)
    return statements, log.list_sorted()


def find_printed_nulls(text: str, root: SchemaRoot, nodes_by_id: Mapping[str, Node]) -> list[TemplateProblem]:
    """Return the places where a template prints a value that may be null; none if it cannot be compiled."""
    try:
        tree = parse_jinja(text)
    except TemplateSyntaxProblem:
        return []
    _, log = _check_tree(tree, root, nodes_by_id)
    return [] if log.problems else log.list_printed_nulls()


def _check_tree(
    tree: nodes.Template, root: SchemaRoot, nodes_by_id: Mapping[str, Node]
) -> tuple[tuple[Statement, ...], ProblemLog]:
    log = ProblemLog()
    checker = ExpressionChecker(TypeLookup(nodes_by_id), Scope(), log)
    _define_result(checker, root)
    return _StatementChecker(checker).check_body(tree.body, Facts()), log


def _decapitalize(text: str) -> str:
    return text[:1].lower() + text[1:]


def _define_result(checker: ExpressionChecker, root: SchemaRoot) -> None:
    """Define `value`, and the properties of an object by their names."""
    owner = checker.types.get_class(root.type)
    result = Value(This(owner is None), root.type)
    checker.scope.define("value", TemplateVariable(result))
    for field in owner.fields if owner is not None else ():
        if field.wire != "self":  # Jinja uses this name itself
            node = nodes.Name(field.wire, "load", lineno=0)
            checker.scope.define(field.wire, TemplateVariable(check_member(checker, result, field.wire, node)))


class _StatementChecker:
    """Recursion into the bodies of statements."""

    def __init__(self, checker: ExpressionChecker) -> None:
        self._checker = checker
        self._depth = 0

    def check_body(self, children: Iterable[nodes.Node], facts: Facts) -> tuple[Statement, ...]:
        """Check statements one after the other; those that are refused are left out."""
        scope = self._checker.scope
        statements: list[Statement] = []
        self._depth += 1
        for child in children:
            start = scope.count_assignments()
            try:
                statements += self._check_statement(child, facts)
            except TemplateRefused:
                continue
            facts = scope.drop_assigned(facts, start)
        self._depth -= 1
        return _merge_texts(statements)

    def _check_statement(self, node: nodes.Node, facts: Facts) -> list[Statement]:
        checker = self._checker
        if self._depth > _MAX_STATEMENT_DEPTH:
            checker.refuse_unsupported(f"what stands inside of {_MAX_STATEMENT_DEPTH} other statements", node)
        match node:
            case nodes.Output(nodes=parts):
                return [Write(tuple(self._check_pieces(parts, facts)))]
            case nodes.If():
                return check_if(checker, node, facts, self.check_body)
            case nodes.For():
                return check_for(checker, node, facts, self.check_body)
            case nodes.Assign():
                return [check_assignment(checker, node, facts)]
            case nodes.Scope(body=[option, *_]):
                checker.refuse_unsupported("`autoescape`", option)
            case _:
                name = _STATEMENT_NAMES.get(type(node), f"`{type(node).__name__.lower()}`")
                checker.refuse_unsupported(name, node)

    def _check_pieces(self, parts: Iterable[nodes.Expr], facts: Facts) -> Iterator[str | Expr]:
        """Yield the text and the expressions that a template prints."""
        for part in parts:
            if isinstance(part, nodes.TemplateData):
                yield part.data
                continue
            try:
                expr = check_text(self._checker, part, facts)
            except TemplateRefused:
                continue
            yield expr.value if isinstance(expr, Constant) and isinstance(expr.value, str) else expr


def _merge_texts(statements: Iterable[Statement]) -> tuple[Statement, ...]:
    """Merge neighbouring texts."""
    merged: list[Statement] = []
    for statement in statements:
        previous = merged[-1] if merged else None
        if isinstance(statement, Write) and isinstance(previous, Write):
            merged[-1] = Write(_join_pieces(previous.pieces + statement.pieces))
        elif isinstance(statement, Write):
            if pieces := _join_pieces(statement.pieces):
                merged.append(Write(pieces))
        else:
            merged.append(statement)
    return tuple(merged)


def _join_pieces(pieces: Iterable[str | Expr]) -> tuple[str | Expr, ...]:
    """Join neighbouring strings, and drop empty ones."""
    joined: list[str | Expr] = []
    for piece in pieces:
        if isinstance(piece, str) and joined and isinstance(joined[-1], str):
            joined[-1] += piece
        elif piece != "":
            joined.append(piece)
    return tuple(joined)
