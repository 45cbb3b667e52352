"""explanation/generated-module.md shows what is generated from the schema on the page."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from support.doc_pages import read_page
from support.packages import mcpgen

SCHEMA = "schemas/get_weather.json"
MODULE = "generated/tools/get_weather.py"


def test_the_generated_code_is_what_is_generated(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    page = read_page("explanation/generated-module.md")
    (tmp_path / "schemas").mkdir()
    (tmp_path / SCHEMA).write_text(page.find_file(SCHEMA), "utf-8")
    (command,) = page.list_texts("sh")
    run = mcpgen(*shlex.split(command)[1:], cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    generated = (tmp_path / MODULE).read_text("utf-8")
    if request.config.getoption("--regenerate", default=False):
        text = page.path.read_text("utf-8").replace(page.find_file(MODULE), generated)
        page.path.write_text(text, "utf-8")
    else:
        assert page.find_file(MODULE) == generated


def test_the_schema_is_that_of_the_servers() -> None:
    assert read_page("explanation/generated-module.md").find_file(SCHEMA) == read_page("guides/servers.md").find_file(
        SCHEMA
    )
