"""The reserved names are those that the templates define."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from mcpgen import paths
from mcpgen.names.reserved import (
    IMPORT_SOURCES,
    RESERVED_NAMES,
    RESOURCE_METHODS,
    RESULT_METHODS,
    RUNTIME_IMPORTS,
    SERVER_AND_CLIENT_NAMES,
)

TEMPLATES = paths.find_shipped_folder("templates")


def find_templates(module: str) -> list[Path]:
    """Return the templates of a run-time module: one, or one for each SDK or generation."""
    stem = {"sdk_text": "text"}.get(module, module)
    names = (f"{stem}.py", f"{stem}.py.j2")
    copied = [path for path in (TEMPLATES / "runtime").iterdir() if path.name in names]
    of_sdks = [path for path in (TEMPLATES / "sdk").rglob("*") if path.name in names]
    return of_sdks if stem != module else copied or of_sdks


def list_defined_names(path: Path) -> set[str]:
    """Return the names that a module defines or imports at its top, also under an `if`."""
    names: set[str] = set()
    statements = [*ast.parse(path.read_text("utf-8")).body]
    while statements:
        match statements.pop():
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                names.add(name)
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                names.add(name)
            case ast.ImportFrom(names=aliases):
                names.update(alias.asname or alias.name for alias in aliases)
            case ast.If(body=body, orelse=orelse):
                statements += [*body, *orelse]
            case _:
                pass
    return names


def list_public_methods(module: str, classes: str) -> set[str]:
    """Return the public methods of the classes of a module whose names match a pattern."""
    methods = {
        method.name
        for path in find_templates(module)
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef) and re.fullmatch(classes, node.name)
        for method in ast.walk(node)
        if isinstance(method, ast.FunctionDef)
    }
    return {name for name in methods if not name.startswith("_")}


@pytest.mark.parametrize("module", sorted(module for module in RUNTIME_IMPORTS if module not in ("", "protocol")))
def test_each_run_time_module_defines_what_is_imported_from_it(module: str) -> None:
    templates = find_templates(module)
    assert templates
    for path in templates:
        assert set(RUNTIME_IMPORTS[module]) - list_defined_names(path) == set(), path.name


def test_the_modules_themselves_are_imported_from_the_package() -> None:
    assert [name for name in RUNTIME_IMPORTS[""] if not find_templates(name)] == []


def test_every_filter_of_content_templates_is_reserved() -> None:
    (path,) = find_templates("template_filters")
    functions = {node.name for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.FunctionDef)}
    assert {name for name in functions if not name.startswith("_")} == set(RUNTIME_IMPORTS["template_filters"])


def test_result_methods_are_the_public_methods_of_the_run_time_classes() -> None:
    methods = set().union(
        *(
            list_public_methods(module, ".*Object|.*Result|Checked|ResultWriter|ResultReader")
            for module in (
                "json_objects",
                "result_writer",
                "result_reader",
                "tool_result",
                "checked_result",
                "content_result",
            )
        )
    )
    assert methods | {"extras"} == RESULT_METHODS  # a parameter that the template of open classes adds


def test_resource_methods_are_the_further_methods_of_resource_classes() -> None:
    printed = {"match", "resource", "uri"}  # by resource.py.j2
    pattern = "ResourceResult|(Json|Checked|Root)Resource"
    methods = list_public_methods("resource_result", pattern) | list_public_methods("json_resource", pattern)
    assert (methods | printed) - RESULT_METHODS == RESOURCE_METHODS


def test_the_bound_server_and_the_client_keep_their_own_names() -> None:
    methods = {
        *list_public_methods("server_binding", "Binding"),
        *list_public_methods("server_adapter", "SdkBinding"),
        *list_public_methods("client_base", "Calling"),
        "implement",  # by server.py.j2
    }
    assert methods - SERVER_AND_CLIENT_NAMES == set()


def test_no_name_has_two_sources() -> None:
    names = [name for names in RUNTIME_IMPORTS.values() for name in names]
    assert len(names) == len(set(names))
    assert set(names) <= IMPORT_SOURCES.keys() <= RESERVED_NAMES
