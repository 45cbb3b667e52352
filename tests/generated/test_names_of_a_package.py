"""What importing packages, and names from a package's root, costs, whatever the number of modules and packages."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support.packages import mcpgen, run_python

FIND_EACH = """
import json, sys
listed = []
events = ("os.scandir", "os.listdir")
sys.addaudithook(lambda event, arguments: listed.append(arguments[0]) if event in events else None)
import made
names = json.loads(sys.argv[1])
for name in names:
    assert getattr(made, name).__name__ == name
folders = [str(path) for path in listed if str(path).rstrip("/").endswith(("tools", "types", "resources"))]
print(len(folders))
"""
IMPORT_COPIES = """
import importlib, sys
for copy in range(20):
    generated = importlib.import_module(f"made_{copy}")
    assert generated.Tool0Result(n=copy).to_structured_content() == {"n": copy}
    modules = {name for name in sys.modules if name.startswith("mcpgen_runtime")}
    assert copy == 0 or modules == before
    before = modules
print(sum(name.startswith("made_") for name in sys.modules))
"""


def count_listings(folder: Path, names: list[str]) -> int:
    """Return how often a process that imports some names from the package's root lists one of its folders."""
    return int(run_python(folder, "-c", FIND_EACH, json.dumps(names)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the package `made`."""
    folder = tmp_path_factory.mktemp("names")
    output = {"type": "object", "properties": {"n": {"type": "integer"}}}
    tools = [{"name": f"tool_{i}", "inputSchema": {"type": "object"}, "outputSchema": output} for i in range(12)]
    (folder / "schemas").mkdir()
    (folder / "schemas" / "tools.json").write_text(json.dumps({"tools": tools}), "utf-8")
    (folder / "mcpgen.toml").write_text('out = "made"\n', "utf-8")
    assert mcpgen("build", "--jobs", "1", cwd=folder).returncode == 0
    return folder


def test_folders_are_not_listed_again_for_each_name(folder: Path) -> None:
    names = [f"Tool{i}Result" for i in range(12)]
    assert count_listings(folder, names) == count_listings(folder, names[:2])


def test_packages_in_a_process_share_one_library(folder: Path) -> None:
    for copy in range(20):
        shutil.copytree(folder / "made", folder / f"made_{copy}")
    assert int(run_python(folder, "-c", IMPORT_COPIES)) == 3 * 20  # the package, its folder of tools, and the tool
