"""Packages from npm, in a folder of their own; `ts/package.json` says which versions."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent / "ts" / "package.json"


def modules(folder: Path, *names: str) -> Path:
    """A `node_modules` that holds packages: the one that NODE_MODULES names, or a new installation in a folder.

    Raises:
        subprocess.CalledProcessError: npm cannot install them.
        FileNotFoundError: the folder is not there, since they could not be installed.
    """
    if there := os.environ.get("NODE_MODULES"):
        if not Path(there).is_dir():
            raise FileNotFoundError(there)
        return Path(there)
    package = json.loads(PACKAGE.read_text("utf-8"))
    package["dependencies"] = {name: package["dependencies"][name] for name in names}
    (folder / "package.json").write_text(json.dumps(package), "utf-8")
    command = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run(command, cwd=folder, check=True, timeout=400)
    return folder / "node_modules"


def binary(installed: Path) -> str:
    """The Node that npm's package `node` brings."""
    return str(installed / ".bin" / "node")
