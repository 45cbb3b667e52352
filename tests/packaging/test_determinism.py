"""The same input gives the same bytes, whatever the machine does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.packages import files, mcpgen, tool
from support.repository import ROOT

ADDRESS = {"type": "object", "properties": {"street": {"type": "string"}}, "required": ["street"]}


def _tools(count: int) -> list[dict[str, object]]:
    return [
        tool(
            f"tool-{index}",
            {
                "type": "object",
                "properties": {"home": {"$ref": "#/$defs/Address"}, "n": {"enum": ["a", "b", index]}},
                "$defs": {"Address": ADDRESS},
            },
        )
        for index in range(count)
    ]


@pytest.mark.ci
def test_hash_seed_workers_and_directory_order_do_not_matter(tmp_path: Path) -> None:
    results: list[dict[str, bytes]] = []
    for number, (seed, jobs) in enumerate((("0", "1"), ("1", "2"), ("4242", "3"))):
        folder = tmp_path / f"run{number}"
        schemas = folder / "schemas"
        schemas.mkdir(parents=True)
        tools = _tools(30)
        for item in tools if number % 2 else reversed(tools):
            path = schemas / f"{item['name']}.json"
            path.write_text(json.dumps(item), "utf-8")
        (folder / "pyproject.toml").write_text(
            f"[tool.mcpgen]\n[tool.black]\nline-length = {40 + 30 * number}\n[tool.ruff]\nline-length = 60\n", "utf-8"
        )
        run = mcpgen("build", "--jobs", jobs, cwd=folder, PYTHONHASHSEED=seed)
        assert run.returncode == 0, run.stderr
        results.append(files(folder / "generated"))
    assert results[0] == results[1] == results[2]
    assert len(results[0]) > 30


def test_a_second_build_touches_nothing(tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "tools.json").write_text(json.dumps(_tools(3)), "utf-8")
    assert mcpgen("build", cwd=tmp_path).returncode == 0
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "generated").rglob("*.py")}
    run = mcpgen("build", cwd=tmp_path)
    assert "nothing changed" in run.stderr
    assert before == {path: path.stat().st_mtime_ns for path in (tmp_path / "generated").rglob("*.py")}


@pytest.mark.ci
def test_static_modules_are_in_the_style_of_the_others() -> None:
    from mcpgen.render.formatter import format_source

    templates = ROOT / "templates"
    for path in templates.rglob("*.py"):
        text = path.read_text("utf-8")
        assert format_source(text) == text, path.name
