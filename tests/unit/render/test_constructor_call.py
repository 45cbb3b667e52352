"""Calls that only mention what differs from the defaults."""

from __future__ import annotations

from dataclasses import dataclass

from mcpgen.render.constructor_call import render_constructor_call


@dataclass(frozen=True)
class Options:
    mode: str = "never"
    on: bool = True
    size: int | None = None


def test_defaults_are_left_out() -> None:
    assert str(render_constructor_call("Info", "a", Options())) == 'Info(__file__, "a")'


def test_other_values_are_keywords_in_the_order_of_the_fields() -> None:
    call = render_constructor_call("Info", 'a"b', Options(size=0, on=False, mode="always"))
    assert str(call) == 'Info(__file__, "a\\"b", mode="always", on=False, size=0)'
