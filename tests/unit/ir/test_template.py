"""Nodes of checked templates are values."""

from __future__ import annotations

from mcpgen.ir.template import FALSE, TRUE, Attribute, Constant, Expr, If, Local, This, Write


def test_expressions_are_keys_by_their_content() -> None:
    facts: dict[Expr, str] = {Attribute(This(False), "name"): "present"}
    assert facts[Attribute(This(False), "name")] == "present"
    assert Attribute(This(True), "name") not in facts
    assert Local("name") not in facts


def test_constants() -> None:
    assert (TRUE.value, FALSE.value) == (True, False)


def test_statements_with_equal_content_are_equal() -> None:
    branches = ((TRUE, (Write(("text",)),)),)
    assert If(branches, ()) == If(((Constant(True), (Write(("text",)),)),), ())
    assert If(branches, ()) != If(branches, (Write(("text",)),))
