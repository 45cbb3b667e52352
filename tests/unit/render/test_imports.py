"""Import statements that a module needs."""

from __future__ import annotations

import ast

from mcpgen.render import imports


def render(body: str, runtime: str, shared: dict[str, str]) -> str:
    return imports.render_imports(ast.parse(body), runtime, shared)


def test_groups_and_order() -> None:
    body = """
class A(OpenObject):
    x: Annotated[Berth | None, Field(alias="X")]
    y: Mapping[str, Any] = to_json_value(1)
"""
    assert render(body, "..runtime", {"Berth": "..types.berth", "Tide": "..types.tide"}) == (
        "from collections.abc import Mapping\nfrom typing import Annotated, Any\n\n"
        "from pydantic import Field\n\n"
        "from ..runtime.json_objects import OpenObject, to_json_value\nfrom ..types.berth import Berth"
    )


def test_a_name_of_types_comes_from_there_even_if_another_module_has_it() -> None:
    assert render("x: Date", ".runtime", {"Date": ".types.date"}) == "from .types.date import Date"


def test_defined_names_and_parameters_are_not_imported() -> None:
    body = """
Any = 1
if x:
    Uuid: int = 2

def f(Date, *, Time):
    return Date, Time, Any, Uuid
"""
    assert render(body, ".runtime", {}) == ""


def test_annotations_in_strings_count() -> None:
    body = 'A = TypeAliasType("A", "list[Uuid]")\nB = TypedDict("B", {"x": "NotRequired[Base64]"})\nc = "Date"'
    assert render(body, ".runtime", {}) == (
        "from typing import NotRequired, TypedDict\n\n"
        "from typing_extensions import TypeAliasType\n\n"
        "from .runtime.json_types import Base64\n"
        "from .runtime.native_formats import Uuid"
    )
