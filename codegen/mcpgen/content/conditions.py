"""Check comparisons and tests, and narrow the types of what they compare."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from jinja2 import nodes

from mcpgen.content.context import CheckContext
from mcpgen.content.narrowing import make_instance_test, narrow_by_equality
from mcpgen.content.operands import (
    check_defined,
    check_json,
    check_number,
    check_text,
    convert_to_json,
    convert_to_text,
    get_items,
)
from mcpgen.content.type_lookup import NUMERIC_KINDS, get_literal_type, is_json, join_types
from mcpgen.content.values import Condition, Facts, Value, negate_test
from mcpgen.ir.template import Attribute, Compare, Constant, Expr, ListLiteral, Method, Operation
from mcpgen.ir.types import NULL, Choice, Map, Presence
from mcpgen.ir.types import Type as JsonType

TestHandler: TypeAlias = Callable[[CheckContext, nodes.Test, Facts], Condition]
_PYTHON_OPERATORS = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "lteq": "<=",
    "gt": ">",
    "gteq": ">=",
    "in": "in",
    "notin": "not in",
}
"""Python's operators by the names of Jinja's syntax tree."""
_MIRRORED_OPERATORS = {"lt": "gt", "lteq": "gteq", "gt": "lt", "gteq": "lteq"}


def check_comparison(
    context: CheckContext, left: nodes.Expr, operator: str, right: nodes.Expr, facts: Facts
) -> Condition:
    """Check `left operator right`, with the operator's name in Jinja's syntax tree."""
    if operator in ("in", "notin"):
        return make_condition(_check_containment(context, left, operator, right, facts), facts)
    for operand, other_operand in ((left, right), (right, left)):
        if isinstance(other_operand, nodes.Const) and other_operand.value is None and operator in ("eq", "ne"):
            value = check_defined(context, operand, facts)
            condition = _make_kind_condition(context, value, lambda atom: atom == NULL, operand, facts)
            return condition if operator == "eq" else negate_condition(condition)
    left_expr, right_expr = _check_operands(context, left, right, operator, facts)
    if operator in ("eq", "ne"):
        type = check_json(context, left, facts)[1]
        condition = _make_equality_condition(context, left_expr, type, right_expr, facts)
        if operator == "eq":
            return condition
        return Condition(Compare(left_expr, (("!=", right_expr),)), condition.no, condition.yes)
    yes = no = facts
    if isinstance(right_expr, Constant) and isinstance(right_expr.value, int | float):
        yes, no = _narrow_to_nonzero(left_expr, operator, right_expr.value, facts)
    elif isinstance(left_expr, Constant) and isinstance(left_expr.value, int | float):
        yes, no = _narrow_to_nonzero(right_expr, _MIRRORED_OPERATORS[operator], left_expr.value, facts)
    return Condition(Compare(left_expr, ((_PYTHON_OPERATORS[operator], right_expr),)), yes, no)


def check_comparison_chain(context: CheckContext, node: nodes.Compare, facts: Facts) -> Condition:
    """Check a comparison of two values or of a chain."""
    if len(node.ops) == 1:
        return check_comparison(context, node.expr, node.ops[0].op, node.ops[0].expr, facts)
    links: list[tuple[str, Expr]] = []
    first, _ = _check_operands(context, node.expr, node.ops[0].expr, node.ops[0].op, facts)
    left = node.expr
    for operand in node.ops:
        if operand.op in ("in", "notin"):
            context.refuse_unsupported("`in` inside of a chain of comparisons", operand.expr, "write `and`")
        _, right = _check_operands(context, left, operand.expr, operand.op, facts)
        links.append((_PYTHON_OPERATORS[operand.op], right))
        left = operand.expr
    return Condition(Compare(first, tuple(links)), facts, facts)


def make_condition(test: Expr, facts: Facts) -> Condition:
    """Return a condition that proves nothing."""
    return Condition(test, facts, facts)


def negate_condition(condition: Condition) -> Condition:
    """Return the opposite of a condition."""
    return Condition(negate_test(condition.expr), condition.no, condition.yes)


def _make_kind_condition(
    context: CheckContext, value: Value, accept: Callable[[JsonType], bool], node: nodes.Expr, facts: Facts
) -> Condition:
    assert is_json(value.type)
    try:
        test, accepted = make_instance_test(context.types, value.expr, value.type, accept)
        _, rejected = make_instance_test(context.types, value.expr, value.type, lambda atom: not accept(atom))
    except ValueError:
        context.refuse_unsupported("a test between strings and dates of `formats = native`", node)
    if isinstance(test, Constant):
        return make_condition(test, facts)
    return Condition(test, facts.with_type(value.expr, accepted), facts.with_type(value.expr, rejected))


# --- order -----------------------------------------------------------------------------------------------------------
def _narrow_to_nonzero(expr: Expr, operator: str, bound: float, facts: Facts) -> tuple[Facts, Facts]:
    if_met = {"gt": bound >= 0, "gteq": bound > 0, "lt": bound <= 0, "lteq": bound < 0}[operator]
    if_unmet = {"gt": bound < 0, "gteq": bound <= 0, "lt": bound > 0, "lteq": bound >= 0}[operator]
    return facts.with_nonzero(expr) if if_met else facts, facts.with_nonzero(expr) if if_unmet else facts


def _check_operands(
    context: CheckContext, left: nodes.Expr, right: nodes.Expr, operator: str, facts: Facts
) -> tuple[Expr, Expr]:
    """Check both sides of a comparison; refuse a comparison whose outcome is always the same."""
    left_value, left_type = check_json(context, left, facts)
    right_value, right_type = check_json(context, right, facts)
    types = context.types
    if operator in ("eq", "ne"):
        for type, node in ((left_type, left), (right_type, right)):
            if types.collect_kinds(type) & {"array", "object"}:
                context.refuse_unsupported(f"the comparison of {types.describe_type(type)}", node, "compare its parts")
        if not _may_be_equal(context, left_type, right_type):
            described = [_describe_operand(context, left_value.expr, left_type)]
            described.append(_describe_operand(context, right_value.expr, right_type))
            context.refuse_type(" never equals ".join(described), right, _list_choices(context, left_type))
    elif not any(
        types.has_only_kinds(left_type, kinds) and types.has_only_kinds(right_type, kinds)
        for kinds in (NUMERIC_KINDS, ("string",))
    ):
        message = f"`{_PYTHON_OPERATORS.get(operator, operator)}` needs two numbers or two strings, and these are "
        context.refuse_type(f"{message}{types.describe_type(left_type)} and {types.describe_type(right_type)}", right)
    return left_value.expr, right_value.expr


# --- equality --------------------------------------------------------------------------------------------------------
def _make_equality_condition(context: CheckContext, expr: Expr, type: JsonType, other: Expr, facts: Facts) -> Condition:
    """Return the condition that two expressions are equal; a constant narrows the type of the first."""
    test = Compare(expr, (("==", other),))
    if not isinstance(other, Constant) or other.value is None:
        return make_condition(test, facts)
    value = other.value
    yes = facts.with_type(expr, narrow_by_equality(context.types, type, value, True))
    no = facts.with_type(expr, narrow_by_equality(context.types, type, value, False))
    if isinstance(value, int | float):
        yes, no = (yes.with_nonzero(expr), no) if value else (yes, no.with_nonzero(expr))
    if isinstance(expr, Attribute):
        yes, no = _narrow_base(context, expr, value, yes, no)
    return Condition(test, yes, no)


def _narrow_base(context: CheckContext, expr: Attribute, value: object, yes: Facts, no: Facts) -> tuple[Facts, Facts]:
    base_type = context.declared_types.get(expr.base)
    if base_type is None:
        return yes, no
    atoms = context.types.split_atoms(yes.types.get(expr.base, base_type))
    constants: dict[JsonType, Choice] = {}
    for atom in atoms:
        field = context.types.get_fields(atom).get(expr.name)
        if field is None or field.presence is not Presence.REQUIRED or not isinstance(field.type, Choice):
            return yes, no
        constants[atom] = field.type
    equal = [atom for atom in atoms if value in constants[atom].values]
    unequal = [atom for atom in atoms if constants[atom].values != (value,)]
    if equal and len(equal) < len(atoms):
        yes = yes.with_type(expr.base, join_types(*equal))
    if unequal and len(unequal) < len(atoms):
        no = no.with_type(expr.base, join_types(*unequal))
    return yes, no


def _may_be_equal(context: CheckContext, left: JsonType, right: JsonType) -> bool:
    return any(
        any(left_value == right_value for left_value in left_atom.values for right_value in right_atom.values)
        if isinstance(left_atom, Choice) and isinstance(right_atom, Choice)
        else bool(_collect_comparable_kinds(context, left_atom) & _collect_comparable_kinds(context, right_atom))
        for left_atom in context.types.split_atoms(left)
        for right_atom in context.types.split_atoms(right)
    )


def _collect_comparable_kinds(context: CheckContext, type: JsonType) -> frozenset[str]:
    """Return the kinds whose values may equal one of a type: numbers and booleans are comparable in Python."""
    numbers = NUMERIC_KINDS | {"boolean"}
    kinds = context.types.collect_kinds(type)
    if "value" in kinds:
        return numbers | {"string", "null", "array", "object"}
    return kinds | numbers if kinds & numbers else kinds


# --- containment -----------------------------------------------------------------------------------------------------
def _check_containment(context: CheckContext, left: nodes.Expr, operator: str, right: nodes.Expr, facts: Facts) -> Expr:
    value, type = check_json(context, left, facts)
    types, symbol = context.types, _PYTHON_OPERATORS[operator]
    container = convert_to_json(context, check_defined(context, right, facts))
    if is_json(container.type):
        atoms = types.split_atoms(container.type)
        if types.has_only_kinds(container.type, ("string",)) and types.has_only_kinds(type, ("string",)):
            return Compare(convert_to_text(types, value.expr, type), ((symbol, container.expr),))
        if all(isinstance(atom, Map) for atom in atoms) and types.has_only_kinds(type, ("string",)):
            return Compare(value.expr, ((symbol, container.expr),))
        if "object" in types.collect_kinds(container.type):
            context.refuse_unsupported("`in` with an object", right, "use `is defined`")
    expr, item = get_items(context, container, right, f"`{symbol}`")
    if not is_json(item) or (types.collect_kinds(item) | types.collect_kinds(type)) & {"array", "object"}:
        context.refuse_unsupported("`in` with lists of lists or objects", right)
    if isinstance(expr, ListLiteral):
        for member, node in zip(expr.items, getattr(right, "items", ()), strict=False):
            if isinstance(member, Constant) and not _may_be_equal(context, type, get_literal_type(member.value)):
                message = f"{types.describe_type(type)} never equals {_quote_value(member.value)}"
                context.refuse_type(message, node, _list_choices(context, type))
    elif not _may_be_equal(context, type, item):
        operand = _describe_operand(context, value.expr, type)
        message = f"{operand} is never in a list of {types.describe_type(item)}"
        context.refuse_type(message, left, _list_choices(context, item))
    return Compare(value.expr, ((symbol, expr),))


# --- messages --------------------------------------------------------------------------------------------------------
def _describe_operand(context: CheckContext, expr: Expr, type: JsonType) -> str:
    return _quote_value(expr.value) if isinstance(expr, Constant) else context.types.describe_type(type)


def _quote_value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _list_choices(context: CheckContext, type: JsonType) -> str:
    values = [value for atom in context.types.split_atoms(type) if isinstance(atom, Choice) for value in atom.values]
    return f"it is one of {', '.join(map(_quote_value, values))}" if len(values) > 1 else ""


# --- tests: `value is name(…)` ---------------------------------------------------------------------------------------
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
    def check_kind(context: CheckContext, node: nodes.Test, facts: Facts) -> Condition:
        value = check_defined(context, node.node, facts)
        if not is_json(value.type):
            context.refuse_type(f"`is {name}` of {context.types.describe_type(value.type)}", node)
        if kinds == ("integer",) and "number" in context.types.collect_kinds(value.type):
            help = "use `is number`, or `type: integer` in the schema"
            context.refuse_unsupported("`is integer` of a number", node, help)
        return _make_kind_condition(context, value, lambda atom: context.types.get_kind(atom) in kinds, node, facts)

    return JinjaTest(name, check_kind, "any JSON value")


def _make_boolean_test(name: str, outcome: bool) -> JinjaTest:
    def check_boolean(context: CheckContext, node: nodes.Test, facts: Facts) -> Condition:
        value, type = check_json(context, node.node, facts)
        if not context.types.has_only_kinds(type, ("boolean",)):
            message = f"`is {name}` needs a boolean, and this is {context.types.describe_type(type)}"
            context.refuse_type(message, node.node)
        return _make_equality_condition(context, value.expr, type, Constant(outcome), facts)

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
