"""Unions of many members."""

from __future__ import annotations

from mcpgen.ir.types import (
    Choice,
    Union,
)
from mcpgen.render.annotations import render_annotation
from mcpgen.render.unions import MAX_UNION_MEMBERS
from support.scopes import SCOPE


def test_a_large_union_is_bracketed() -> None:
    union = Union(tuple(Choice((f"v{number}",)) for number in range(MAX_UNION_MEMBERS + 1)))
    annotation = render_annotation(union, SCOPE)
    assert annotation.startswith('(Literal["v0"] | ')
    assert annotation.endswith(') | Literal["v100"]')
