"""Facts about values."""

from __future__ import annotations

from mcpgen.content.narrowing import Condition, Facts
from mcpgen.content.value_types import INTEGER, NULL, STRING
from mcpgen.content.values import Absence, Value
from mcpgen.ir.template import TRUE, Attribute, Call, Local, Not
from mcpgen.ir.types import Union

X, Y = Local("x"), Local("y")


def test_types_are_kept_for_expressions_that_checkers_narrow() -> None:
    facts = Facts().with_type(Attribute(X, "name"), STRING).with_type(Call("f", (X,)), STRING)
    assert dict(facts.types) == {Attribute(X, "name"): STRING}


def test_presence_narrows_other_values() -> None:
    value = Value(Attribute(X, "name"), STRING, Absence(Not(X), "", ((X, STRING), (Y, INTEGER))))
    facts = Facts().with_present(value)
    assert facts.present == {value.expr}
    assert dict(facts.types) == {X: STRING, Y: INTEGER}


def test_a_length_that_is_not_zero_is_that_of_a_list_with_items() -> None:
    length = Call("len", (X,))
    assert Facts().with_nonzero(length).truthy == {length, X}
    assert Facts().with_nonzero(Y).truthy == {Y}


def test_an_assignment_ends_what_is_known_of_a_variable() -> None:
    facts = Facts().with_type(X, STRING).with_type(Attribute(X, "a"), STRING).with_type(Y, STRING)
    facts = facts.with_truthy(X).with_truthy(Y).with_present(Value(Attribute(X, "b"), STRING)).drop_local(X)
    assert dict(facts.types) == {Y: STRING}
    assert facts.truthy == {Y}
    assert facts.present == frozenset()


def test_shared_facts() -> None:
    left = Facts().with_type(X, STRING).with_type(Y, STRING).with_truthy(X)
    right = Facts().with_type(X, NULL).with_truthy(X).with_truthy(Y)
    shared = left.intersect_with(right)
    assert dict(shared.types) == {X: Union((STRING, NULL))}
    assert shared.truthy == {X}


def test_facts_are_keys_by_identity() -> None:
    facts = Facts()
    assert {facts: 1}[facts] == 1
    assert Facts() not in {facts: 1}
    assert Condition(TRUE, facts, facts) == Condition(TRUE, facts, facts)
