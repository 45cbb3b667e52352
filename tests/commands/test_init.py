"""`mcpgen init`: what it proposes, that it overwrites nothing, and that what it writes builds, type-checks and runs."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from mcpgen.commands.init import inspect_project, propose_choices
from mcpgen.targets import SdkName
from support.packages import files, mcpgen

pytestmark = pytest.mark.ci
SERVER = """
from {package} import GetWeatherResult


def get_weather(city: str) -> GetWeatherResult:
    return GetWeatherResult(temperature=7.5, conditions=f"Rain in {{city}}")


print(get_weather("Oslo").to_wire(protocol="2025-06-18"))
"""


def pyproject(name: str, *dependencies: str, more: str = "") -> str:
    return f"[project]\nname = {json.dumps(name)}\ndependencies = {json.dumps(dependencies)}\n{more}"


def isolate(folder: Path) -> None:
    """Give a project an environment of its own, in which nothing is installed."""
    touch(folder, ".venv/pyvenv.cfg")


def touch(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).touch()


# --- what it proposes -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "existing", "out"),
    [
        ("weather", [], "generated"),
        ("weather", ["src/x.py"], "src/weather/mcp_gen"),
        ("Weather-Office.server", ["src/x.py"], "src/weather_office_server/mcp_gen"),
        ("weather", ["src/weather/__init__.py"], "src/weather/mcp_gen"),
        ("weather", ["weather/__init__.py", "tests/__init__.py"], "weather/mcp_gen"),
        ("weather-server", ["src/weather/__init__.py"], "src/weather/mcp_gen"),
        ("weather-server", ["office/__init__.py", "tests/__init__.py"], "office/mcp_gen"),
        ("weather", ["main.py"], "mcp_gen"),
        ("weather", ["main.py", "src/x.py"], "src/weather/mcp_gen"),
        ("3d", ["src/x.py"], "src/_3d/mcp_gen"),
        ("weather", ["weather/notes.txt"], "weather/mcp_gen"),
        ("天気", [], "generated"),
    ],
)
def test_the_folder_is_beside_the_projects_modules(name: str, existing: list[str], out: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(pyproject(name), "utf-8")
    touch(tmp_path, *existing)
    assert propose_choices(inspect_project(tmp_path)).out == out


@pytest.mark.parametrize("text", ["project = 3\n", "[project\n", "[project]\nname = 3\ndependencies = 'mcp'\n"])
def test_a_strange_pyproject_is_no_hindrance(text: str, tmp_path: Path) -> None:
    isolate(tmp_path)
    (tmp_path / "pyproject.toml").write_text(text, "utf-8")
    assert propose_choices(inspect_project(tmp_path)).sdk == "none"


# --- what it writes ---------------------------------------------------------------------------------------------------
def test_line_ends_stay_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_bytes(b'[project]\r\nname = "a"\r\n')
    assert mcpgen("init", cwd=tmp_path).returncode == 0
    data = (tmp_path / "pyproject.toml").read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n") == 8


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("mcpgen.toml", ""),
        ("pyproject.toml", "[tool.mcpgen]\n"),
        ("schemas/get_weather.content.j2", "mine"),
        ("generated/__init__.py", "mine = 1\n"),
    ],
)
def test_nothing_is_overwritten(path: str, text: str, tmp_path: Path) -> None:
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text(text, "utf-8")
    files_before = files(tmp_path)
    run = mcpgen("init", "--yes", cwd=tmp_path)
    assert run.returncode == 3
    assert f"{path}: error[MG303]" in run.stderr
    assert files(tmp_path) == files_before


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--out", "json"), "MG307"),
        (("--out", "src/typing"), "MG307"),
        (("--out", "mcp"), "MG307"),
        (("--out", "class"), "MG302"),
        (("--out", "my-package"), "MG302"),
        (("--out", "../outside"), "MG304"),
        (("--schemas", "../outside"), "MG304"),
        (("--sdk", "mpc"), "MG302"),
    ],
)
def test_what_the_next_build_would_refuse_is_refused_at_once(
    options: tuple[str, str], code: str, tmp_path: Path
) -> None:
    """The same settings, written by hand, are refused by the build, with the same code and message."""
    isolate(tmp_path)
    run = mcpgen("init", "--yes", *options, cwd=tmp_path)
    assert run.returncode == 2
    assert f"error[{code}]: {options[0]}: " in run.stderr
    assert [*files(tmp_path)] == [".venv/pyvenv.cfg"]
    chosen = {"schemas": '["schemas"]', "out": '"generated"', "sdk": '"mcp"'}
    chosen[options[0][2:]] = f'["{options[1]}"]' if options[0] == "--schemas" else f'"{options[1]}"'
    (tmp_path / "mcpgen.toml").write_text("".join(f"{key} = {value}\n" for key, value in chosen.items()))
    build = mcpgen("build", cwd=tmp_path)
    assert build.returncode == 2
    message = run.stderr.splitlines()[0].partition(f"{options[0]}: ")[2]
    assert f"error[{code}]: " in build.stderr
    assert message in build.stderr


def test_a_name_of_python_inside_a_package_is_fine(tmp_path: Path) -> None:
    assert mcpgen("init", "--yes", "--sdk", "mcp", "--out", "acme/json", cwd=tmp_path).returncode == 0
    assert mcpgen("build", cwd=tmp_path).returncode == 0


def test_handlers_that_cannot_be_written_stop_everything(tmp_path: Path) -> None:
    isolate(tmp_path)
    run = mcpgen("init", "--yes", "--handlers", cwd=tmp_path)
    assert run.returncode == 2
    assert "handlers are bound by packages for an SDK" in run.stderr
    touch(tmp_path, "handlers.py")
    before = files(tmp_path)
    run = mcpgen("init", "--yes", "--handlers", "--sdk", "mcp", cwd=tmp_path)
    assert run.returncode == 3
    assert "handlers.py: error[MG303]: is there already" in run.stderr
    assert "leave out --handlers" in run.stderr
    assert files(tmp_path) == before


@pytest.mark.parametrize("text", [None, pyproject("weather")])
def test_handlers_of_wrong_definitions_leave_nothing_behind(text: str | None, tmp_path: Path) -> None:
    isolate(tmp_path)
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "a.json").write_text('{"name": "a", "inputSchema": 3}')
    if text is not None:
        (tmp_path / "pyproject.toml").write_text(text)
    before = files(tmp_path)
    run = mcpgen("init", "--yes", "--handlers", "--sdk", "mcp", cwd=tmp_path)
    assert run.returncode == 2
    assert run.stderr.splitlines()[-1] == "nothing was written"
    assert "schemas/a.json" in run.stderr
    assert files(tmp_path) == before


LONG_HANDLERS = ["--handlers", "--out", "src/weather/" + "x" * 80]
"""Options with which the file of handlers is the longest."""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit for the size of files")
@pytest.mark.parametrize(
    ("text", "limit", "options"),
    [
        (None, 0, []),
        (pyproject("weather"), 20, []),
        (None, 200, []),
        (None, 700, []),
        (None, 620, LONG_HANDLERS),
        (pyproject("weather"), 620, LONG_HANDLERS),
    ],
)
def test_a_full_disk_leaves_nothing_behind(text: str | None, limit: int, options: list[str], tmp_path: Path) -> None:
    """Each limit stops another file. What is said to be written is there."""
    isolate(tmp_path)
    if text is not None:
        (tmp_path / "pyproject.toml").write_text(text)
    before = files(tmp_path)
    code = (  # a compiled module that the limit cuts off would break later imports
        "import resource, sys; sys.dont_write_bytecode = True; from mcpgen.cli import run;"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit})); run()"
    )
    command = [sys.executable, "-c", code, "init", "--yes", "--sdk", "mcp", *options]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    if limit == 700 and not options:
        assert run.returncode == 0, run.stderr
        return
    assert run.returncode == 2, run.stderr
    assert "error[MG404]: cannot be written" in run.stderr
    assert "wrote" not in run.stderr
    assert files(tmp_path) == before
    assert not (tmp_path / "schemas").exists()


def test_where_nothing_can_be_written_it_says_so(tmp_path: Path) -> None:
    touch(tmp_path, "schemas")
    run = mcpgen("init", "--schemas", "schemas/inner", cwd=tmp_path)
    assert run.returncode == 2
    assert "error[MG404]" in run.stderr
    assert set(files(tmp_path)) == {"schemas"}


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize(
    ("options", "typed", "settings"),
    [
        ([], "mpc\nmcp\nweather/gen\n\n", {"schemas": ["schemas"], "out": "weather/gen", "sdk": "mcp"}),
        (["--sdk", "mcp", "--out", "x"], "tools\n", {"schemas": ["tools"], "out": "x", "sdk": "mcp"}),
        (["--yes"], "", {"schemas": ["schemas"], "out": "generated", "sdk": "none"}),
    ],
)
def test_a_person_at_a_terminal_is_asked(
    options: list[str], typed: str, settings: dict[str, Any], tmp_path: Path
) -> None:
    import pty

    isolate(tmp_path)
    outer, inner = pty.openpty()
    os.write(outer, typed.encode())
    command = [sys.executable, "-m", "mcpgen", "init", *options]
    run = subprocess.run(command, cwd=tmp_path, stdin=inner, stderr=inner, stdout=subprocess.PIPE, timeout=60)
    os.close(inner)
    assert run.returncode == 0, os.read(outer, 100_000).decode()
    assert tomllib.loads((tmp_path / "mcpgen.toml").read_text("utf-8")) == settings
    assert run.stdout == b""


# --- what becomes of it -----------------------------------------------------------------------------------------------
def flat(folder: Path) -> str:
    touch(folder, "weather/__init__.py")
    return "weather.mcp_gen"


def src(folder: Path) -> str:
    touch(folder, "src/weather/__init__.py")
    return "weather.mcp_gen"


def application(folder: Path) -> str:
    touch(folder, "main.py")
    return "mcp_gen"


LAYOUTS = (flat, src, application)
CHECKED = ("none", "mcp")
"""The SDKs whose packages are type-checked: the binding of another is for an SDK that is not installed here."""


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of projects, one for each SDK and layout: built, and a server beside each package."""
    folder = tmp_path_factory.mktemp("projects")
    for sdk in get_args(SdkName):
        for layout in LAYOUTS:
            project = folder / sdk / layout.__name__
            project.mkdir(parents=True)
            (project / "pyproject.toml").write_text(pyproject("weather"), "utf-8")
            package = layout(project)
            for command in (["init", "--yes", "--sdk", sdk], ["build"], ["check"]):
                run = mcpgen(*command, cwd=project)
                assert run.returncode == 0, run.stderr
                assert "warning" not in run.stderr
            (base_of(project) / "server.py").write_text(SERVER.format(package=package), "utf-8")
    return folder


def base_of(project: Path) -> Path:
    """Return the folder that a project's modules are imported from."""
    return project / "src" if project.name == src.__name__ else project


@pytest.mark.ci
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("sdk", get_args(SdkName))
def test_it_builds_and_runs(sdk: str, layout: Callable[[Path], str], projects: Path) -> None:
    base = base_of(projects / sdk / layout.__name__)
    command = [sys.executable, str(base / "server.py")]
    environment = {**os.environ, "PYTHONPATH": str(base)}
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    if ("ModuleNotFoundError" in run.stderr or "WrongSdk" in run.stderr) and sdk != "none":
        pytest.skip(f"the SDK of {sdk} is not installed here")
    assert run.returncode == 0, run.stderr
    assert "'Rain in Oslo, 7.5 °C.'" in run.stdout


@pytest.mark.ci
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("sdk", CHECKED)
def test_mypy_is_clean(sdk: str, layout: Callable[[Path], str], projects: Path) -> None:
    needs_sdk(sdk)
    base = base_of(projects / sdk / layout.__name__)
    command = [sys.executable, "-m", "mypy", "--strict", "--explicit-package-bases", "server.py"]
    environment = {**os.environ, "MYPYPATH": str(base)}
    packages = map(str, base.glob("**/mcp_gen"))
    run = subprocess.run([*command, *packages], cwd=base, capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.ci
@pytest.mark.parametrize("sdk", CHECKED)
def test_pyright_is_clean(sdk: str, projects: Path) -> None:
    """Check that the server in each layout, and the package, which is the same in all of them."""
    needs_sdk(sdk)
    bases = [base_of(projects / sdk / layout.__name__) for layout in LAYOUTS]
    packages = [path for base in bases for path in base.glob("**/mcp_gen")]
    assert [files(package) for package in packages] == [files(packages[0])] * len(LAYOUTS)
    include = [str(path.relative_to(projects)) for path in (packages[0], *(base / "server.py" for base in bases))]
    environments = [{"root": str(base.relative_to(projects))} for base in bases]
    settings = {"include": include, "executionEnvironments": environments}
    (projects / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson"]
    run = subprocess.run(command, cwd=projects, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert json.loads(run.stdout)["summary"]["filesAnalyzed"] >= len(list(packages[0].rglob("*.py"))) + len(bases)


def needs_sdk(sdk: str) -> None:
    if sdk != "none" and importlib.util.find_spec("mcp_types") is None:
        pytest.skip(f"the SDK of {sdk} is not installed here")


def test_the_server_that_handlers_come_with_runs(tmp_path: Path) -> None:
    run = mcpgen("init", "--yes", "--handlers", "--sdk", "mcp", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    text = run.stderr.partition("such as server.py:\n")[2].partition("next:")[0]
    (tmp_path / "server.py").write_text(textwrap.dedent(text).replace("server.run()", "print(server.name)"), "utf-8")
    assert mcpgen("build", cwd=tmp_path).returncode == 0
    assert "server.run()" in text
    done = subprocess.run([sys.executable, "server.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("my-server\n", 0), done.stderr
