"""The reserved names are those that the templates and the run-time library define."""

from __future__ import annotations

import ast
from functools import cached_property
from pathlib import Path
from types import FunctionType

import pytest
from mcpgen.names.reserved import (
    FORMS,
    IMPORT_SOURCES,
    RESERVED_NAMES,
    RESOURCE_METHODS,
    RESULT_METHODS,
    RUNTIME_IMPORTS,
    SERVER_AND_CLIENT_NAMES,
    TEMPLATES,
)
from mcpgen.paths import find_library_file
from mcpgen_runtime import client, server_binding
from mcpgen_runtime.sdk.none import types
from pydantic import BaseModel

RESULT_CLASSES = ("Checked", "ClosedObject", "ContentResult", "OpenObject", "RootResult", "ToolResult")
FOR_HANDLERS = {"McpPrompt", "McpResource", "sdk_blocks"}
"""What only packages for an SDK import."""
FACADES = sorted(find_library_file("sdk").glob("*/__init__.py"))


def list_defined_names(path: Path) -> set[str]:
    """Return the names that a module of the library defines or imports at its top, also by `*`."""
    names: set[str] = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                names.add(name)
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                names.add(name)
            case ast.Assign(targets=[ast.Tuple(elts=targets)]):
                names.update(ast.unparse(target) for target in targets)
            case ast.ImportFrom(names=[ast.alias(name="*")], module=str(module), level=level):
                imported = path.parents[level - 1] / f"{module.replace('.', '/')}.py"
                names |= list_defined_names(imported)
            case ast.ImportFrom(names=aliases):
                names.update(alias.asname or alias.name for alias in aliases)
            case _:
                pass
    return names


def list_public_methods(*classes: type) -> set[str]:
    """Return the public methods of classes of the library, and of their bases in it."""
    bases = {base for item in classes for base in item.__mro__ if base.__module__.startswith("mcpgen_runtime")}
    members = {name: value for base in bases for name, value in vars(base).items() if name not in dir(BaseModel)}
    kinds = (property, cached_property, classmethod, staticmethod, FunctionType)
    return {name for name, value in members.items() if name[0] != "_" and isinstance(value, kinds)}


@pytest.mark.parametrize("facade", FACADES, ids=lambda path: path.parent.name)
@pytest.mark.parametrize("module", sorted(RUNTIME_IMPORTS))
def test_each_facade_module_defines_what_is_imported_from_it(facade: Path, module: str) -> None:
    if module == "":
        assert all((facade.parent.parent / f"{name}.py").is_file() for name in RUNTIME_IMPORTS[module])
        return
    folder = facade.parent.parent if module in (FORMS, TEMPLATES) else facade.parent
    names = list_defined_names(folder / f"{module}.py")
    missing = set(RUNTIME_IMPORTS[module]) - names
    assert missing == (FOR_HANDLERS if (facade.parent.name, module) == ("none", "types") else set())


def test_result_methods_are_the_public_methods_of_the_library() -> None:
    methods = list_public_methods(*(getattr(types, name) for name in RESULT_CLASSES))
    assert methods - {"root"} | {"extras"} == RESULT_METHODS  # a parameter that the template of open classes adds


def test_resource_methods_are_the_further_methods_of_resource_classes() -> None:
    printed = {"match", "resource", "uri"}  # by resource.py.j2
    methods = list_public_methods(types.JsonResource, types.CheckedResource, types.RootResource)
    assert (methods | printed) - RESULT_METHODS == RESOURCE_METHODS


def test_the_bound_server_and_the_client_keep_their_own_names() -> None:
    methods = list_public_methods(server_binding.ToolBinding, client.ToolClient) | {"implement"}  # by server.py.j2
    assert methods - SERVER_AND_CLIENT_NAMES == set()


def test_no_name_has_two_sources() -> None:
    names = [name for names in RUNTIME_IMPORTS.values() for name in names]
    assert len(names) == len(set(names))
    assert set(names) <= IMPORT_SOURCES.keys() <= RESERVED_NAMES
