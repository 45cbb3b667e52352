"""A name that a package does not export: the error says where it is, or what to do to get it."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from support.packages import mcpgen, package, tool

SCHEMA = """{"type": "object", "properties": {"wind":
    {"type": "object", "properties": {"speed": {"type": "number"}, "size": {}}, "required": ["speed"]},
    "size": {"type": "integer"}}}"""
NO_SDK = (
    "the package was built without an SDK. Choose one with `sdk` in the settings of mcpgen, "
    "and run `mcpgen build --force`"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the package `plain` for no SDK and the package `served` for one, neither with resources."""
    folder = tmp_path_factory.mktemp("missing")
    (folder / "schemas").mkdir()
    for name in ("look", "watch"):
        (folder / "schemas" / f"{name}.json").write_text(SCHEMA.replace("size", name), "utf-8")
    for out, sdk in (("plain", "none"), ("served", "mcp")):
        built = mcpgen("build", "--jobs", "1", "--out", out, "--sdk", sdk, cwd=folder)
        assert built.returncode == 0, built.stderr
    return folder


def run(folder: Path, program: str) -> str:
    """Return what a program next to the packages prints, or the last line of its error."""
    command = [sys.executable, "-W", "error", "-c", program]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    return run.stdout.strip() if run.returncode == 0 else run.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize("name", ["bind", "connect", "bind_resources", "bind_prompts", "server", "client", "testing"])
def test_a_package_without_an_sdk_says_how_to_get_one(folder: Path, name: str) -> None:
    imported = run(folder, f"from plain import {name}")
    assert imported == f"ImportError: cannot import name '{name}' from 'plain': {NO_SDK}"
    message = run(folder, f"import plain; plain.{name}")  # Python may add a similar name
    assert message.startswith(f"AttributeError: module 'plain' has no attribute '{name}': {NO_SDK}")


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("bind_resources", "the package has no resources"),
        ("bind_prompts", "the package has no prompts"),
        ("testing", "write `testing = true` into the settings of mcpgen, and run `mcpgen build`"),
    ],
)
def test_a_package_for_an_sdk_says_what_it_lacks(folder: Path, name: str, advice: str) -> None:
    assert run(folder, f"from served import {name}").endswith(f"cannot import name '{name}' from 'served': {advice}")


def test_a_nested_class_is_found_in_its_module(folder: Path) -> None:
    for name in ("plain", "served"):
        message = run(folder, f"from {name} import Wind")
        where = f"it is in {name}.tools.look (also {name}.tools.watch)."
        assert message.startswith(f"ImportError: cannot import name 'Wind' from '{name}': {where}")
        statement = message.rpartition("Write `")[2].removesuffix("`")
        assert statement == f"from {name}.tools.look import Wind"
        assert run(folder, f"{statement}; print(Wind(speed=1.5).speed)") == "1.5"


@pytest.mark.parametrize("name", ["Field", "Any", "ClassVar", "Nothing", "nothing"])
def test_a_name_that_no_module_defines(folder: Path, name: str) -> None:
    """Python's own error, also for names that the modules only import."""
    assert "cannot import name" in run(folder, f"from plain import {name}")
    assert run(folder, f"from plain import {name}").endswith("plain/__init__.py)")
    message = run(folder, f"import plain; plain.{name}")
    assert message == f"AttributeError: module 'plain' has no attribute '{name}'"


def test_programs_may_probe_for_names(folder: Path) -> None:
    names = ("bind", "Wind", "testing", "Nothing")
    probes = ", ".join(f"hasattr(plain, {name!r})" for name in names)
    assert run(folder, f"import plain; print({probes}, getattr(plain, 'bind', 7))") == "False False False False 7"
    assert run(folder, "from plain import *; print('LookResult' in dir())") == "True"
    fallback = "try:\n    from plain import bind\nexcept ImportError:\n    print('no bind')"
    assert run(folder, fallback) == "no bind"


def test_a_distribution_without_the_json_files(tmp_path: Path) -> None:
    generated = package(tmp_path, [tool("buy")])
    found = importlib.import_module(f"{generated.__name__}.runtime.package").Package(
        generated.__name__, generated.__file__
    )
    (Path(generated.__file__).parent / "tools" / "buy.json").unlink()
    with pytest.raises(AttributeError, match=r"lacks the file tools/buy\.json: .* package data"):
        found.find_tool("buy")
    with pytest.raises(AttributeError, match=r"has no tools$"):
        found.find_tool("sell")
