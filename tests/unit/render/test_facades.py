"""What generated code may import from the run-time library, and the version of that."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from mcpgen_runtime.package import INTERFACE, OLDEST_INTERFACE
from sdk import exchange

RECORD = Path(__file__).with_name("facades.json")
MODULES = ("", ".types", ".server", ".handlers", ".client", ".testing")
SHARED = ("templates", "functions", "azure")


def _describe(sdk: str) -> dict[str, dict[str, list[str]]]:
    """Return the names that each module for an SDK exports, and the members of the library's classes in them."""
    modules = {f"facade{name}": importlib.import_module(f"mcpgen_runtime.sdk.{sdk}{name}") for name in MODULES}
    modules |= {name: importlib.import_module(f"mcpgen_runtime.sdk.{name}") for name in SHARED}
    exports = {
        name: {export: getattr(module, export, None) for export in _list_exports(module)}
        for name, module in modules.items()
    }
    classes: dict[str, set[str]] = {}
    for base in (base for values in exports.values() for value in values.values() for base in _list_bases(value)):
        classes.setdefault(base.__qualname__, set()).update(_describe_members(base))
    return {
        "exports": {name: sorted(map(_describe_value, values, values.values())) for name, values in exports.items()},
        "classes": {name: sorted(members) for name, members in sorted(classes.items()) if members},
    }


def _list_exports(module: ModuleType) -> list[str]:
    """Return the names that checkers take for exported: what is defined or imported as itself."""
    names: list[str] = []
    nodes = ast.parse(inspect.getsource(module)).body
    nodes += [inner for node in nodes if isinstance(node, ast.If) for inner in (*node.body, *node.orelse)]
    for node in nodes:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                names.append(name)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if "TypeVar(" not in ast.unparse(value):
                names.append(name)
            case ast.Assign(targets=[ast.Tuple(elts=targets)]):
                names += map(ast.unparse, targets)
            case ast.ImportFrom(module=name, level=level, names=[ast.alias(name="*")]):
                whole = importlib.import_module("." * level + (name or ""), module.__package__)
                names += _list_exports(whole)
            case ast.ImportFrom(names=aliases):
                names += [alias.name for alias in aliases if alias.name == alias.asname]
            case _:
                pass
    return [name for name in dict.fromkeys(names) if name[0] != "_" and name != "REQUIREMENT"]


def _list_bases(value: object) -> list[type]:
    bases = value.__mro__ if isinstance(value, type) else ()
    return [base for base in bases if base.__module__.startswith("mcpgen_runtime")]


def _describe_members(cls: type) -> Iterator[str]:
    """Yield the public methods and attributes that a class itself defines, and its constructor."""
    for name, value in vars(cls).items():
        function = getattr(value, "__func__", value)
        if not name.startswith(("_", "model_")) or (name == "__init__" and function.__module__ == cls.__module__):
            yield _describe_value(name, function)


def _describe_value(name: str, value: Any) -> str:
    is_own = inspect.isroutine(value) and str(getattr(value, "__module__", "")).startswith("mcpgen_runtime")
    return re.sub("'|<object object at .*?>", "", f"{name}{inspect.signature(value)}") if is_own else name


def _format_record(record: dict[str, Any]) -> str:
    """Return the record as JSON, with a line for each module and class."""
    parts: list[str] = []
    for key, value in record.items():
        members = value.items() if isinstance(value, dict) else ()
        lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(names)}" for name, names in members)
        parts.append(f" {json.dumps(key)}: " + (f"{{\n{lines}\n }}" if lines else json.dumps(value)))
    return "{\n" + ",\n".join(parts) + "\n}\n"


@pytest.mark.skipif(exchange.SDK is None, reason="no SDK is installed here")
def test_the_version_is_raised_when_the_interface_changes(request: pytest.FixtureRequest) -> None:
    """A package works with another version of the library as long as this record stays the same.

    When it fails: raise `INTERFACE` of the library's `package` (once between two releases), and `OLDEST_INTERFACE` if
    packages that were generated before no longer work; then record the interface with `--regenerate`.
    """
    current: dict[str, Any] = {"interface": INTERFACE, "oldest": OLDEST_INTERFACE, **_describe(str(exchange.SDK))}
    if request.config.getoption("--regenerate", default=False) and exchange.SDK == "mcp":
        RECORD.write_text(_format_record(current), "utf-8")
    recorded = json.loads(RECORD.read_text("utf-8"))
    names = [{name: _list_names(texts) for name, texts in each["exports"].items()} for each in (current, recorded)]
    missing = {name: names[1][name] - names[0][name] for name in names[1]}
    assert not any(missing.values()), "every facade exports these names"
    assert exchange.SDK != "mcp" or current == recorded


def _list_names(texts: list[str]) -> set[str]:
    return {text.partition("(")[0] for text in texts}
