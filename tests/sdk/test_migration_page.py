"""docs/guides/migration.md, gone through as it stands there: its server pulled, built for, and bound."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sdk.installed import SDK
from support.packages import mcpgen

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "guides" / "migration.md"
RECORDER = Path(__file__).with_name("recorder.py")
CALLS = [("get_station", {"name": "Byrum"}), ("list_stations", {"prefix": "B"}), ("list_stations", {})]

pytestmark = [
    pytest.mark.skipif(SDK != "mcp", reason="the page shows a server on mcp 2.x"),
    pytest.mark.ci,
]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def test_the_page_leads_to_the_same_wire(tmp_path: Path) -> None:
    before, annotated, bound, tests = blocks("python")
    (tmp_path / "pyproject.toml").write_text(
        '[tool.mcpgen]\nsdk = "mcp"\ntesting = true\n[tool.mypy]\nstrict = true\n', "utf-8"
    )
    (tmp_path / "coast.py").write_text(before, "utf-8")
    for command in blocks("sh"):
        run = mcpgen(*shlex.split(command)[1:], cwd=tmp_path)
        assert run.returncode == 0, run.stderr
    head, first, second = before.split("@server.tool()\n")
    (tmp_path / "coast1.py").write_text(
        "import generated\n" + head + annotated + "\n@server.tool()\n" + second, "utf-8"
    )
    (tmp_path / "coast2.py").write_text(head + bound + "\ntools.complete()\n", "utf-8")
    assert "from coast import server" in tests
    (tmp_path / "test_coast.py").write_text(tests.replace("from coast ", "from coast2 "), "utf-8")
    (tmp_path / "calls.json").write_text(json.dumps(CALLS), "utf-8")
    answers: dict[str, Any] = json.loads(_run(tmp_path, str(RECORDER), "calls.json", "coast", "coast1", "coast2"))
    assert answers["coast"]["2025-11-25"] == answers["coast1"]["2025-11-25"] == answers["coast2"]["2025-11-25"]
    assert answers["coast"]["2026-07-28"] == answers["coast1"]["2026-07-28"] == answers["coast2"]["2026-07-28"]
    _run(tmp_path, "-m", "mypy", "coast.py", "coast1.py", "coast2.py", "test_coast.py")
    assert " passed" in _run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "asyncio", "test_coast.py")
    assert mcpgen("check", "--server", "coast2:server", cwd=tmp_path).returncode == 0
    assert first


def _run(folder: Path, *words: str) -> str:
    run = subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def test_files_that_it_names_exist() -> None:
    text = PAGE.read_text("utf-8")
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (PAGE.parent / target).exists(), target
    for path in re.findall(r"`(tests/[\w./-]+)`", text):
        assert (ROOT / path).exists(), path
