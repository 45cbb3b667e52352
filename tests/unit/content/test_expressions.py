"""Expressions of templates."""

from __future__ import annotations

import pytest
from jinja2 import nodes
from mcpgen.content.context import LoopState, TemplateRefused, TemplateVariable
from mcpgen.content.expressions import ExpressionChecker, check_call
from mcpgen.content.filter_call import ATTRIBUTE, FilterCall
from mcpgen.content.members import check_element, check_loop_member, check_member, check_name
from mcpgen.content.operands import convert_to_json, convert_to_text, get_converted_type
from mcpgen.content.type_lookup import BOOLEAN, INTEGER, NUMBER, STRING
from mcpgen.content.values import Facts, Value
from mcpgen.ir.template import (
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
    ListLiteral,
    Local,
    Logic,
    Not,
    Operation,
    Sign,
    Slice,
    Stream,
    Subscript,
    TemplateType,
    ToJson,
    ToString,
)
from mcpgen.ir.types import ANY, NULL, Array, Choice, FixedArray, Map, Ref, Scalar, ScalarKind, Type, Union
from support.templates import RESULT, TYPES, Checker, condition_of, field, parse_expression, refusal_of, value_of


# --- the recursion into expressions -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "expr", "type"),
    [
        ("'a'", Constant("a"), Choice(("a",))),
        ("not result.open", Not(field("open")), BOOLEAN),
        ("result.name ~ result.count", Concat((field("name"), ToString(field("count"), INTEGER))), STRING),
        ("[1, 'a']", ListLiteral((Constant(1), Constant("a"))), Array(Union((INTEGER, STRING)))),
        ("(1, 2)", ListLiteral((Constant(1), Constant(2))), Stream(INTEGER)),
        ("[]", ListLiteral(()), Array(ANY)),
    ],
)
def test_values(text: str, expr: Expr, type: TemplateType) -> None:
    value = value_of(text)
    assert (value.expr, value.type) == (expr, type)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1e999", "a number beyond all floats cannot be compiled"),
        (r"'\ud800'", "half of a surrogate pair cannot be compiled"),
        ("{'a': 1}", "a dict cannot be compiled"),
        ("not " * 60 + "result.open", "what is nested more than 40 levels deep cannot be compiled"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    assert refusal_of(text) == message


def test_facts_make_a_value_present_and_narrow_its_type() -> None:
    gusts = value_of("result.gusts")
    assert value_of("result.gusts", Facts().with_present(gusts)).absent is None
    facts = Facts().with_type(field("note"), STRING)
    assert value_of("result.note", facts).type == STRING


def test_a_node_is_checked_once_for_the_same_facts() -> None:
    checker, node, facts = Checker(), parse_expression("result.gusts"), Facts()
    assert checker.check_value(node, facts) is checker.check_value(node, facts)
    assert checker.check_value(node, Facts()) is not checker.check_value(node, facts)


def test_a_refused_node_has_one_problem() -> None:
    checker, node, facts = Checker(), parse_expression("result.nothing"), Facts()
    for _ in range(3):
        with pytest.raises(TemplateRefused):
            checker.check_value(node, facts)
    assert checker.messages == ["there is no `nothing` in `result`"]


def test_time_does_not_double_with_each_operator() -> None:
    calls = 0

    class Counting(ExpressionChecker):
        def _check_value(self, node: nodes.Expr, facts: Facts) -> object:  # type: ignore[override]
            nonlocal calls
            calls += 1
            return super()._check_value(node, facts)

    checker = Counting(TYPES)
    text = " or ".join(["''"] * 20)
    checker.check_value(parse_expression(text), Facts())
    assert calls < 200


# --- arithmetic, logic and calls --------------------------------------------------------------------------------------
NAME, COUNT, WIND, DEPTH, OPEN = (field(name) for name in ("name", "count", "wind", "depth", "open"))


@pytest.mark.parametrize(
    ("text", "expr", "type"),
    [
        ("-result.count", Sign("-", COUNT), INTEGER),
        ("-3", Constant(-3), Choice((-3,))),
        ("result.count + 1", Operation("+", COUNT, Constant(1)), INTEGER),
        ("result.count + result.wind", Operation("+", COUNT, WIND), NUMBER),
        ("result.count / 2", Operation("/", COUNT, Constant(2)), NUMBER),
        ("result.count // 2", Operation("//", COUNT, Constant(2)), INTEGER),
        ("result.count % result.depth", Operation("%", COUNT, DEPTH), NUMBER),
        ("result.count ** 2", Operation("**", COUNT, Constant(2)), INTEGER),
        ("result.name + '!'", Operation("+", NAME, Constant("!")), STRING),
        ("result.name if result.open else 'x'", Conditional(OPEN, NAME, Constant("x")), STRING),
        ("result.name if result.name is defined else 'x'", NAME, STRING),
        ("result.open and result.name", Logic("and", (OPEN, NAME)), Union((Choice((False,)), STRING))),
        ("not result.open", None, BOOLEAN),
        ("range(1, result.count)", Call("range", (Constant(1), COUNT)), Stream(INTEGER)),
    ],
)
def test_values_of_operators(text: str, expr: Expr | None, type: TemplateType) -> None:
    value = value_of(text)
    assert expr is None or value.expr == expr
    assert (value.type, value.absent) == (type, None)


def test_without_an_else_there_may_be_nothing() -> None:
    value = value_of("result.name if result.open")
    assert value.absent is not None
    assert value.absent.present == OPEN


def test_conditions_pass_on_what_they_prove() -> None:
    both = condition_of("result.gusts is defined and result.gusts > 3")
    assert field("gusts") in both.yes.present
    assert field("gusts") not in both.no.present
    either = condition_of("result.gusts is undefined or result.gusts > 3")
    assert field("gusts") not in either.yes.present
    assert field("gusts") in either.no.present


def test_a_guard_allows_a_division() -> None:
    assert value_of("1 / result.count if result.count else 0").type == Union((Choice((0,)), NUMBER))
    assert value_of("1 / (result.tags | length) if result.tags else 0").type == Union((Choice((0,)), NUMBER))
    assert value_of("1 / result.depth").expr == Operation("/", Constant(1), DEPTH)


def test_values_in_turn() -> None:
    checker = Checker()
    node = parse_expression("loop.cycle('a', 'b')")
    with checker.scope.enter_loop({}):
        checker.scope.start_body(LoopState(Local("index"), None))
        value = check_call(checker, node, Facts())  # type: ignore[arg-type]
    turn = Operation("%", Local("index"), Constant(2))
    assert value.expr == Subscript(ListLiteral((Constant("a"), Constant("b"))), turn)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 / result.count", "`/` by `result.count`, which may be 0"),
        ("1 % 0", "`%` by this, which may be 0"),
        ("result.count ** result.count", "`**` with anything but a small literal exponent cannot be compiled"),
        ("2 ** 65", "`**` with anything but a small literal exponent cannot be compiled"),
        ("result.name + 1", "`+` of a string and an integer"),
        ("2 and result.name", "`and` as a value of this type cannot be compiled"),
        ("result.name.upper()", "the call of `.upper()` cannot be compiled"),
        ("lipsum()", "the call of `lipsum` cannot be compiled"),
        ("loop.cycle(1)", "there is no `loop` outside of a loop"),
        ("range()", "this call of `range` cannot be compiled"),
        ("range(1, 2, 0)", "`range` needs integers, and a step that is a literal and not 0"),
    ],
)
def test_operators_that_are_refused(text: str, message: str) -> None:
    assert refusal_of(text) == message


def test_a_comparison_of_calls() -> None:
    length = Call("len", (field("tags"),))
    assert condition_of("(result.tags | length) > 2").expr == Compare(length, ((">", Constant(2)),))


# --- names, `loop` and properties -------------------------------------------------------------------------------------
INDEX = Local("index")
TAGS = field("tags")
LENGTH = Call("len", (TAGS,))


def test_a_variable_is_its_value() -> None:
    checker = Checker()
    assert check_name(checker, nodes.Name("result", "load")) == Value(RESULT, Ref("Harbour"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("resutl", "there is no `resutl` in the result"),
        ("partial", "`partial` is not set in every branch"),
        ("wrong", None),
    ],
)
def test_variables_without_a_value(name: str, message: str | None) -> None:
    checker = Checker()
    checker.scope.define("partial", TemplateVariable(Value(RESULT, STRING), True))
    checker.scope.define("wrong", TemplateVariable(None))  # its problem is recorded already
    with pytest.raises(TemplateRefused):
        check_name(checker, nodes.Name(name, "load", lineno=1))
    assert checker.messages == ([] if message is None else [message])


def test_a_similar_name_is_suggested() -> None:
    checker = Checker()
    with pytest.raises(TemplateRefused):
        check_name(checker, nodes.Name("reslt", "load", lineno=1))
    assert checker.problems[0].help == "did you mean `result`?"


@pytest.mark.parametrize(
    ("name", "expr"),
    [
        ("index", Operation("+", INDEX, Constant(1))),
        ("index0", INDEX),
        ("first", Compare(INDEX, (("==", Constant(0)),))),
        ("last", Compare(INDEX, (("==", Operation("-", LENGTH, Constant(1))),))),
        ("length", LENGTH),
        ("revindex", Operation("-", LENGTH, INDEX)),
        ("revindex0", Operation("-", Operation("-", LENGTH, Constant(1)), INDEX)),
    ],
)
def test_members_of_loop(name: str, expr: Expr) -> None:
    checker, node = Checker(), nodes.Getattr(nodes.Name("loop", "load"), name, "load")
    with checker.scope.enter_loop({}):
        checker.scope.start_body(LoopState(INDEX, TAGS))
        assert check_loop_member(checker, node, name).expr == expr


@pytest.mark.parametrize(
    ("text", "expr", "type", "present"),
    [
        ("result.name", field("name"), STRING, None),
        ("result.note", field("note"), Union((STRING, NULL)), None),
        ("result.gusts", field("gusts"), NUMBER, Not(IsNone(field("gusts")))),
        ("result.rank", field("rank"), Union((STRING, NULL)), IsSet(RESULT, "rank")),
        (
            "result.prices.a",
            Subscript(field("prices"), Constant("a")),
            NUMBER,
            Compare(Constant("a"), (("in", field("prices")),)),
        ),
        (
            "result.extra.a",
            Call("json_item", (field("extra"), Constant("a"))),
            ANY,
            Call("has_item", (field("extra"), Constant("a"))),
        ),
    ],
)
def test_properties(text: str, expr: Expr, type: Type, present: Expr | None) -> None:
    value = value_of(text)
    assert (value.expr, value.type) == (expr, type)
    assert (None if value.absent is None else value.absent.present) == present


def test_a_property_of_a_nullable_object() -> None:
    value = value_of("result.deputy.name")
    assert value.absent is not None
    assert value.absent.present == Not(IsNone(field("deputy")))
    assert value.absent.narrowed == ((field("deputy"), Ref("Master")),)
    assert value.absent.why == "`result.deputy` may be null, so `result.deputy.name` may be absent"


def test_a_property_of_some_members_of_a_union() -> None:
    value = value_of("result.event.berth")
    assert value.type == INTEGER
    assert value.absent is not None
    assert value.absent.present == IsInstance(field("event"), (Ref("Arrival"),))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("result.master.nam", "there is no `nam` in `result.master`"),
        ("result.name.upper", "`result.name` is a string and has no `upper`"),
        ("result.prices.items", "`.items`, which is a method in Python, cannot be compiled"),
        ("range(3).x", "a generator has no properties"),
        ("loop.index", "there is no `loop` outside of a loop"),
    ],
)
def test_properties_that_are_refused(text: str, message: str) -> None:
    assert refusal_of(text) == message


def test_members_are_found_by_their_wire_names() -> None:
    checker, result = Checker(), Value(RESULT, Ref("Harbour"))
    assert check_member(checker, result, "name", parse_expression("result['name']")).expr == field("name")


# --- items and slices -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "expr", "type"),
    [
        ("result.pair[1]", Subscript(field("pair"), Constant(1)), NUMBER),
        ("result.pair[-2]", Subscript(field("pair"), Constant(-2)), STRING),
        ("result.levels[0]", Subscript(field("levels"), Constant(0)), NUMBER),
        ("result['name']", field("name"), STRING),
        ("result.tags[1:]", Slice(TAGS, (Constant(1), None, None)), Array(STRING)),
        ("result.name[::-1]", Slice(field("name"), (None, None, Constant(-1))), STRING),
    ],
)
def test_items_that_are_present(text: str, expr: Expr, type: Type) -> None:
    assert value_of(text) == Value(expr, type)


@pytest.mark.parametrize(
    ("text", "present", "type"),
    [
        ("result.tags[0]", TAGS, STRING),
        ("result.tags[2]", Compare(Call("len", (TAGS,)), ((">=", Constant(3)),)), STRING),
        ("result.tags[-2]", Compare(Call("len", (TAGS,)), ((">=", Constant(2)),)), STRING),
        ("result.prices[result.name]", Compare(field("name"), (("in", field("prices")),)), NUMBER),
        ("result.extra[1]", Call("has_item", (field("extra"), Constant(1))), ANY),
    ],
)
def test_items_that_may_be_absent(text: str, present: Expr, type: Type) -> None:
    value = value_of(text)
    assert value.absent is not None
    assert (value.absent.present, value.type) == (present, type)


def test_a_list_that_is_true_has_a_first_item() -> None:
    base, node = Value(TAGS, Array(STRING)), parse_expression("result.tags[0]")
    facts = Facts().with_truthy(TAGS)
    assert check_element(Checker(), base, Array(STRING), 0, facts, node).absent is None
    assert check_element(Checker(), base, Array(STRING), -1, facts, node).absent is None
    assert check_element(Checker(), base, Array(STRING), 1, facts, node).absent is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("result.pair[2]", "`result.pair[2]` is beyond the 2 items that there are"),
        ("result.count[0]", "`result.count` is an integer, not a list"),
        ("result.tags[result.count]", "an index that is not a literal cannot be compiled"),
        ("result.tags[::0]", "a slice by anything but literal numbers cannot be compiled"),
        ("result.count[1:]", "`result.count` is an integer, not a list or a string"),
        ("range(3)[0]", "a generator has no items to choose from"),
    ],
)
def test_items_that_are_refused(text: str, message: str) -> None:
    assert refusal_of(text) == message


# --- arguments and values of one use of a filter ----------------------------------------------------------------------
def make_call(text: str, *parameters: str) -> tuple[FilterCall, Checker]:
    node, checker = parse_expression(text), Checker()
    assert isinstance(node, nodes.Filter)
    assert node.node is not None
    return FilterCall(checker, node, Facts(), parameters), checker


def test_arguments_by_position_and_by_name() -> None:
    call, _ = make_call("result.name | f(1, c=-2.5, d='x')", "a", "b", "c", "d")
    assert call.get_literal("a", 0, int) == 1
    assert call.get_literal("b", 7, int) == 7
    assert call.get_literal("c", 0, int, float) == -2.5
    assert call.get_argument("b") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("result.name | f(1, 2, 3)", "the filter `f` with these arguments cannot be compiled"),
        ("result.name | f(*result.tags)", "the filter `f` with these arguments cannot be compiled"),
        ("result.name | f(c=1)", "the argument `c` of `f` cannot be compiled"),
        ("result.name | f(1, a=1)", "the argument `a` of `f` cannot be compiled"),
    ],
)
def test_arguments_that_are_refused(text: str, message: str) -> None:
    node, checker = parse_expression(text), Checker()
    assert isinstance(node, nodes.Filter)
    assert node.node is not None
    with pytest.raises(TemplateRefused):
        FilterCall(checker, node, Facts(), ("a", "b"))
    assert checker.messages == [message]


def test_a_literal_has_one_of_the_types() -> None:
    call, checker = make_call("result.name | f(true)", "a")
    with pytest.raises(TemplateRefused):
        call.get_literal("a", 0, int, float)  # in Python, True is an int
    assert checker.messages == ["`a` of `f` that is not an integer or a number written out cannot be compiled"]


def test_scalars_and_their_text() -> None:
    call, _ = make_call("result.wind | f")
    assert call.check_scalar()[1] == NUMBER
    assert call.check_scalar_text() == ToString(field("wind"), NUMBER)
    call, checker = make_call("result.tags | f")
    with pytest.raises(TemplateRefused):
        call.check_scalar()
    assert checker.messages == ["`f` needs text, and this is a list"]


def test_items() -> None:
    call, _ = make_call("result.crew | f")
    assert call.check_items() == (field("crew"), Ref("Master"), Array(Ref("Master")))
    item: Type = call.check_items(as_json=True)[1]
    assert item == Map(ANY)


def test_pairs_are_left_to_loops() -> None:
    call, checker = make_call("result.prices | items | f")
    with pytest.raises(TemplateRefused):
        call.check_items()
    assert checker.messages == ["`f` of pairs of keys and values"]


def test_a_property_of_an_item() -> None:
    call, checker = make_call("result.crew | f('name')", ATTRIBUTE)
    with call.bind_item(Ref("Master")) as (local, name):
        assert local == Local("item")
        value = checker.check_value(call.make_attribute_node(name), Facts())
        assert value.type == STRING
        assert call.make_member_node(name, None) is name
    assert "\0item" not in checker.scope.variables


def test_numbers_in_a_path_are_indices() -> None:
    call, _ = make_call("result.crew | f")
    node = call.make_member_node(nodes.Name("x", "load"), "a.0")
    assert isinstance(node, nodes.Getitem)
    assert isinstance(node.arg, nodes.Const)
    assert node.arg.value == 0


# --- conversions to JSON and to text ----------------------------------------------------------------------------------
X, ITEM = Local("x"), Local("item")
DATE = Scalar(ScalarKind.DATE)


@pytest.mark.parametrize(
    ("expr", "type", "text"),
    [
        (X, STRING, X),
        (X, Scalar(ScalarKind.STRING, (("min_length", 1),)), X),
        (X, Choice(("a", "b")), X),
        (X, INTEGER, ToString(X, INTEGER)),
        (X, DATE, ToString(X, DATE)),
        (X, Union((STRING, NULL)), ToString(X, Union((STRING, NULL)))),
        (Constant(True), Choice((True,)), Constant("True")),
        (Constant("a"), Choice(("a",)), Constant("a")),
    ],
)
def test_text(expr: Expr, type: Type, text: Expr) -> None:
    assert convert_to_text(TYPES, expr, type) == text


@pytest.mark.parametrize(
    ("type", "converted"),
    [
        (DATE, STRING),
        (Array(DATE, (("min_length", 1),)), Array(STRING, (("min_length", 1),))),
        (FixedArray((STRING, INTEGER)), Array(Union((STRING, INTEGER)), (("min_length", 2),))),
        (FixedArray(()), Array(ANY, (("min_length", 0),))),
        (Map(DATE), Map(STRING)),
        (Union((DATE, NULL)), Union((STRING, NULL))),
        (Ref("Master"), Map(ANY)),
        (Ref("Unknown"), ANY),
        (Choice(("a",)), Choice(("a",))),
    ],
)
def test_converted_types(type: Type, converted: Type) -> None:
    assert get_converted_type(TYPES, type) == converted


def test_plain_values_are_not_converted() -> None:
    checker = Checker()
    for value in (Value(X, Array(STRING)), Value(X, Stream(INTEGER))):
        assert convert_to_json(checker, value) is value


def test_values_and_items_with_another_form_in_python_are_converted() -> None:
    checker = Checker()
    assert convert_to_json(checker, Value(X, DATE)) == Value(ToJson(X, DATE), STRING)
    converted = Value(Comprehension("item", X, ToJson(ITEM, DATE)), Stream(STRING))
    assert convert_to_json(checker, Value(X, Stream(DATE))) == converted
