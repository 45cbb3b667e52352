"""`for` statements."""

from __future__ import annotations

from jinja2 import nodes
from mcpgen.content.jinja_parser import parse_jinja
from mcpgen.content.loops import check_for
from mcpgen.content.narrowing import Facts
from mcpgen.content.statements import check_template
from mcpgen.content.value_types import NUMBER
from mcpgen.ir.template import (
    Assign,
    Attribute,
    Call,
    Compare,
    Comprehension,
    Constant,
    For,
    If,
    Local,
    Method,
    Operation,
    Statement,
    ToString,
    Write,
)
from support.templates import HARBOUR_ROOT, NODES, Checker, field, problems_of, statements_of

TAGS, CREW, T = field("tags"), field("crew"), Local("t")
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


def test_what_is_refused() -> None:
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
    checker = Checker()
    node = parse_jinja("{% for t in result.tags %}{% endfor %}").body[0]
    assert isinstance(node, nodes.For)

    def check_body(_: object, facts: Facts) -> tuple[()]:
        assert set(checker.scope.variables) == {"result", "t"}
        return ()

    check_for(checker, node, Facts(), check_body)
    assert set(checker.scope.variables) == {"result"}
