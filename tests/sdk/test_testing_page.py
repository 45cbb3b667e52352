"""docs/guides/testing.md, gone through as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sdk.installed import SDK
from support.doc_pages import read_page
from support.packages import mcpgen, run_python

pytestmark = pytest.mark.skipif(SDK != "mcp", reason="the page shows a server on mcp 2.x")


list_blocks = read_page("guides/testing.md").list_texts


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (definition,), (settings,) = list_blocks("json"), list_blocks("toml")
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "get_weather.json").write_text(definition, "utf-8")
    (tmp_path / "mcpgen.toml").write_text(settings, "utf-8")
    (tmp_path / "test_page.py").write_text("\n\n".join(list_blocks("python")), "utf-8")
    run = mcpgen("build", "--jobs", "1", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    return tmp_path


def test_the_tests_of_the_page_pass_with_no_plugin_but_that_of_anyio(project: Path) -> None:
    environment = {"PYTHONPATH": "", "PYTEST_ADDOPTS": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    words = ("-m", "pytest", "-q", "-p", "anyio.pytest_plugin", "-p", "no:cacheprovider")
    printed = run_python(project, *words, **environment)
    assert re.search(r"^7 passed", printed, re.MULTILINE), printed


@pytest.mark.ci
def test_checkers_accept_the_tests_of_the_page(project: Path) -> None:
    run_python(project, "-m", "mypy", "--strict", "test_page.py")
