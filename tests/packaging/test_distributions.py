"""The distributions, as they are uploaded: checked, run without installing, and installed beside what users have."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path
from typing import NamedTuple

import pytest
from support.packages import tool
from support.repository import ROOT

TIDE = tool("tide", {"type": "object", "properties": {"metres": {"type": "number", "minimum": 0}}})
USE = "import generated; print(generated.TideResult(metres=1.5).to_wire()['structuredContent'])"
SERVE = """
import asyncio
import generated.client, generated.server
from mcp.client import Client
from mcp.server.mcpserver import MCPServer

server = MCPServer("tides")
generated.server.bind(server).tide(lambda: {"metres": 2.5})

async def main():
    async with Client(server) as session:
        print((await (await generated.client.connect(session)).tide()).metres)

asyncio.run(main())
"""
GENERATOR = {"black", "datamodel-code-generator", "jinja2", "mcpgen", "typer"}


class Neighbours(NamedTuple):
    """Packages that a user has in the environment."""

    requirements: tuple[str, ...]
    sdk: str
    modules: str
    """What is imported of them."""


NEIGHBOURS = {
    "mcp 2": Neighbours(("mcp>=2,<3",), "mcp", "mcp.server"),
    "mcp 1": Neighbours(("mcp<2",), "mcp1", "mcp.server.fastmcp"),
    "fastmcp 4": Neighbours(("fastmcp>=4,<5",), "fastmcp", "fastmcp"),
    "fastmcp 3": Neighbours(("fastmcp>=3,<4", "mcp<2"), "fastmcp3", "fastmcp"),
    "dedalus-mcp": Neighbours(("dedalus-mcp>=0.7", "mcp<2"), "dedalus", "dedalus_mcp"),
    "another black, and ruff": Neighbours(("black==24.10.0", "ruff"), "none", "black"),
    "a black of last year, isort": Neighbours(("black==25.1.0", "isort"), "none", "black, isort"),
    "another datamodel-code-generator": Neighbours(("datamodel-code-generator==0.60.0",), "none", "pydantic"),
}


class Distributions(NamedTuple):
    """The files that are uploaded."""

    folder: Path
    wheel: Path
    runtime_wheel: Path


def _run(*command: str | Path, cwd: Path, fails: bool = False) -> str:
    """Run a command, and return what it prints; its errors if it is expected to fail."""
    environment = {key: value for key, value in os.environ.items() if key not in ("VIRTUAL_ENV", "PYTHONPATH")}
    run = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=environment)
    assert (run.returncode != 0) == fails, run.stdout + run.stderr
    return run.stderr if fails else run.stdout


def _find_program(name: str) -> Path:
    program = Path(sys.executable).with_name(name + (".exe" if sys.platform == "win32" else ""))
    if not program.is_file():
        pytest.skip(f"{name} is not installed beside this Python: pip install {name}")
    return program


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Distributions]:
    """Build the distributions, where installers find them as on the package index."""
    folder = tmp_path_factory.mktemp("dist")
    for source in (ROOT, ROOT / "runtime"):
        _run(_find_program("uv"), "build", "-q", source, "-o", folder, cwd=ROOT)
    with pytest.MonkeyPatch.context() as environment:
        for variable in ("UV_FIND_LINKS", "PIP_FIND_LINKS"):
            environment.setenv(variable, str(folder))
        yield Distributions(folder, *folder.glob("mcpgen-*.whl"), *folder.glob("mcpgen_runtime-*.whl"))


def _make_environment(folder: Path, *requirements: str | Path) -> Path:
    """Install requirements into an environment, and return its Python."""
    uv, environment = _find_program("uv"), folder / "venv"
    _run(uv, "venv", "-q", "--python", sys.executable, environment, cwd=folder)
    python = environment / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    _run(uv, "pip", "install", "-q", "--python", python, *requirements, cwd=folder)
    return python


def _list_installed(python: Path, folder: Path) -> set[str]:
    listed = _run(_find_program("uv"), "pip", "list", "-q", "--python", python, "--format", "json", cwd=folder)
    return {package["name"] for package in json.loads(listed)}


def _write_definition(folder: Path) -> None:
    (folder / "schemas").mkdir()
    (folder / "schemas" / "tide.json").write_text(json.dumps(TIDE), "utf-8")


@pytest.mark.ci
def test_the_index_will_take_and_show_them(distributions: Distributions) -> None:
    files = sorted(distributions.folder.glob("mcpgen*"))
    assert len(files) == 4
    _run(sys.executable, "-m", "twine", "check", "--strict", *files, cwd=distributions.folder)
    with zipfile.ZipFile(distributions.wheel) as wheel:
        names = wheel.namelist()
        (path,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        metadata = Parser().parsestr(wheel.read(path).decode())
    assert {"mcpgen/templates/package/tool.py.j2", "mcpgen/explanations/MG001.md"} <= {*names}
    assert not [
        name for name in names if name.split("/")[0] not in ("mcpgen", f"mcpgen-{metadata['Version']}.dist-info")
    ]
    assert metadata["Requires-Python"] == ">=3.11"
    assert len(metadata.get_all("Project-URL") or []) == 5
    with zipfile.ZipFile(distributions.runtime_wheel) as wheel:
        names = wheel.namelist()
    assert {"mcpgen_runtime/__init__.py", "mcpgen_runtime/py.typed", "mcpgen_runtime/sdk/mcp/types.py"} <= {*names}
    assert {name.split("/")[0].split("-")[0] for name in names} == {"mcpgen_runtime"}


@pytest.mark.ci
def test_uvx_runs_the_wheel(distributions: Distributions, tmp_path: Path) -> None:
    _write_definition(tmp_path)
    uvx: list[str | Path] = [_find_program("uvx"), "--python", sys.executable]
    uvx += ["--from", distributions.wheel, "mcpgen"]
    assert _run(*uvx, "--version", cwd=tmp_path).startswith("mcpgen ")
    _run(*uvx, "build", "schemas/", "--no-cache", cwd=tmp_path)
    assert (tmp_path / "generated" / "tools" / "tide.py").is_file()


@pytest.mark.slow
def test_pipx_runs_the_wheel(distributions: Distributions, tmp_path: Path) -> None:
    _write_definition(tmp_path)
    pipx: list[str | Path] = [_find_program("pipx"), "run", "--no-cache", "--python", sys.executable]
    pipx += ["--spec", distributions.wheel]
    _run(*pipx, "mcpgen", "build", "schemas/", "--no-cache", cwd=tmp_path)
    assert (tmp_path / "generated" / "tools" / "tide.py").is_file()


@pytest.mark.ci
def test_production_needs_no_generator(distributions: Distributions, tmp_path: Path) -> None:
    """A package that was generated here runs where only mcpgen-runtime is installed."""
    _write_definition(tmp_path)
    _run(sys.executable, "-m", "mcpgen", "build", "schemas/", "--sdk", "none", "--no-cache", cwd=tmp_path)
    python = _make_environment(tmp_path, distributions.runtime_wheel, "pytest", "hypothesis")
    assert "1.5" in _run(python, "-c", USE, cwd=tmp_path)
    _run(
        python, "-m", "pytest", "-q", "-c", os.devnull, "--import-mode=importlib", ROOT / "runtime/tests", cwd=tmp_path
    )
    installed = _list_installed(python, tmp_path)
    assert {"mcpgen-runtime", "pydantic", "jsonschema-rs", "orjson"} <= installed
    assert not installed & GENERATOR


def _build(folder: Path, runtime: str, sdk: str = "none") -> None:
    settings = f'runtime = "{runtime}"\nsdk = "{sdk}"\n'
    (folder / "mcpgen.toml").write_text(settings, "utf-8")
    _run(sys.executable, "-m", "mcpgen", "build", "schemas/", "--no-cache", cwd=folder)


@pytest.mark.ci
def test_copies_need_no_library(distributions: Distributions, tmp_path: Path) -> None:
    """A package with copies runs, and serves a client, where only what it must declare is installed, and the SDK."""
    _write_definition(tmp_path)
    _build(tmp_path, "vendored", "mcp")
    python = _make_environment(tmp_path, "jsonschema-rs", "orjson", "pydantic", "mcp>=2.1,<3")
    assert "mcpgen-runtime" not in _list_installed(python, tmp_path)
    assert "1.5" in _run(python, "-c", USE, cwd=tmp_path)
    assert "2.5" in _run(python, "-c", SERVE, cwd=tmp_path)


@pytest.mark.ci
@pytest.mark.parametrize(
    ("oldest", "newest", "advice"),
    [(1, 2, ""), (0, 0, "pip install -U mcpgen-runtime"), (2, 3, "mcpgen build with a newer mcpgen")],
)
def test_a_package_meets_another_version_of_the_library(oldest: int, newest: int, advice: str, tmp_path: Path) -> None:
    """The library serves the interfaces that it says, or one message tells what to do; copies run beside it."""
    source = shutil.copytree(ROOT / "runtime", tmp_path / "library", ignore=shutil.ignore_patterns("__pycache__"))
    for module, name, value in (
        ("package", "INTERFACE", newest),
        ("package", "OLDEST_INTERFACE", oldest),
        ("__init__", "__version__", "'99.0'"),
    ):
        file = source / "src" / "mcpgen_runtime" / f"{module}.py"
        text, count = re.subn(rf"^{name} = .*$", f"{name} = {value}", file.read_text("utf-8"), flags=re.MULTILINE)
        assert count == 1
        file.write_text(text, "utf-8")
    python = _make_environment(tmp_path, source)
    _write_definition(tmp_path)
    _build(tmp_path, "installed")
    if advice:
        message = _run(python, "-c", USE, cwd=tmp_path, fails=True).strip().splitlines()[-1]
        assert message.startswith(
            "ImportError: generated was generated for version 1 of the interface of mcpgen-runtime"
        )
        assert message.endswith(advice)
    else:
        assert "1.5" in _run(python, "-c", USE, cwd=tmp_path)
    _build(tmp_path, "vendored")
    assert "1.5" in _run(python, "-c", USE, cwd=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", NEIGHBOURS)
def test_mcpgen_lives_beside(name: str, distributions: Distributions, tmp_path: Path) -> None:
    """One environment resolves; mcpgen and its neighbours are imported, and a package is built, imported and used."""
    neighbours = NEIGHBOURS[name]
    python = _make_environment(tmp_path, distributions.wheel, *neighbours.requirements)
    _run(python, "-c", f"import mcpgen.app, {neighbours.modules}", cwd=tmp_path)
    _write_definition(tmp_path)
    _run(python, "-m", "mcpgen", "build", "schemas/", "--sdk", neighbours.sdk, "--no-cache", cwd=tmp_path)
    module = "" if neighbours.sdk == "none" else "import generated.server; "
    assert "1.5" in _run(python, "-c", module + USE, cwd=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("sdk", ["mcp<2", "mcp>=2,<3", "fastmcp>=4,<5"])
def test_all_tools_of_a_project_live_together(sdk: str, distributions: Distributions, tmp_path: Path) -> None:
    """An SDK and the checkers of a project, with versions that are neither the oldest nor the newest."""
    others = ("black==25.9.0", "ruff", "mypy", "pytest", "datamodel-code-generator==0.70.0")
    python = _make_environment(tmp_path, distributions.wheel, sdk, *others)
    _write_definition(tmp_path)
    _run(python, "-m", "mcpgen", "build", "schemas/", "--sdk", "none", "--no-cache", cwd=tmp_path)
    assert "1.5" in _run(python, "-c", "import black, mypy; " + USE, cwd=tmp_path)
