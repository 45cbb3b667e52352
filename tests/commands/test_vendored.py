"""Packages with copies of the run-time library: `runtime = "vendored"`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcpgen.paths import find_library_file
from sdk import exchange
from support import in_process
from support.packages import files, run_python, tool

SCHEMA = {"type": "object", "properties": {"metres": {"type": "number", "multipleOf": 0.5}}, "required": ["metres"]}
WITHOUT_LIBRARY = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("mcpgen", "mcpgen_runtime"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Refuse())
sys.path.insert(0, ".")
"""
USE = """
import generated
result = generated.TideResult(metres=1.5)
assert result.to_wire()["structuredContent"] == {"metres": 1.5}
assert generated.TideResult.from_call_tool_result(result.to_call_tool_result()) == result
try:
    generated.TideResult(metres=1.2)
except ValueError as error:
    assert "multiple of 0.5" in str(error), error
else:
    raise AssertionError("the schema is not checked")
"""
CALL = """
import asyncio
from generated import testing

async def main():
    async with testing.fake_client(tide=lambda: {"metres": 2}) as client:
        return await client.tide()

assert asyncio.run(main()).metres == 2
assert not any(name.startswith("mcpgen") for name in sys.modules)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "tide.json").write_text(json.dumps(tool("tide", SCHEMA)), "utf-8")
    return tmp_path


def run(project: Path, *arguments: str, **settings: str) -> int:
    """Run a command with these settings, those of the last run if there are none; return its exit code."""
    if settings:
        lines = "".join(f"{key} = {value}\n" for key, value in settings.items())
        (project / "mcpgen.toml").write_text(lines, "utf-8")
    return in_process.run(*arguments, "--jobs", "1", cwd=project).returncode


@pytest.mark.parametrize("sdk", ["none", "mcp", "dedalus"])
def test_the_copies_are_the_files_of_the_library(project: Path, sdk: str) -> None:
    assert run(project, "build", runtime='"vendored"', sdk=f'"{sdk}"') == 0
    copies = files(project / "generated" / "_runtime")
    assert copies.pop("SHA256SUMS")
    assert copies == {path: find_library_file(path).read_bytes() for path in copies}
    assert {path.split("/")[1] for path in copies if path.startswith("sdk/")} == {"__init__.py", sdk}
    texts = files(project / "generated")
    assert not [path for path, text in texts.items() if "_runtime" not in path and b"mcpgen_runtime" in text]


def test_a_changed_copy_is_noticed_and_a_stale_one_removed(project: Path) -> None:
    assert run(project, "build", runtime='"vendored"', sdk='"mcp"') == 0
    out = project / "generated"
    before = files(out)
    (out / "_runtime" / "errors.py").unlink()
    assert run(project, "check") == 4
    assert run(project, "build") == 0
    assert files(out) == before
    with (out / "_runtime" / "errors.py").open("a") as copy:
        copy.write("# mine\n")
    assert run(project, "check") == 4
    assert run(project, "build") == 3, "what somebody wrote is kept"
    assert run(project, "build", "--force") == 0
    assert files(out) == before
    (out / "_runtime" / "mine.py").write_text("MINE = 1\n", "utf-8")
    assert run(project, "build", "--force", runtime='"vendored"', sdk='"none"') == 0
    kept = files(out / "_runtime")
    assert {path.split("/")[1] for path in kept if path.startswith("sdk/")} == {"__init__.py", "none"}
    assert kept.pop("mine.py")
    (out / "_runtime" / "mine.py").unlink()
    assert run(project, "build", runtime='"installed"') == 0
    assert not (out / "_runtime").exists()
    assert run(project, "check") == 0


@pytest.mark.ci
@pytest.mark.parametrize("sdk", ["none", str(exchange.SDK or "none")])
def test_a_package_works_where_the_library_is_not(project: Path, sdk: str) -> None:
    serves = sdk != "none"
    assert run(project, "build", runtime='"vendored"', sdk=f'"{sdk}"', testing=str(serves).lower()) == 0
    run_python(project, "-c", WITHOUT_LIBRARY + USE + CALL * serves)


def test_a_package_without_a_client(project: Path) -> None:
    assert run(project, "build", sdk='"mcp"') == 0
    assert (project / "generated" / "client.py").exists()
    assert run(project, "build", sdk='"mcp"', client="false") == 0
    texts = files(project / "generated")
    assert "client.py" not in texts
    assert b"connect" not in texts["__init__.py"]
    assert run(project, "build", sdk='"mcp"', client="false", runtime='"vendored"') == 0
    assert not [path for path in files(project / "generated") if path.endswith("mcp/client.py")]
