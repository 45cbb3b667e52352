"""Check tests: `value is name(…)`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from jinja2 import nodes

from mcpgen.content.comparisons import (
    check_comparison,
    make_condition,
    make_equality_condition,
    make_kind_condition,
    negate_condition,
)
from mcpgen.content.context import CheckContext
from mcpgen.content.narrowing import Condition, Facts
from mcpgen.content.operands import check_defined, check_json, check_number, check_text
from mcpgen.content.value_types import is_json
from mcpgen.ir.template import Compare, Constant, Method, Operation

TestHandler: TypeAlias = Callable[[CheckContext, nodes.Test, Facts], Condition]


@dataclass(frozen=True)
class JinjaTest:
    """Test that templates can use: its name, the values that it takes, the names of its parameters."""

    name: str
    check: TestHandler
    takes: str
    parameters: tuple[str, ...] = ()


def check_test(context: CheckContext, node: nodes.Test, facts: Facts) -> Condition:
    """Check `value is name(…)`."""
    test = TESTS.get(node.name)
    if test is None:
        names = ", ".join(sorted(name for name in TESTS if name.isalpha()))
        context.refuse_unsupported(f"the test `{node.name}`", node, f"there is {names}")
    if len(node.args) != len(test.parameters) or node.kwargs or node.dyn_args or node.dyn_kwargs:
        context.refuse_unsupported(f"the test `{node.name}` with these arguments", node)
    return test.check(context, node, facts)


def _check_defined_test(context: CheckContext, node: nodes.Test, facts: Facts) -> Condition:
    value = context.check_value(node.node, facts)
    if value.absent is None:
        return make_condition(Constant(True), facts)
    return Condition(value.absent.present, facts.with_present(value), facts)


def _check_undefined_test(context: CheckContext, node: nodes.Test, facts: Facts) -> Condition:
    return negate_condition(_check_defined_test(context, node, facts))


def _make_kind_test(name: str, *kinds: str) -> JinjaTest:
    """Return a test of the kind of a value."""

    def check_kind(context: CheckContext, node: nodes.Test, facts: Facts) -> Condition:
        value = check_defined(context, node.node, facts)
        if not is_json(value.type):
            context.refuse_type(f"`is {name}` of {context.types.describe_type(value.type)}", node)
        if kinds == ("integer",) and "number" in context.types.collect_kinds(value.type):
            help = "use `is number`, or `type: integer` in the schema"
            context.refuse_unsupported("`is integer` of a number", node, help)
        return make_kind_condition(context, value, lambda atom: context.types.get_kind(atom) in kinds, node, facts)

    return JinjaTest(name, check_kind, "any JSON value")


def _make_boolean_test(name: str, outcome: bool) -> JinjaTest:
    def check_boolean(context: CheckContext, node: nodes.Test, facts: Facts) -> Condition:
        value, type = check_json(context, node.node, facts)
        if not context.types.has_only_kinds(type, ("boolean",)):
            message = f"`is {name}` needs a boolean, and this is {context.types.describe_type(type)}"
            context.refuse_type(message, node.node)
        return make_equality_condition(context, value.expr, type, Constant(outcome), facts)

    return JinjaTest(name, check_boolean, "a boolean")


def _make_text_test(name: str, method: str) -> JinjaTest:
    def check_text_method(context: CheckContext, node: nodes.Test, facts: Facts) -> Condition:
        return make_condition(Method(check_text(context, node.node, facts), method), facts)

    return JinjaTest(name, check_text_method, "any JSON value")


def _make_parity_test(name: str, remainder: int) -> JinjaTest:
    def check_parity(context: CheckContext, node: nodes.Test, facts: Facts) -> Condition:
        number, _ = check_number(context, node.node, facts, f"`is {name}`")
        return make_condition(Compare(Operation("%", number, Constant(2)), (("==", Constant(remainder)),)), facts)

    return JinjaTest(name, check_parity, "a number")


def _check_divisibility(context: CheckContext, node: nodes.Test, facts: Facts) -> Condition:
    divisor, _ = check_number(context, node.args[0], facts, "`divisibleby`")
    if not (isinstance(divisor, Constant) and divisor.value):
        message = "`divisibleby` with anything but a literal number that is not 0"
        context.refuse_unsupported(message, node.args[0])
    number, _ = check_number(context, node.node, facts, "`is divisibleby`")
    return make_condition(Compare(Operation("%", number, divisor), (("==", Constant(0)),)), facts)


def _make_comparison_tests(operator: str, takes: str, *names: str) -> tuple[JinjaTest, ...]:
    """Return the tests that are other names of an operator of Jinja's syntax tree."""

    def check_operator(context: CheckContext, node: nodes.Test, facts: Facts) -> Condition:
        return check_comparison(context, node.node, operator, node.args[0], facts)

    return tuple(JinjaTest(name, check_operator, takes, ("other",)) for name in names)


_TESTS = (
    _make_kind_test("none", "null"),
    _make_kind_test("string", "string"),
    _make_kind_test("number", "integer", "number", "boolean"),
    _make_kind_test("integer", "integer"),
    _make_kind_test("boolean", "boolean"),
    _make_kind_test("mapping", "object"),
    _make_kind_test("sequence", "string", "array", "object"),
    _make_kind_test("iterable", "string", "array", "object"),
    JinjaTest("defined", _check_defined_test, "any JSON value"),
    JinjaTest("undefined", _check_undefined_test, "any JSON value"),
    _make_boolean_test("true", True),
    _make_boolean_test("false", False),
    _make_parity_test("even", 0),
    _make_parity_test("odd", 1),
    JinjaTest("divisibleby", _check_divisibility, "a number", ("divisor",)),
    _make_text_test("lower", "islower"),
    _make_text_test("upper", "isupper"),
    *_make_comparison_tests("eq", "a scalar", "eq", "==", "equalto"),
    *_make_comparison_tests("ne", "a scalar", "ne", "!="),
    *_make_comparison_tests("lt", "a number or a string", "lt", "<", "lessthan"),
    *_make_comparison_tests("lteq", "a number or a string", "le", "<="),
    *_make_comparison_tests("gt", "a number or a string", "gt", ">", "greaterthan"),
    *_make_comparison_tests("gteq", "a number or a string", "ge", ">="),
    *_make_comparison_tests("in", "a scalar", "in"),
)
TESTS = {test.name: test for test in _TESTS}
"""Tests that templates can use, by name."""
