"""What mcpgen's output depends on besides its input: code, templates, the run-time library, versions of others."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from mcpgen import paths

_TOOL_DISTRIBUTIONS = {
    "black": "black",
    "datamodel_code_generator": "datamodel_code_generator",
    "jinja2": "jinja2",
    "jsonschema_rs": "jsonschema_rs",
    "pydantic": "pydantic",
    "ruamel.yaml": "ruamel_yaml",
}
"""Libraries that influence the output: import name → normalized distribution name."""


@cache
def digest_toolchain() -> str | None:
    """Return a SHA-256, in hex, of mcpgen's code, its templates, the run-time library, and what other libraries are.

    None if a library cannot be found without importing it: then no cache can be used.
    """
    digest = hashlib.sha256()
    for module, distribution in sorted(_TOOL_DISTRIBUTIONS.items()):
        metadata = _find_metadata(module, distribution)
        if metadata is None:
            return None
        digest.update(f"{metadata.name}\0".encode())
        if (record := metadata / "RECORD").is_file():  # the digests of its files
            digest.update(record.read_bytes())
        else:  # as Debian installs libraries
            digest.update(_digest_sources(metadata.parent.joinpath(*module.split("."))))
    for root in _list_roots():
        digest.update(_digest_sources(root))
    return digest.hexdigest()


def _digest_sources(root: Path) -> bytes:
    digest = hashlib.sha256()
    for folder, names in _walk_sources(root):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb", buffering=0) as file:  # a file of an installation
                data = file.read()
            digest.update(f"{os.path.relpath(path, root)}\0{len(data)}\0".encode())
            digest.update(data)
    return digest.digest()


def _list_roots() -> tuple[Path, ...]:
    """Return the folders with mcpgen's own code and data."""
    shipped = (paths.find_shipped_folder("templates"), paths.find_shipped_folder("schemas/mcp"))
    return paths.PACKAGE_FOLDER, *shipped, paths.find_library_file()


def _find_metadata(module: str, distribution: str) -> Path | None:
    """Return the `.dist-info` folder of a library, such as `black-26.10.1.dist-info`."""
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        return None
    if spec is None or spec.origin is None:
        return None
    site = Path(spec.origin).parent
    for _ in module.split("."):
        site = site.parent
    for name in sorted(os.listdir(site)):
        stem, _, _ = name.removesuffix(".dist-info").partition("-")
        if name.endswith(".dist-info") and stem.lower().replace(".", "_") == distribution:
            return site / name
    return None


def _walk_sources(root: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each folder, and the names of the files in it, in a fixed order; compiled modules are left out."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        yield folder, sorted(name for name in files if not name.endswith((".pyc", ".pyo")))
