"""Definitions of a built package that are no longer those of the files."""

from __future__ import annotations

import json
from pathlib import Path

from mcpgen.diagnostics import Findings
from mcpgen.introspect.built_definitions import list_stale_definitions
from mcpgen.read.loader import read_definitions
from support.definitions import configure_package
from support.packages import mcpgen, tool


def test_changed_new_and_removed_definitions_make_a_package_stale(tmp_path: Path) -> None:
    def find() -> list[str]:
        package = configure_package(tmp_path, [])
        return list_stale_definitions(package, read_definitions(package, Findings()))

    def write(**titles: str) -> None:
        tools = [{**tool(name), "title": title} for name, title in titles.items()]
        more = {"resources": [{"name": "r", "uri": "x://r"}], "prompts": [{"name": "p"}]}
        (tmp_path / "schemas").mkdir(exist_ok=True)
        (tmp_path / "schemas/all.json").write_text(json.dumps({"tools": tools, **more}), "utf-8")

    write(same="A", changed="B", removed="C")
    assert find() == [], "nothing was built"
    assert mcpgen("build", "-q", cwd=tmp_path).returncode == 0
    assert find() == []
    write(same="A", changed="D", added="E")
    assert find() == ['tool "added"', 'tool "changed"', 'tool "removed"']
