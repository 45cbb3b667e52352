"""Names of a package, and what follows from them."""

from __future__ import annotations

from mcpgen.names.package_names import PackageNames, ResourceNames, ToolNames, make_typed_dict_name

TIDE = ToolNames(
    "tide", "TideResult", "TideArguments", {"a": "Wind", "b": "Gust"}, {"a": "WindDict"}, {"a": "w", "b": "g"}
)


def test_a_tool_has_a_module_and_a_folder_of_types() -> None:
    assert TIDE.path == "tools/tide.py"
    assert TIDE.type_paths == ["tool_types/tide/g.py", "tool_types/tide/w.py"]
    assert TIDE.list_type_imports("..x") == (("Gust", "..x.g"), ("Wind", "..x.w"), ("WindDict", "..x.w"))
    assert TIDE.all_names == {"TideResult", "TideArguments", "TideResultDict", "Wind", "Gust", "WindDict"}


def test_a_resource_has_parameters_only_with_a_template() -> None:
    assert ResourceNames("log", "Log", None, {}).all_names == {"Log"}
    assert ResourceNames("log", "Log", "LogParameters", {"a": "Line"}).all_names == {"Log", "LogParameters", "Line"}


def test_shared_names_are_imported_from_their_modules() -> None:
    names = PackageNames({"tide": TIDE}, {}, {"s": "Wind"}, {"s": make_typed_dict_name("Wind")}, {"s": "weather"})
    assert names.list_shared_imports("..types") == (("Wind", "..types.weather"), ("WindDict", "..types.weather"))
