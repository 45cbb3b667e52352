"""Names that are imported from a package's root: what finding them costs, whatever the number of modules."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from support.packages import mcpgen

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


def count_listings(folder: Path, names: list[str]) -> int:
    """Return how often a process that imports some names from the package's root lists one of its folders."""
    command = [sys.executable, "-c", FIND_EACH, json.dumps(names)]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return int(run.stdout)


def test_folders_are_not_listed_again_for_each_name(tmp_path: Path) -> None:
    output = {"type": "object", "properties": {"n": {"type": "integer"}}}
    tools = [{"name": f"tool_{i}", "inputSchema": {"type": "object"}, "outputSchema": output} for i in range(12)]
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "tools.json").write_text(json.dumps({"tools": tools}), "utf-8")
    (tmp_path / "mcpgen.toml").write_text('out = "made"\n', "utf-8")
    assert mcpgen("build", "--jobs", "1", cwd=tmp_path).returncode == 0
    names = [f"Tool{i}Result" for i in range(12)]
    assert count_listings(tmp_path, names) == count_listings(tmp_path, names[:2])
