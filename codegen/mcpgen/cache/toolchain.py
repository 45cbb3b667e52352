"""What mcpgen's output depends on besides its input: code, templates, libraries, Python itself."""

from __future__ import annotations

import hashlib
import os
import re
import sys
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

_MODULE_LINE = re.compile(rb"^(?!\.\.)(?!.*(?:\.dist-info/|\.pyc,)).+", re.MULTILINE)


@cache
def digest_toolchain() -> str | None:
    """Return a SHA-256, in hex, of mcpgen's code and templates, the libraries that it uses, and the version of Python.

    None if a library cannot be found without importing it: then no cache can be used.
    """
    digest, roots = hashlib.sha256(f"{sys.version}\0{sys.platform}\0".encode()), [*_list_roots()]
    for module, distribution in sorted(_TOOL_DISTRIBUTIONS.items()):
        found = _find_metadata(module, distribution)
        if not found:
            return None
        for metadata in found:
            digest.update(f"{metadata.name}\0".encode())
            if (record := metadata / "RECORD").is_file():  # the digests of its files
                digest.update(b"\n".join(_list_modules(record.read_bytes())))
            else:  # as Debian installs libraries
                roots.append(metadata.parent.joinpath(*module.split(".")))
    for root in roots:
        for part in _iterate_sources(root):
            digest.update(part)
    return digest.hexdigest()


def _list_modules(record: bytes) -> list[bytes]:
    """Return the lines about a library's modules and data: its scripts contain the path of the environment.

    An installer's notes and its bytecode differ too between environments with the same library.
    """
    return sorted(_MODULE_LINE.findall(record))


def _iterate_sources(root: Path) -> Iterator[bytes]:
    """Yield the path, the size and the content of each file in a folder."""
    start = len(os.path.join(root, ""))
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(name for name in names if not name.endswith((".pyc", ".pyo"))):
            path = os.path.join(folder, name)
            with open(path, "rb", buffering=0) as file:  # a file of an installation
                data = file.read()
            yield f"{path[start:]}\0{len(data)}\0".encode()
            yield data


def _list_roots() -> tuple[Path, ...]:
    """Return the folders with mcpgen's own code and data."""
    shipped = (paths.find_shipped_folder("templates"), paths.find_shipped_folder("schemas/mcp"))
    return paths.PACKAGE_FOLDER, *shipped, paths.find_library_file()


def _find_metadata(module: str, distribution: str) -> list[Path]:
    """Return the `.dist-info` folders of a library, such as `black-26.10.1.dist-info`, and those left of older ones."""
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        return []
    if spec is None or spec.origin is None:
        return []
    site = Path(spec.origin).parent
    for _ in module.split("."):
        site = site.parent
    stems = {name: name.removesuffix(".dist-info").partition("-")[0] for name in sorted(os.listdir(site))}
    return [
        site / name
        for name, stem in stems.items()
        if name.endswith(".dist-info") and stem.lower().replace(".", "_") == distribution
    ]
