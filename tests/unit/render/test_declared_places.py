"""Places of classes' schemas in the definitions of tools."""

from __future__ import annotations

import pytest
from mcpgen.lower.node_ids import make_node_id
from mcpgen.lower.normalize.core import SchemaPlace
from mcpgen.render.declared_places import render_declared_place, render_shared_place


@pytest.mark.parametrize(
    ("node_id", "place"),
    [
        ("input:", 'Declared(__file__, "inputSchema")'),
        ("output:", 'Declared(__file__, "outputSchema")'),
        ("output:/properties/wind", 'Declared(__file__, "outputSchema", ("/properties/wind",))'),
        ("output:/$defs/a&/$defs/b", 'Declared(__file__, "outputSchema", ("/$defs/a", "/$defs/b",))'),
        ("output:/properties/wind!anyOf", None),
        ("output~/$defs/tree", None),
        ("resource:/properties/a", 'Declared(__file__, "schema", ("/properties/a",))'),
        ("protocol:/$defs/a", None),
    ],
)
def test_a_place(node_id: str, place: str | None) -> None:
    rendered = render_declared_place(node_id)
    assert (None if rendered is None else str(rendered)) == place


@pytest.mark.parametrize("pointer", ["/properties/a&b", "/properties/a!b", "/properties/a%26b", "/properties/~0~1"])
def test_pointers_with_the_marks_of_ids(pointer: str) -> None:
    node_id = "output" + make_node_id([SchemaPlace(pointer)], ":")
    assert str(render_declared_place(node_id)) == f'Declared(__file__, "outputSchema", ("{pointer}",))'


MODULES = {"a": "a", "b": "b", "get-tide": "get_tide"}


def test_a_shared_class_has_the_place_in_one_of_its_tools() -> None:
    assert str(render_shared_place([("get-tide", "input:/properties/wind")], MODULES)) == (
        'Declared(__file__, "inputSchema", ("/properties/wind",), "../tools/get_tide.json")'
    )
    uses = [("a", "output:/$defs/wind"), ("b", "output:/$defs/wind!anyOf")]
    assert (
        str(render_shared_place(uses, MODULES))
        == 'Declared(__file__, "outputSchema", ("/$defs/wind",), "../tools/a.json")'
    )
    assert render_shared_place(uses[1:], MODULES) is None


def test_other_tools_seldom_change_the_place_of_a_shared_class() -> None:
    modules = {f"t{number}": f"t{number}" for number in range(20)}
    uses = [(wire, "output:/$defs/wind") for wire in modules]
    place = render_shared_place(uses, modules)
    assert place == render_shared_place(uses[::-1], modules)
    assert sum(place != render_shared_place([*uses[:i], *uses[i + 1 :]], modules) for i in range(20)) == 1
