"""The official TypeScript SDKs as clients: `ts/call.mjs`, run by Node."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sdk import node
from sdk.wire import SDK_TESTS

IS_THERE = bool(shutil.which("npm") and shutil.which("node"))


def install(folder: Path) -> Path:
    """A folder with the script and what it imports: the one that NODE_MODULES names, or a new installation."""
    shutil.copy(SDK_TESTS / "ts" / "call.mjs", folder)
    try:
        modules = node.modules(folder, "@modelcontextprotocol/client", "@modelcontextprotocol/sdk")
    except (subprocess.CalledProcessError, FileNotFoundError) as error:
        pytest.skip(f"npm cannot install what the test needs: {error}")
    if not (folder / "node_modules").exists():
        (folder / "node_modules").symlink_to(modules)
    return folder


def ask(scripts: Path, which: str, version: str, requests: Sequence[tuple[str, Any]], target: list[str]) -> Any:
    """What a server of a URL or a command line has, and its results of requests, a method and its parameters each."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "requests.json"
        path.write_text(json.dumps(requests), "utf-8")
        command = ["node", "call.mjs", which, version, str(path), *target]
        run = subprocess.run(command, cwd=scripts, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)
