"""What is formatted by parts is what black makes of the whole."""

from __future__ import annotations

import random
from pathlib import Path

import black
import pytest
from black.mode import TargetVersion
from mcpgen import app
from mcpgen.config import load
from mcpgen.diagnostics import Findings
from mcpgen.render import jobs
from mcpgen.render.formatter import format_source
from support.repository import ROOT

TOP = ROOT
MODE = black.Mode(target_versions={TargetVersion.PY311}, line_length=100)
GENERATED = [
    *sorted((TOP / "generated").rglob("*.py")),
    *sorted((TOP / "tests" / "golden" / "cases").rglob("*.py.txt")),
]
STATEMENTS = [
    "x = 1", "x=1", "x  = {'a': 1}", 'x = {"a": 1,}', "x = {\n    \"a\": 1,\n}", "x = {\n    \"a\": 1\n}", "return_ = (a)",
    'x = "it\'s"', "x = 'it'", 'x = "\\""', 'x = f"{a}"', 'x = F"a"', "x = 0XFF", "x = a ** b", "x = a[1 :2]", "x = -1 ** -y",
    "x = " + " + ".join(["name"] * 40), "x = f(" + ", ".join(["name"] * 40) + ")", "x = f(a, b,)", "del (a)", "del a, b",
    "import a", "from a import b", "from a import (b)", "from a import b, c as d", "import a; import b", "x = 1; y = 2",
    "if a:\n    x = 1", "if a:\n    x = 1\nelse:\n    x = 2", "if (a):\n    x = 1", "if a: x = 1", "for a in b:\n    x.y(a)",
    "for (a) in b:\n    pass", "while a:\n    x = 1", "with a:\n    x = 1", "def f(): ...", "def f():\n    return 1",
    "def f(a, b,):\n    '''Says.'''\n    x = 1\n    return (x)", "@f\ndef g():\n\n    x = 1\n\n\n\n    return x", "class A: pass",
    "class A:\n\n    x: int = 1\n    '''Says.'''\n    y: str\n    def f(self):\n        return 1", "'text'", "...", "# comment",
    "x = 1  # comment", "x = {\n    # comment\n    \"a\": 1,\n}", "print (a)", "match = 1", "x: int=1", "x +=1", "assert (a)",
    "raise ValueError ( a )", "x = [\n    1,\n]", "x = {\n    **a,\n    \"b\": [c for c in d],\n}", "x = a if b else c",
    "x = lambda a: a", "x = {\n    \"" + "a" * 60 + "\": " + "b" * 60 + ",\n}", "x = a.b.c(d)[e](f)", "x = not(a)", "pass",
    "if a:\n    if b:\n        x = 1\n    y = 2", "try:\n    x = 1\nexcept E:\n    pass", "x = é", "x = \"é\"", "yield_ = (yield_)",
    "x = {\n    \"a\": {\n        \"b\": 1,\n    },\n}", "global a", "async_ = 1", "x = (\n    a\n)", "x = a,", "x = a, b",
]  # fmt: skip


def _black(text: str) -> str:
    return black.format_str(text, mode=MODE)


@pytest.mark.parametrize("path", random.Random(0).sample(GENERATED, 25), ids=lambda path: path.name)
def test_generated_modules_with_other_space(path: Path) -> None:
    """Blank lines, which black settles, and lines that are too long or too short for how they are broken."""
    text = path.read_text("utf-8").rpartition("# ruff: noqa: E501, RUF100\n")[2]  # else black leaves all as it is
    assert format_source(text) == _black(text)
    lines = text.split("\n")
    chance = random.Random(path.name)
    loose = "\n".join(line + "\n" * chance.randrange(3) if not line.strip() else line for line in lines)
    assert format_source(loose) == _black(loose)
    longer = text.replace("self.", "self.a_much_longer_name_than_before.").replace("value", "v")
    assert format_source(longer) == _black(longer)


@pytest.mark.parametrize("seed", range(15))
def test_random_modules(seed: int) -> None:
    chance = random.Random(seed)
    text = ""
    for _ in range(30):
        item = chance.choice(STATEMENTS)
        if chance.random() < 0.3 and item != "# comment":
            item = "class B:\n" + "\n".join(f"    {line}" if line else line for line in item.split("\n"))
        text += item + "\n" * chance.choice([1, 1, 1, 2, 3])
    assert format_source(text) == _black(text)


def test_black_is_asked_once_about_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments: list[str] = []
    real = black.format_str

    def spied(text: str, *, mode: black.Mode) -> str:
        arguments.append(text)
        return real(text, mode=mode)

    monkeypatch.setattr(black, "format_str", spied)
    text = "asked_once = {'a': 1,\n}\n"
    first = format_source(text)
    assert arguments
    arguments.clear()
    assert format_source(text) == first == real(text, mode=MODE)
    assert arguments == []


@pytest.mark.slow
def test_what_templates_print(monkeypatch: pytest.MonkeyPatch) -> None:
    printed: list[str] = []

    def spied(text: str) -> str:
        printed.append(text)
        return format_source(text)

    monkeypatch.setattr(jobs, "format_source", spied)
    monkeypatch.chdir(TOP)
    (package,) = load.load_packages(TOP / "pyproject.toml", TOP, Findings())
    assert app.generate_package(package, 1, lambda *_: None).generated is not None
    assert len(printed) > 40
    for text in printed:
        assert format_source(text) == _black(text)
