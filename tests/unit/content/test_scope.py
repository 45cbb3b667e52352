"""Variables, frames and branches."""

from __future__ import annotations

from mcpgen.content.context import LoopState, Scope, TemplateVariable
from mcpgen.content.type_lookup import INTEGER, STRING
from mcpgen.content.values import Facts, Value
from mcpgen.ir.template import Local

ONE, TWO = TemplateVariable(Value(Local("one"), STRING)), TemplateVariable(Value(Local("two"), STRING))


def test_python_names_are_unique_and_legal() -> None:
    scope = Scope()
    names = ["item", "item", "list", "list", "class", "callSign", "日本", "loop"]
    locals_ = [scope.make_local(name).name for name in names]
    assert len(set(locals_)) == len(names)
    assert all(name.isidentifier() for name in locals_)
    assert locals_[:6] == ["item", "item_2", "list_", "list_2", "class_", "call_sign"]


def test_temporaries_differ_only_where_they_are_nested() -> None:
    scope = Scope()
    first = scope.make_temporary()
    assert scope.make_temporary() == first == Local("item")
    with scope.bind_variable("\0item", Value(first, STRING)):
        assert scope.make_temporary() == Local("item_2")
    assert scope.make_temporary() == first


def test_a_bound_variable_ends_with_its_block() -> None:
    scope = Scope()
    scope.define("x", ONE)
    with scope.bind_variable("x", Value(Local("two"), STRING)):
        assert scope.variables["x"] == TWO
    assert dict(scope.variables) == {"x": ONE}


def test_a_loop_sees_outer_variables_and_keeps_its_own() -> None:
    scope = Scope()
    scope.define("x", ONE)
    scope.define("loop", ONE)
    with scope.enter_loop({"y": TWO}):
        assert dict(scope.variables) == {"x": ONE, "y": TWO}
        assert scope.loop is None
        scope.start_body(LoopState(Local("index"), None))
        assert scope.loop == LoopState(Local("index"), None)
        scope.define("z", ONE)
    assert dict(scope.variables) == {"x": ONE, "loop": ONE}
    assert scope.loop is None


def test_variables_after_branches() -> None:
    scope = Scope()
    scope.define("before", ONE)
    with scope.enter_branches() as branches:
        assert scope.is_in_branch
        branches.start_branch()
        scope.define("both", ONE)
        scope.define("some", ONE)
        scope.define("wrong", TemplateVariable(None))
        branches.end_branch()
        branches.start_branch()
        assert "some" not in scope.variables
        scope.define("both", ONE)
        branches.end_branch()
        branches.start_branch()
        scope.define("never", ONE)  # this branch is not taken
    assert not scope.is_in_branch
    assert dict(scope.variables) == {
        "before": ONE,
        "both": ONE,
        "some": TemplateVariable(ONE.value, True),
        "wrong": TemplateVariable(None),
    }


def test_branches_share_a_variable_of_one_type() -> None:
    scope = Scope()
    first = scope.make_assigned_local("x", STRING)
    assert scope.make_assigned_local("x", STRING) == first
    assert scope.make_assigned_local("x", INTEGER) != first


def test_a_set_in_a_loop_cannot_assign_an_outer_variable() -> None:
    scope = Scope()
    local = scope.make_assigned_local("x", STRING)
    assert scope.can_assign(local)
    with scope.enter_loop({}):
        assert not scope.can_assign(local)
    assert scope.can_assign(local)


def test_facts_end_with_an_assignment() -> None:
    scope, x, y = Scope(), Local("x"), Local("y")
    scope.record_assignment(y)
    start = scope.count_assignments()
    scope.record_assignment(x)
    facts = scope.drop_assigned(Facts().with_truthy(x).with_truthy(y), start)
    assert facts.truthy == {y}
