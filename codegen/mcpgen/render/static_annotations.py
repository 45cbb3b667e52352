"""Render annotations for type checkers and readers: parameters of constructors, and what handlers may return."""

from __future__ import annotations

from typing import assert_never

from mcpgen.ir.types import Array, Choice, FixedArray, Map, Ref, Scalar, Type, Union
from mcpgen.ir.visitors import collect_refs
from mcpgen.render.annotations import split_annotation
from mcpgen.render.scope import Scope
from mcpgen.render.unions import render_union


def render_static_annotation(node: Type, scope: Scope) -> str:
    """Return the annotation of a type without the metadata that only pydantic reads."""
    if alias := scope.render_alias(node):
        return alias
    match node:
        case Array(item=item):
            return f"list[{render_static_annotation(item, scope)}]"
        case FixedArray(items=items):
            return f"tuple[{', '.join(render_static_annotation(item, scope) for item in items) or '()'}]"
        case Map(value=value):
            return f"dict[str, {render_static_annotation(value, scope)}]"
        case Union(members=members):
            return render_union(members, scope, render_static_annotation)
        case Scalar() | Choice() | Ref():
            return split_annotation(node, scope)[0]
        case _:
            assert_never(node)


def render_handler_annotation(node: Type, scope: Scope) -> str:
    """Return the annotation of what a handler may return for a type: its classes, or their JSON objects."""
    if not any(key in scope.typed_dicts for key in collect_refs(node)):
        return render_static_annotation(node, scope)
    match node:
        case Ref(id=key):
            return f"{scope.names[key]} | {scope.typed_dicts[key]}"
        case Array(item=item):  # a Sequence, since list is invariant
            return f"Sequence[{render_handler_annotation(item, scope)}]"
        case FixedArray(items=items):
            return f"tuple[{', '.join(render_handler_annotation(item, scope) for item in items)}]"
        case Map(value=value):
            return f"Mapping[str, {render_handler_annotation(value, scope)}]"
        case Union(members=members):
            return render_union(members, scope, render_handler_annotation)
        case Scalar() | Choice():
            return render_static_annotation(node, scope)
        case _:
            assert_never(node)
