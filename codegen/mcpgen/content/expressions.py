"""Expressions of a template, held against the types of what they speak of."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from math import isfinite
from typing import Any, NoReturn, TypeVar

from jinja2 import nodes

from mcpgen.content import attributes, filters, jinja_tests, operators
from mcpgen.content.messages import format_expression, quote_expression
from mcpgen.content.narrowing import (
    Condition,
    Facts,
    LoopState,
    TemplateProblem,
    TemplateRefused,
    TemplateVariable,
    Value,
    conjoin_tests,
    disjoin_tests,
    is_none_when_absent,
    negate_test,
)
from mcpgen.content.value_types import (
    BOOLEAN,
    INTEGER,
    NULL,
    NUMBER,
    NUMERIC_KINDS,
    STRING,
    TypeLookup,
    get_literal_type,
    is_json,
    join_types,
    widen_type,
)
from mcpgen.ir.template import (
    TRUE,
    Call,
    Concat,
    Constant,
    Expr,
    IsNone,
    KeyValuePair,
    ListLiteral,
    Local,
    Markup,
    Not,
    Stream,
    TemplateType,
    ToJson,
    ToString,
    make_comprehension,
)
from mcpgen.ir.types import ANY, Array, Choice, FixedArray, Map, Ref, Scalar, ScalarKind, Union
from mcpgen.ir.types import Type as JsonType
from mcpgen.names.casing import convert_to_snake_case
from mcpgen.names.reserved import IMPORT_SOURCES

_RESERVED_LOCALS = frozenset(IMPORT_SOURCES) | frozenset(
    "abs bool bytes dict enumerate float int isinstance iter len list max min next parts range reversed round self set "
    "sorted str sum tuple type".split()
)
"""Names that the generated code needs itself."""


_MAX_EXPRESSION_DEPTH = 40
T = TypeVar("T")


class ExpressionChecker:
    """The part of the checker that reads expressions. What is wrong is noted, and `TemplateRefused` is raised."""

    def __init__(self, types: TypeLookup) -> None:
        self.types = types
        self.problems: list[TemplateProblem] = []
        self.variables: dict[str, TemplateVariable] = {}
        self.declared: dict[Expr, JsonType] = {}
        self.loop: LoopState | None = None
        self.where = "the result"
        self._depth = 0
        self._read: dict[tuple[str, int, int], tuple[nodes.Expr, Facts, Any]] = {}
        self._used: set[str] = set()
        self._inside: frozenset[str] = frozenset()

    # --- problems and names ---------------------------------------------------------------------------------------
    def refuse(self, code: str, message: str, node: nodes.Node | int, help: str = "") -> NoReturn:
        """Note a problem and give up what is around it."""
        at = node if isinstance(node, int) else node.lineno + isinstance(node, nodes.Getattr)  # behind the dot
        self.problems.append(TemplateProblem(code, message, at, help))
        raise TemplateRefused

    def refuse_unsupported(self, what: str, node: nodes.Node, help: str = "") -> NoReturn:
        """Refuse what cannot be compiled."""
        self.refuse("MG502", f"{what} cannot be compiled", node, help)

    def refuse_type(self, message: str, node: nodes.Node, help: str = "") -> NoReturn:
        """Refuse a value of the wrong type."""
        self.refuse("MG505", message, node, help)

    def make_local(self, name: str) -> Local:
        """A Python variable that nothing else has."""
        stem = convert_to_snake_case(name).strip("_") or "item"
        stem = f"{stem}_" if stem in _RESERVED_LOCALS or not stem.isidentifier() or stem in _KEYWORDS else stem
        python, number = stem, 1
        while python in self._used:
            number += 1
            python = f"{stem}{number}" if stem.endswith("_") else f"{stem}_{number}"
        self._used.add(python)
        return Local(python)

    def make_temporary(self) -> Local:
        """The variable of a comprehension or lambda, which may have the name of others beside it."""
        name, number = "item", 1
        while name in self._used or name in self._inside:
            number += 1
            name = f"item_{number}"
        return Local(name)

    @contextmanager
    def bind_variable(self, name: str, value: Value) -> Generator[None]:
        """A variable that holds for a while."""
        before, temporaries = dict(self.variables), self._inside
        self.variables[name] = TemplateVariable(value)
        if isinstance(value.expr, Local):
            self._inside = temporaries | {value.expr.name}
        try:
            yield
        finally:
            self.variables, self._inside = before, temporaries

    # --- values ---------------------------------------------------------------------------------------------------
    def check_defined(self, node: nodes.Expr, facts: Facts) -> Value:
        """A value that is there for sure."""
        value = self.check_value(node, facts)
        if value.absent is not None:
            text = format_expression(node)
            help = f"guard it: {{% if {text} is defined %}}, or give a default: {text} | default(…)"
            if isinstance(node, nodes.CondExpr):
                help = "give the inline `if` an `else`"
            elif isinstance(node, nodes.Filter):
                help = "give a default: … | default(…)"
            self.refuse("MG504", value.absent.why, node, help)
        return value

    def check_json(self, node: nodes.Expr, facts: Facts) -> tuple[Value, JsonType]:
        """A value that is there and a JSON value, in the form that comparisons and functions take."""
        value = self.check_defined(node, facts)
        if not is_json(value.type):
            help = "add `| list`" if isinstance(value.type, Stream) else ""
            self.refuse_type(f"{quote_expression(node)} is {self.types.describe_type(value.type)}", node, help)
        value = self.convert_to_json(value)
        assert is_json(value.type)
        return value, value.type

    def check_value(self, node: nodes.Expr, facts: Facts) -> Value:
        """Any value, with what is known of its type and presence at this place."""
        return self._once(self._value, node, facts)

    def _once(self, read: Callable[[nodes.Expr, Facts], T], node: nodes.Expr, facts: Facts) -> T:
        """What is read of a node, which is asked for several times and not worked out again."""
        key = (read.__name__, id(node), id(facts))
        if key not in self._read:
            self._depth += 1
            try:
                if (
                    self._depth > _MAX_EXPRESSION_DEPTH
                ):  # Python's own parser, which reads what comes of it, has an end too
                    self.refuse_unsupported(f"what is nested more than {_MAX_EXPRESSION_DEPTH} levels deep", node)
                self._read[key] = (node, facts, read(node, facts))
            except TemplateRefused:
                self._read[key] = (node, facts, None)
                raise
            finally:
                self._depth -= 1
        found: T | None = self._read[key][2]
        if found is None:
            raise TemplateRefused
        return found

    def _value(self, node: nodes.Expr, facts: Facts) -> Value:
        match node:
            case nodes.Const(value=value):
                if isinstance(value, float) and not isfinite(value):
                    self.refuse_unsupported("a number beyond all floats", node)
                if isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value):
                    self.refuse_unsupported("half of a surrogate pair", node)
                return Value(Constant(value), get_literal_type(value))
            case nodes.Name():
                return self._known(attributes.check_name(self, node), facts)
            case nodes.Getattr(node=inner, attr=name):
                if isinstance(inner, nodes.Name) and inner.name == "loop" and "loop" not in self.variables:
                    return attributes.check_loop_member(self, node, name)
                return self._known(
                    attributes.check_member(self, self.check_defined(inner, facts), name, node, facts), facts
                )
            case nodes.Getitem():
                return self._known(attributes.check_item(self, node, facts), facts)
            case nodes.Filter():
                return filters.check_filter(self, node, facts)
            case nodes.Test() | nodes.Not() | nodes.Compare():
                return Value(self.check_condition(node, facts).expr, BOOLEAN)
            case nodes.And() | nodes.Or():
                return operators.check_logic(self, node, facts)
            case nodes.CondExpr():
                return operators.check_conditional(self, node, facts)
            case nodes.Concat(nodes=parts):
                return Value(Concat(tuple(self.check_text(part, facts) for part in parts)), STRING)
            case nodes.Neg() | nodes.Pos():
                return operators.check_sign(self, node, facts)
            case nodes.BinExpr():
                return operators.check_operation(self, node, facts)
            case nodes.List(items=items) | nodes.Tuple(items=items):
                values = [self.check_json(item, facts) for item in items]
                item = join_types(*(widen_type(type) for _, type in values)) if values else ANY
                kind: TemplateType = Array(item) if isinstance(node, nodes.List) else Stream(item)
                return Value(ListLiteral(tuple(value.expr for value, _ in values)), kind)
            case nodes.Call():
                return operators.check_call(self, node, facts)
            case _:
                self.refuse_unsupported(f"a {type(node).__name__.lower()}", node)

    def _known(self, value: Value, facts: Facts) -> Value:
        if is_json(value.type):
            self.declared[value.expr] = value.type
        absent = None if value.expr in facts.present else value.absent
        return Value(value.expr, facts.types.get(value.expr, value.type), absent)

    def check_text(self, node: nodes.Expr, facts: Facts) -> Expr:
        """What Jinja prints for a value, as a string."""
        value = self.check_defined(node, facts)
        if isinstance(value.type, Markup):
            return value.expr
        if not is_json(value.type):
            help = "add `| list` or `| join`" if isinstance(value.type, Stream) else "unpack it: {% for key, value in …"
            self.refuse_type(f"{self.types.describe_type(value.type)} has no text", node, help)
        return self.convert_to_text(value.expr, value.type)

    def convert_to_text(self, expr: Expr, type: JsonType) -> Expr:
        """The text of an expression of a known type."""
        if isinstance(expr, Constant) and not isinstance(expr.value, str):
            return Constant(str(expr.value))
        return expr if self._is_str(type) else ToString(expr, type)

    def _is_str(self, type: JsonType) -> bool:
        atoms = self.types.split_atoms(type)
        return all(
            atom == STRING or isinstance(atom, Choice) for atom in map(_drop_bounds, atoms)
        ) and self.types.has_only_kinds(type, ("string",))

    def convert_to_json(self, value: Value) -> Value:
        """A value as plain JSON, where its Python form is another one."""
        if isinstance(value.type, Stream):
            item = value.type.item
            if not is_json(item) or self._image(item) == item:
                return value
            name = self.make_temporary()
            return Value(
                make_comprehension(name, value.expr, ToJson(name, item)), Stream(self._image(item)), value.absent
            )
        if not is_json(value.type) or self._image(value.type) == value.type:
            return value
        return Value(ToJson(value.expr, value.type), self._image(value.type), value.absent)

    def _image(self, type: JsonType) -> JsonType:
        match type:
            case Scalar(
                kind=ScalarKind.BASE64 | ScalarKind.DATE_TIME | ScalarKind.DATE | ScalarKind.TIME | ScalarKind.UUID
            ):
                return STRING
            case Array(item=item, bounds=bounds):
                return Array(self._image(item), bounds)
            case FixedArray(items=items):
                bounds = (("min_length", len(items)),)
                return Array(join_types(*map(self._image, items)) if items else ANY, bounds)
            case Map(value=inner):
                return Map(self._image(inner))
            case Union(members=members):
                return (
                    join_types(*map(self._image, members)) if type != join_types(*map(self._image, members)) else type
                )
            case Ref():
                return Map(ANY) if self.types.get_class(type) else ANY
            case Scalar() | Choice():
                return type

    # --- names, members, items ------------------------------------------------------------------------------------
    def check_json_or_list(self, node: nodes.Expr, facts: Facts) -> tuple[Value, JsonType]:
        """A value, a list kept as it is, whatever its items are."""
        value = self.check_defined(node, facts)
        if is_json(value.type) and all(isinstance(atom, Array) for atom in self.types.split_atoms(value.type)):
            return value, value.type
        return self.check_json(node, facts)

    # --- loops' sources -------------------------------------------------------------------------------------------
    def check_iterable(self, node: nodes.Expr, facts: Facts, what: str) -> tuple[Expr, JsonType | KeyValuePair]:
        """What can be gone through, and the type of each item."""
        value = self.check_defined(node, facts)
        return self.check_items_of(value, node, what)

    def check_items_of(self, value: Value, node: nodes.Expr, what: str) -> tuple[Expr, JsonType | KeyValuePair]:
        """An expression that can be gone through, and the type of each item."""
        if isinstance(value.type, Stream):
            return value.expr, value.type.item
        if is_json(value.type):
            found: list[JsonType] = []
            for atom in self.types.split_atoms(value.type):
                match atom:
                    case Array(item=item):
                        found.append(item)
                    case FixedArray(items=items):
                        found += items or (ANY,)
                    case Map():
                        found.append(STRING)
                    case _:
                        self._no_list(value.type, node, what)
            return value.expr, join_types(*found) if len(found) > 1 else found[0]
        self._no_list(value.type, node, what)

    def _no_list(self, type: TemplateType, node: nodes.Expr, what: str) -> NoReturn:
        help = ""
        if is_json(type):
            kinds = self.types.collect_kinds(type)
            if kinds == frozenset(("array", "null")):
                text = format_expression(node)
                help = f"guard it: {{% if {text} %}}, or write {text} | default([], true)"
            elif kinds == frozenset(("object",)):
                help = "`| items` and `| dictsort` give its keys and values"
            elif "value" in kinds:
                test = f"{{% if {format_expression(node)} is mapping %}}"
                help = f"declare its items in the schema, or test it: {test} and so on"
        self.refuse_type(
            f"{what} needs a list, and {quote_expression(node)} is {self.types.describe_type(type)}", node, help
        )

    # --- operators ------------------------------------------------------------------------------------------------
    def check_number(self, node: nodes.Expr, facts: Facts, what: str) -> tuple[Expr, JsonType]:
        """A number."""
        value, type = self.check_json(node, facts)
        if not self.types.has_only_kinds(type, NUMERIC_KINDS):
            help = ""
            if self.types.has_only_kinds(type, NUMERIC_KINDS | {"null"}):
                help = f"guard it: {{% if {format_expression(node)} is not none %}}"
            message = f"{what} needs numbers, and {quote_expression(node)} is {self.types.describe_type(type)}"
            self.refuse_type(message, node, help)
        return value.expr, NUMBER if "number" in self.types.collect_kinds(type) else INTEGER

    # --- conditions -----------------------------------------------------------------------------------------------
    def check_condition(self, node: nodes.Expr, facts: Facts) -> Condition:
        """A test, with what it shows."""
        return self._once(self._condition, node, facts)

    def _condition(self, node: nodes.Expr, facts: Facts) -> Condition:
        match node:
            case nodes.Not(node=inner):
                one = self.check_condition(inner, facts)
                return Condition(negate_test(one.expr), one.no, one.yes)
            case nodes.And(left=left, right=right):
                one = self.check_condition(left, facts)
                two = self.check_condition(right, one.yes)
                return Condition(conjoin_tests([one.expr, two.expr]), two.yes, one.no.intersect_with(two.no))
            case nodes.Or(left=left, right=right):
                one = self.check_condition(left, facts)
                two = self.check_condition(right, one.no)
                return Condition(disjoin_tests(one.expr, two.expr), one.yes.intersect_with(two.yes), two.no)
            case nodes.Test():
                return jinja_tests.check_test(self, node, facts)
            case nodes.Compare():
                return operators.check_comparison_chain(self, node, facts)
            case _:
                return self._true(node, facts)

    def _true(self, node: nodes.Expr, facts: Facts) -> Condition:
        value = self.check_value(node, facts)
        type = value.type
        if not is_json(type):
            self.refuse_type(
                f"{self.types.describe_type(type)} is no condition",
                node,
                "add `| list`" if isinstance(type, Stream) else "",
            )
        absent = value.absent
        if absent is not None and is_none_when_absent(value):
            truth = self.make_truth_test(value.expr, join_types(type, NULL), node)
        else:
            truth = self.make_truth_test(value.expr, type, node)
            if absent is not None:
                truth = conjoin_tests([absent.present, truth])
        yes = facts.with_present(value).with_type(value.expr, self.types.narrow_to_truthy(type)).with_truthy(value.expr)
        if isinstance(value.expr, Call) and value.expr.function == "len":
            yes = yes.with_truthy(value.expr.arguments[0])
        no = facts if absent is not None else facts.with_type(value.expr, self.types.narrow_to_falsy(type))
        return Condition(truth, yes, no)

    def make_truth_test(self, expr: Expr, type: JsonType, node: nodes.Expr) -> Expr:
        """The condition that a value is true, as Jinja sees it."""
        if isinstance(expr, Constant):
            return Constant(bool(expr.value))
        atoms = self.types.split_atoms(type)
        if all(map(self.types.is_always_true, atoms)):
            return TRUE
        empty = [atom for atom in atoms if self.types.get_class(atom) and not self.types.has_required(atom)]
        if empty:
            if len(atoms) > 1:
                self.refuse_unsupported(
                    f"{self.types.describe_type(type)} as a condition", node, "use `is defined` or `is not none`"
                )
            return Call("members", (expr,))
        if NULL in atoms and all(isinstance(atom, Ref) or atom == NULL for atom in atoms):
            return Not(IsNone(expr))
        return expr

    # --- calls ----------------------------------------------------------------------------------------------------


_KEYWORDS = frozenset(
    "and as assert async await break class continue def del elif else except finally for from global if import in is "
    "lambda nonlocal not or pass raise return try while with yield".split()
)


def _drop_bounds(type: JsonType) -> JsonType:
    return Scalar(type.kind) if isinstance(type, Scalar) else type
