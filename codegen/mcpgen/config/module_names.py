"""Names of modules that a generated package must not hide: those of Python, of its requirements and of the SDKs."""

from __future__ import annotations

import keyword
import re
import sys
from pathlib import Path

from mcpgen.config.models import ConfiguredPackage
from mcpgen.files.looks import exists
from mcpgen.files.project_paths import find_project, resolve_path
from mcpgen.targets import SDKS

_REQUIRED_MODULES = {
    "annotated_types": "pydantic",
    "anyio": "the SDKs",
    "jsonschema_rs": "generated code",
    "mcpgen_runtime": "generated code",
    "orjson": "generated code",
    "pydantic": "generated code",
    "pydantic_core": "pydantic",
    "typing_extensions": "pydantic",
    "typing_inspection": "pydantic",
}
"""Modules without which a generated package cannot be imported, and who needs them."""


def make_importable(name: str) -> str:
    """Return the name that is most like a folder's and that an `import` can have: the same if it can have that one."""
    identifier = re.sub(r"\W", "_", name) or "generated"
    if keyword.iskeyword(identifier):
        return f"{identifier}_"
    return identifier if identifier.isidentifier() else f"_{identifier}"


def describe_module(name: str) -> str | None:
    """Return what a top-level module is, if Python or generated code imports one of this name; None for other names."""
    if name in sys.stdlib_module_names:
        return "a module of Python itself"
    if name in _REQUIRED_MODULES:
        return f"a module that {_REQUIRED_MODULES[name]} needs"
    for sdk in SDKS:
        generation = sdk.generation
        modules = (sdk.server_module, *sdk.session_modules, generation.types_module)
        if name in {module.partition(".")[0] for module in modules}:
            return "a module of an MCP SDK"
        if name == generation.http_client:
            return "a module that the MCP SDKs need"
    return None


def is_imported_by_its_own_name(package: ConfiguredPackage) -> bool:
    """Return whether programs import a package as `import NAME`, because its folder is in one that Python searches.

    These are the folders that programs are started in: that of the settings, the top of the project and, for `--out`,
    the working folder; and `src`, whose contents are installed. A folder with `__init__.py` is part of a package.
    """
    folder = resolve_path(package.out).parent
    if exists(folder / "__init__.py"):
        return False
    tops = {resolve_path(package.folder), resolve_path(find_project(package.folder))}
    if "out" in package.overridden:
        tops.add(resolve_path(Path()))
    return folder in tops or folder.name == "src"
