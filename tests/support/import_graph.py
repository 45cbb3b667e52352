"""The graph of imports of a generated package, from its source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from mcpgen.ir.visitors import find_strong_components


def read_import_graph(folder: Path) -> dict[str, list[str]]:
    """Return the modules that each module of a package imports, `TYPE_CHECKING` or not; names are relative to it."""
    modules = {_name_module(path.relative_to(folder)): path for path in folder.rglob("*.py")}
    graph: dict[str, list[str]] = {}
    for name, path in modules.items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        imported = _iterate_imports(ast.parse(path.read_text("utf-8")), package)
        graph[name] = sorted({module for module in imported if module in modules} - {name})
    return graph


def find_circles(graph: dict[str, list[str]]) -> list[list[str]]:
    """Return the groups of modules that import each other."""
    groups: dict[int, list[str]] = {}
    for module, number in find_strong_components(graph).items():
        groups.setdefault(number, []).append(module)
    return [sorted(group) for group in groups.values() if len(group) > 1]


def _name_module(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _iterate_imports(tree: ast.Module, package: str) -> Iterator[str]:
    """Yield the modules that a module imports from its package, and the names in them, which may be modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            parts = package.split(".") if package else []
            base = ".".join([*parts[: len(parts) - node.level + 1], *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}".removeprefix(".") for alias in node.names)
