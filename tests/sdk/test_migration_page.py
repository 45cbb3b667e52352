"""docs/guides/migration.md, gone through as it stands there: its server pulled, built for, and bound."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from sdk.installed import SDK
from support.doc_pages import read_page
from support.packages import mcpgen, run_python

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = read_page("guides/migration.md")
RECORDER = Path(__file__).with_name("recorder.py")
CALLS = [("get_station", {"name": "Byrum"}), ("list_stations", {"prefix": "B"}), ("list_stations", {})]

pytestmark = [
    pytest.mark.skipif(
        not any("sdk" in block.marks and block.is_for(SDK) for block in PAGE.blocks),
        reason="the page shows no server on this SDK",
    ),
    pytest.mark.ci,
]


def read_code() -> tuple[list[str], list[str]]:
    """Return the page's Python code for the installed SDK, and that for every SDK."""
    blocks = [block for block in PAGE.blocks if block.language == "python"]
    own = [block.text for block in blocks if "sdk" in block.marks and block.is_for(SDK)]
    return own, [block.text for block in blocks if "sdk" not in block.marks]


def test_the_page_leads_to_the_same_wire(tmp_path: Path) -> None:
    (before, bound), (annotated, tests) = read_code()
    (tmp_path / "pyproject.toml").write_text(
        f'[tool.mcpgen]\nsdk = "{SDK}"\ntesting = true\n[tool.mypy]\nstrict = true\n', "utf-8"
    )
    (tmp_path / "coast.py").write_text(before, "utf-8")
    for command in PAGE.list_texts("sh"):
        run = mcpgen(*shlex.split(command)[1:], cwd=tmp_path)
        assert run.returncode == 0, run.stderr
    head, decorator, first, second_decorator, second = re.split(r"^(@server\.tool.*\n)", before, flags=re.MULTILINE)
    annotated = annotated.replace("@server.tool()\n", decorator)
    (tmp_path / "coast1.py").write_text(
        "import generated\n" + head + annotated + "\n" + second_decorator + second, "utf-8"
    )
    (tmp_path / "coast2.py").write_text(head + bound + "\ntools.complete()\n", "utf-8")
    assert "from coast import server" in tests
    (tmp_path / "test_coast.py").write_text(tests.replace("from coast ", "from coast2 "), "utf-8")
    (tmp_path / "calls.json").write_text(json.dumps(CALLS), "utf-8")
    answers: dict[str, Any] = json.loads(run_python(tmp_path, str(RECORDER), "calls.json", "coast", "coast1", "coast2"))
    versions = {"2025-11-25", "2026-07-28"} & answers["coast"].keys()
    assert versions
    for version in versions:
        assert answers["coast"][version] == answers["coast1"][version] == answers["coast2"][version]
    run_python(tmp_path, "-m", "mypy", "coast.py", "coast1.py", "coast2.py", "test_coast.py")
    assert " passed" in run_python(
        tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "asyncio", "test_coast.py"
    )
    assert mcpgen("check", "--server", "coast2:server", cwd=tmp_path).returncode == 0
    assert first


def test_files_that_it_names_exist() -> None:
    text = PAGE.path.read_text("utf-8")
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (PAGE.path.parent / target).exists(), target
    for path in re.findall(r"`(tests/[\w./-]+)`", text):
        assert (ROOT / path).exists(), path
