"""Packages from npm, in a folder of their own."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path


def modules(folder: Path, packages: dict[str, str]) -> Path:
    """A `node_modules` with packages of given versions: the one that NODE_MODULES names, or a new installation.

    Raises:
        subprocess.CalledProcessError: npm cannot install them.
    """
    if there := os.environ.get("NODE_MODULES"):
        return Path(there)
    (folder / "package.json").write_text(json.dumps({"private": True, "dependencies": packages}), "utf-8")
    subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"], cwd=folder, check=True)
    return folder / "node_modules"


def binary(installed: Path) -> str:
    """The Node that npm's package `node` brings."""
    return str(installed / ".bin" / "node")
