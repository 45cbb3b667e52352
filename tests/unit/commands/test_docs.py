"""Where `mcpgen docs` writes, and that it collects garbage afterwards."""

from __future__ import annotations

import gc
import json
from pathlib import Path

import pytest
from mcpgen.commands.docs import DocsRequest, run_docs
from mcpgen.commands.package_selection import select_packages
from mcpgen.report.output import CommandOutput
from support.packages import tool


@pytest.mark.parametrize("title", ["Harbour", "<Harbour>"])
def test_the_title_and_the_folder_are_those_of_the_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, title: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "tools.json").write_text(json.dumps({"tools": [tool("say")]}), "utf-8")
    request = DocsRequest(Path("pages"), title, None, False, 1)
    assert run_docs(select_packages(None, None), request, CommandOutput("docs", quiet=True)) == 0
    assert (tmp_path / "pages" / "index.md").read_text("utf-8").splitlines()[2] == f"# {title}".replace(
        "<", "\\<"
    ).replace(">", "\\>")
    assert gc.isenabled()
