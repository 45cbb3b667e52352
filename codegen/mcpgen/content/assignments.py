"""Check `set`."""

from __future__ import annotations

from jinja2 import nodes

from mcpgen.content.context import CheckContext
from mcpgen.content.jinja_parser import cast_to_expr
from mcpgen.content.narrowing import Facts
from mcpgen.content.operands import check_defined
from mcpgen.content.problems import TemplateRefused
from mcpgen.content.scope import TemplateVariable
from mcpgen.content.value_types import is_json, widen_type
from mcpgen.content.values import Value
from mcpgen.ir.template import Assign, Constant, Expr, ListLiteral, Local, Markup, TemplateType


def check_assignment(context: CheckContext, node: nodes.Assign, facts: Facts) -> Assign:
    """Check `set name = value`, and define the variable."""
    target, scope = node.target, context.scope
    if not isinstance(target, nodes.Name):
        construct = "a `set` of several names" if isinstance(target, nodes.Tuple) else "a namespace"
        context.refuse_unsupported(construct, target)
    name = target.name
    try:
        expr, type = _check_assigned_value(context, node, facts)
        local = _find_reassigned_local(context, name, type, node)
    except TemplateRefused:
        scope.define(name, TemplateVariable(None))
        raise
    if local is None:
        local = scope.make_assigned_local(name, type)
    scope.record_assignment(local)
    scope.define(name, TemplateVariable(Value(local, type)))
    return Assign(local.name, expr)


def _check_assigned_value(context: CheckContext, node: nodes.Assign, facts: Facts) -> tuple[Expr, TemplateType]:
    value = check_defined(context, cast_to_expr(node.node), facts)
    if not is_json(value.type) and not isinstance(value.type, Markup):
        message = f"{context.types.describe_type(value.type)} cannot be kept"
        context.refuse_type(message, node.node, "add `| list`")
    if value.expr == ListLiteral(()):
        context.refuse_unsupported("an empty list in a variable", node.node)
    if is_json(value.type) and isinstance(value.expr, Constant):
        return value.expr, widen_type(value.type)
    return value.expr, value.type


def _find_reassigned_local(context: CheckContext, name: str, type: TemplateType, node: nodes.Assign) -> Local | None:
    """Return the Python variable that another `set` of a name assigns, None where it creates a new one."""
    scope = context.scope
    variable = scope.variables.get(name)
    if variable is None or variable.value is None:
        return None
    local = variable.value.expr
    if isinstance(local, Local) and scope.can_assign(local):
        if variable.value.type != type:
            describe = context.types.describe_type
            message = f"`{name}` was {describe(variable.value.type)} and becomes {describe(type)}"
            context.refuse_type(message, node, "use another name")
        return local
    if scope.is_in_branch:
        construct = f"the `set` of `{name}`, which is something else outside of the branch,"
        help = "use another name: what a branch sets would sometimes be this one and sometimes the other"
        context.refuse_unsupported(construct, node, help)
    return None
