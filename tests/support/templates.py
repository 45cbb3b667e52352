"""A small result class, and checkers for templates over it, for the unit tests of `mcpgen.content`."""

from __future__ import annotations

from jinja2 import nodes
from mcpgen.content.context import TemplateRefused, TemplateVariable
from mcpgen.content.statements import StatementChecker, check_template
from mcpgen.content.syntax import parse_jinja
from mcpgen.content.type_lookup import BOOLEAN, INTEGER, NUMBER, STRING, TypeLookup
from mcpgen.content.values import Condition, Facts, Value
from mcpgen.ir.package import SchemaRoot
from mcpgen.ir.template import Attribute, Statement, This
from mcpgen.ir.types import (
    ANY,
    NULL,
    Array,
    Choice,
    Field,
    FixedArray,
    Map,
    Node,
    ObjectClass,
    Presence,
    Ref,
    Scalar,
    ScalarKind,
    Type,
    Union,
)


def required(wire: str, type: Type) -> Field:
    return Field(wire, type, Presence.REQUIRED)


def make_class(id: str, *fields: Field, extra: Type | None = None) -> ObjectClass:
    return ObjectClass(id, f"/{id}", ((id,),), fields, extra)


RESULT = This(False)
MASTER = make_class("Master", required("name", STRING), Field("phone", STRING, Presence.OPTIONAL))
ARRIVAL = make_class("Arrival", required("kind", Choice(("arrival",))), required("berth", INTEGER))
DEPARTURE = make_class("Departure", required("kind", Choice(("departure",))), required("port", STRING))
HARBOUR = make_class(
    "Harbour",
    required("name", STRING),
    required("count", INTEGER),
    required("wind", NUMBER),
    required("depth", Scalar(ScalarKind.NUMBER, (("gt", 0),))),
    required("open", BOOLEAN),
    required("state", Choice(("open", "closed"))),
    required("tags", Array(STRING)),
    required("levels", Array(NUMBER, (("min_length", 1),))),
    required("crew", Array(Ref("Master"))),
    required("pair", FixedArray((STRING, NUMBER))),
    required("prices", Map(NUMBER)),
    required("extra", ANY),
    required("stamp", Scalar(ScalarKind.BASE64)),
    required("day", Scalar(ScalarKind.DATE)),
    required("master", Ref("Master")),
    required("deputy", Union((Ref("Master"), NULL))),
    required("event", Union((Ref("Arrival"), Ref("Departure")))),
    required("note", Union((STRING, NULL))),
    Field("gusts", NUMBER, Presence.OPTIONAL),
    Field("rank", STRING, Presence.OPTIONAL_NULLABLE),
)
NODES: dict[str, Node] = {node.id: node for node in (HARBOUR, MASTER, ARRIVAL, DEPARTURE)}
TYPES = TypeLookup(NODES)
HARBOUR_ROOT = SchemaRoot(Ref("Harbour"), tuple(NODES.values()), ())


def field(name: str) -> Attribute:
    """Return the expression for a property of the result."""
    return Attribute(RESULT, name)


def parse_expression(text: str) -> nodes.Expr:
    """Return the syntax tree of an expression, as it is in `{{ … }}`."""
    output = parse_jinja("{{ " + text + " }}").body[0]
    assert isinstance(output, nodes.Output)
    return output.nodes[0]


class Checker(StatementChecker):
    """A checker in which `result` is a harbour, and which keeps its problems."""

    def __init__(self) -> None:
        super().__init__(TYPES)
        self.scope.define("result", TemplateVariable(Value(RESULT, Ref("Harbour"))))

    @property
    def messages(self) -> list[str]:
        return [problem.message for problem in self.problems]


def value_of(text: str, facts: Facts | None = None) -> Value:
    """Return what the checker returns for an expression over `result`."""
    return Checker().check_value(parse_expression(text), facts or Facts())


def condition_of(text: str) -> Condition:
    return Checker().check_condition(parse_expression(text), Facts())


def refusal_of(text: str) -> str:
    """Return the message for an expression that is refused."""
    checker = Checker()
    try:
        checker.check_value(parse_expression(text), Facts())
    except TemplateRefused:
        (message,) = checker.messages
        return message
    raise AssertionError(f"{text} was accepted")


def statements_of(template: str) -> tuple[Statement, ...]:
    """Return the statements of a template over a harbour, which has no problems."""
    statements, problems = check_template(template, HARBOUR_ROOT, NODES)
    assert problems == []
    return statements


def problems_of(template: str) -> list[tuple[str, str, int]]:
    """Return the codes, messages and offsets of a template's problems."""
    _, problems = check_template(template, HARBOUR_ROOT, NODES)
    return [(problem.code, problem.message, problem.offset) for problem in problems]
