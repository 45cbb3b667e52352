"""Input is regular files of the project, bounded; anything else is a diagnostic at once, which quotes nothing of it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from mcpgen.config.models import Limits
from mcpgen.diagnostics import Findings
from mcpgen.files.project_paths import find_project
from mcpgen.files.regular_files import FileTooLarge, NotRegularFile, read_input, read_regular
from mcpgen.read.parse import load_document
from support.in_process import Said, run
from support.packages import files

SECRET = "hunter2-is-the-password"
TOOL = {"name": "a", "inputSchema": {"type": "object"}}


def mcpgen(*arguments: str, cwd: Path) -> Said:
    """A command without a traceback."""
    completed = run(*arguments, cwd=cwd)
    assert completed.traceback == ""
    return completed


def fifo(path: Path) -> None:
    os.mkfifo(path)


def listening(path: Path) -> None:
    folder = Path.cwd()
    with socket.socket(socket.AF_UNIX) as listener:
        os.chdir(path.parent)  # a socket's path is short
        try:
            listener.bind(path.name)
        finally:
            os.chdir(folder)


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def folder(path: Path) -> None:
    path.mkdir()


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


KINDS = [fifo, listening, loop, folder, device]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one tool, beside a file that is none of its."""
    (tmp_path / "secret.json").write_text(json.dumps({"type": SECRET}), "utf-8")
    (tmp_path / "secret.txt").write_text(f"root: [{SECRET}\n\t{SECRET}", "utf-8")
    inner = tmp_path / "project"
    (inner / "schemas").mkdir(parents=True)
    (inner / "schemas" / "a.json").write_text(json.dumps(TOOL), "utf-8")
    (inner / "mcpgen.toml").write_text("", "utf-8")
    return inner


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize("name", ["schemas/b.json", "schemas/b.yaml", "schemas/a.content.j2"])
def test_what_is_no_regular_file_is_no_definition(project: Path, name: str, make: Callable[[Path], None]) -> None:
    make(project / name)
    run = mcpgen("build", "--jobs", "1", cwd=project)
    if make is folder or (name.endswith(".j2") and make is not device):
        assert run.returncode in (0, 2)  # folders are looked into; a template is used where it is a file
    else:
        assert run.returncode == 2
        assert name in run.stderr


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize("setting", ["tools.a.outputSchema", "tools.a.template", "ref-map.x", "schemas"])
def test_what_the_settings_name_is_a_regular_file(project: Path, setting: str, make: Callable[[Path], None]) -> None:
    make(project / "odd.json")
    path = '["odd.json"]' if setting == "schemas" else '"odd.json"'
    (project / "mcpgen.toml").write_text(f"{setting} = {path}\n", "utf-8")
    run = mcpgen("build", "--jobs", "1", cwd=project)
    assert run.returncode in ((0, 2) if setting == "ref-map.x" or make is folder else (2,)), run.stderr


@pytest.mark.parametrize("name", ["mcpgen.toml", "pyproject.toml"])
@pytest.mark.parametrize(
    ("command", "make"),
    [
        *((command, fifo) for command in ("check", "init", "show", "prove", "diff", "pull")),
        *(("build", make) for make in KINDS),
    ],
)
def test_settings_are_a_regular_file(project: Path, name: str, command: str, make: Callable[[Path], None]) -> None:
    (project / "mcpgen.toml").unlink()
    make(project / name)
    more = {"init": ["--yes"], "show": ["a"], "diff": ["schemas", "schemas"], "pull": ["nowhere.at:all"]}
    run = (
        mcpgen(command, *more.get(command, []), "--config", name, cwd=project)
        if command != "init"
        else mcpgen(command, "--yes", cwd=project)
    )
    assert run.returncode in (0, 2, 3), run.stderr


@pytest.mark.parametrize("make", [fifo, listening, loop, device])
def test_a_read_says_what_it_is_instead(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "a.json")
    kind = OSError if make is loop else NotRegularFile
    with pytest.raises(kind, match=r"symbolic links|not a regular file"):
        read_input(tmp_path / "a.json", 10)


@pytest.mark.parametrize("make", KINDS)
def test_a_read_that_follows_no_links_says_the_same(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "a.json")
    with pytest.raises(NotRegularFile, match=r"it is an? [a-z ]+, not a regular file"):
        read_regular(tmp_path / "a.json", 10)
    (tmp_path / "b.json").write_bytes(b"x" * 11)
    assert read_regular(tmp_path / "b.json", 10) == b"x" * 10
    (tmp_path / "c.json").symlink_to("b.json")
    with pytest.raises(NotRegularFile, match="it is a link, not a regular file"):
        read_regular(tmp_path / "c.json", 10)
    for read in (read_regular, read_input):
        with pytest.raises(OSError, match="cannot hold a NUL character"):
            read(tmp_path / "a\0.json", 10)


def test_a_file_is_never_read_beyond_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"x" * 11)
    with pytest.raises(FileTooLarge, match="11 bytes are more than 10"):
        read_input(path, 10)
    if os.path.exists("/proc/self/maps"):  # its size is said to be 0
        with pytest.raises(FileTooLarge):
            read_input("/proc/self/maps", 10)


def test_a_path_with_a_nul_is_a_finding(tmp_path: Path) -> None:
    findings = Findings()
    assert load_document(tmp_path / "a\0.json", "a", findings, Limits.model_validate({})) is None
    assert [finding.code for finding in findings] == ["MG001"]


# --- the project -----------------------------------------------------------------------------------------------------
OUTSIDE = {
    "schemas": 'schemas = ["schemas", "{}"]\n',
    "ref-map": 'ref-map = {{"https://x/" = "{}"}}\n',
    "outputSchema": 'tools.a.outputSchema = "{}/secret.json"\n',
    "template": 'tools.a.template = "{}/secret.txt"\n',
    "out": 'out = "{}/elsewhere"\n',
}


@pytest.mark.parametrize(
    ("link_kind", "format"),
    [("relative", "text"), ("relative", "json"), ("relative", "github"), ("absolute", "text"), ("link", "sarif")],
)
@pytest.mark.parametrize("setting", OUTSIDE)
def test_settings_do_not_lead_out_of_the_project(project: Path, setting: str, link_kind: str, format: str) -> None:
    where = {"relative": "..", "absolute": project.parent.as_posix(), "link": "link"}[link_kind]
    (project / "link").symlink_to(project.parent)
    (project / "mcpgen.toml").write_text(OUTSIDE[setting].format(where), "utf-8")
    files_before = files(project.parent)
    run = mcpgen("build", "--jobs", "1", "--format", format, cwd=project)
    assert run.returncode == 2
    assert "MG304" in run.stdout + run.stderr or setting == "template"
    assert "mcpgen.toml" in run.stdout + run.stderr
    assert SECRET not in run.stdout + run.stderr
    assert files(project.parent) == files_before


@pytest.mark.parametrize("setting", ["ref-map", "outputSchema", "schemas"])
def test_the_command_line_may_name_what_lies_outside(project: Path, setting: str) -> None:
    (project / "mcpgen.toml").write_text(OUTSIDE[setting].format(".."), "utf-8")
    run = mcpgen("build", "--jobs", "1", "--root", "..", cwd=project)
    assert "MG304" not in run.stderr
    assert SECRET not in run.stderr
    run = mcpgen("build", "../project/schemas", "--out", "../out", "--jobs", "1", cwd=project)
    assert ("MG304" in run.stderr) == (setting != "schemas")


def test_a_repository_is_one_project(project: Path) -> None:
    (project / "mcpgen.toml").write_text('schemas = ["../shared"]\n', "utf-8")
    (project / "schemas").rename(project.parent / "shared")
    assert mcpgen("build", "--jobs", "1", cwd=project).returncode == 2
    (project.parent / ".git").mkdir()
    run = mcpgen("build", "--jobs", "1", cwd=project)
    assert run.returncode == 0, run.stderr


def test_a_home_folder_is_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".git").mkdir()
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert find_project(tmp_path / "a" / "b") == (tmp_path / "a" / "b").resolve()
    (tmp_path / "a" / ".git").mkdir()
    assert find_project(tmp_path / "a" / "b") == (tmp_path / "a").resolve()


def test_settings_that_are_a_link_out_of_the_project_are_not_read(project: Path) -> None:
    (project / "mcpgen.toml").unlink()
    (project / "mcpgen.toml").symlink_to("../secret.txt")
    run = mcpgen("build", cwd=project)
    assert run.returncode == 2
    assert "MG304" in run.stderr
    assert SECRET not in run.stderr


# --- what is quoted --------------------------------------------------------------------------------------------------
SECRETS = {
    "b.json": f'{{"password": "{SECRET}",}}',
    "c.json": f'{{"{SECRET}": 1}}',
    "d.json": json.dumps({"type": SECRET, "private_key": SECRET}),
    "e.json": f'["{SECRET}"]',
    "f.json": f'{{"{SECRET}": 1, "{SECRET}": 2}}',
    "g.yaml": f"password: {SECRET}\n\tb: 1",
    "h.yaml": f"password: *{SECRET}",
    "i.yaml": f"{SECRET}: 1\n{SECRET}: 2",
    "j.yaml": f"a: !{SECRET} b",
    "k.yaml": f"{SECRET}\n",
    "l.json": f'{{"a": {SECRET}}}',
    "m.json": f'{{"a": 1{"0" * 4400}}}',
}


@pytest.mark.parametrize("format", ["text", "json", "github", "sarif"])
@pytest.mark.parametrize("link_kind", ["schemas", "outputSchema", "$ref"])
def test_a_file_that_is_no_definition_is_not_quoted(project: Path, link_kind: str, format: str) -> None:
    for name, text in SECRETS.items():
        (project / name).write_text(text, "utf-8")
    output = ""
    if link_kind == "schemas":
        (project / "mcpgen.toml").write_text('schemas = ["."]\n', "utf-8")
        output = _said(project, format)
    elif link_kind == "$ref":
        named = {name: {"$ref": f"../{name}#/password"} for name in SECRETS}
        named |= {f"{name} whole": {"$ref": f"../{name}"} for name in SECRETS}
        (project / "mcpgen.toml").write_text('ref-map = {"https://x/" = "."}\n', "utf-8")
        text = json.dumps({**TOOL, "outputSchema": {"type": "object", "properties": named}})
        (project / "schemas" / "a.json").write_text(text, "utf-8")
        output = _said(project, format)
    else:
        for name in SECRETS:
            (project / "mcpgen.toml").write_text(f'tools.a.outputSchema = "{name}"\n', "utf-8")
            if format == "text" or name in ("b.json", "d.json", "h.yaml"):
                output += _said(project, format)
    assert SECRET not in output


def _said(project: Path, format: str) -> str:
    run = mcpgen("build", "--jobs", "1", "--format", format, cwd=project)
    assert run.returncode in (0, 2), run.stderr  # an object may be a schema
    return run.stdout + run.stderr


def test_a_definition_with_a_mistake_is_quoted(project: Path) -> None:
    (project / "schemas" / "b.json").write_text('{"name": "b",\n"inputSchema": {"type": "object"},}', "utf-8")
    run = mcpgen("build", cwd=project)
    assert '"inputSchema": {"type": "object"},}' in run.stderr


# --- how much --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("limit", "value"), [("files", 3), ("total-size", 100), ("file-size", 10), ("values", 3), ("depth", 1)]
)
def test_a_limit_is_named(project: Path, limit: str, value: int) -> None:
    for number in range(5):
        text = json.dumps({**TOOL, "name": f"b{number}"})
        (project / "schemas" / f"b{number}.json").write_text(text, "utf-8")
    (project / "mcpgen.toml").write_text(f"limits = {{{limit} = {value}}}\n", "utf-8")
    run = mcpgen("build", "--jobs", "1", cwd=project)
    assert run.returncode == 2
    assert "MG009" in run.stderr
    assert f"`limits.{limit}`" in run.stderr
    assert str(value) in run.stderr


def test_a_folder_that_is_very_deep_is_walked(project: Path) -> None:
    folder, path = os.getcwd(), project / "schemas"
    try:
        os.chdir(path)
        for _ in range(1_500):
            os.mkdir("d")
            os.chdir("d")
    finally:
        os.chdir(folder)
    try:
        assert mcpgen("build", "--jobs", "1", cwd=project).returncode in (0, 2)
    finally:
        subprocess.run(["rm", "-rf", "schemas"], cwd=project, check=True)  # which pytest would recurse into
