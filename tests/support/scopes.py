"""A scope with classes and a recursive alias, and some types."""

from __future__ import annotations

from mcpgen.ir.types import (
    Alias,
    Array,
    Choice,
    Field,
    Node,
    ObjectClass,
    Presence,
    Ref,
    Scalar,
    ScalarKind,
    Type,
    Union,
)
from mcpgen.render.scope import Scope

STRING, INTEGER, NULL = Scalar(ScalarKind.STRING), Scalar(ScalarKind.INTEGER), Scalar(ScalarKind.NULL)
DATE = Scalar(ScalarKind.DATE)


def make_class(node_id: str, *fields: Field, extra: Type | None = None) -> ObjectClass:
    return ObjectClass(node_id, "", ((node_id,),), fields, extra)


WIND = make_class("wind", Field("speed", INTEGER, Presence.REQUIRED))
CALM = make_class("calm", Field("kind", Choice(("calm",)), Presence.REQUIRED))
STORM = make_class("storm", Field("kind", Choice(("storm",)), Presence.REQUIRED))
TREE = Alias("tree", "", (("tree",),), Union((STRING, Array(Ref("tree")), NULL)))
NODES: list[Node] = [WIND, CALM, STORM, TREE]
SCOPE = Scope(
    {node.id: node.id.capitalize() for node in NODES}, {node.id: node for node in NODES}, {"wind": "WindDict"}
)
