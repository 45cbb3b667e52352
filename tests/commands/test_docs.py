"""`mcpgen docs`: the files that it writes, leaves alone and removes, and what it says about what it cannot show."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.packages import files, mcpgen, tool

pytestmark = pytest.mark.ci

CITY: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [
    tool("get_weather", CITY, inputSchema=CITY, description="Says the weather."),
    tool("say", inputSchema=CITY, description="Says \u200bit."),
]
RESOURCES = [{"name": "rules", "uri": "https://example.org/rules"}]


def define(folder: Path, tools: list[dict[str, Any]]) -> None:
    (folder / "schemas").mkdir(exist_ok=True)
    (folder / "schemas" / "tools.json").write_text(json.dumps({"tools": tools, "resources": RESOURCES}), "utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "mcpgen.toml").write_text('schemas = ["schemas"]\nout = "gen"\n', "utf-8")
    define(tmp_path, TOOLS)
    assert mcpgen("build", cwd=tmp_path).returncode == 0
    return tmp_path


def docs(folder: Path, *options: str, exit_code: int = 0) -> str:
    run = mcpgen("docs", *options, cwd=folder)
    assert run.returncode == exit_code, run.stderr
    return run.stderr


def test_a_reference_is_written(project: Path) -> None:
    assert docs(project) == "site/reference.html and 4 Markdown pages, 5 changed\n"
    site = files(project / "site")
    assert set(site) == {"reference.html", "index.md", "tools/get_weather.md", "tools/say.md", "resources/rules.md"}
    page = site["tools/get_weather.md"].decode()
    assert "## Text of the result" in page
    assert "MG901" in site["tools/say.md"].decode()
    assert "⟨U+200B⟩" in site["tools/say.md"].decode()


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_same_definitions_give_the_same_bytes(project: Path, jobs: str) -> None:
    docs(project)
    before = files(project / "site")
    assert docs(project, "--jobs", jobs) == "site/reference.html and 4 Markdown pages, 0 changed\n"
    docs(project, "--out", "elsewhere")
    assert before == files(project / "site") == files(project / "elsewhere")


def test_a_page_of_a_tool_that_is_gone_is_removed(project: Path) -> None:
    docs(project)
    (project / "site" / "tools" / "mine.md").write_text("# Mine\n", "utf-8")
    define(project, TOOLS[:1])
    assert "2 Markdown pages" not in docs(project)
    assert set(files(project / "site" / "tools")) == {"get_weather.md", "mine.md"}


def test_nothing_is_written_over_edited_and_foreign_files(project: Path) -> None:
    docs(project)
    page = project / "site" / "tools" / "say.md"
    page.write_text(page.read_text("utf-8") + "More.\n", "utf-8")
    (project / "site" / "index.md").write_text("# Mine\n", "utf-8")
    define(project, [TOOLS[0], tool("say", description="Says something else.")])
    before = files(project / "site")
    error = docs(project, exit_code=3)
    assert "site/tools/say.md" in error
    assert "MG401" in error
    assert "MG402" in error
    assert files(project / "site") == before
    docs(project, "--force")
    assert "something else" in page.read_text("utf-8")


@pytest.mark.parametrize("target", ["file", "link"])
def test_a_folder_that_cannot_be_one_is_left_alone(project: Path, tmp_path: Path, target: str) -> None:
    site = project / "site"
    if target == "file":
        site.write_text("mine", "utf-8")
        assert "MG402" in docs(project, exit_code=3)
        assert site.read_text("utf-8") == "mine"
        return
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    site.symlink_to(outside)
    assert "MG304" in docs(project, exit_code=2)
    assert list(outside.iterdir()) == []


def test_a_build_leaves_the_reference_alone_and_it_the_build(project: Path) -> None:
    built = files(project / "gen")
    docs(project, "--out", "gen")
    assert mcpgen("build", cwd=project).returncode == 0
    assert built.items() <= files(project / "gen").items()
    assert (project / "gen" / "reference.html").exists()


def test_without_the_package_there_are_no_texts_of_results(project: Path) -> None:
    docs(project)
    define(project, [TOOLS[0], tool("say", CITY, inputSchema=CITY, description="Says something else.")])
    assert "does not match the definitions of say, which have no example results" in docs(project)
    assert "Text of the result" in (project / "site" / "tools" / "get_weather.md").read_text("utf-8")
    assert "Text of the result" not in (project / "site" / "tools" / "say.md").read_text("utf-8")
    error = docs(project, "schemas", "--out", "fresh", "--config", str(settings_without_package(project)))
    assert "MG602" in error
    assert "no texts of results" in error


def settings_without_package(project: Path) -> Path:
    path = project / "other.toml"
    path.write_text('schemas = ["schemas"]\nout = "nowhere"\n', "utf-8")
    return path


def test_several_packages_are_refused(tmp_path: Path) -> None:
    (tmp_path / "mcpgen.toml").write_text('[[package]]\nout = "a"\n[[package]]\nout = "b"\n', "utf-8")
    define(tmp_path, TOOLS)
    assert docs(tmp_path, exit_code=2)


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def test_changes_since_a_revision(project: Path) -> None:
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "before")
    nullable = {**CITY, "properties": {"city": {"type": ["string", "null"]}}}
    define(project, [tool("get_weather", nullable, inputSchema=CITY, description="Says it."), tool("new")])
    docs(project, "--since", "main")
    site = {path: text.decode() for path, text in files(project / "site").items()}
    assert "## Changes since main" in site["tools/get_weather.md"]
    assert "may now be null" in site["tools/get_weather.md"]
    assert "is new" in site["tools/new.md"]
    assert "## Also changed since main" in site["index.md"]
    assert 'tool "say"' in site["index.md"]
    assert "Changes since" not in site["resources/rules.md"]
    assert "may now be null" in site["reference.html"]


def test_a_revision_that_is_not_there(project: Path) -> None:
    git(project, "init", "-q")
    assert "MG810" in docs(project, "--since", "nowhere", exit_code=2)


def test_json_says_what_was_written(project: Path) -> None:
    run = mcpgen("docs", "--format", "json", cwd=project)
    document = json.loads(run.stdout)
    assert {"out": "site", "files": 5, "changed": 5}.items() <= {**document, **document.get("data", {})}.items()
