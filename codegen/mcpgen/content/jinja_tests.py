"""Tests (`is …`) and comparisons: the Python conditions for them, and what they show."""

from __future__ import annotations

from collections.abc import Callable

from jinja2 import nodes

from mcpgen.content.context import CheckContext
from mcpgen.content.narrowing import Condition, Facts, Value, negate_test
from mcpgen.content.value_types import NULL, NUMERIC_KINDS, get_literal_type, is_json, join_types
from mcpgen.ir.template import Attribute, Call, Compare, Constant, Expr, ListLiteral, Method, Operation
from mcpgen.ir.types import Choice, Map, Presence
from mcpgen.ir.types import Type as JsonType

_KINDS_BY_TEST = {
    "none": ("null",),
    "string": ("string",),
    "number": ("integer", "number", "boolean"),
    "integer": ("integer",),
    "boolean": ("boolean",),
    "mapping": ("object",),
    "sequence": ("string", "array", "object"),
    "iterable": ("string", "array", "object"),
}
"""The tests that ask for the kind of a value."""
_OPERATOR_SYMBOLS = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "lteq": "<=",
    "gt": ">",
    "gteq": ">=",
    "in": "in",
    "notin": "not in",
}
_OPERATORS_BY_TEST = {
    **{"eq": "eq", "==": "eq", "equalto": "eq", "ne": "ne", "!=": "ne", "lt": "lt", "<": "lt", "lessthan": "lt"},
    **{"le": "lteq", "<=": "lteq", "gt": "gt", ">": "gt", "greaterthan": "gt", "ge": "gteq", ">=": "gteq", "in": "in"},
}
"""The tests that are comparisons."""
_OTHER_TESTS = ("defined", "undefined", "true", "false", "even", "odd", "divisibleby", "lower", "upper")
TESTS = (*_KINDS_BY_TEST, *_OPERATORS_BY_TEST, *_OTHER_TESTS)


def check_test(context: CheckContext, node: nodes.Test, facts: Facts) -> Condition:
    """`value is name(…)`."""
    if node.name not in TESTS:
        known = ", ".join(sorted(name for name in TESTS if name.isalpha()))
        context.refuse_unsupported(f"the test `{node.name}`", node, f"there is {known}")
    wanted = 1 if node.name in _OPERATORS_BY_TEST or node.name == "divisibleby" else 0
    if len(node.args) != wanted or node.kwargs or node.dyn_args or node.dyn_kwargs:
        context.refuse_unsupported(f"the test `{node.name}` with these arguments", node)
    if node.name in ("defined", "undefined"):
        return _check_defined(context, node, facts)
    if node.name in _OPERATORS_BY_TEST:
        return check_comparison(context, node.node, _OPERATORS_BY_TEST[node.name], node.args[0], facts)
    if node.name in _KINDS_BY_TEST:
        return _check_kind_test(context, node, _KINDS_BY_TEST[node.name], facts)
    if node.name in ("true", "false"):
        value, type = context.check_json(node.node, facts)
        if context.types.has_only_kinds(type, ("boolean",)):
            return _make_equality_condition(context, value.expr, type, Constant(node.name == "true"), facts, False)
        context.refuse_type(
            f"`is {node.name}` needs a boolean, and this is {context.types.describe_type(type)}", node.node
        )
    if node.name in ("lower", "upper"):
        return _make_condition(Method(context.check_text(node.node, facts), f"is{node.name}"), facts)
    by: Expr = Constant(2)
    if node.name == "divisibleby":
        by, _ = context.check_number(node.args[0], facts, "`divisibleby`")
        if not (isinstance(by, Constant) and by.value):
            context.refuse_unsupported("`divisibleby` with anything but a literal number that is not 0", node.args[0])
    number, _ = context.check_number(node.node, facts, f"`is {node.name}`")
    left = Constant(1 if node.name == "odd" else 0)
    return _make_condition(Compare(Operation("%", number, by), (("==", left),)), facts)


def _make_condition(expr: Expr, facts: Facts) -> Condition:
    return Condition(expr, facts, facts)


def _check_defined(context: CheckContext, node: nodes.Test, facts: Facts) -> Condition:
    value = context.check_value(node.node, facts)
    if value.absent is None:
        out = _make_condition(Constant(True), facts)
    else:
        out = Condition(value.absent.present, facts.with_present(value), facts)
    if node.name == "defined":
        return out
    return Condition(negate_test(out.expr), out.no, out.yes)


def _check_kind_test(context: CheckContext, node: nodes.Test, kinds: tuple[str, ...], facts: Facts) -> Condition:
    value = context.check_defined(node.node, facts)
    if not is_json(value.type):
        context.refuse_type(f"`is {node.name}` of {context.types.describe_type(value.type)}", node)
    if "integer" in kinds and len(kinds) == 1 and "number" in context.types.collect_kinds(value.type):
        context.refuse_unsupported(
            "`is integer` of a number", node, "use `is number`, or `type: integer` in the schema"
        )

    def yes(atom: JsonType) -> bool:
        return context.types.get_kind(atom) in kinds

    return make_kind_condition(context, value, yes, node, facts)


def make_kind_condition(
    context: CheckContext, value: Value, yes: Callable[[JsonType], bool], node: nodes.Expr, facts: Facts
) -> Condition:
    """The test that a value is one of some atoms."""
    assert is_json(value.type)
    try:
        expr, narrowed = context.types.make_instance_test(value.expr, value.type, yes)
        other = context.types.make_instance_test(value.expr, value.type, lambda atom: not yes(atom))[1]
    except ValueError:
        context.refuse_unsupported("a test between strings and dates of `formats = native`", node)
    if isinstance(expr, Constant):
        return _make_condition(expr, facts)
    return Condition(expr, facts.with_type(value.expr, narrowed), facts.with_type(value.expr, other))


# --- comparisons -----------------------------------------------------------------------------------------------------
def check_comparison(context: CheckContext, left: nodes.Expr, op: str, right: nodes.Expr, facts: Facts) -> Condition:
    """`left op right`, with what it shows of the left side."""
    if op in ("in", "notin"):
        return _make_condition(_check_containment(context, left, op, right, facts), facts)
    for one, other in ((left, right), (right, left)):
        if isinstance(other, nodes.Const) and other.value is None and op in ("eq", "ne"):
            out = make_kind_condition(context, context.check_defined(one, facts), lambda atom: atom == NULL, one, facts)
            return out if op == "eq" else Condition(negate_test(out.expr), out.no, out.yes)
    first, second = check_operands(context, left, right, op, facts)
    if op in ("eq", "ne"):
        type = context.check_json(left, facts)[1]
        return _make_equality_condition(context, first, type, second, facts, op == "ne")
    yes, no = facts, facts
    if isinstance(second, Constant) and isinstance(second.value, int | float):
        yes, no = _narrow_to_nonzero(first, op, second.value, facts)
    elif isinstance(first, Constant) and isinstance(first.value, int | float):
        mirrored = {"lt": "gt", "lteq": "gteq", "gt": "lt", "gteq": "lteq"}[op]
        yes, no = _narrow_to_nonzero(second, mirrored, first.value, facts)
    return Condition(Compare(first, ((_OPERATOR_SYMBOLS[op], second),)), yes, no)


def _narrow_to_nonzero(expr: Expr, op: str, bound: float, facts: Facts) -> tuple[Facts, Facts]:
    met = {"gt": bound >= 0, "gteq": bound > 0, "lt": bound <= 0, "lteq": bound < 0}[op]
    unmet = {"gt": bound < 0, "gteq": bound <= 0, "lt": bound > 0, "lteq": bound >= 0}[op]
    return (_mark_truthy(expr, facts) if met else facts), (_mark_truthy(expr, facts) if unmet else facts)


def _mark_truthy(expr: Expr, facts: Facts) -> Facts:
    """That an expression is not 0, and with a length that what it counts is not empty."""
    if isinstance(expr, Call) and expr.function == "len":
        facts = facts.with_truthy(expr.arguments[0])
    return facts.with_truthy(expr)


def check_operands(
    context: CheckContext, left: nodes.Expr, right: nodes.Expr, op: str, facts: Facts
) -> tuple[Expr, Expr]:
    """Both sides of a comparison that can have either outcome."""
    (one, one_type), (two, two_type) = context.check_json(left, facts), context.check_json(right, facts)
    types = context.types
    shared = _find_shared_kinds(context, one_type, two_type)
    numeric = NUMERIC_KINDS
    if op in ("eq", "ne"):
        for type, node in ((one_type, left), (two_type, right)):
            if types.collect_kinds(type) & {"array", "object"}:
                context.refuse_unsupported(f"the comparison of {types.describe_type(type)}", node, "compare its parts")
        if not shared or not _may_be_equal(context, one_type, two_type):
            context.refuse_type(
                f"{_describe_operand(context, one, one_type)} never equals {_describe_operand(context, two, two_type)}",
                right,
                _describe_choices(context, one_type),
            )
    elif not any(
        types.has_only_kinds(one_type, kinds) and types.has_only_kinds(two_type, kinds)
        for kinds in (numeric, ("string",))
    ):
        message = f"`{_OPERATOR_SYMBOLS.get(op, op)}` needs two numbers or two strings, and these are "
        context.refuse_type(f"{message}{types.describe_type(one_type)} and {types.describe_type(two_type)}", right)
    return one.expr, two.expr


def _describe_operand(context: CheckContext, value: Value, type: JsonType) -> str:
    return _quote_value(value.expr.value) if isinstance(value.expr, Constant) else context.types.describe_type(type)


def _quote_value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _describe_choices(context: CheckContext, type: JsonType) -> str:
    values = [value for atom in context.types.split_atoms(type) if isinstance(atom, Choice) for value in atom.values]
    return f"it is one of {', '.join(map(_quote_value, values))}" if len(values) > 1 else ""


def _find_shared_kinds(context: CheckContext, one: JsonType, two: JsonType) -> frozenset[str]:
    numbers = NUMERIC_KINDS | {"boolean"}

    def wide(type: JsonType) -> frozenset[str]:
        kinds = context.types.collect_kinds(type)
        if "value" in kinds:
            return numbers | {"string", "null", "array", "object"}
        return kinds | numbers if kinds & numbers else kinds

    return wide(one) & wide(two)


def _may_be_equal(context: CheckContext, one: JsonType, two: JsonType) -> bool:
    """Whether two types have a value in common, constants looked at one by one."""
    for a in context.types.split_atoms(one):
        for b in context.types.split_atoms(two):
            if isinstance(a, Choice) and isinstance(b, Choice):
                if any(v == w for v in a.values for w in b.values):
                    return True
            elif _find_shared_kinds(context, a, b):
                return True
    return False


def _make_equality_condition(
    context: CheckContext, expr: Expr, type: JsonType, other: Expr, facts: Facts, negated: bool
) -> Condition:
    test: Expr = Compare(expr, (("!=" if negated else "==", other),))
    if not isinstance(other, Constant) or other.value is None:
        return _make_condition(test, facts)
    value = other.value
    same = context.types.filter_atoms(type, lambda atom: _keep_equal(atom, value))
    rest = context.types.filter_atoms(type, lambda atom: _remove_equal(atom, value))
    yes, no = facts.with_type(expr, same), facts.with_type(expr, rest)
    if isinstance(value, int | float):
        yes, no = (_mark_truthy(expr, yes), no) if value else (yes, _mark_truthy(expr, no))
    if isinstance(expr, Attribute):
        yes, no = _narrow_base(context, expr, value, yes, no)
    return Condition(test, no, yes) if negated else Condition(test, yes, no)


def _keep_equal(atom: JsonType, value: object) -> JsonType | None:
    if isinstance(atom, Choice):
        left = tuple(one for one in atom.values if one == value)
        return Choice(left) if left else None
    return None if atom == NULL else atom


def _remove_equal(atom: JsonType, value: object) -> JsonType | None:
    if isinstance(atom, Choice):
        left = tuple(one for one in atom.values if one != value)
        return Choice(left) if left else None
    return atom


def _narrow_base(context: CheckContext, expr: Attribute, value: object, yes: Facts, no: Facts) -> tuple[Facts, Facts]:
    """A property that is a constant in each object of a union tells the objects apart."""
    base = context.declared.get(expr.base)
    if base is None:
        return yes, no
    base = yes.types.get(expr.base, base)
    atoms = context.types.split_atoms(base)
    held: dict[JsonType, Choice] = {}
    for atom in atoms:
        field = context.types.get_fields(atom).get(expr.name)
        if field is None or field.presence is not Presence.REQUIRED or not isinstance(field.type, Choice):
            return yes, no
        held[atom] = field.type
    same = [atom for atom in atoms if value in held[atom].values]
    rest = [atom for atom in atoms if held[atom].values != (value,)]
    if same and len(same) < len(atoms):
        yes = yes.with_type(expr.base, join_types(*same))
    if rest and len(rest) < len(atoms):
        no = no.with_type(expr.base, join_types(*rest))
    return yes, no


def _check_containment(context: CheckContext, left: nodes.Expr, op: str, right: nodes.Expr, facts: Facts) -> Expr:
    one, one_type = context.check_json(left, facts)
    types, symbol = context.types, _OPERATOR_SYMBOLS[op]
    container = context.convert_to_json(context.check_defined(right, facts))
    if is_json(container.type):
        atoms = types.split_atoms(container.type)
        if types.has_only_kinds(container.type, ("string",)) and types.has_only_kinds(one_type, ("string",)):
            return Compare(context.convert_to_text(one.expr, one_type), ((symbol, container.expr),))
        if all(isinstance(atom, Map) for atom in atoms) and types.has_only_kinds(one_type, ("string",)):
            return Compare(one.expr, ((symbol, container.expr),))
        if "object" in types.collect_kinds(container.type):
            context.refuse_unsupported("`in` with an object", right, "use `is defined`")
    expr, item = context.check_items_of(container, right, f"`{symbol}`")
    if (
        not is_json(item)
        or types.collect_kinds(item) & {"array", "object"}
        or types.collect_kinds(one_type) & {"array", "object"}
    ):
        context.refuse_unsupported("`in` with lists of lists or objects", right)
    if isinstance(expr, ListLiteral):
        for member, node in zip(expr.items, getattr(right, "items", ()), strict=False):
            if isinstance(member, Constant) and not _may_be_equal(context, one_type, get_literal_type(member.value)):
                message = f"{types.describe_type(one_type)} never equals {_quote_value(member.value)}"
                context.refuse_type(message, node, _describe_choices(context, one_type))
    elif not _may_be_equal(context, one_type, item):
        context.refuse_type(
            f"{_describe_operand(context, one, one_type)} is never in a list of {types.describe_type(item)}",
            left,
            _describe_choices(context, item),
        )
    return Compare(one.expr, ((symbol, expr),))
