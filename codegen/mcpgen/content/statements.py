"""Statements of a template, checked: from its text to what the generated code does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from jinja2 import nodes

from mcpgen.content import attributes
from mcpgen.content.expressions import ExpressionChecker
from mcpgen.content.jinja_parser import TemplateSyntaxProblem, parse_jinja
from mcpgen.content.narrowing import (
    Condition,
    Facts,
    LoopState,
    TemplateProblem,
    TemplateRefused,
    TemplateVariable,
    Value,
    evaluate_test,
)
from mcpgen.content.value_types import TypeLookup, is_json, widen_type
from mcpgen.ir.package import SchemaRoot
from mcpgen.ir.template import (
    Assign,
    Call,
    Comprehension,
    Constant,
    Expr,
    For,
    If,
    KeyValuePair,
    ListLiteral,
    Local,
    Markup,
    Statement,
    TemplateType,
    This,
    Write,
    is_reference,
    mentions_local,
)
from mcpgen.ir.types import FixedArray, Node
from mcpgen.ir.types import Type as JsonType

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
"""Python has an end at 20 loops inside of each other."""
_LENGTH_MEMBERS = ("last", "length", "revindex", "revindex0")


def check_template(
    text: str, root: SchemaRoot, nodes_by_id: Mapping[str, Node]
) -> tuple[tuple[Statement, ...], list[TemplateProblem]]:
    """What a normalized template text does with a value of a schema, and what is wrong with it."""
    try:
        tree = parse_jinja(text)
    except TemplateSyntaxProblem as error:
        return (), [TemplateProblem("MG501", _make_sentence(error.message), error.offset)]
    own = _StatementChecker(TypeLookup(nodes_by_id), root)
    statements = own.check_body(tree.body, Facts())
    return statements, sorted(dict.fromkeys(own.problems), key=lambda one: one.offset)


def _make_sentence(message: str) -> str:
    text = message.rstrip(".")
    return text[:1].lower() + text[1:]


class _StatementChecker(ExpressionChecker):
    def __init__(self, types: TypeLookup, root: SchemaRoot) -> None:
        super().__init__(types)
        self._branch = self._level = 0
        self._own: set[Expr] = set()
        self._made: dict[str, Value] = {}
        self._changes: list[Local] = []
        owner = types.get_class(root.type)
        base = Value(This(owner is None), root.type)
        self.variables = {"value": TemplateVariable(base)}
        for field in owner.fields if owner is not None else ():
            if field.wire == "self":  # which is Jinja's own
                continue
            name = nodes.Name(field.wire, "load", lineno=0)
            self.variables[field.wire] = TemplateVariable(
                attributes.check_member(self, base, field.wire, name, Facts())
            )

    def check_body(self, children: Iterable[nodes.Node], facts: Facts) -> tuple[Statement, ...]:
        """Statements, one after the other; those that are refused are left out."""
        self._level += 1
        try:
            return self._body(children, facts)
        finally:
            self._level -= 1

    def _body(self, children: Iterable[nodes.Node], facts: Facts) -> tuple[Statement, ...]:
        out: list[Statement] = []
        for child in children:
            done = len(self._changes)
            try:
                out += self._statement(child, facts)
            except TemplateRefused:
                continue
            for local in self._changes[done:]:
                facts = facts.without_local(local)
        return _merge_texts(out)

    def _statement(self, node: nodes.Node, facts: Facts) -> list[Statement]:
        if self._level > _MAX_STATEMENT_DEPTH:
            self.refuse_unsupported(f"what stands inside of {_MAX_STATEMENT_DEPTH} other statements", node)
        match node:
            case nodes.Output(nodes=parts):
                return [Write(tuple(self._pieces(parts, facts)))]
            case nodes.If():
                return self._if(node, facts)
            case nodes.For():
                return self._for(node, facts)
            case nodes.Assign():
                return [self._set(node, facts)]
            case nodes.Scope(body=[inner, *_]):
                self.refuse_unsupported("`autoescape`", inner)
            case _:
                self.refuse_unsupported(_STATEMENT_NAMES.get(type(node), f"`{type(node).__name__.lower()}`"), node)

    def _pieces(self, parts: Iterable[nodes.Expr], facts: Facts) -> Iterable[str | Expr]:
        for part in parts:
            if isinstance(part, nodes.TemplateData):
                yield part.data
                continue
            try:
                expr = self.check_text(part, facts)
            except TemplateRefused:
                continue
            yield expr.value if isinstance(expr, Constant) and isinstance(expr.value, str) else expr

    # --- if -------------------------------------------------------------------------------------------------------
    def _if(self, node: nodes.If, facts: Facts) -> list[Statement]:
        branches: list[tuple[Expr, tuple[Statement, ...]]] = []
        before = dict(self.variables)
        ends: list[dict[str, TemplateVariable]] = []
        sure = False
        self._branch += 1
        try:
            for branch in (node, *node.elif_):
                test = self._test(_cast_to_expr(branch.test), facts)
                if test is None:  # its own problem is noted; what would follow from it is not
                    return []
                known = evaluate_test(test.expr)
                self.variables = dict(before)
                statements = self.check_body(branch.body, facts if known is False else test.yes)
                if known is not False and not sure:
                    branches.append((test.expr, statements))
                    ends.append(self.variables)
                sure = sure or known is True
                facts = facts if known is True else test.no
            self.variables = dict(before)
            otherwise = self.check_body(node.else_, facts)
            if not sure:
                ends.append(self.variables)
        finally:
            self._branch -= 1
            self.variables = _merge_branch_variables(before, ends)
        if branches and evaluate_test(branches[-1][0]) is True:
            otherwise = branches.pop()[1]
        elif sure:
            otherwise = ()
        if not branches:
            return list(otherwise)
        return [If(tuple(branches), otherwise)]

    def _test(self, node: nodes.Expr, facts: Facts) -> Condition | None:
        try:
            return self.check_condition(node, facts)
        except TemplateRefused:
            return None

    # --- set ------------------------------------------------------------------------------------------------------
    def _set(self, node: nodes.Assign, facts: Facts) -> Statement:
        target = node.target
        if not isinstance(target, nodes.Name):
            self.refuse_unsupported(
                "a `set` of several names" if isinstance(target, nodes.Tuple) else "a namespace", target
            )
        name = target.name
        known = self.variables.get(name)
        try:
            value = self.check_defined(_cast_to_expr(node.node), facts)
            if not is_json(value.type) and not isinstance(value.type, Markup):
                self.refuse_type(f"{self.types.describe_type(value.type)} cannot be kept", node.node, "add `| list`")
            if value.expr == ListLiteral(()):
                self.refuse_unsupported("an empty list in a variable", node.node)
            type = widen_type(value.type) if is_json(value.type) and isinstance(value.expr, Constant) else value.type
            if known is not None and known.value is not None:
                again = self._again(name, known.value, type, node)
                if again is not None:
                    self.variables[name] = TemplateVariable(Value(again, type))
                    return Assign(again.name, value.expr)
        except TemplateRefused:
            self.variables[name] = TemplateVariable(None)
            raise
        made = self._made.get(name)
        if made is None or made.type != type or known is not None:
            made = Value(self.make_local(name), type)
            self._made[name] = made
            self._own.add(made.expr)
        assert isinstance(made.expr, Local)
        self._changes.append(made.expr)
        self.variables[name] = TemplateVariable(made)
        return Assign(made.expr.name, value.expr)

    def _again(self, name: str, known: Value, type: TemplateType, node: nodes.Assign) -> Local | None:
        """The variable that a second `set` of a name changes, None where it makes a new one."""
        local = known.expr
        if isinstance(local, Local) and local in self._own:
            if known.type != type:
                message = (
                    f"`{name}` was {self.types.describe_type(known.type)} and becomes {self.types.describe_type(type)}"
                )
                self.refuse_type(message, node, "use another name")
            self._changes.append(local)
            return local
        if self._branch:
            help = "use another name: what a branch sets would sometimes be this one and sometimes the other"
            self.refuse_unsupported(
                f"the `set` of `{name}`, which is something else outside of the branch,", node, help
            )
        return None

    # --- for ------------------------------------------------------------------------------------------------------
    def _for(self, node: nodes.For, facts: Facts) -> list[Statement]:
        if node.recursive:
            self.refuse_unsupported("a `recursive` loop", node)
        source, item = self.check_iterable(_cast_to_expr(node.iter), facts, "`for`")
        if source == ListLiteral(()):
            self.refuse_unsupported("a loop over an empty list", node.iter)
        targets = self._targets(node.target, item)
        used = set(_find_loop_members(node.body))
        before, loop = dict(self.variables), self.loop
        out: list[Statement] = []
        held: Expr | None = None
        saved = self._branch, self._own, self._made
        locals_ = {name: TemplateVariable(Value(local, type)) for name, local, type in targets}
        names = tuple(local.name for _, local, _ in targets)
        try:
            self.variables = {**before, **locals_}
            self.variables.pop("loop", None)
            self.loop = None
            test = None if node.test is None else self.check_condition(_cast_to_expr(node.test), facts)
            inner = facts if test is None else test.yes
            if test is not None and (used or node.else_):
                if len(targets) != 1:
                    self.refuse_unsupported(
                        "a loop over pairs with an `if` and an `else` or `loop`", node, "move the `if` inside"
                    )
                source, inner, test_expr = Comprehension(names[0], source, targets[0][1], test.expr), facts, None
            else:
                test_expr = None if test is None else test.expr
            if used & set(_LENGTH_MEMBERS) or node.else_:
                held = source
                if not is_reference(source):
                    kept = self.make_local("items")
                    out.append(Assign(kept.name, source if _is_list(source) else Call("list", (source,))))
                    held = source = kept
            index = self.make_local("index") if used else None
            self.loop = LoopState(index or Local(""), held)
            self._branch, self._own, self._made = 0, set(), {}
            body = self.check_body(node.body, inner)
        finally:
            self.variables, self.loop = before, loop
            self._branch, self._own, self._made = saved
        if index is not None and not mentions_local(body, index):
            index = None
        names = tuple(name if mentions_local((body, test_expr), Local(name)) else "_" for name in names)
        statement = For(names, source, body, None if index is None else index.name, test_expr)
        if not node.else_:
            return [*out, statement]
        assert held is not None
        self._branch += 1
        try:
            otherwise = self.check_body(node.else_, facts)
        finally:
            self._branch -= 1
            self.variables = _merge_branch_variables(before, [before, self.variables])
        return [*out, If(((held, (statement,)),), otherwise)]

    def _targets(self, target: nodes.Node, item: JsonType | KeyValuePair) -> list[tuple[str, Local, JsonType]]:
        if isinstance(target, nodes.Name):
            if isinstance(item, KeyValuePair):
                self.refuse_unsupported(
                    "a pair of key and value in one variable", target, "write {% for key, value in …"
                )
            return [(target.name, self.make_local(target.name), item)]
        if not (isinstance(target, nodes.Tuple) and all(isinstance(one, nodes.Name) for one in target.items)):
            self.refuse_unsupported("this target of a loop", target)
        parts: tuple[JsonType, ...] = ()
        if isinstance(item, KeyValuePair):
            parts = (item.first, item.second)
        else:
            atoms = self.types.split_atoms(item)
            if len(atoms) == 1 and isinstance(atoms[0], FixedArray):
                parts = atoms[0].items
        if len(parts) != len(target.items):
            what = f"{len(parts)} values" if parts else self.types.describe_type(item)
            help = "`| items` and `| dictsort` give keys and values" if not parts else ""
            self.refuse_type(f"each item is {what}, and not {len(target.items)} values", target, help)
        out: list[tuple[str, Local, JsonType]] = []
        for one, type in zip(target.items, parts, strict=True):
            assert isinstance(one, nodes.Name)
            out.append((one.name, self.make_local(one.name), type))
        return out


def _cast_to_expr(node: nodes.Node) -> nodes.Expr:
    """A node that Jinja's classes call any node, although its parser puts an expression there."""
    assert isinstance(node, nodes.Expr)
    return node


def _is_list(source: Expr) -> bool:
    return isinstance(source, Comprehension | ListLiteral) or (
        isinstance(source, Call) and source.function in ("sorted", "list", "unique")
    )


def _find_loop_members(body: Iterable[nodes.Node]) -> Iterable[str]:
    """What a loop's body asks of its own `loop`."""
    for node in body:
        if isinstance(node, nodes.Getattr) and isinstance(node.node, nodes.Name) and node.node.name == "loop":
            yield node.attr
        elif isinstance(node, nodes.For):
            yield from _find_loop_members((node.iter, *node.else_))
        else:
            yield from _find_loop_members(node.iter_child_nodes())


def _merge_branch_variables(
    before: Mapping[str, TemplateVariable], ends: list[dict[str, TemplateVariable]]
) -> dict[str, TemplateVariable]:
    """The variables after branches: those that all of them have, and those that may be unset."""
    out = dict(before)
    for name in dict.fromkeys(name for end in ends for name in end):
        found = [end.get(name) for end in ends]
        first = next(one for one in found if one is not None)
        if any(one is not None and one.value is None for one in found):
            out[name] = TemplateVariable(None)
        elif all(one == first for one in found):
            out[name] = first
        else:
            out[name] = TemplateVariable(first.value, True)
    return out


def _merge_texts(statements: list[Statement]) -> tuple[Statement, ...]:
    """Neighbouring texts as one."""
    out: list[Statement] = []
    for one in statements:
        last = out[-1] if out else None
        if isinstance(one, Write) and isinstance(last, Write):
            out[-1] = Write(_join_pieces(last.pieces + one.pieces))
        elif isinstance(one, Write):
            if pieces := _join_pieces(one.pieces):
                out.append(Write(pieces))
        else:
            out.append(one)
    return tuple(out)


def _join_pieces(pieces: tuple[str | Expr, ...]) -> tuple[str | Expr, ...]:
    out: list[str | Expr] = []
    for piece in pieces:
        if isinstance(piece, str) and out and isinstance(out[-1], str):
            out[-1] += piece
        elif piece != "":
            out.append(piece)
    return tuple(out)
