"""A name that a package does not export: the error says where it is, or what to do to get it."""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from support.packages import get_package, mcpgen, package, tool

SCHEMA = """{"type": "object", "properties": {"wind":
    {"type": "object", "properties": {"speed": {"type": "number"}, "size": {}}, "required": ["speed"]},
    "size": {"type": "integer"}}}"""
NO_SDK = (
    "the package was built without an SDK. Choose one with `sdk` in the settings of mcpgen, "
    "and run `mcpgen build --force`"
)


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield a folder with the package `plain` for no SDK and the package `served` for one, neither with resources."""
    folder = tmp_path_factory.mktemp("missing")
    (folder / "schemas").mkdir()
    for name in ("look", "watch"):
        (folder / "schemas" / f"{name}.json").write_text(SCHEMA.replace("size", name), "utf-8")
    for out, sdk in (("plain", "none"), ("served", "mcp")):
        built = mcpgen("build", "--jobs", "1", "--out", out, "--sdk", sdk, cwd=folder)
        assert built.returncode == 0, built.stderr
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield folder
    for module in [module for module in sys.modules if module.partition(".")[0] in ("plain", "served")]:
        del sys.modules[module]


def run(program: str) -> str:
    """Return what a program next to the packages prints, or the last line of its error."""
    with redirect_stdout(StringIO()) as printed, warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            exec(program, {})
        except Exception as error:
            return traceback.format_exception_only(error)[-1].strip()
    return printed.getvalue().strip()


@pytest.mark.parametrize("name", ["bind", "connect", "bind_resources", "bind_prompts", "server", "client", "testing"])
def test_a_package_without_an_sdk_says_how_to_get_one(name: str) -> None:
    imported = run(f"from plain import {name}")
    assert imported == f"ImportError: cannot import name '{name}' from 'plain': {NO_SDK}"
    message = run(f"import plain; plain.{name}")  # Python may add a similar name
    assert message.startswith(f"AttributeError: module 'plain' has no attribute '{name}': {NO_SDK}")


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("bind_resources", "the package has no resources"),
        ("bind_prompts", "the package has no prompts"),
        ("testing", "write `testing = true` into the settings of mcpgen, and run `mcpgen build`"),
    ],
)
def test_a_package_for_an_sdk_says_what_it_lacks(name: str, advice: str) -> None:
    assert run(f"from served import {name}").endswith(f"cannot import name '{name}' from 'served': {advice}")


def test_a_nested_class_is_found_in_its_module() -> None:
    for name in ("plain", "served"):
        message = run(f"from {name} import Wind")
        where = f"it is in {name}.tools.look (also {name}.tools.watch)."
        assert message.startswith(f"ImportError: cannot import name 'Wind' from '{name}': {where}")
        statement = message.rpartition("Write `")[2].removesuffix("`")
        assert statement == f"from {name}.tools.look import Wind"
        assert run(f"{statement}; print(Wind(speed=1.5).speed)") == "1.5"


@pytest.mark.parametrize("name", ["Field", "Any", "ClassVar", "Nothing", "nothing"])
def test_a_name_that_no_module_defines(name: str) -> None:
    """Python's own error, also for names that the modules only import."""
    assert "cannot import name" in run(f"from plain import {name}")
    assert run(f"from plain import {name}").endswith("plain/__init__.py)")
    message = run(f"import plain; plain.{name}")
    assert message == f"AttributeError: module 'plain' has no attribute '{name}'"


def test_programs_may_probe_for_names() -> None:
    names = ("bind", "Wind", "testing", "Nothing")
    probes = ", ".join(f"hasattr(plain, {name!r})" for name in names)
    assert run(f"import plain; print({probes}, getattr(plain, 'bind', 7))") == "False False False False 7"
    assert run("from plain import *; print('LookResult' in dir())") == "True"
    fallback = "try:\n    from plain import bind\nexcept ImportError:\n    print('no bind')"
    assert run(fallback) == "no bind"


def test_a_distribution_without_the_json_files(tmp_path: Path) -> None:
    generated = package(tmp_path, [tool("buy")])
    found = get_package(generated)
    (Path(generated.__file__).parent / "tools" / "buy.json").unlink()
    with pytest.raises(AttributeError, match=r"lacks the file tools/buy\.json: .* package data"):
        found.find_tool("buy")
    with pytest.raises(AttributeError, match=r"has no tools$"):
        found.find_tool("sell")


@pytest.mark.parametrize(
    ("attribute", "meant"),
    [
        ("options", "options_"),
        ("contract", "contract_"),
        ("titled_", "titled"),
        ("getPort", "get_port"),
        ("lok", "look"),
    ],
)
def test_an_unknown_attribute_names_the_right_one(tmp_path: Path, attribute: str, meant: str) -> None:
    """Also where a module has that name: `tools/options.py` is the tool whose attribute is `options_`."""
    names = ("options", "contract", "titled", "getPort", "look")
    generated = package(tmp_path, [tool(name) for name in names])
    found = get_package(generated)
    with pytest.raises(AttributeError, match=rf"has no tool '{attribute}'; did you mean '{meant}'\?$"):
        found.find_tool(attribute)
    assert found.find_tool(meant).name in names
