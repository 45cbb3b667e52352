"""What annotations admit."""

from __future__ import annotations

from mcpgen.ir.types import (
    Array,
    Ref,
)
from mcpgen.render.unions import NULL
from support.scopes import SCOPE


def test_none_is_a_value_of_a_recursive_alias_that_admits_it() -> None:
    assert SCOPE.admits_none(Ref("tree"))
    assert not SCOPE.admits_none(Ref("wind"))
    assert not SCOPE.admits_none(Array(NULL))
