"""Statements of templates."""

from __future__ import annotations

import itertools

import pytest
from jinja2 import nodes
from mcpgen.content.narrowing import make_fallback, merge_branch_types
from mcpgen.content.statements import check_assignment, check_for, check_if, check_template
from mcpgen.content.syntax import parse_jinja
from mcpgen.content.type_lookup import INTEGER, NUMBER, STRING
from mcpgen.content.values import Facts, Value, conjoin_tests, disjoin_tests, evaluate_test, negate_test
from mcpgen.ir.package import SchemaRoot
from mcpgen.ir.template import (
    FALSE,
    TRUE,
    Assign,
    Attribute,
    Call,
    Compare,
    Comprehension,
    Conditional,
    Constant,
    Expr,
    For,
    If,
    ListLiteral,
    Local,
    Logic,
    Markup,
    Method,
    Not,
    Operation,
    Statement,
    TemplateType,
    This,
    ToString,
    Write,
)
from mcpgen.ir.types import Array, Choice, Ref, Type, Union
from support.templates import (
    HARBOUR_ROOT,
    NODES,
    TYPES,
    Checker,
    field,
    parse_expression,
    problems_of,
    refusal_of,
    statements_of,
    value_of,
)


# --- templates from text to statements --------------------------------------------------------------------------------
def test_text_and_expressions_are_one_output() -> None:
    assert statements_of("a{{ name }}b{{ 'c' }}{# comment #}{{ 1 }}") == (Write(("a", field("name"), "bc1")),)
    assert statements_of("") == ()
    assert statements_of("{{ '' }}") == ()


def test_a_root_model_is_its_value() -> None:
    root = SchemaRoot(INTEGER, (), ())
    assert check_template("{{ value }}", root, {}) == ((Write((ToString(This(True), INTEGER),)),), [])


def test_the_object_itself_is_a_value_too() -> None:
    assert statements_of("{{ value.name }}") == statements_of("{{ name }}")


def test_a_syntax_error_is_the_only_problem() -> None:
    assert problems_of("{{ nothing }}{% if %}") == [
        ("MG501", "expected an expression, got 'end of statement block'", 19)
    ]


def test_every_statement_is_checked() -> None:
    template = "{{ one }}{{ name }}{% include 'x' %}{{ two }}"
    assert [(code, offset) for code, _, offset in problems_of(template)] == [("MG503", 3), ("MG502", 22), ("MG503", 39)]


@pytest.mark.parametrize(
    ("template", "name"),
    [
        ("{% macro m() %}{% endmacro %}", "`macro`"),
        ("{% block b %}{% endblock %}", "`block`"),
        ("{% filter upper %}{% endfilter %}", "a `filter` block"),
        ("{% set x %}{% endset %}", "a `set` block"),
        ("{% with %}{% endwith %}", "`with`"),
    ],
)
def test_statements_that_are_refused(template: str, name: str) -> None:
    assert problems_of(template) == [("MG502", f"{name} cannot be compiled", 3)]


def test_python_nests_only_so_many_loops() -> None:
    def nest(depth: int) -> str:
        return "{% for t in tags %}" * depth + "{{ t }}" + "{% endfor %}" * depth

    assert statements_of(nest(17)) != ()
    codes = [code for code, _, _ in problems_of(nest(18))]
    assert codes == ["MG502"]


# --- `set` ------------------------------------------------------------------------------------------------------------
def assign(checker: Checker, text: str) -> Assign:
    return check_assignment(checker, parse_jinja("{% set " + text + " %}").body[0], Facts())  # type: ignore[arg-type]


def test_a_set_defines_a_variable() -> None:
    checker = Checker()
    assert assign(checker, "crew = result.tags") == Assign("crew", field("tags"))
    assert checker.scope.variables["crew"].value == Value(Local("crew"), Array(STRING))


def test_another_set_of_the_type_assigns_the_variable() -> None:
    checker = Checker()
    assign(checker, "n = 1")
    assert assign(checker, "n = n + 1") == Assign("n", Operation("+", Local("n"), Constant(1)))
    variable = checker.scope.variables["n"].value
    assert variable is not None
    assert variable.type == INTEGER
    assert checker.scope.count_assignments() == 2


def test_a_name_of_the_result_gets_a_python_variable() -> None:
    (statement,) = statements_of("{% set list = name %}")
    assert statement == Assign("list_", field("name"))


def test_a_fact_ends_with_a_set() -> None:
    template = "{% set note = note %}{% if note is string %}{{ note | upper }}{% set note = rank | default(none) %}"
    assert problems_of(template + "{{ note + 'x' }}{% endif %}") != []


def test_assignments_that_are_refused() -> None:
    for template, message in {
        "{% set a, b = pair %}": "a `set` of several names cannot be compiled",
        "{% set ns.a = 1 %}": "a namespace cannot be compiled",
        "{% set a = [] %}": "an empty list in a variable cannot be compiled",
        "{% set a = range(3) %}": "a generator cannot be kept",
        "{% set a = 1 %}{% set a = 'x' %}": "`a` was an integer and becomes a string",
        "{% if open %}{% set name = 'x' %}{% endif %}": (
            "the `set` of `name`, which is something else outside of the branch, cannot be compiled"
        ),
    }.items():
        assert [message for _, message, _ in problems_of(template)] == [message]


def test_a_variable_that_was_refused_is_not_reported_again() -> None:
    assert len(problems_of("{% set a = nothing %}{{ a }}{{ a | upper }}")) == 1


# --- `if` statements --------------------------------------------------------------------------------------------------
OPEN = field("open")
TAGS = field("tags")


def test_branches_in_order() -> None:
    assert statements_of("{% if open %}a{% elif tags %}b{% else %}c{% endif %}") == (
        If(((OPEN, (Write(("a",)),)), (TAGS, (Write(("b",)),))), (Write(("c",)),)),
    )


def test_branches_that_are_never_taken_are_left_out() -> None:
    assert statements_of("{% if false %}a{% elif open %}b{% elif true %}c{% else %}d{% endif %}") == (
        If(((OPEN, (Write(("b",)),)),), (Write(("c",)),)),
    )
    assert statements_of("{% if true %}a{% else %}b{% endif %}") == (Write(("a",)),)
    assert statements_of("{% if false %}a{% endif %}") == ()


def test_each_branch_gets_the_facts_of_the_tests_before_it() -> None:
    bodies: list[Facts] = []

    class Recorder(Checker):
        def check_body(self, children: object, facts: Facts) -> tuple[()]:
            bodies.append(facts)
            return ()

    node = parse_jinja("{% if result.gusts is undefined %}{% elif result.note is none %}{% else %}{% endif %}").body[0]
    assert isinstance(node, nodes.If)
    check_if(Recorder(), node, Facts())
    assert [field("gusts") in facts.present for facts in bodies] == [False, True, True]
    assert [field("note") in facts.types for facts in bodies] == [False, True, True]


def test_variables_of_some_branches_are_refused_afterwards() -> None:
    template = "{% if open %}{% set x = 1 %}{% else %}{% set y = 1 %}{% set x = 2 %}{% endif %}"
    assert statements_of(template + "{{ x }}")[0] == If(
        ((OPEN, (Assign("x", Constant(1)),)),), (Assign("y", Constant(1)), Assign("x", Constant(2)))
    )
    assert [message for _, message, _ in problems_of(template + "{{ y }}")] == ["`y` is not set in every branch"]


def test_a_test_with_a_problem_ends_the_statement() -> None:
    template = "{% if nothing %}{{ nothing2 }}{% else %}{{ nothing3 }}{% endif %}{{ nothing4 }}"
    names = [message for _, message, _ in problems_of(template)]
    assert names == ["there is no `nothing` in the result", "there is no `nothing4` in the result"]


def test_a_local_is_shared_by_branches() -> None:
    (_, write) = statements_of("{% if open %}{% set w = name %}{% else %}{% set w = 'x' %}{% endif %}{{ w }}")
    assert write == Write((Local("w"),))


# --- simplified conditions, compared to truth tables ------------------------------------------------------------------
A, B = Local("a"), Local("b")
TESTS: list[Expr] = [TRUE, FALSE, A, B, Not(A), Logic("and", (A, B)), Logic("or", (A, B))]


def evaluate(test: Expr, values: dict[str, bool]) -> bool:
    match test:
        case Constant(value=bool() as value):
            return value
        case Local(name=name):
            return values[name]
        case Not(operand=operand):
            return not evaluate(operand, values)
        case Logic(operator="and", parts=parts):
            return all(evaluate(part, values) for part in parts)
        case Logic(operator="or", parts=parts):
            return any(evaluate(part, values) for part in parts)
        case _:
            raise AssertionError(test)


@pytest.mark.parametrize(("left", "right"), list(itertools.product(TESTS, repeat=2)))
def test_simplified_tests_have_the_same_outcome(left: Expr, right: Expr) -> None:
    for a, b in itertools.product((True, False), repeat=2):
        values = {"a": a, "b": b}
        outcomes = evaluate(left, values), evaluate(right, values)
        assert evaluate(conjoin_tests(left, right), values) is all(outcomes)
        assert evaluate(disjoin_tests(left, right), values) is any(outcomes)
        assert evaluate(negate_test(left), values) is not outcomes[0]


def test_constants_leave_no_trace() -> None:
    assert conjoin_tests(TRUE, A, TRUE) == A
    assert conjoin_tests() == TRUE
    assert conjoin_tests(A, FALSE) == FALSE
    assert disjoin_tests(FALSE, A) == A
    assert disjoin_tests(A, TRUE) == TRUE


def test_conjunctions_are_flat() -> None:
    assert conjoin_tests(Logic("and", (A, B)), Local("c")) == Logic("and", (A, B, Local("c")))


def test_comparisons_are_negated_by_their_operator_where_that_is_exact() -> None:
    assert negate_test(Compare(A, (("==", B),))) == Compare(A, (("!=", B),))
    assert negate_test(Compare(A, (("not in", B),))) == Compare(A, (("in", B),))
    assert negate_test(Compare(A, (("<", B),))) == Not(Compare(A, (("<", B),)))  # NaN is neither


def test_only_booleans_are_outcomes() -> None:
    assert evaluate_test(Constant(False)) is False
    assert evaluate_test(Constant(0)) is None
    assert evaluate_test(A) is None


# --- `for` statements -------------------------------------------------------------------------------------------------
CREW = field("crew")
T = Local("t")
IS_A = Compare(T, (("==", Constant("a")),))


def last_of(template: str) -> Statement:
    return statements_of(template)[-1]


def test_a_loop_over_a_list() -> None:
    assert statements_of("{% for t in tags %}{{ t }}{% endfor %}") == (For(("t",), TAGS, (Write((T,)),)),)
    assert last_of("{% for t in tags %}x{% endfor %}") == For(("_",), TAGS, (Write(("x",)),))


def test_a_loop_with_a_test() -> None:
    assert last_of("{% for t in tags if t == 'a' %}{{ t }}{% endfor %}") == For(
        ("t",), TAGS, (Write((T,)),), None, IS_A
    )


def test_the_index_is_counted_where_it_is_used() -> None:
    loop = last_of("{% for t in tags %}{{ loop.index0 }}{% endfor %}")
    assert isinstance(loop, For)
    assert (loop.targets, loop.index) == (("_",), "index")
    inner = last_of("{% for t in tags %}{% for u in tags %}{{ loop.index }}{% endfor %}{% endfor %}")
    assert isinstance(inner, For)
    assert inner.index is None


def test_the_length_of_a_generator_needs_a_list() -> None:
    preparation, loop = statements_of("{% for i in range(count) %}{{ loop.last }}{% endfor %}")
    assert preparation == Assign("items", Call("list", (Call("range", (field("count"),)),)))
    assert isinstance(loop, For)
    assert loop.source == Local("items")


def test_a_test_comes_before_the_index() -> None:
    preparation, loop = statements_of("{% for t in tags if t == 'a' %}{{ loop.length }}{% endfor %}")
    assert preparation == Assign("items", Comprehension("t", TAGS, T, IS_A))
    assert isinstance(loop, For)
    assert loop.test is None


def test_an_else_is_for_no_items() -> None:
    assert last_of("{% for t in tags %}{{ t }}{% else %}none{% endfor %}") == If(
        ((TAGS, (For(("t",), TAGS, (Write((T,)),)),)),), (Write(("none",)),)
    )


def test_pairs_and_tuples_are_unpacked() -> None:
    loop = last_of("{% for key, price in prices | items %}{{ key }}{{ price }}{% endfor %}")
    body = (Write((Local("key"), ToString(Local("price"), NUMBER))),)
    assert loop == For(("key", "price"), Method(field("prices"), "items"), body)


def test_a_loop_has_variables_of_its_own() -> None:
    template = "{% set n = 0 %}{% for m in crew %}{% set n = n + 1 %}{{ m.name }}{% endfor %}{{ n }}"
    assign, loop, write = statements_of(template)
    assert assign == Assign("n", Constant(0))
    assert isinstance(loop, For)
    assert loop.body == (
        Assign("n_2", Operation("+", Local("n"), Constant(1))),
        Write((Attribute(Local("m"), "name"),)),
    )
    assert isinstance(write, Write)
    assert isinstance(write.pieces[0], ToString)
    assert write.pieces[0].value == Local("n")


def test_variables_of_the_else_are_unset_after_items() -> None:
    template = "{% for t in tags %}{{ t }}{% else %}{% set y = 1 %}{% endfor %}{{ y }}"
    (problem,) = check_template(template, HARBOUR_ROOT, NODES)[1]
    assert problem.message == "`y` is not set in every branch"
    assert problem.help == "set `y` before the `if` or `for`"


def test_loops_that_are_refused() -> None:
    for template, message in {
        "{% for t in tags recursive %}{% endfor %}": "a `recursive` loop cannot be compiled",
        "{% for t in [] %}{% endfor %}": "a loop over an empty list cannot be compiled",
        "{% for t in name %}{% endfor %}": "`for` needs a list, and `name` is a string",
        "{% for t in prices | items %}{% endfor %}": "a pair of key and value in one variable cannot be compiled",
        "{% for a, b in tags %}{% endfor %}": "each item is a string, and not 2 values",
        "{% for a, b, c in prices | items %}{% endfor %}": "each item is 2 values, and not 3 values",
        "{% for a, (b, c) in prices | items %}{% endfor %}": "this target of a loop cannot be compiled",
        "{% for k, v in prices | items if v %}{{ loop.index }}{% endfor %}": (
            "a loop over pairs with an `if` and an `else` or `loop` cannot be compiled"
        ),
        "{% for t in tags if loop.index %}{% endfor %}": "there is no `loop` outside of a loop",
    }.items():
        assert [text for _, text, _ in problems_of(template)] == [message]


def test_the_scope_is_restored_after_a_problem() -> None:
    node = parse_jinja("{% for t in result.tags %}{% endfor %}").body[0]
    assert isinstance(node, nodes.For)

    class Inspector(Checker):
        def check_body(self, children: object, facts: Facts) -> tuple[()]:
            assert set(self.scope.variables) == {"result", "t"}
            return ()

    checker = Inspector()
    check_for(checker, node, Facts())
    assert set(checker.scope.variables) == {"result"}


# --- values with a fallback, and values of branches -------------------------------------------------------------------
NODE = parse_expression("1")


@pytest.mark.parametrize(
    ("text", "expr", "type"),
    [
        ("result.name or 'none'", Logic("or", (field("name"), Constant("none"))), STRING),
        ("result.gusts or 0", Logic("or", (field("gusts"), Constant(0))), Union((Choice((0,)), NUMBER))),
        ("result.master or 'x'", field("master"), Ref("Master")),
        ("'' or result.name", field("name"), STRING),
        ("result.tags or []", Logic("or", (field("tags"), ListLiteral(()))), Array(STRING)),
    ],
)
def test_fallbacks(text: str, expr: Expr, type: Type) -> None:
    value = value_of(text)
    assert value.expr == expr
    if text != "result.master or 'x'":
        assert value.type == type


def test_an_absent_item_needs_a_condition() -> None:
    value = value_of("result.prices.a or 0")
    assert isinstance(value.expr, Conditional)
    assert value.expr.other == Constant(0)


@pytest.mark.parametrize(
    ("left", "right", "merged"),
    [
        (STRING, NUMBER, Union((STRING, NUMBER))),
        (Markup(), STRING, Markup()),
        (STRING, Markup(), Markup()),
        (Markup(), Markup(), Markup()),
    ],
)
def test_types_of_branches(left: TemplateType, right: TemplateType, merged: TemplateType) -> None:
    assert merge_branch_types(Checker(), left, right, NODE) == merged


def test_a_generator_has_no_common_type_with_a_string() -> None:
    assert refusal_of("range(2) if result.open else ''") == "this is either a generator or a string"
    assert refusal_of("range(2) or ''") == "a generator is not a condition"


def test_a_fallback_of_a_value_that_is_always_false() -> None:
    fallback = Value(field("name"), STRING)
    assert make_fallback(Checker(), Value(Constant(""), Choice(("",))), fallback, NODE) is fallback
    assert TYPES.has_only_kinds(fallback.type, ("string",))
