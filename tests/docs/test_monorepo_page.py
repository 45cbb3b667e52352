"""docs/guides/monorepo.md: Ninja, Make and Bazel run its rules, on the project that the page describes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.packages import files, mcpgen, tool
from support.repository import ROOT

from benchmarks.monorepo import read_example, serve_cache, write_workspace

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs" / "guides" / "monorepo.md").read_text("utf-8")
PACKAGES = ("weather", "tides")


def write_definition(folder: Path, name: str, property_name: str = "n") -> None:
    schema = {"type": "object", "properties": {property_name: {"type": "integer"}}}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(tool(name, schema)), "utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The project that the page describes, with two definitions for each package."""
    folder = tmp_path / "project"
    for path, settings in re.findall(r"^(\w+/mcpgen\.toml) +(.*)$", PAGE, re.MULTILINE):
        (folder / path).parent.mkdir(parents=True)
        (folder / path).write_text(settings.replace(", ", "\n") + "\n", "utf-8")
    for package in PACKAGES:
        for name in (f"get_{package}", f"list_{package}"):
            write_definition(folder / package / "schemas", name)
    (folder / "requirements.txt").write_text("mcpgen\n", "utf-8")
    return folder


def check_packages(project: Path, outputs: Path) -> None:
    """Check that the outputs are what mcpgen writes without a build system, and that they can be imported together."""
    expected = project.parent / "expected"
    shutil.rmtree(expected, ignore_errors=True)
    shutil.copytree(project, expected)
    for package in PACKAGES:
        shutil.rmtree(expected / package / "mcp_gen", ignore_errors=True)
        run = mcpgen("build", "--config", f"{package}/mcpgen.toml", "--out", f"{package}/mcp_gen", cwd=expected)
        assert run.returncode == 0, run.stderr
        assert files(outputs / package / "mcp_gen") == files(expected / package / "mcp_gen")
        result = f"mcp_gen.Get{package.capitalize()}Result(n=1)"
        script = f"import mcp_gen; print({result}.to_call_tool_result())"
        environment = {**os.environ, "PYTHONPATH": str(outputs / package), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-c", script]
        imported = subprocess.run(command, cwd=outputs, env=environment, capture_output=True, text=True)
        assert imported.returncode == 0, imported.stderr
        assert "structured" in imported.stdout


def find_program(name: str) -> str:
    """Return the path of a program, beside Python's or in PATH; skip the test if there is none."""
    folders = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    path = shutil.which(name, path=folders)
    if path is None:
        pytest.skip(f"there is no {name}")
    return path


# --- Ninja and Make -----------------------------------------------------------------------------------------------
@pytest.mark.skipif(os.name == "nt", reason="the rules are for a shell")
@pytest.mark.parametrize(
    ("program", "first", "name"),
    [("ninja", "rule mcpgen", "build.ninja"), ("make", "packages := weather tides", "Makefile")],
)
def test_only_packages_whose_input_changed_are_built(project: Path, program: str, first: str, name: str) -> None:
    command = [find_program(program), *(["-v"] if program == "ninja" else [])]
    (project / name).write_text(read_example(first), "utf-8")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])

    def build() -> list[str]:
        run = subprocess.run(command, cwd=project, env={**os.environ, "PATH": path}, capture_output=True, text=True)
        assert run.returncode == 0, run.stdout + run.stderr
        time.sleep(0.05)  # what is changed next has to be newer than the output by a tick of the file system's clock
        return sorted(re.findall(r"mcpgen build .*--out (\S+)", run.stdout))

    everything = ["tides/mcp_gen", "weather/mcp_gen"]
    assert build() == everything
    assert build() == []
    check_packages(project, project)
    schemas = project / "weather" / "schemas"
    write_definition(schemas, "get_weather", "m")
    assert build() == ["weather/mcp_gen"], "a definition changed"
    write_definition(schemas, "get_weather", "n")
    assert build() == ["weather/mcp_gen"]
    write_definition(schemas, "new_weather")
    assert build() == ["weather/mcp_gen"], "a definition is new"
    write_definition(schemas / "more" / "and", "newer_weather")
    assert build() == ["weather/mcp_gen"], "a folder is new"
    write_definition(schemas / "more", "newest_weather")
    assert build() == ["weather/mcp_gen"], "a definition is new in a folder that had none"
    (schemas / "list_weather.json").unlink()
    assert build() == ["weather/mcp_gen"], "a definition is gone"
    with (project / "tides" / "mcpgen.toml").open("a") as settings:
        settings.write("[limits]\nfile-size = 100000\n")
    assert build() == ["tides/mcp_gen"], "a setting changed"
    (project / "requirements.txt").write_text("mcpgen==99\n", "utf-8")
    assert build() == everything, "mcpgen is another version"
    assert build() == []
    check_packages(project, project)


# --- Bazel -----------------------------------------------------------------------------------------------
@pytest.fixture
def remote_cache() -> Iterator[str]:
    """The URL of a cache."""
    with serve_cache() as url:
        yield url


def run_bazel(project: Path, outputs: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Build everything, each action in a sandbox; `--batch` leaves no process behind."""
    home = outputs / "home"
    home.mkdir(parents=True, exist_ok=True)
    startup = [find_program("bazel"), "--batch", f"--output_user_root={outputs}"]
    command = [
        *startup,
        "build",
        "//...",
        "--spawn_strategy=sandboxed",
        "--nosandbox_debug",
        "--color=no",
        "--curses=no",
        *options,
    ]
    environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(home), "USER": "someone"}
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=300)


def count_processes(stderr: str) -> dict[str, int]:
    """Return how many actions each strategy has run, by its name, from the line at a build's end."""
    (line,) = re.findall(r"INFO: \d+ process(?:es)?: (.*)\.$", stderr, re.MULTILINE)
    return {name: int(number) for number, name in re.findall(r"(\d+) ([a-z -]+)", line) if name != "internal"}


def test_a_second_checkout_takes_everything_from_the_cache(project: Path, tmp_path: Path, remote_cache: str) -> None:
    find_program("bazel")
    write_workspace(project)
    shutil.copytree(project, tmp_path / "second")
    first = run_bazel(project, tmp_path / "bazel1", f"--remote_cache={remote_cache}")
    assert first.returncode == 0, first.stderr
    ((strategy, number),) = count_processes(first.stderr).items()
    assert strategy.endswith("sandbox")
    assert number == 2
    check_packages(project, project / "bazel-bin")
    second = run_bazel(tmp_path / "second", tmp_path / "bazel2", f"--remote_cache={remote_cache}")
    assert second.returncode == 0, second.stderr
    assert count_processes(second.stderr) == {"remote cache hit": 2}
    check_packages(project, tmp_path / "second" / "bazel-bin")
    write_definition(tmp_path / "second" / "tides" / "schemas", "new_tides")
    third = run_bazel(tmp_path / "second", tmp_path / "bazel2", f"--remote_cache={remote_cache}")
    assert count_processes(third.stderr) == {strategy: 1}, "the other package is as it was"
    fourth = run_bazel(tmp_path / "second", tmp_path / "bazel2", f"--remote_cache={remote_cache}")
    assert count_processes(fourth.stderr) == {}, "nothing changed"


def test_an_input_that_is_not_declared_is_an_error(project: Path, tmp_path: Path) -> None:
    find_program("bazel")
    write_workspace(project)
    write_definition(project / "common", "position")
    (project / "common" / "BUILD.bazel").write_text(
        'filegroup(name = "schemas", srcs = glob(["*.json"]), visibility = ["//visibility:public"])\n', "utf-8"
    )
    settings = project / "weather" / "mcpgen.toml"
    settings.write_text(settings.read_text("utf-8") + '[ref-map]\n"https://example.com/" = "../common"\n', "utf-8")
    schema = {"$ref": "https://example.com/position.json#/outputSchema"}
    (project / "weather" / "schemas" / "place.json").write_text(json.dumps(tool("place", schema)), "utf-8")
    run = run_bazel(project, tmp_path / "bazel")
    assert run.returncode != 0
    assert "nothing is fetched" in run.stderr
    build_file = project / "weather" / "BUILD.bazel"
    declared = build_file.read_text("utf-8").replace(
        'glob(["schemas/**"])', 'glob(["schemas/**"]) + ["//common:schemas"]'
    )
    build_file.write_text(declared, "utf-8")
    run = run_bazel(project, tmp_path / "bazel")
    assert run.returncode == 0, run.stderr
