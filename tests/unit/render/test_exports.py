"""`__init__.py`."""

from __future__ import annotations

from mcpgen.ir.package import Package, ResourceModule, SchemaRoot, ToolModule
from mcpgen.ir.types import ANY, Alias, Array, Node, ObjectClass, Ref
from mcpgen.ir.uri_template import UriExpression
from mcpgen.names.allocator import allocate_names
from mcpgen.render.exports import InitView, make_init_job

RESULT = ObjectClass("output:#", "", (), (), None)
TOOL = ToolModule("get-tide", "a.json", "", SchemaRoot(Ref(RESULT.id), (RESULT,), ()), SchemaRoot(ANY, (), ()), "json")
BERTH = ResourceModule("berth", "a.json", "", None, "x://{id}", ("x://", UriExpression("", ("id",))), None)
SHARED: tuple[Node, ...] = (
    ObjectClass("shared:wind", "", (("wind",),), (), None),
    Alias("shared:list", "", (("list",),), Array(ANY)),
)


def make_view(sdk: str) -> InitView:
    package = Package((TOOL,), (BERTH,), SHARED, sdk, None)
    view = make_init_job(package, allocate_names(package)[0]).view
    assert isinstance(view, InitView)
    return view


def test_every_public_class_is_exported_from_its_module() -> None:
    assert [(entry.name, entry.module) for entry in make_view("none").exports] == [
        ("Berth", ".resources.berth"),
        ("BerthParameters", ".resources.berth"),
        ("GetTideArguments", ".tools.get_tide"),
        ("GetTideResult", ".tools.get_tide"),
        ("GetTideResultDict", ".tools.get_tide"),
        ("List", ".types"),
        ("Wind", ".types"),
        ("WindDict", ".types"),
    ]


def test_tables_by_wire_name() -> None:
    view = make_view("none")
    assert [(str(entry.wire), entry.name) for entry in view.results] == [('"get-tide"', "GetTideResult")]
    assert [(str(entry.wire), entry.name) for entry in view.arguments] == [('"get-tide"', "GetTideArguments")]
    assert [(str(entry.wire), entry.name) for entry in view.resources] == [('"berth"', "Berth")]


def test_only_a_package_for_an_sdk_binds_and_connects() -> None:
    assert make_view("none").serves is False
    assert make_view("dedalus").serves is True
