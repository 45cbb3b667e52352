"""The rule for Make that `build --depfile` writes, read by Make itself where there is one."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mcpgen.commands.build import escape_make_path
from support.packages import files, mcpgen, tool
from support.repository import ROOT

pytestmark = pytest.mark.ci

NAMES = ["plain", "with space", "a#b", "a$b", "a$(b)c", "two  spaces", "é", "per%cent", "back\\slash", "x#$ y"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("depfile") / "project"
    (folder / "schemas").mkdir(parents=True)
    (folder / "far away").mkdir()
    (folder / "far away" / "x.json").write_text('{"type": "object", "properties": {"n": {"type": "string"}}}', "utf-8")
    for number, name in enumerate(NAMES):
        schema = {"type": "object", "properties": {"n": {"$ref": "https://far.test/x.json"}}}
        item = tool(f"tool{number}", schema)
        (folder / "schemas" / f"{name}.json").write_text(json.dumps(item), "utf-8")
    (folder / "schemas" / "tool1.content.j2").write_text("words", "utf-8")
    (folder / "mcpgen.toml").write_text('sdk = "mcp"\n[ref-map]\n"https://far.test/" = "far away"\n', "utf-8")
    assert mcpgen("build", "--depfile", "made/out.d", cwd=folder).returncode == 0
    return folder


@pytest.fixture
def project(built: Path, tmp_path: Path) -> Path:
    shutil.copytree(built, tmp_path / "project")
    return tmp_path / "project"


def test_every_file_that_was_read_is_named(project: Path) -> None:
    text = (project / "made" / "out.d").read_text("utf-8")
    inputs = ["schemas", *(f"schemas/{name}.json" for name in NAMES)]
    inputs += ["far away/x.json", "mcpgen.toml", "schemas/tool1.content.j2"]
    rule, _, rest = text.partition("\n\n")
    assert rule == " \\\n  ".join(["generated/__init__.py:", *map(escape_make_path, sorted(inputs))])
    assert rest == "\n".join(f"{escape_make_path(path)}:\n" for path in sorted(inputs))


def test_a_recalled_build_writes_the_same(project: Path) -> None:
    text = (project / "made" / "out.d").read_text("utf-8")
    for _ in range(2):
        (project / "made" / "out.d").unlink()
        run = mcpgen("build", "--depfile", "made/out.d", "--cache-dir", "../cache", cwd=project)
        assert run.returncode == 0, run.stderr
        assert (project / "made" / "out.d").read_text("utf-8") == text


def test_a_build_that_fails_writes_none(project: Path) -> None:
    (project / "made" / "out.d").unlink()
    (project / "schemas" / "plain.json").write_text("{", "utf-8")
    assert mcpgen("build", "--depfile", "made/out.d", cwd=project).returncode == 2
    assert not (project / "made" / "out.d").exists()


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
@pytest.mark.parametrize("name", [f"schemas/{name}.json" for name in NAMES if "%" not in name] + ["far away/x.json"])
def test_make_builds_again_when_a_file_changed(project: Path, name: str) -> None:
    (project / "Makefile").write_text("generated/__init__.py:\n\t@echo again\n-include made/out.d\n", "utf-8")

    def make() -> str:
        return subprocess.run(["make"], cwd=project, capture_output=True, text=True, check=True).stdout

    assert "again" not in make()
    stat = (project / "generated" / "__init__.py").stat()
    changed = project / name
    os.utime(changed, ns=(stat.st_mtime_ns + 10**10, stat.st_mtime_ns + 10**10))
    assert "again" in make()
    changed.unlink()
    assert "again" in make(), "a file that is gone is not an error"


@pytest.mark.parametrize(
    "name", ["x;touch made;", "SHELL=", "x!=touch made;", "x\n\nall:\n\ttouch made\n#", "a:b", "a|b", "a\rb", "a\x0bb"]
)
def test_a_name_that_would_be_a_command_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.json").write_text(json.dumps(tool("one", {"type": "object"})), "utf-8")
    (tmp_path / "mcpgen.toml").write_text('schemas = ["."]\n', "utf-8")
    run = mcpgen("build", "--depfile", "out.d", cwd=tmp_path)
    assert run.returncode == 2, run.stdout + run.stderr
    assert "MG404" in run.stderr
    assert "means something to Make" in run.stderr
    assert not (tmp_path / "out.d").exists()
    assert mcpgen("build", cwd=tmp_path).returncode == 0, "a build without a depfile takes it"


# --- as an action of a build system -----------------------------------------------------------------------------------
def isolated() -> list[str]:
    """Return what a command is run with where there is to be no network, nothing where that is not permitted here."""
    command = ["unshare", "--map-root-user", "--net"]
    try:
        permitted = subprocess.run([*command, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return []
    return command if permitted else []


def acted(project: Path, sandbox: Path, inputs: list[str]) -> subprocess.CompletedProcess[str]:
    """Run the command of the Bazel rule in docs/guides/monorepo.md, in a folder with links to some inputs only."""
    match = re.search(
        r'command = """\n(.*?)"""', (ROOT / "docs" / "guides" / "monorepo.md").read_text("utf-8"), re.DOTALL
    )
    assert match is not None
    for name in inputs:
        target = sandbox / "pkg" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(project / name)
    program = sandbox.parent / "mcpgen"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mcpgen "$@"\n', "utf-8")
    program.chmod(0o755)
    (sandbox.parent / "tmp").mkdir(exist_ok=True)
    bare = {"PATH": os.defpath, "HOME": "/nonexistent", "TMPDIR": str(sandbox.parent / "tmp")}
    first = [name for name in inputs if name == "mcpgen.toml"]
    listed = [f"pkg/{name}" for name in [*first, *(name for name in inputs if name not in first)]]
    command = ["bash", "--noprofile", "-euo", "pipefail", "-c", match[1], "bash", str(program), "out", *listed]
    return subprocess.run([*isolated(), *command], cwd=sandbox, env=bare, capture_output=True, text=True)


@pytest.mark.skipif(os.name == "nt" or shutil.which("tar") is None, reason="the action is a script of bash")
def test_the_declared_inputs_are_enough_and_each_is_needed(project: Path, tmp_path: Path) -> None:
    inputs = [f"schemas/{name}.json" for name in NAMES]
    inputs += ["far away/x.json", "mcpgen.toml", "schemas/tool1.content.j2"]
    rule, _, _ = (project / "made" / "out.d").read_text("utf-8").partition("\n\n")
    assert all(escape_make_path(path) in rule for path in inputs)
    (tmp_path / "one").mkdir()
    run = acted(project, tmp_path / "one" / "sandbox", inputs)
    assert run.returncode == 0, run.stdout + run.stderr
    assert files(tmp_path / "one" / "sandbox" / "out") == files(project / "generated")
    (tmp_path / "two").mkdir()
    run = acted(project, tmp_path / "two" / "sandbox", [name for name in inputs if name != "far away/x.json"])
    assert run.returncode == 2
    assert "nothing is fetched" in run.stderr
    assert not (tmp_path / "two" / "sandbox" / "out").exists()
