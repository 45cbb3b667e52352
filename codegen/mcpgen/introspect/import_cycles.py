"""Import cycles between a module of the user's and the generated package, found in the text of modules."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import resolve_name
from pathlib import Path

from mcpgen.files.project_paths import is_within, resolve_path
from mcpgen.files.regular_files import read_input

MAX_MODULE_SIZE = 4 * 2**20
"""Bytes of a module; larger ones are not searched."""


@dataclass(frozen=True)
class PackageImport:
    """The import of the generated package with which a cycle begins."""

    module: str
    """The module of the user's that imports the package."""
    file: Path
    line: int


def find_package_import(module: str, out: Path, folder: Path) -> PackageImport | None:
    """Return how a module imports the generated package, itself or through others, if that also imports the module.

    Type checkers see the imports of all scopes, also below `TYPE_CHECKING`. In such a cycle, mypy may not know the
    types of decorators; for imports in functions, that depends on the order in which it checks the modules.

    Args:
        module: the name of the module.
        out: the folder of the package.
        folder: modules below it are searched; installed ones are not.
    """
    out, folder = resolve_path(out), resolve_path(folder)
    found: dict[str, PackageImport | None] = {module: None}
    for name in (waiting := [module]):  # grows during the loop
        file = _find_file(name)
        if file is None or not is_within(file, (folder, out)) or "site-packages" in file.parts:
            continue
        is_in_package = is_within(file, (out,))
        for imported, line in _list_imports(name, file):
            if imported == module and is_in_package:
                return found[name]
            if imported not in found:
                found[imported] = found[name] if is_in_package else PackageImport(name, file, line)
                waiting.append(imported)
    return None


def _find_file(module: str) -> Path | None:
    """Return the file of a module, which is not imported for that; None if it has no text."""
    spec: ModuleSpec | None = getattr(sys.modules.get(module), "__spec__", None)
    if spec is None:
        path: list[str] | None = [str(Path.cwd()), *sys.path]
        parts = module.split(".")
        for count in range(1, len(parts) + 1):
            spec = PathFinder.find_spec(".".join(parts[:count]), path)
            path = [*(spec.submodule_search_locations or ())] if spec is not None else []
    file = Path(spec.origin) if spec is not None and spec.origin else None
    return resolve_path(file) if file is not None and file.suffix == ".py" else None


def _list_imports(module: str, file: Path) -> Iterator[tuple[str, int]]:
    """Yield each name that a module imports, and may be that of a module, with its line."""
    try:
        tree = ast.parse(read_input(file, MAX_MODULE_SIZE))
    except (OSError, ValueError, SyntaxError):
        return
    package = module if file.stem == "__init__" else module.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                yield from ((".".join(parts[:count]), node.lineno) for count in range(1, len(parts) + 1))
        elif isinstance(node, ast.ImportFrom):
            try:
                base = resolve_name("." * node.level + (node.module or ""), package)
            except ImportError:  # beyond the top
                continue
            yield base, node.lineno
            yield from ((f"{base}.{alias.name}", node.lineno) for alias in node.names if alias.name != "*")
