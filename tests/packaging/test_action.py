"""The GitHub action: its steps are run as GitHub's runner runs them, with the layouts of Linux, macOS and Windows."""

from __future__ import annotations

import json
import shutil
import stat
import sys
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from support.github_runner import Runner, read_action
from support.packages import mcpgen, tool
from support.repository import ROOT
from support.schemastore_copy import schema

pytestmark = [pytest.mark.ci, pytest.mark.skipif(shutil.which("bash") is None, reason="the action's steps are of bash")]
LAYOUTS = ("bin", "Scripts")
"""Where an environment has its programs: on Linux and macOS, and on Windows."""


def make_program(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(0o755)
    return path


def make_runner(folder: Path, layout: str = "bin", **inputs: str) -> Runner:
    """Return a runner whose checkout has a package of an older definition, and in which mcpgen is installed."""
    runner = Runner(folder, {key.replace("_", "-"): value for key, value in inputs.items()})
    project = runner.workspace / runner.values["inputs.working-directory"]
    (project / "schemas").mkdir(parents=True, exist_ok=True)
    definition = project / "schemas/get_depth.json"
    definition.write_text(json.dumps(tool("get_depth", {"type": "number"})), "utf-8")
    assert mcpgen("build", "--quiet", cwd=project).returncode == 0
    definition.write_text(json.dumps(tool("get_depth", {"type": "integer"})), "utf-8")
    programs = folder / "temp/mcpgen" / layout
    make_program(programs / "python", f'exec "{sys.executable}" "$@"')
    make_program(programs / "mcpgen", f'exec "{sys.executable}" -m mcpgen "$@"')
    runner.values["steps.install.outputs.programs"] = str(programs)
    return runner


def test_the_action_is_what_github_takes() -> None:
    action = read_action()
    jsonschema_rs.Draft7Validator(schema("github-action")).validate(action)
    documented = (ROOT / "docs/guides/ci.md").read_text("utf-8")
    for name, declared in action["inputs"].items():
        default = f"`{declared['default']}`" if declared["default"] else ""
        assert f"| `{name}` | {default} |".replace("|  |", "| |") in documented
    for step in action["runs"]["steps"]:
        assert "${{" not in step.get("run", ""), "an input would be code of the script"


def test_the_action_annotates_and_fails(tmp_path: Path) -> None:
    runner = make_runner(tmp_path, working_directory="project")
    run = runner.run("mcpgen")
    assert run.returncode == 4, run.stderr
    assert "\n::error file=project/generated/tools/get_depth.py,line=" in run.stdout
    assert make_runner(tmp_path, working_directory="project", command="build").run("mcpgen").returncode == 0


def test_output_goes_to_a_file(tmp_path: Path) -> None:
    run = make_runner(tmp_path, format="sarif", output="found.sarif", args="--jobs 1 --quiet").run("mcpgen")
    assert (run.returncode, run.stdout) == (4, "")
    assert json.loads((tmp_path / "workspace/found.sarif").read_text("utf-8"))["version"] == "2.1.0"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ("", []),
        ("--jobs 1   --quiet", ["--jobs", "1", "--quiet"]),
        ("--jobs\n1\n", ["--jobs", "1"]),
        ("--config 'my project/mcpgen.toml'", ["--config", "my project/mcpgen.toml"]),
        ('--config "it\'s/mcpgen.toml" ""', ["--config", "it's/mcpgen.toml", ""]),
        (r"--config server\new\mcpgen.toml", ["--config", r"server\new\mcpgen.toml"]),
        ("*.json # $HOME ~ é", ["*.json", "#", "$HOME", "~", "é"]),
        ("$(touch pwned) ; touch pwned", ["$(touch", "pwned)", ";", "touch", "pwned"]),
    ],
)
def test_args_become_arguments_and_no_code(args: str, words: list[str], tmp_path: Path) -> None:
    runner = Runner(tmp_path, {"args": args})
    programs = tmp_path / "bin"
    make_program(programs / "python", f'exec "{sys.executable}" "$@"')
    show = "import json, sys; print(json.dumps(sys.argv[1:]))"
    make_program(programs / "mcpgen", f'exec "{sys.executable}" -c "{show}" "$@"')
    runner.values["steps.install.outputs.programs"] = str(programs)
    run = runner.run("mcpgen")
    assert json.loads(run.stdout) == ["check", "--format", "github", *words], run.stderr
    assert not list(tmp_path.rglob("pwned"))


def test_args_with_an_open_quote_are_refused(tmp_path: Path) -> None:
    run = make_runner(tmp_path, args='--config "my project').run("mcpgen")
    assert run.returncode == 1
    assert run.stderr == "the input args of the action cannot be split into arguments: No closing quotation\n"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_programs_are_found_in_the_layout_of_each_system(layout: str, tmp_path: Path) -> None:
    """The program `python` here makes the environment that `venv` makes on that system, and notes how pip is called."""
    runner = Runner(tmp_path, contexts={"runner.temp": str(tmp_path / "temp folder")})
    noted = tmp_path / "noted"
    make = (
        f'mkdir -p "$3/{layout}"; printf \'#!/bin/sh\\necho "$PIP_CACHE_DIR $@" >"{noted}"\\n\' >"$3/{layout}/python"'
        f'; chmod +x "$3/{layout}/python"'
    )
    runner.values["steps.python.outputs.program"] = str(make_program(tmp_path / "python", make))
    run = runner.run("install")
    assert run.returncode == 0, run.stderr
    home = tmp_path / "temp folder/mcpgen"
    assert runner.values["steps.install.outputs.programs"] == str(home / layout)
    words = f"-m pip install --quiet --disable-pip-version-check {ROOT}/runtime {ROOT}"
    assert noted.read_text("utf-8") == f"{tmp_path}/temp folder/mcpgen-pip {words}\n"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_run_uses_a_private_cache(layout: str, tmp_path: Path) -> None:
    runner = make_runner(tmp_path, layout, command="build")
    cache = tmp_path / "temp/mcpgen-cache"
    cache.mkdir(mode=0o755)  # as it may be after it was restored
    cache.chmod(0o755)
    run = runner.run("mcpgen")
    assert (run.returncode, "MG408" in run.stdout + run.stderr) == (0, False), run.stdout + run.stderr
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert any(cache.glob("v1-*/*/*")), "nothing was cached"


def test_a_run_without_a_cache(tmp_path: Path) -> None:
    assert make_runner(tmp_path, command="build", cache="false").run("mcpgen").returncode == 0
    assert not (tmp_path / "temp/mcpgen-cache").exists()


def find_cache_steps() -> dict[str, dict[str, Any]]:
    steps = [step for step in read_action()["runs"]["steps"] if step.get("uses", "").startswith("actions/cache@")]
    assert all(step["if"] == "inputs.cache == 'true'" for step in steps)
    return {step["with"]["path"].rpartition("/")[2]: step["with"] for step in steps}


def test_caches_are_kept_in_the_folders_that_are_used(tmp_path: Path) -> None:
    runner = Runner(tmp_path)
    used = {
        runner.evaluate(runner.find_step(name)["env"][variable])
        for name, variable in (("install", "PIP_CACHE_DIR"), ("mcpgen", "MCPGEN_CACHE_DIR"))
    }
    assert {runner.evaluate(step["path"]) for step in find_cache_steps().values()} == used


@pytest.mark.parametrize("working_directory", [".", "server"])
def test_other_definitions_have_another_key_and_the_same_prefix(working_directory: str, tmp_path: Path) -> None:
    step = find_cache_steps()["mcpgen-cache"]
    runner = make_runner(tmp_path, working_directory=working_directory)
    runner.values["steps.python.outputs.key"] = "3.12-0123"
    project = runner.workspace / working_directory
    before = runner.evaluate(step["key"])
    assert runner.evaluate(step["key"]) == before
    for name in ("schemas/b.json", "schemas/b.yaml", "schemas/b.yml", "schemas/b.content.j2", "mcpgen.toml"):
        (project / name).write_text("{}", "utf-8")
        after = runner.evaluate(step["key"])
        assert after != before, name
        before = after
    (runner.workspace / "README.md").write_text("text", "utf-8")
    assert runner.evaluate(step["key"]) == before
    assert before.startswith(runner.evaluate(step["restore-keys"]))


def test_the_key_names_the_python_and_the_requirements(tmp_path: Path) -> None:
    runner = Runner(tmp_path)
    assert runner.run("python").returncode == 0
    first = runner.values["steps.python.outputs.key"]
    assert first.count("-") == 1
    assert first.partition("-")[0].startswith("3.")
    (tmp_path / "other/runtime").mkdir(parents=True)
    (tmp_path / "other/pyproject.toml").write_text("", "utf-8")
    (tmp_path / "other/runtime/pyproject.toml").write_text("", "utf-8")
    runner.values["github.action_path"] = str(tmp_path / "other")
    assert runner.run("python").returncode == 0
    assert runner.values["steps.python.outputs.key"].partition("-")[0] == first.partition("-")[0]
    assert runner.values["steps.python.outputs.key"] != first


def test_a_system_without_a_program_called_python(tmp_path: Path) -> None:
    """As on macOS without setup-python."""
    python = make_program(tmp_path / "programs/python3", f'exec "{sys.executable}" "$@"')
    make_program(tmp_path / "programs/bash", f'exec "{shutil.which("bash")}" "$@"')
    runner = Runner(tmp_path)
    assert runner.run("python", {"PATH": str(python.parent)}).returncode == 0
    assert runner.values["steps.python.outputs.program"] == str(python)


@pytest.mark.slow
def test_all_steps_with_a_real_environment(tmp_path: Path) -> None:
    runner = make_runner(tmp_path)
    shutil.rmtree(tmp_path / "temp/mcpgen")
    for name in ("python", "install"):
        run = runner.run(name)
        assert run.returncode == 0, run.stdout + run.stderr
    assert runner.values["steps.install.outputs.programs"] == str(tmp_path / "temp/mcpgen/bin")
    assert runner.run("mcpgen").returncode == 4
