"""A build, check or watch that would make another kind of package than there is: nothing changes without `--force`."""

from __future__ import annotations

import atexit
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from support import packages
from support.packages import files, tool

pytestmark = pytest.mark.ci

PRICE = {"type": "object", "properties": {"price": {"type": "number"}}}
CACHE = tempfile.mkdtemp(prefix="mcpgen-cache-")
"""Most tests here generate the same."""
atexit.register(shutil.rmtree, CACHE, True)


def mcpgen(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return packages.mcpgen(*arguments, cwd=cwd, MCPGEN_CACHE_DIR=CACHE)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "buy.json").write_text(json.dumps(tool("buy", PRICE)), "utf-8")
    (tmp_path / "cache").mkdir(mode=0o700)
    return tmp_path


def test_another_option_changes_nothing_also_if_the_run_is_recalled(project: Path) -> None:
    cached = ("--cache-dir", "cache")
    assert mcpgen("build", "--sdk", "mcp", *cached, cwd=project).returncode == 0
    before = files(project / "generated")
    for _ in range(2):  # the second one is in the cache
        run = mcpgen("build", "--sdk", "none", *cached, cwd=project)
        assert (run.returncode, run.stderr.count("MG409")) == (3, 1), run.stderr
        assert 'write `sdk = "mcp"` into mcpgen.toml' in run.stderr
        assert files(project / "generated") == before
    run = mcpgen("check", "--sdk", "none", *cached, cwd=project)
    assert (run.returncode, run.stderr.count("error["), run.stdout) == (4, 1, ""), run.stderr
    for option in (("--sdk", "mcp"), ()):
        run = mcpgen("build", *option, *cached, cwd=project)
        assert (run.returncode, "nothing changed" in run.stderr) == (0, True)


@pytest.mark.parametrize(("required", "sdk"), [("mcp>=2", "mcp"), ("mcp<2", "mcp1"), ("fastmcp>=4", "fastmcp")])
def test_the_first_build_is_for_the_sdk_that_the_project_requires(project: Path, required: str, sdk: str) -> None:
    """And says so; each later one is for the same, with and without the option, and if nothing requires it any more."""
    (project / "pyproject.toml").write_text(f'[project]\nname = "a"\ndependencies = ["{required}"]\n', "utf-8")
    first = mcpgen("build", "schemas/", cwd=project)
    assert first.returncode == 0
    assert f'chose sdk = "{sdk}": pyproject.toml requires "{required}"' in first.stderr
    assert (project / "generated" / "server.py").is_file()
    for command in (["build", "--sdk", sdk], ["build"], ["check"], ["build", "schemas/"], ["check", "--sdk", sdk]):
        run = mcpgen(*command, cwd=project)
        assert (run.returncode, "chose" in run.stderr) == (0, False), run.stderr
    (project / "pyproject.toml").write_text('[project]\nname = "a"\n', "utf-8")
    assert mcpgen("check", cwd=project).returncode == 0
    assert mcpgen("build", "--out", "fresh", "--sdk", sdk, cwd=project).returncode == 0
    assert files(project / "generated") == files(project / "fresh")


def test_a_new_package_is_for_the_sdk_of_the_one_beside_it(project: Path) -> None:
    (project / "mcpgen.toml").write_text('[[package]]\nout = "a"\n', "utf-8")
    assert mcpgen("build", "--sdk", "mcp", cwd=project).returncode == 0
    (project / "mcpgen.toml").write_text('[[package]]\nout = "a"\n[[package]]\nout = "b"\n', "utf-8")
    assert mcpgen("build", cwd=project).returncode == 0
    assert (project / "b" / "server.py").is_file()


def test_force_makes_the_package_that_a_clean_build_makes(project: Path) -> None:
    assert mcpgen("build", "--sdk", "mcp", cwd=project).returncode == 0
    assert mcpgen("build", "--sdk", "none", "--force", cwd=project).returncode == 0
    assert mcpgen("build", "--out", "fresh", cwd=project).returncode == 0
    assert files(project / "generated") == files(project / "fresh")
    assert mcpgen("check", cwd=project).returncode == 0


def test_what_force_would_overwrite_is_said_before(project: Path) -> None:
    assert mcpgen("build", "--sdk", "mcp", cwd=project).returncode == 0
    edited = project / "generated" / "server.py"
    edited.write_text(edited.read_text("utf-8") + "MINE = 1\n", "utf-8")
    run = mcpgen("build", "--sdk", "none", cwd=project)
    assert run.returncode == 3
    assert "generated/server.py:" in run.stderr
    assert "MG401" in run.stderr
    assert "MG409" in run.stderr


def test_the_other_packages_of_the_settings_are_built(project: Path) -> None:
    packages = "".join(f'[[package]]\nout = "{out}"\nsdk = "{sdk}"\n' for out, sdk in (("a", "mcp"), ("b", "none")))
    (project / "mcpgen.toml").write_text(packages, "utf-8")
    assert mcpgen("build", cwd=project).returncode == 0
    (project / "mcpgen.toml").write_text(packages.replace('"mcp"', '"dedalus"'), "utf-8")
    (project / "schemas" / "sell.json").write_text(json.dumps(tool("sell", PRICE)), "utf-8")
    run = mcpgen("build", cwd=project)
    assert run.returncode == 3
    assert 'a was built with sdk = "mcp"; a build with sdk = "dedalus" would' in run.stderr
    assert not (project / "a" / "tools" / "sell.py").exists()
    assert (project / "b" / "tools" / "sell.py").is_file()
