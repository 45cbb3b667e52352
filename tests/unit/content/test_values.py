"""Absent values that Python represents by None."""

from __future__ import annotations

from mcpgen.content.value_types import STRING
from mcpgen.content.values import Absence, Value, is_none_when_absent
from mcpgen.ir.template import Attribute, Call, IsNone, IsSet, Local, Not

BASE = Local("base")
PHONE = Attribute(BASE, "phone")


def test_an_optional_property_is_none_when_it_is_absent() -> None:
    assert is_none_when_absent(Value(PHONE, STRING, Absence(Not(IsNone(PHONE)), "")))
    assert is_none_when_absent(Value(PHONE, STRING, Absence(IsSet(BASE, "phone"), "")))


def test_a_property_of_an_absent_object_is_not_none() -> None:
    assert not is_none_when_absent(Value(PHONE, STRING, Absence(Not(IsNone(BASE)), "")))
    assert not is_none_when_absent(Value(PHONE, STRING, Absence(IsSet(BASE, "rank"), "")))
    assert not is_none_when_absent(Value(PHONE, STRING, Absence(Call("has_item", (BASE,)), "")))


def test_a_value_that_is_always_present() -> None:
    assert not is_none_when_absent(Value(PHONE, STRING))
