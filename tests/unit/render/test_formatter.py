"""What is formatted by parts is what black makes of the whole."""

from __future__ import annotations

import ast
import random
import re
from pathlib import Path

import black
import pytest
from black.mode import TargetVersion
from mcpgen import app
from mcpgen.cache.store import Store
from mcpgen.config import load
from mcpgen.diagnostics import Findings
from mcpgen.files.ownership import LIST_FILES
from mcpgen.render import formatter, jobs
from mcpgen.render.formatter import format_source
from mcpgen.render.header import LINTERS_OFF
from support.repository import ROOT

TOP = ROOT
MODE = black.Mode(target_versions={TargetVersion.PY311}, line_length=120)
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
    "X = TypedDict(\n    \"X\",\n    {\n        \"a\": \"b\",\n        \"c\": 'L[\"d\"]',\n    },\n)", "x = 'a \"b\"'",
    "x = 'a'", "x = \"a 'b'\"", "x = f'a \"b\"'", "x = 'a \"b\" \\'c\\''", "x = \"L[\\\"a\\\"]\"", "x = {\n    'a': 1,\n    \"b\": 'c \"d\"',\n}",
    "x = f(\n    [\n        a,\n    ],\n    b,\n)", "x = f(\n    [\n        a\n    ],\n    b,\n)", "x = f(\n  [\n    a,\n  ],\n)",
    "x = [\n    (\n        1,\n    ),\n    [],\n]", "x = f(\n    a[\n        b,\n    ],\n)", "x = f(\n    a,\n    {\n        **b,\n    },\n)(c)",
    "x = [\n    {\n        \"a\": 1,\n        \"a\": 1,\n    },\n    {\n        \"a\": 1,\n    },\n]", "f(\n    g(\n        a,\n    ),\n)",
    "if a:\n    x = 1\nelif b:\n    x = 2", "if a:\n    x = 1\nelif (b):\n    x = 2\nelse:\n    x = 3",
    "if a:\n    x = 1\nelse: x = 2", "if a:\n    x = 1\nelif b: x = 2", "if a:\n    x = 1\n\nelse:\n\n    x = 2",
    "if a:\n    x = 1\nelif b:\n    x = 2  # comment", "if a:\n    x = 1\nelse:\n    if b:\n        x = 2",
    "for a in b:\n    if c:\n        continue\n    x = 1", "for a in b:\n    x = 1\nelse:\n    x = 2",
    "x = f(\n    [\n        \"" + "a" * 88 + "\",\n    ],\n)", "x = f(\n    [\n        \"" + "a" * 89 + "\",\n    ],\n)",
]  # fmt: skip


def _black(text: str) -> str:
    return black.format_str(text, mode=MODE)


def _read_body(path: Path) -> str:
    """Return a module without its header, which would turn black off."""
    return re.split(r"^# ruff: noqa.*\n", path.read_text("utf-8"), maxsplit=1, flags=re.MULTILINE)[-1]


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.slow] * (number >= 10), id=path.name)
        for number, path in enumerate(random.Random(0).sample(GENERATED, 40))
    ],
)
def test_generated_modules_with_other_space(path: Path) -> None:
    """Blank lines, which black settles, and lines that are too long or too short for how they are broken."""
    text = _read_body(path)
    assert format_source(text) == _black(text)
    lines = text.split("\n")
    chance = random.Random(path.name)
    loose = "\n".join(line + "\n" * chance.randrange(3) if not line.strip() else line for line in lines)
    assert format_source(loose) == _black(loose)
    longer = text.replace("self.", "self.a_much_longer_name_than_before.").replace("value", "v")
    assert format_source(longer) == _black(longer)


@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(8, 40))])
def test_random_modules(seed: int) -> None:
    chance = random.Random(seed)
    text = ""
    for _ in range(30):
        item = chance.choice(STATEMENTS)
        if chance.random() < 0.3 and item != "# comment":
            item = "class B:\n" + "\n".join(f"    {line}" if line else line for line in item.split("\n"))
        text += item + "\n" * chance.choice([1, 1, 1, 2, 3])
    assert format_source(text) == _black(text)


LINES = ["Says.", " Says.", "Says. ", "", "  ", "    Says.", "        Says.", "\tSays.", "Says:\t it", "café", "x\u00a0", "\u3000x", "x\x0cy",
    "a\u2028b", 'says "it"', '"it" says', '"', "back\\\\slash", "x" * 97, "x" * 93, "x" * 200, "é" * 99, "x\\"]  # fmt: skip
PLACES = ["{0}\nx = 1", "class A:\n    {0}\n    x: int = 1", "class A:\n    {0}\n\n    def f(self) -> int:\n        {0}\n        return 1",
    "class A:\n    x: int = 1\n    {0}\n    y: int = 2\n    {0}", "def f():\n    {0}", "x = 1\n{0}\ny = 1", "if x:\n    {0}\n    y = 1",
    "class A:\n    {0}", "class A:\n    x = 1\n    if x:\n        {0}\n    else:\n        {0}\n        y = 1", "{0}; x = 1"]  # fmt: skip


TYPES = [
    "int",
    "str | None",
    'Literal["a, b", "c"]',
    "Callable[[A, B], None]",
    "list[Any]",
    "dict[str, (A)]",
    "'Late'",
    "A . B",
]
VALUES = [
    'values["a"]',
    "a if b else c",
    "[item.a() for item in b]",
    "{**a}",
    'f(a, "b, c")',
    "(a)",
    "a[1 :2]",
    "{'a': b}",
    "{}",
]


def _make_stub(chance: random.Random) -> str:
    """Return a function without a body, of some length around the longest line or far from it."""
    names = [f"{chance.choice('abcdefgh') * chance.randint(1, 25)}{number}" for number in range(chance.randint(0, 6))]
    some = [f"{name}: {chance.choice(TYPES)}" for name in names]
    if some and chance.random() < 0.7:
        some = ["*", *(f"{one} = ..." if chance.random() < 0.4 else one for one in some)]
    returned = chance.choice([*TYPES, "Returned" * chance.randint(1, 14)])
    head, end = chance.choice(["def f", "def __call__", "async def f"]), chance.choice([": ...", ":\n    return 1"])
    comma = chance.choice([", ", ", ", ", ", ",", " , "])
    return f"{head}({comma.join(['self', *some])}{chance.choice(['', '', '', ','])}) -> {returned}{end}"


def _make_display(chance: random.Random) -> str:
    longest = chance.choice([8, 8, 8, 40])
    entries = [f'"{"key" * chance.randint(1, longest)}": {chance.choice(VALUES)}' for _ in range(chance.randint(1, 9))]
    start = chance.choice(
        ["x = ", "x: dict[str, Any] = ", "x[0] = ", "x = y = ", "x, y = ", "return ", "x += ", "f(", "x = f("]
    )
    return f"{start}{{{', '.join(entries)}{chance.choice(['', '', ','])}}}" + (")" if start.endswith("(") else "")


@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(12, 200))])
def test_long_stubs_and_displays(seed: int) -> None:
    chance = random.Random(seed)
    parts = list[str]()
    for number in range(12):
        statements = [
            chance.choice([_make_stub(chance), _make_display(chance), chance.choice(STATEMENTS)]) for _ in "ab"
        ]
        lines = "\n".join(statements[: chance.randint(1, 2)]).split("\n")
        heads = [
            [],
            ["def f():"],
            ["class A(Protocol):"],
            ["if a:", "    class B:"],
            ["class A:", "    class B(C):"],
            ["for a in b:", "    if c:"],
        ]
        head = chance.choice(heads)
        indent = "    " * len(head)
        extra = ["", f"class C{number}(D):", "    x: int", ""] if chance.random() < 0.2 else []
        parts += [*head, *(f"{indent}{line}".rstrip() for line in lines), *extra]
    source = "\n".join(parts) + "\n"
    try:
        expected = _black(source)
    except ValueError:
        return  # some of these statements cannot be in others
    assert format_source(source) == expected


@pytest.mark.filterwarnings("ignore:invalid escape sequence")
@pytest.mark.parametrize("seed", [*range(16), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(16, 99))])
def test_docstrings(seed: int) -> None:
    """Strings of lines that black may or may not change, in all places where a string can be a statement."""
    chance = random.Random(seed)
    for place in PLACES:
        lines = [chance.choice(LINES) for _ in range(chance.choice([1, 1, 2, 3, 5]))]
        indents = [chance.choice(["", "    ", "    ", "        "]) for _ in lines[1:]]
        end = chance.choice(["", "", " ", "\n", "\n    ", "\n        "])
        string = '"""' + "\n".join([lines[0], *map(str.__add__, indents, lines[1:])]) + end + '"""'
        text = place.format(string) + "\n"
        try:
            expected = _black(text)
        except ValueError:
            continue  # a quote or a backslash ends the string elsewhere
        assert format_source(text) == expected, text


@pytest.mark.parametrize("imports", ["import a", "from a import b\nimport c", "from a import (\n    b,\n    c,\n)"])
@pytest.mark.parametrize("statement", ["x = 1", "X: TypeAlias = int | str", "if a:\n    x = 1", "__all__ = []"])
def test_versions_of_black_agree_on_empty_lines_after_imports(imports: str, statement: str) -> None:
    """Before version 26, black keeps one or two; what is formatted here has one before it gets to black."""
    expected = f"{imports}\n\n{statement}\n"
    for empty in range(4):
        assert format_source(f"{imports}\n{empty * chr(10)}{statement}\n") == expected


@pytest.mark.parametrize("shape", sorted(formatter.STABLE_SHAPES))
def test_shapes_that_black_leaves(shape: str) -> None:
    assert _black(shape) == shape


def test_black_is_not_needed_for_another_description(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = GENERATED[0].read_text("utf-8")
    for path in GENERATED:
        text = _read_body(path)
        if "class " in text and text.startswith('"""'):
            break
    store = Store(tmp_path / "cache")
    assert format_source(text, store) == _black(text)
    monkeypatch.setattr(black, "format_str", None)
    first_line, _, rest = text.partition("\n")
    changed = first_line.replace('"""', '"""Other words, and: ', 1) + "\n" + rest
    formatter._format_module.cache_clear()
    formatter._format_shape.cache_clear()
    assert format_source(changed, store) == changed


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

    def spied(text: str, store: Store, tree: ast.Module | None = None) -> str:
        printed.append(text)
        return format_source(text, store, tree)

    monkeypatch.setattr(jobs, "format_source", spied)
    monkeypatch.chdir(TOP)
    (package,) = load.load_packages(TOP / "pyproject.toml", TOP, Findings())
    generated = app.generate_package(package, 1, lambda *_: None).generated
    assert generated is not None
    assert len(printed) > 40
    for text in printed:
        assert format_source(text) == _black(text)
    for path, text in generated.texts.items():
        if path.endswith(".py") and path not in LIST_FILES:
            body = re.sub(
                r"^from .*[^(\n]$", "import x", text.partition(LINTERS_OFF)[2], flags=re.MULTILINE
            )  # may be long
            assert _black(body) == body, path
