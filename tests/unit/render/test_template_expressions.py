"""Expressions of content templates as Python."""

from __future__ import annotations

import pytest
from mcpgen.ir.template import (
    Attribute,
    Call,
    Compare,
    Comprehension,
    Concat,
    Conditional,
    Constant,
    Expr,
    IsInstance,
    IsNone,
    IsSet,
    Lambda,
    ListLiteral,
    Local,
    Logic,
    Method,
    Not,
    Operation,
    Sign,
    Slice,
    Subscript,
    This,
    ToJson,
    ToString,
)
from mcpgen.ir.types import Array, ObjectClass, Ref, Scalar, ScalarKind, Union
from mcpgen.render.content_view import ExpressionRenderer, Level
from mcpgen.render.scope import Scope

SCOPE = Scope({"wind": "Wind"}, {"wind": ObjectClass("wind", "", (), (), None)})
A, B, C, ONE = Local("a"), Local("b"), Local("c"), Constant(1)
STRING, DATE = Scalar(ScalarKind.STRING), Scalar(ScalarKind.DATE)


@pytest.mark.parametrize(
    ("expr", "source"),
    [
        (This(root=True), "self.root"),
        (Attribute(This(root=False), "x"), "self.x"),
        (Subscript(A, Constant("k")), 'a["k"]'),
        (Slice(A, (ONE, None, None)), "a[1:]"),
        (Slice(A, (None, ONE, Constant(2))), "a[:1:2]"),
        (ListLiteral((A, ONE)), "[a, 1]"),
        (Operation("*", Operation("+", A, B), C), "(a + b) * c"),
        (Operation("-", A, Operation("-", B, C)), "a - (b - c)"),
        (Operation("-", Operation("-", A, B), C), "a - b - c"),
        (Operation("**", A, Operation("**", B, C)), "a ** b ** c"),
        (Operation("**", Constant(-1), A), "(-1) ** a"),
        (Sign("-", Operation("+", A, B)), "-(a + b)"),
        (Compare(A, (("<", B), ("<=", C))), "a < b <= c"),
        (Logic("and", (A, Logic("or", (B, C)))), "a and (b or c)"),
        (Not(IsNone(A)), "a is not None"),
        (Not(Logic("or", (A, B))), "not (a or b)"),
        (Conditional(A, B, Conditional(B, A, C)), "b if a else a if b else c"),
        (Conditional(A, Conditional(B, A, C), C), "(a if b else c) if a else c"),
        (IsSet(This(root=False), "x"), '"x" in self.model_fields_set'),
        (IsInstance(A, ("str",)), "isinstance(a, str)"),
        (IsInstance(A, ("str", Ref("wind"))), "isinstance(a, (str, Wind))"),
        (Concat((Constant("at "), A)), 'f"at {a}"'),
        (Concat((Constant("{"), Constant("}"))), '"{}"'),
        (Concat((A, Subscript(B, Constant("k")))), 'a + b["k"]'),
        (Call("%", (A, B)), "a % b"),
        (Call("%", (A, B, C)), "a % (b, c)"),
        (Call("f", (A,), (("key", B),)), "f(a, key=b)"),
        (Call("sum", (Comprehension("x", A, B),)), "sum(b for x in a)"),
        (Call("list", (Comprehension("x", A, B),)), "list([b for x in a])"),
        (Method(A, "join", (Comprehension("x", A, B, C),)), "a.join(b for x in a if c)"),
        (Lambda("x", A), "lambda x: a"),
    ],
)
def test_sources(expr: Expr, source: str) -> None:
    assert ExpressionRenderer(SCOPE).render(expr) == source


def test_parentheses_where_the_surroundings_bind_more_strongly() -> None:
    renderer = ExpressionRenderer(SCOPE)
    assert renderer.render(Operation("+", A, B), Level.SUM) == "a + b"
    assert renderer.render(Operation("+", A, B), Level.PRODUCT) == "(a + b)"


def test_text_of_values() -> None:
    renderer = ExpressionRenderer(SCOPE)
    assert renderer.render_printable(ToString(A, STRING)) == "a"
    assert renderer.render_string(ToString(A, STRING)) == "str(a)"
    assert renderer.render_string(A) == "a"
    assert renderer.render_string(ToString(A, DATE)) == "str(to_json_value(a))"


def test_json_values() -> None:
    renderer = ExpressionRenderer(SCOPE)
    assert renderer.render(ToJson(A, Array(STRING))) == "a"
    assert renderer.render(ToJson(A, Ref("wind"))) == "a.to_structured_content()"
    assert renderer.render(ToJson(Call("f", ()), Union((Ref("wind"), STRING)))) == "to_json_value(f())"
