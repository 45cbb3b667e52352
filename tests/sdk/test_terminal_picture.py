"""The terminal picture of the README: its session is as the commands run today, in both themes, and it is valid SVG."""

from __future__ import annotations

import importlib.util
import re
import sys
from html import unescape
from typing import Any
from xml.etree import ElementTree

import pytest
from sdk.installed import SDK
from support.repository import ROOT

PICTURES = ROOT / "docs" / "pictures"
NAMES = ("session-dark.svg", "session-light.svg")
LARGEST = 20_000
"""Bytes of one picture."""


def load_script() -> Any:
    spec = importlib.util.spec_from_file_location("terminal_picture", ROOT / "scripts" / "terminal_picture.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look for it there
    spec.loader.exec_module(module)
    return module


def read_lines(picture: str) -> list[str]:
    """Return the lines of the session that a picture draws."""
    return [unescape(re.sub(r"<[^>]*>", "", line)) for line in re.findall(r"<text .*?</text>", picture)]


@pytest.mark.parametrize("name", NAMES)
def test_the_readme_shows_a_small_picture_that_loads_nothing(name: str) -> None:
    picture = (PICTURES / name).read_text("utf-8")
    ElementTree.fromstring(picture)
    assert len(picture.encode()) < LARGEST
    assert re.findall(r"https?://[^\"]+", picture) == ["http://www.w3.org/2000/svg"]
    assert f"docs/pictures/{name}" in (ROOT / "README.md").read_text("utf-8")


@pytest.mark.ci
@pytest.mark.skipif(SDK != "mcp", reason="the session is one with mcp 2.x")
@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed here")
def test_the_session_is_as_it_runs_today() -> None:
    pictures: dict[str, str] = load_script().make_pictures()
    assert tuple(sorted(pictures)) == NAMES
    for name, picture in pictures.items():
        shown = read_lines((PICTURES / name).read_text("utf-8"))
        assert shown == read_lines(picture), "run `python scripts/terminal_picture.py` and look at docs/pictures/"
        assert "error: Argument" in " ".join(shown)
        assert "Success: no issues found" in " ".join(shown)
