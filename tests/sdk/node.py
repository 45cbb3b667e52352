"""Packages from npm, in a folder of their own; `ts/package.json` says which versions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from sdk.installed import SDK

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


def run_script(check: Callable[[str, Path, Path], int], *packages: str) -> int:
    """Run a script's check on the SDK that the command line names, or else on the one installed here.

    Args:
        check: takes the SDK, the `node_modules` and a temporary folder; returns the exit code.
        packages: the packages from npm that it needs.

    Returns:
        The exit code of the script.
    """
    sdk = sys.argv[1] if len(sys.argv) > 1 else SDK
    if sdk is None:
        print("no MCP SDK is installed here")
        return 1
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        return check(sdk, modules(folder, *packages), folder)


def binary(installed: Path) -> str:
    """Return the Node that npm's package `node` brings."""
    return str(installed / ".bin" / "node")
