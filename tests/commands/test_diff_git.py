"""`mcpgen diff --against`: the definitions of a git revision, read without touching the checkout."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mcpgen.commands.diff_comparison import DiffComparison, DiffRequest, compare_requested
from mcpgen.compat import git_revision as mcpgen_git
from mcpgen.schema.values import Json

TOOL: dict[str, Any] = {
    "name": "get_weather",
    "inputSchema": {"type": "object"},
    "outputSchema": {"type": "object", "properties": {"t": {"type": "number"}}, "required": ["t"]},
}


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def with_output(changes: dict[str, Json]) -> str:
    return json.dumps({**TOOL, "outputSchema": {**TOOL["outputSchema"], **changes}})


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one tool in its last commit, tagged v1."""
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "get_weather.json").write_text(json.dumps(TOOL), "utf-8")
    (tmp_path / "schemas" / "readme.txt").write_text("no definition", "utf-8")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "one")
    git(tmp_path, "tag", "v1")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def against(revision: str, *paths: str, config: str | None = None) -> DiffComparison:
    return compare_requested(
        DiffRequest(tuple(map(Path, paths)), revision, (), (), None if config is None else Path(config), 1)
    )


def ids(result: DiffComparison) -> list[str]:
    assert not result.findings.failed, [finding.message for finding in result.findings]
    return [change.rule.id for change in result.changes]


def failure(result: DiffComparison) -> str:
    (finding,) = result.findings.sorted()
    assert finding.code == "MG810"
    return finding.message


def test_the_working_tree_is_compared_with_a_revision(repository: Path) -> None:
    assert ids(against("HEAD")) == []
    (repository / "schemas" / "get_weather.json").write_text(with_output({"required": []}), "utf-8")
    before = git(repository, "status", "--porcelain")
    result = against("v1")
    assert ids(result) == ["output-property-became-optional"]
    assert result.changes[0].span.file == "schemas/get_weather.json"
    assert git(repository, "status", "--porcelain") == before


def test_what_is_gone_is_shown_where_it_was(repository: Path) -> None:
    (repository / "schemas" / "get_weather.json").unlink()
    other = {**TOOL, "name": "other", "outputSchema": {"type": "string"}}
    (repository / "schemas" / "other.json").write_text(json.dumps(other), "utf-8")
    result = against("main")
    assert ids(result) == ["tool-removed", "tool-added"]
    assert result.changes[0].span.format_place() == "schemas/get_weather.json at main, line 1"
    assert result.changes[1].span.format_place() == "schemas/other.json:1:2"


def test_paths_and_folders_below(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository / "schemas" / "get_weather.json").write_text(with_output({"required": []}), "utf-8")
    assert ids(against("HEAD", "schemas/get_weather.json")) == ["output-property-became-optional"]
    monkeypatch.chdir(repository / "schemas")
    assert ids(against("HEAD", ".")) == ["output-property-became-optional"]


def test_the_settings_of_the_revision_hold_for_it(repository: Path) -> None:
    (repository / "mcpgen.toml").write_text('[tools.get_weather]\ncontent = "none"\n', "utf-8")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "two")
    assert ids(against("HEAD")) == []
    (repository / "mcpgen.toml").write_text('schemas = ["defs"]\n', "utf-8")
    (repository / "schemas").rename(repository / "defs")
    assert ids(against("HEAD")) == ["content-strategy-changed"]
    assert ids(against("v1")) == ["tool-added"]  # which has no settings and nothing in defs


def test_a_folder_that_was_not_there_had_no_definitions(repository: Path) -> None:
    (repository / "more").mkdir()
    (repository / "more" / "get_weather.json").write_text(json.dumps(TOOL), "utf-8")
    assert ids(against("HEAD", "more")) == ["tool-added"]


def test_names_that_are_hard_to_list(repository: Path) -> None:
    for name in ("a b.json", "é\n.json", "-x.json"):
        tool = {**TOOL, "name": f"tool {len(name)} {ord(name[0])}"}
        (repository / "schemas" / name).write_text(json.dumps(tool), "utf-8")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "two")
    result = against("HEAD")
    assert ids(result) == []
    assert result.tools == 4


def test_what_cannot_be_read(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert failure(against("v2")) == 'git knows no revision "v2"'
    assert failure(against("--help")) == 'git knows no revision "--help"'
    outside = tmp_path_factory.mktemp("outside")
    assert "outside of the git repository" in failure(against("v1", str(outside)))


def test_no_repository_and_no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert failure(against("HEAD")) == "this is not a git repository"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert failure(against("HEAD")) == "git is not installed"


def test_an_error_of_the_past_names_the_revision(repository: Path) -> None:
    (repository / "schemas" / "bad.json").write_text("{", "utf-8")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "two")
    (repository / "schemas" / "bad.json").unlink()
    (finding,) = against("HEAD").findings
    assert finding.span is not None
    assert (finding.code, finding.span.format_place()) == ("MG002", "schemas/bad.json at HEAD, line 1")


def test_a_tree_that_leads_out_of_the_folder_is_refused(repository: Path) -> None:
    """Git refuses to write such a name, but a clone takes it as it is."""

    def plumbing(*arguments: str, data: bytes) -> str:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        command = ["git", "-C", str(repository), *identity, *arguments]
        return subprocess.run(command, input=data, capture_output=True, check=True).stdout.decode().strip()

    blob = plumbing("hash-object", "-w", "--stdin", data=b"{}")
    entry = b"100644 a.json\0" + bytes.fromhex(blob)
    inner = plumbing("hash-object", "-w", "-t", "tree", "--literally", "--stdin", data=entry)
    outer = b"40000 ..\0" + bytes.fromhex(inner)
    tree = plumbing("hash-object", "-w", "-t", "tree", "--literally", "--stdin", data=outer)
    commit = plumbing("commit-tree", tree, "-m", "x", data=b"")
    requested = compare_requested(DiffRequest((), commit, (), (), None, 1))
    assert [finding.code for finding in requested.findings] == ["MG810"]
    assert "../a.json" in next(iter(requested.findings)).message


def test_a_revision_of_too_many_bytes_is_refused(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcpgen_git, "MOST_BYTES", 10)
    requested = compare_requested(DiffRequest((), "HEAD", (), (), None, 1))
    assert [finding.code for finding in requested.findings] == ["MG810"]
    assert "more than 10 bytes" in next(iter(requested.findings)).message


# --- repositories among the files of another one ----------------------------------------------------------------------
@pytest.fixture
def embedded(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that holds a repository's own files, as a clone can bring them, whose configuration runs a command."""
    inner = repository / "inner"
    git(repository, "init", "-q", "--bare", "inner")
    (inner / "schemas").mkdir()
    (inner / "schemas" / "a.json").write_text(json.dumps(TOOL), "utf-8")
    options = [f"--git-dir={inner}", f"--work-tree={inner}"]
    git(inner, *options, "add", "schemas")
    git(inner, *options, "commit", "-q", "-m", "one")
    blob = git(inner, *options, "rev-parse", "HEAD:schemas/a.json").strip()
    (inner / "objects" / blob[:2] / blob[2:]).unlink()  # which git then fetches from the promised remote
    (inner / "config").write_text(
        "[core]\nrepositoryformatversion = 1\nbare = false\nworktree = .\nsshCommand = touch ran; false\n"
        '[extensions]\npartialClone = origin\n[remote "origin"]\nurl = ssh://x/y\npromisor = true\n',
        "utf-8",
    )
    monkeypatch.chdir(inner)
    return inner


def test_no_configuration_among_the_files_runs_a_command(embedded: Path) -> None:
    failure(against("HEAD"))
    assert not (embedded / "ran").exists()


def test_nor_where_git_does_not_know_the_option(embedded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = subprocess.run

    def run_without_option(command: list[str], **options: Any) -> Any:
        return run([command[0], *command[3:]] if command[1] == "-c" else command, **options)

    monkeypatch.setattr(subprocess, "run", run_without_option)
    assert "its repository is not trusted" in failure(against("HEAD"))
    assert not (embedded / "ran").exists()


def test_an_object_that_is_missing_is_told(repository: Path) -> None:
    blob = git(repository, "rev-parse", "HEAD:schemas/get_weather.json").strip()
    (repository / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert failure(against("HEAD")) == "an object of the revision is missing"
