"""No text of a definition becomes code, an import, a comment's end, or a path outside of the output folder."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcpgen import app
from support import corpus
from support.injection import cases as injection
from support.injection import run as injection_run
from support.injection.cases import NEVER, POSITIONS, Case
from support.injection.compare import compare, compare_files
from support.injection.payloads import FOLDER, PAYLOADS, SENTINEL, SENTINEL_TEXT, make_harmless

TOOL: dict[str, Any] = {
    "name": "weather",
    "description": "Tells the weather.",
    "inputSchema": {"type": "object", "properties": {"city": {"enum": ["sunny", None]}, "a b": {"type": "string"}}},
    "outputSchema": {
        "type": "object",
        "properties": {
            "a b": {"$ref": "#/$defs/x-y"},
            "city": {"type": "string", "description": "Wet, or not.", "pattern": "a"},
            "one": {"$ref": "#/$defs/two"},
        },
        "required": ["a b"],
        "$defs": {
            "x-y": {"type": "array", "items": {"$ref": "#/$defs/x-y"}},
            "two": {
                "oneOf": [
                    {"type": "object", "properties": {"one": {"const": text}}, "required": ["one"]}
                    for text in ("sunny", "two")
                ]
            },
        },
    },
}
VALUE = {"a b": [[]], "city": "a"}
RESOURCE: dict[str, Any] = {"name": "one", "uri": "file:///a"}


@pytest.fixture(autouse=True)
def sentinel(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A payload that runs while a package is built would be seen, too."""
    folder = tmp_path_factory.mktemp("sentinel")
    (folder / f"{SENTINEL}.py").write_text(SENTINEL_TEXT, "utf-8")
    monkeypatch.setenv(FOLDER, str(folder))
    monkeypatch.syspath_prepend(str(folder))
    yield
    assert SENTINEL not in sys.modules
    assert not (folder / "ran").exists()


# --- hostile definitions ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("part", "least"),
    [(601, 10), pytest.param(61, 100, marks=pytest.mark.ci), pytest.param(5, 2_000, marks=pytest.mark.slow)],
)
def test_text_stays_text(tmp_path: Path, part: int, least: int) -> None:
    """A part of all pairs of position and payload; `scripts/injection.py` takes all of them."""
    todo = [*list(injection.cases())[::part], *injection.mixtures(200 // part, part)]
    report = injection_run.run(todo, tmp_path)
    assert report.problems == []
    assert report.schemas >= least
    assert sum(report.built.values()) + sum(report.refused.values()) == len(todo)
    assert not [position for position in NEVER if report.built[position]]
    if least >= 2_000:
        rare = {"x-mcpgen type"}  # few payloads are class names
        assert [
            position for position in POSITIONS if not report.built[position] and position not in {*NEVER, *rare}
        ] == []
        assert [item for item in NEVER if not report.refused[item]] == []
        assert [payload for payload in PAYLOADS[:-1] if not report.payloads[payload]] == []


@pytest.mark.ci
def test_a_class_name_is_chosen_only_from_identifiers(tmp_path: Path) -> None:
    todo = [case for case in injection.cases() if case.position in ("x-mcpgen type", "x-mcpgen name", "$anchor")]
    report = injection_run.run(todo, tmp_path)
    assert report.problems == []
    assert report.built["x-mcpgen type"] == sum(text.isidentifier() and text[0].isupper() for text in PAYLOADS)
    assert set(report.codes) <= {"MG002", "MG006", "MG101", "MG201", "MG202"}


@pytest.mark.parametrize("length", [200, 201, 300, 5_000])
def test_a_name_too_long_for_a_file_is_a_finding(tmp_path: Path, length: int) -> None:
    case = Case("", "", "a.json", {"name": "n" * length, "inputSchema": {"type": "object"}})
    outcome = app.generate_package(injection_run.written([case], tmp_path, "out", "none"), 1, lambda *_: None)
    app.write_output(outcome, False)
    assert [finding.code for finding in outcome.findings] == ["MG202"] * (length > 200)
    assert outcome.written == (tmp_path / "out").exists() == (length <= 200)


# --- the tests tested ------------------------------------------------------------------------------------------------
def _written(folder: Path, sdk: str = "none") -> Path:
    """A package without anything hostile in it."""
    cases = [Case("", "", "a.json", TOOL), Case("", "", "b.json", RESOURCE)]
    package = injection_run.written(cases, folder, "generated", sdk)
    outcome = app.generate_package(package, 1, lambda *_: None)
    app.write_output(outcome, False)
    assert outcome.written, list(outcome.findings)
    return folder / "generated"


def _used(folder: Path) -> list[str]:
    case = Case("", "", "a.json", TOOL, "weather", VALUE, {})
    return injection_run.used([injection_run.Built(folder, "generated", "none", [case], set())], folder)


@pytest.fixture(scope="module")
def harmless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built once; tests that doctor it do so in a copy."""
    return _written(tmp_path_factory.mktemp("harmless"))


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A harmless package for an SDK; building does not need the SDK."""
    return _written(tmp_path_factory.mktemp("serving"), sdk="mcp")


def test_harmless_packages_are_fine(harmless: Path, serving: Path) -> None:
    assert [*compare(harmless, harmless), *compare(serving, serving)] == []
    assert _used(harmless.parent) == []


RESULT = "return {**out, **to_json_value(extras)} if (extras := self.__pydantic_extra__) else out"
PLANTED = [
    ("tools/weather.py", "from __future__", "import os\nfrom __future__"),
    ("tools/weather.py", "from mcpgen_runtime.sdk.mcp.types import", "from os import"),
    ("tools/weather.py", "from mcpgen_runtime.sdk.mcp.server import", "from mcpgen_runtime.sdk.mcp.client import"),
    ("tools/weather.py", "import AnyContext, Returns", "import AnyContext as Any, Returns"),
    ("tools/weather.py", "class WeatherArguments(", "@staticmethod\nclass WeatherArguments("),
    ("tools/weather.py", "(Checked, OpenObject,", "(Checked, dict,"),
    ("tools/weather.py", "(Checked, OpenObject,", "(Checked, metaclass=OpenObject,"),
    ("tools/weather.py", "    city: str | None = None", "    city: Any = print()"),
    ("tools/weather.py", "    city: str | None = None", "    __class__: str | None = None"),
    ("tools/weather.py", "    city: str | None = None", "    tool.city: str | None = None"),
    ("tools/weather.py", "    city: str | None = None", "    city: str | None = None\n    # type: ignore"),
    ("tools/weather.py", "    normalize: ClassVar", "    model_config: ClassVar"),
    ("tools/weather.py", 'tool="weather"', 'tool=print("weather")'),
    ("tools/weather.py", 'tool="weather"', 'tool=f"weather"'),
    ("tools/weather.py", 'tool="weather"', 'tool=b"weather"'),
    ("tools/weather.py", 'tool="weather"', 'tool="another"'),
    ("tools/weather.py", RESULT, "return eval(out)"),
    ("tools/weather.py", RESULT, "return (out := 1)"),
    ("tools/weather.py", RESULT, "return lambda: out"),
    ("tools/weather.py", RESULT, "return __builtins__"),
    ("tools/weather.py", RESULT, "return out  # type: ignore"),
    ("tools/weather.py", "    def to_structured_content(", "    def __del__("),
    ("tools/weather.py", "self.__dict__", "self.__dict__.__class__"),
    ("tools/weather.py", '"""Tool `weather`', '"""Tool\n# mypy: ignore-errors\n`weather`'),
    ("tools/weather.py", "Tells the weather", "Tells\u202e the weather"),
    ("tools/weather.py", "Tells the weather.", 'Tells"""; print(); """.'),
    ("tools/weather.py", "Tells the weather.", "Tells the time."),
    ("tools/weather.py", "# Code generated by mcpgen from", "# Code generated by mcpgen coding:utf-7 from"),
    ("tools/weather.py", ". DO NOT EDIT.\n", ". DO NOT EDIT.\nimport os\n"),
    ("tools/weather.py", ". DO NOT EDIT.\n", ". DO NOT EDIT. # mypy: ignore-errors\n"),
    ("tools/weather.py", "# ruff: noqa #", "# ruff: noqa: E502 #"),
    ("tools/weather.py", '"XY", "list[', '"XY", "list[print(1)] | list['),
    ("tools/weather.py", '"city": "NotRequired[str]"', '"city": "NotRequired[print()]"'),
    ("tools/weather.py", "lambda: _Decorator(", "lambda x=print(): _Decorator("),
    ("tools/weather.json", '"city"', '"town"'),
    ("tools/__init__.py", '"""One', '__import__("pwned")\n"""One'),
    ("resources/one.py", 'return "file:///a"', 'return str(open("file:///a"))'),
    ("__init__.py", "    from .tools.weather import *", "    from .tools.weather import *; import os"),
    ("index.py", "from .tools.weather import tool", "from .tools.weather import tool as a, tool"),
    ("server.py", "class Tools(Index, ToolBinding):", "class Tools(Index, ToolBinding):\n    x = print()"),
    ("testing.py", "examples = Examples(_package)", "examples = Examples(print())"),
    ("client.py", "Package.of(__name__)", "Package.of(print())"),
    ("stubs/weather.pyi", "async def weather", "import os\nasync def weather"),
    ("stubs/weather.pyi", "\nasync def weather", "\n# type: ignore\nasync def weather"),
    ("stubs/index.txt", "\nweather", "\nimport os\nweather"),
    ("py.typed", ". DO NOT EDIT.\n", ". DO NOT EDIT.\nx\n"),
]
"""What an injection could put into a file."""


@pytest.mark.parametrize(("file", "old", "new"), PLANTED)
def test_what_is_planted_is_found(serving: Path, file: str, old: str, new: str) -> None:
    path = serving / file
    text = path.read_text("utf-8")
    assert old in text, text
    assert list(compare_files(text.replace(old, new, 1).encode(), text, path.suffix))


RAW = [
    ("import pwned", "import qxofe", "a module"),
    ("from a import pwned", "from a import qxofe", "a name of a module"),
    ("x: __import__", "x: __jnqpsu__", "a special name"),
    ("x: print", "x: qsjou", "a builtin"),
    ("Any = 1\nx: Any", "Boz = 1\nx: Any", "a name that hides another"),
    ("out = 1\nx = out", "pvu = 1\nx = x", "another name"),
    ("x = 7 * 7", "x = 8 * 8", "a number"),
    ("x = 'list[print]'", "x = 'list[qsjou]'", "a builtin in an annotation"),
    ("x = 'list[a] | b'", "x = 'list[b]'", "another annotation"),
    ("# type: ignore", "# uzqf: jhopsf", "a comment"),
    ('"""\n# mypy: ignore-errors\n"""', '"""\n# nzqz: jhopsf-fsspst\n"""', "an option of mypy"),
    ("x.out = 'other'", "x.pvu = 'pvu'", "a string that is no such name"),
]
"""Code of a text, and what its harmless form makes of it: they may have the same shape."""


@pytest.mark.parametrize(("code", "twin", "what"), RAW)
def test_code_of_a_text_is_found_in_the_same_shape(code: str, twin: str, what: str) -> None:
    assert list(compare_files(code.encode(), twin, ".py")), what
    assert list(compare_files(twin.encode(), twin, ".py")) == []


@pytest.mark.parametrize("text", [text for text in PAYLOADS if text != "\ud800"])
def test_text_as_text_is_fine(text: str) -> None:
    code, twin = (f"class A:\n    x: Literal[{item!a}] = {item!a}\n" for item in (text, make_harmless(text)))
    assert list(compare_files(code.encode(), twin, ".py")) == []


@pytest.mark.slow
def test_names_that_meet_in_the_modules_of_an_sdk(tmp_path: Path) -> None:
    """Tools called like what `server.py` and `client.py` say themselves, and like each other's classes and modules."""
    names = (
        "complete implement options contract self ctx from __class__ _x list dict str tuple property cast type "
        "x_tool x_handler x-context shared_types types print any result session bind connect handler tools client"
    ).split()
    expected = (
        "members uris text_block titled self ctx cast result _result extras OMITTED Mapping list str handler timeout "
        "from class __class__ 2fa _x"
    )
    input_schema = {"type": "object", "properties": {item: {"type": ["array", "null"]} for item in expected.split()}}
    inner = {"type": "object", "properties": {"n": {"type": "array", "items": {"type": "string"}}}, "required": ["n"]}
    output_schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/Day"}}, "$defs": {"Day": inner}}
    schemas = {"inputSchema": input_schema, "outputSchema": output_schema}
    cases = [Case("", "", f"{i}.json", {"name": name, **schemas}, name) for i, name in enumerate(names)]
    chosen = ("_call", "__named")
    cases += [
        Case(
            "", "", f"c{name}.json", {"name": f"chosen {name}", "x-mcpgen": {"name": name}, **schemas}, f"chosen {name}"
        )
        for name in chosen
    ]
    for case in cases:
        case.value, case.arguments = {"a": {"n": []}}, {}
    cases.append(Case("", "", "resource.json", {"name": "a resource", "uri": "x:y"}))
    report = injection_run.Report()
    out, later = injection_run._build(cases, tmp_path / "p", "meeting", "mcp", report)
    assert (report.problems, report.refused, later) == ([], {}, [])
    assert len(out.cases) == len(cases)
    if "mcp" in injection_run.SDKS:
        assert injection_run.used([out], tmp_path) == []
        assert corpus.checked(tmp_path / "p", "meeting") == []


@pytest.mark.ci
@pytest.mark.parametrize(
    ("code", "heard"),
    [
        ('__import__("pwned")', "a payload ran"),
        ('__import__("os").system("true")', "os.system"),
        ('__import__("subprocess").Popen(["true"])', "subprocess.Popen"),
        ('open("written", "w").close()', "open"),
        ('__import__("socket").socket()', "socket"),
        ('eval("1")', "exec of"),
        ('exec("import os")', "exec of"),
        ("tool = McpTool(WeatherArguments, dict)", "weather"),
    ],
)
def test_what_runs_is_heard(tmp_path: Path, harmless: Path, code: str, heard: str) -> None:
    out = shutil.copytree(harmless, tmp_path / "generated")
    path = out / "tools" / "weather.py"
    path.write_text(path.read_text("utf-8") + code + "\n", "utf-8")
    old_folder = os.getcwd()
    os.chdir(tmp_path)
    try:
        assert any(heard in item for item in _used(tmp_path))
    finally:
        os.chdir(old_folder)


def test_a_file_outside_of_the_output_folder_is_seen(tmp_path: Path, harmless: Path) -> None:
    out = shutil.copytree(harmless, tmp_path / "generated")
    built = injection_run.Built(tmp_path, "generated", "none", [], set())
    (tmp_path / "outside").write_text("")
    (out / "tools" / "con.py").write_text((out / "tools" / "weather.py").read_text("utf-8"), "utf-8")
    problems = list(injection_run.examined(built, harmless))
    assert {"the file outside", "the file generated/tools/con.py"} <= {*problems}
    assert any("other files than in the twin" in problem for problem in problems)
