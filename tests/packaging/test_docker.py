"""The Dockerfile of the example: linted, and its two stages run in two virtual environments."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import NamedTuple

import anyio
import pytest
from sdk.installed import SDK
from support.linters import run_linter
from support.repository import ROOT
from support.template_project import PROJECT, copy_project

DOCKERFILE = PROJECT / "Dockerfile"
GENERATORS = {"black", "datamodel-code-generator", "jinja2", "mcpgen", "ruamel-yaml", "typer-slim"}
"""What building needs and serving does not."""


class Instruction(NamedTuple):
    """One instruction of a Dockerfile, with its lines joined."""

    name: str
    arguments: str


def read_stages(text: str) -> list[list[Instruction]]:
    """Return the instructions of each stage, without the FROM."""
    joined = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    stages: list[list[Instruction]] = []
    for line in filter(str.strip, joined.splitlines()):
        name, _, arguments = line.partition(" ")
        if name == "FROM":
            stages.append([])
        else:
            stages[-1].append(Instruction(name, " ".join(arguments.split())))
    return stages


def list_commands(stage: list[Instruction]) -> list[str]:
    """Return the commands of a stage, without mounts."""
    runs = [instruction.arguments for instruction in stage if instruction.name == "RUN"]
    return [re.sub(r"--mount=\S+ ", "", run) for run in runs]


@pytest.mark.ci
def test_hadolint_finds_nothing() -> None:
    assert run_linter("hadolint", "--no-color", "--verbose", str(DOCKERFILE), cwd=ROOT) == ""


@pytest.mark.ci
def test_hadolint_finds_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text("FROM python\nRUN cd /tmp && pip install mcpgen\n", "utf-8")
    found = run_linter("hadolint", "--no-color", "Dockerfile", cwd=tmp_path)
    assert {"DL3006", "DL3042"} <= set(re.findall(r"DL\d{4}", found))


def test_the_page_shows_this_file() -> None:
    page = (ROOT / "docs/guides/docker.md").read_text("utf-8")
    (shown,) = re.findall(r"^```dockerfile\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert shown == DOCKERFILE.read_text("utf-8")
    (settings,) = re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    declared = (PROJECT / "pyproject.toml").read_text("utf-8")
    assert all(line in declared.splitlines() for line in settings.splitlines() if line)


def test_the_second_stage_takes_nothing_from_the_first_but_wheels() -> None:
    first, second = read_stages(DOCKERFILE.read_text("utf-8"))
    assert [instruction.name for instruction in second] == ["RUN", "USER", "ENTRYPOINT"]
    mounts = re.findall(r"--mount=(\S+)", second[0].arguments)
    assert mounts == ["type=bind,from=build,source=/wheels,target=/wheels"]
    assert int(second[1].arguments) > 0  # not root
    assert any("--wheel-dir /wheels" in command for command in list_commands(first))


def make_environment(folder: Path) -> Path:
    """Make an environment like that of the image, with a pip that knows dependency groups; return its programs."""
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    command = [str(programs / "python"), "-m", "pip", "install", "--quiet", "--upgrade", "pip>=25.1"]
    subprocess.run(command, check=True, capture_output=True)
    return programs


def run_stage(stage: list[Instruction], programs: Path, cwd: Path, wheels: Path, *index: Path) -> None:
    """Run the commands of a stage; mcpgen and its library come from folders, as they come from an index elsewhere."""
    path = os.pathsep.join([str(programs), os.environ["PATH"]])
    environment = {
        **os.environ,
        "PATH": path,
        "PIP_FIND_LINKS": " ".join(map(str, index)),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    environment.pop("PYTHONPATH", None)
    for command in list_commands(stage):
        local = command.replace("/wheels", str(wheels))
        run = subprocess.run(["bash", "-euc", local], cwd=cwd, env=environment, capture_output=True, text=True)
        assert run.returncode == 0, f"{local}\n{run.stdout}{run.stderr}"


def list_installed(programs: Path) -> set[str]:
    command = [str(programs / "python"), "-m", "pip", "list", "--format", "json", "--disable-pip-version-check"]
    listed = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return {re.sub(r"[-_.]+", "-", row["name"]).lower() for row in listed}


@pytest.mark.ci
@pytest.mark.slow
@pytest.mark.skipif(SDK != "mcp", reason="the example is a server on mcp 2.x")
def test_both_stages_in_environments_of_their_own(tmp_path: Path) -> None:
    dist, library = tmp_path / "dist", tmp_path / "library"
    for source, folder in ((ROOT, dist), (ROOT / "runtime", library)):
        command = [sys.executable, "-m", "build", "--outdir", str(folder), str(source)]
        built = subprocess.run(command, capture_output=True, text=True)
        assert built.returncode == 0, built.stdout + built.stderr
    check_contents(dist)
    first, second = read_stages(DOCKERFILE.read_text("utf-8"))
    project, wheels = copy_project(tmp_path), tmp_path / "wheels"
    building, serving = make_environment(tmp_path / "build"), make_environment(tmp_path / "serve")
    run_stage(first, building, project, wheels, dist, library)
    assert {wheel.name.partition("-")[0] for wheel in wheels.iterdir()} == {"weather_server"}
    run_stage(second, serving, tmp_path, wheels, library)
    assert GENERATORS - {"typer-slim"} <= list_installed(building)
    assert list_installed(serving) & {*GENERATORS, "mcpgen-runtime"} == {"mcpgen-runtime"}
    (entry,) = (json.loads(item.arguments) for item in second if item.name == "ENTRYPOINT")
    anyio.run(call_server, str(serving / entry[0]), tmp_path)


def check_contents(dist: Path) -> None:
    """Check that neither the wheel nor the sdist of mcpgen ships the example."""
    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
    with tarfile.open(sdist) as archive:
        names += archive.getnames()
    assert not [name for name in names if "weather_server" in name or ("examples/" in name and "/codegen/" not in name)]


async def call_server(program: str, folder: Path) -> None:
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters

    async with Client(StdioServerParameters(command=program, args=[], cwd=folder)) as client:
        result = await client.call_tool("get_weather", {"city": "Nairobi"})
    assert result.structured_content == {"temperature": 22.5, "sky": "cloudy"}
    assert result.content[0].model_dump()["text"] == "22.5 °C, cloudy."


@pytest.mark.ci
def test_the_check_stops_the_build(tmp_path: Path) -> None:
    project = copy_project(tmp_path)
    definition = project / "schemas/get_weather.json"
    definition.write_text(definition.read_text("utf-8").replace("Degrees Celsius.", "Degrees."), "utf-8")
    first, _ = read_stages(DOCKERFILE.read_text("utf-8"))
    (command,) = (command for command in list_commands(first) if "check" in command)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    run = subprocess.run(
        ["bash", "-euc", command.replace("/wheels", str(tmp_path / "wheels"))],
        cwd=project,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 4, run.stdout + run.stderr
    assert not (tmp_path / "wheels").exists()
