"""Types that conditions leave."""

from __future__ import annotations

import pytest
from mcpgen.content.narrowing import (
    is_always_true,
    make_instance_test,
    narrow_by_equality,
    narrow_by_truth,
)
from mcpgen.content.type_lookup import BOOLEAN, INTEGER, NUMBER, STRING
from mcpgen.ir.template import TRUE, Expr, IsInstance, IsNone, Local, Logic, Not
from mcpgen.ir.types import ANY, NULL, Array, Choice, FixedArray, Map, Ref, Scalar, ScalarKind, Type, Union
from support.templates import TYPES

X = Local("x")


@pytest.mark.parametrize(
    ("type", "truthy", "falsy"),
    [
        (BOOLEAN, Choice((True,)), Choice((False,))),
        (Union((Ref("Master"), NULL)), Ref("Master"), NULL),
        (Choice((0, 1, 2)), Choice((1, 2)), Choice((0,))),
        (Choice(("", "a")), Choice(("a",)), Choice(("",))),
        (STRING, STRING, STRING),
        (Union((STRING, NULL)), STRING, Union((STRING, NULL))),
    ],
)
def test_truth(type: Type, truthy: Type, falsy: Type) -> None:
    assert narrow_by_truth(TYPES, type, True) == truthy
    assert narrow_by_truth(TYPES, type, False) == falsy


def test_equality_with_a_constant() -> None:
    state = Union((Choice(("open", "closed")), NULL))
    assert narrow_by_equality(TYPES, state, "open", True) == Choice(("open",))
    assert narrow_by_equality(TYPES, state, "open", False) == Union((Choice(("closed",)), NULL))
    assert narrow_by_equality(TYPES, STRING, "open", False) == STRING


@pytest.mark.parametrize(
    ("atom", "expected"),
    [
        (Choice((1, 2)), True),
        (Choice((0, 1)), False),
        (Scalar(ScalarKind.INTEGER, (("ge", 1),)), True),
        (Scalar(ScalarKind.INTEGER, (("ge", 0),)), False),
        (Scalar(ScalarKind.NUMBER, (("gt", 0),)), True),
        (Scalar(ScalarKind.NUMBER, (("gt", -1),)), False),
        (Scalar(ScalarKind.NUMBER, (("lt", 0),)), True),
        (Scalar(ScalarKind.NUMBER, (("le", 0),)), False),
        (Scalar(ScalarKind.NUMBER, (("le", 9), ("le", -1))), True),
        (Scalar(ScalarKind.STRING, (("min_length", 1),)), True),
        (Scalar(ScalarKind.STRING, (("max_length", 1),)), False),
        (Scalar(ScalarKind.TIME), True),
        (Array(STRING, (("min_length", 2),)), True),
        (Array(STRING), False),
        (FixedArray((STRING,)), True),
        (FixedArray(()), False),
        (Map(STRING), False),
        (Ref("Master"), True),
    ],
)
def test_atoms_that_are_always_true(atom: Type, expected: bool) -> None:
    assert is_always_true(TYPES, atom) is expected


@pytest.mark.parametrize(
    ("type", "kinds", "test", "narrowed"),
    [
        (Union((STRING, NULL)), ("string",), Not(IsNone(X)), STRING),
        (Union((STRING, NULL)), ("null",), IsNone(X), NULL),
        (Union((STRING, INTEGER)), ("string",), IsInstance(X, ("str",)), STRING),
        (
            Union((INTEGER, BOOLEAN, STRING)),
            ("integer",),
            Logic("and", (IsInstance(X, ("int",)), Not(IsInstance(X, ("bool",))))),
            INTEGER,
        ),
        (
            Union((NUMBER, NULL, STRING)),
            ("number", "null"),
            Logic("or", (IsNone(X), IsInstance(X, ("int", "float")))),
            Union((NUMBER, NULL)),
        ),
        (Union((Ref("Master"), STRING)), ("object",), IsInstance(X, (Ref("Master"),)), Ref("Master")),
        (ANY, ("array",), IsInstance(X, ("list",)), Array(ANY)),
        (STRING, ("string",), TRUE, STRING),
    ],
)
def test_instance_tests(type: Type, kinds: tuple[str, ...], test: Expr, narrowed: Type) -> None:
    assert make_instance_test(TYPES, X, type, lambda atom: TYPES.get_kind(atom) in kinds) == (test, narrowed)


def test_native_formats_have_no_instance_test() -> None:
    date = Scalar(ScalarKind.DATE)
    with pytest.raises(ValueError, match="format"):
        make_instance_test(TYPES, X, Union((date, STRING)), lambda atom: atom == date)
