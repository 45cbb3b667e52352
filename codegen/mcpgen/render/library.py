"""How generated code reaches the run-time library: the facade that it imports, and the copies of a vendored library."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache

from mcpgen_runtime import __version__

from mcpgen.files.ownership import COPIES_LIST, VENDORED_FOLDER, render_entries
from mcpgen.ir.package import Package
from mcpgen.paths import LIBRARY, find_library_file
from mcpgen.render import header
from mcpgen.targets import get_sdk


def get_library(package: Package, depth: int = 0) -> str:
    """Return the run-time library as a module imports it that is `depth` folders below the package."""
    return _name_library(package.runtime, "." * (depth + 1))


def get_facade(package: Package, depth: int = 0) -> str:
    """Return the facade for the package's SDK as a module imports it that is `depth` folders below the package."""
    return name_facade(package.sdk, package.runtime, "." * (depth + 1))


def name_facade(sdk: str, runtime: str, prefix: str) -> str:
    """Return the facade for an SDK as an import names it, with the prefix of the package's own modules."""
    return f"{_name_library(runtime, prefix)}.sdk.{sdk}"


def _name_library(runtime: str, prefix: str) -> str:
    return f"{prefix}{VENDORED_FOLDER}" if runtime == "vendored" else LIBRARY


def _list_facade_modules(package: Package) -> list[str]:
    facade = f"sdk.{package.sdk}"
    modules = [facade, f"{facade}.types"]
    modules += ["sdk.templates"] * any(tool.uses_templates for tool in package.tools)
    modules += ["sdk.forms"] * bool(package.forms)
    modules += ["sdk.uri_templates"] * any(resource.template for resource in package.resources)
    if get_sdk(package.sdk) is not None:
        modules.append(f"{facade}.server")
        modules += [f"{facade}.handlers"] * bool(package.resources or package.prompts)
        modules += [f"{facade}.client"] * (package.has_client or bool(package.forms))
        modules += [f"{facade}.testing"] * package.testing
        modules += ["sdk.functions"] * package.stubs
    return modules + ["sdk.azure"] * package.azure


# --- copies ----------------------------------------------------------------------------------------------------------
_MARKER = "py.typed"


def render_vendored_files(package: Package) -> dict[str, str]:
    """Return the copies of modules of the library that a package has, by path, and the list of their digests."""
    if package.runtime != "vendored":
        return {}
    texts = {path: _read_text(path) for path in _find_needed_files(tuple(_list_facade_modules(package)))}
    listing = header.add_plain_header(render_entries(texts), f"mcpgen-runtime {__version__}")
    return {**{f"{VENDORED_FOLDER}/{path}": text for path, text in texts.items()}, COPIES_LIST: listing}


@cache
def _find_needed_files(modules: tuple[str, ...]) -> Sequence[str]:
    found = {_MARKER}
    pending = [tuple(module.split(".")) for module in modules]
    for module in pending:
        if _find_file(module) is None:
            name = ".".join((LIBRARY, *module))
            raise ModuleNotFoundError(f"{name} is missing: the installed mcpgen-runtime is not whole", name=name)
    while pending:
        module = pending.pop()
        path = _find_file(module)
        if path is None or path in found:
            continue
        found.add(path)
        package = module if path.endswith("__init__.py") else module[:-1]
        pending += (module[:depth] for depth in range(len(module)))
        pending += _list_imports(_read_text(path), package)
    return sorted(found)


def _list_imports(source: str, package: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield what a module of a package imports relatively, anywhere in it; a name in a module is among this, too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = (*package[: len(package) - node.level + 1], *(node.module.split(".") if node.module else ()))
            yield base
            yield from ((*base, alias.name) for alias in node.names)


@cache
def _find_file(module: tuple[str, ...]) -> str | None:
    path = "/".join(module)
    candidates = [f"{path}/__init__.py", f"{path}.py"] if path else ["__init__.py"]
    return next((candidate for candidate in candidates if find_library_file(candidate).is_file()), None)


@cache
def _read_text(path: str) -> str:
    return find_library_file(path).read_bytes().decode("utf-8")
