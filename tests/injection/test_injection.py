"""No text of a definition becomes code, an import, a comment's end, or a path outside of the output folder."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcpgen import app, paths
from mcpgen.config import load
from support import corpus
from support.injection import allowed_code
from support.injection import cases as injection
from support.injection import run as injection_run
from support.injection.cases import NEVER, POSITIONS, Case
from support.injection.payloads import FOLDER, PAYLOADS, SENTINEL, SENTINEL_TEXT
from support.injection.text import Texts, envelope

TEXTS = ("weather", "Tells the weather.", "city", "a b", "x-y", "sunny", "Wet, or not.", "one", "two", "file:///a")
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


@pytest.mark.ci
def test_a_protocol_schema_is_no_better_trusted(tmp_path: Path) -> None:
    schema = json.loads((paths.find_shipped_folder("schemas/mcp") / "2026-07-28" / "schema.json").read_text("utf-8"))
    texts = [text for text in PAYLOADS if "\ud800" not in text]
    content = schema["$defs"]["TextContent"]
    for text in texts:
        content["properties"][text] = {"enum": [text, "b"], "description": text}
        schema["$defs"][text] = {"type": "object", "properties": {text: {"const": text}}, "title": text}
    content["properties"]["all"] = {"anyOf": [{"$ref": f"#/$defs/{text}"} for text in texts if "/" not in text]}
    content["properties"]["tag"] = {"const": texts[0]}
    content["required"].append("tag")
    declared_texts = Texts(injection.texts([schema, TOOL, *_shipped()]))
    harmless = _written(tmp_path / "harmless")
    (tmp_path / "mcp" / "2026-07-28").mkdir(parents=True)
    (tmp_path / "mcp" / "2026-07-28" / "schema.json").write_text(json.dumps(schema), "utf-8")
    out = _written(tmp_path / "hostile", 'mcp-schema = "../mcp/2026-07-28/schema.json"\n')
    text = (out / "runtime" / "protocol.py").read_text("utf-8")
    assert text.count("pwned") > 10
    assert list(envelope(text.encode())) == []
    assert (
        list(allowed_code.module(text, declared_texts, (harmless / "runtime" / "protocol.py").read_text("utf-8"))) == []
    )
    assert _used(tmp_path / "hostile") == []


def _shipped() -> list[Any]:
    return [json.loads(path.read_text("utf-8")) for path in paths.find_shipped_folder("schemas/mcp").rglob("*.json")]


@pytest.mark.parametrize("length", [200, 201, 300, 5_000])
def test_a_name_too_long_for_a_file_is_a_finding(tmp_path: Path, length: int) -> None:
    case = Case("", "", "a.json", {"name": "n" * length, "inputSchema": {"type": "object"}})
    outcome = app.generate_package(injection_run.written([case], tmp_path, "out", "none"), 1, lambda *_: None)
    app.write_output(outcome, False)
    assert [finding.code for finding in outcome.findings] == ["MG202"] * (length > 200)
    assert outcome.written == (tmp_path / "out").exists() == (length <= 200)


# --- the tests tested ------------------------------------------------------------------------------------------------
def _written(folder: Path, settings: str = "", sdk: str = "none") -> Path:
    """A package without anything hostile in it."""
    cases = [Case("", "", "a.json", TOOL), Case("", "", "b.json", RESOURCE)]
    package = injection_run.written(cases, folder, "generated", sdk)
    if settings:
        (folder / "mcpgen.toml").write_text(f'out = "generated"\n{settings}', "utf-8")
        from mcpgen.diagnostics import Findings

        (package,) = load.load_packages(folder / "mcpgen.toml", folder, Findings())
        package = package.model_copy(update={"roots": None})  # as with --root
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


def _problems(out: Path, harmless: Path) -> list[str]:
    declared_texts = Texts(TEXTS)
    return list(allowed_code.package(out, harmless, paths.find_shipped_folder("templates"), declared_texts))


def test_a_harmless_package_is_fine(harmless: Path) -> None:
    assert _problems(harmless, harmless) == []
    assert _used(harmless.parent) == []


DOCTORED = {
    "an import": ("import os\n", None),
    "an import from elsewhere": ("from os import path\n", None),
    "a name of typing that no template takes": ("from typing import get_type_hints\n", None),
    "an import from above": ("from ...outside import Base\n", None),
    "a call": ('__import__("pwned")\n', None),
    "a call of a method": ("WeatherResult.mro()\n", None),
    "an assignment": ("x = 1\n", None),
    "a decorator": ("class WeatherArguments(", "@staticmethod\nclass WeatherArguments("),
    "a base": ("(Checked, OpenObject)", "(Checked, dict)"),
    "a metaclass": ("(Checked, OpenObject)", "(Checked, metaclass=OpenObject)"),
    "a default": ("    city: str | None = None", "    city: Any = print()"),
    "a string as a default": ("    city: str | None = None", '    city: Any = "other"'),
    "a call in an annotation": ("city: str | None", "city: print(1) | None"),
    "a class attribute": ("_tool: ClassVar[ToolInfo] =", "model_config: ClassVar[ToolInfo] ="),
    "another name of a tool": ('__file__, "weather"', '__file__, "other"'),
    "a call in a serializer": ("return out", "return eval(out)"),
    "a subscripted call": ("return out", "return (print)(out)"),
    "a walrus": ("return out", "return (out := 1)"),
    "an f-string": ("return out", 'return f"{out}"'),
    "a lambda": ("return out", "return lambda: out"),
    "a string that no definition holds": ('out["city"]', 'out["town"]'),
    "a string at no place for one": ("return out", 'return "city"'),
    "a method": ("    def to_content(", "    def __del__("),
    "a comment": ("return out", "return out  # type: ignore"),
    "a comment for a formatter": ("return out", "return out  # fmt: on"),
    "a comment with code": ("    # The types don't", "    # import os\n    # The types don't"),
    "a comment for mypy in a string": ('"""Tool `weather`: Tells', '"""Tool `weather`:\n# mypy: ignore-errors\nTells'),
    "a mark of direction": ("Tells the weather", "Tells\u202e the weather"),
    "another docstring": ("Tells the weather.", "Tells the time."),
    "another encoding": ("# Code generated by mcpgen from", "# Code generated by mcpgen coding:utf-7 from"),
    "another header": ("# ruff: noqa #", "# noqa\n# ruff: noqa #"),
    "code in the type of an alias": ('"XY", "list[', '"XY", "list[print(1)] | list['),
    "a member of a TypedDict": ('"city": "NotRequired[', '"town": "NotRequired['),
    "a call in a TypedDict": ('"city": "NotRequired[str]"', '"city": "NotRequired[print()]"'),
    "a value in a TypedDict": ('"city": "NotRequired[str]"', '"city": print()'),
    "a value of normalize": ("WeatherResultDict]]]\n", "WeatherResultDict]]] = print\n"),
    "a call in the type of normalize": ("Returned[WeatherResult |", "Returned[print() |"),
    "bytes": ("return out", 'return b"out"'),
    "an attribute of an attribute": ("self.__dict__", "self.__dict__.__class__"),
}


@pytest.mark.parametrize("description", DOCTORED)
def test_the_check_finds(tmp_path: Path, harmless: Path, description: str) -> None:
    old, new = DOCTORED[description]
    out = shutil.copytree(harmless, tmp_path / "generated")
    path = out / "tools" / "weather.py"
    text = path.read_text("utf-8")
    if new is None:
        changed = text + old
    else:
        changed = text.replace(old, new, 1)
        assert changed != text, f"nothing to replace in\n{text}"
    path.write_text(changed, "utf-8")
    try:
        problems = _problems(out, harmless)
    except (SyntaxError, UnicodeDecodeError):
        problems = ["not readable"]
    assert problems


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("__init__.py", "__getattr__, __dir__ =", "import os\n    __getattr__, __dir__ ="),
        ("__init__.py", "    from .tools.weather import *", "    from os import *"),
        ("__init__.py", "    from .tools.weather import *", "    from .tools.weather import *; import os"),
        ("__init__.py", "    from .tools.weather import *", "    from .tools.weather import a, b"),
        ("__init__.py", "    from .tools.weather import *", "    from ..tools.weather import *"),
        ("__init__.py", "if TYPE_CHECKING:\n", "if TYPE_CHECKING:  # type: ignore\n"),
        ("runtime/protocol_versions.py", "PROTOCOLS = (", "import os\nPROTOCOLS = ("),
        ("runtime/protocol.py", "DEFAULT = ", "import os\nDEFAULT = "),
        ("resources/one.py", "(ContentsResource)", "(dict)"),
        ("resources/one.py", 'return "file:///a"', 'return str(open("file:///a"))'),
        ("resources/one.py", "def uri() -> str:", "def uri(x: int = print()) -> str:"),
        ("resources/one.py", 'uri="file:///a"', 'uri="file:///b"'),
        ("resources/one.py", "resource: Final = One", "resource: Final = print()"),
        ("resources/one.py", '__all__ = ["One"]', "__all__ = print()"),
        ("resources/one.py", '__all__ = ["One"]', '__all__ = ["a.b"]'),
        ("tools/weather.py", "tool: Final = McpTool(WeatherArguments", "tool: Final = McpTool(print()"),
        ("tools/weather.py", "tool: Final = McpTool", "tool: Any = McpTool"),
        ("tools/weather.py", "tool: Final = McpTool", "tool: Final = print"),
        ("tools/__init__.py", '"""One', '__import__("pwned")\n"""One'),
    ],
)
def test_the_check_finds_in_other_modules(tmp_path: Path, harmless: Path, file: str, old: str, new: str) -> None:
    out = shutil.copytree(harmless, tmp_path / "generated")
    text = (out / file).read_text("utf-8")
    assert old in text, text
    (out / file).write_text(text.replace(old, new, 1), "utf-8")
    assert _problems(out, harmless)


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A harmless package for an SDK; building does not need the SDK."""
    return _written(tmp_path_factory.mktemp("serving"), sdk="mcp")


def test_a_harmless_package_for_an_sdk_is_fine(serving: Path) -> None:
    assert _problems(serving, serving) == []


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("server.py", "class Tools(Index, SdkBinding):", "class Tools(Index, SdkBinding):\n    x = print()"),
        ("client.py", "class Client(Index, ClientBase):", "class Client(Index, ClientBase):\n    x = print()"),
        ("index.py", "import tool as weather", "import tool as weather; import os"),
        ("index.py", "from .tools.weather import tool", "from .tools.weather import tool as a, tool"),
        ("index.py", "class Index:", "class Index(dict):"),
        ("tools/weather.py", "import AnyContext, InterimResult", "import AnyContext as Any, InterimResult"),
        ("tools/weather.py", "from ..runtime.server_adapter import", "from os import"),
        ("tools/weather.py", '*, city: Literal["sunny"]', '*, city: Literal["rainy"]'),
        ("tools/weather.py", 'city: Literal["sunny"] | None = ...', 'city: Literal["sunny"] | None = print()'),
        ("tools/weather.py", "a_b: str = ...", "a_b: print() = ..."),
        ("tools/weather.py", "Answers the tool `weather`.", "Answers the tool `x`, or not."),
        ("tools/weather.py", "class WeatherHandler(Protocol)", "class WeatherHandler(Protocol, dict)"),
        (
            "tools/weather.py",
            "WeatherReturned: TypeAlias = Returned[",
            "WeatherReturned: TypeAlias = print() | Returned[",
        ),
        ("tools/weather.py", "bound=AnyWeatherHandler", "bound=print() | AnyWeatherHandler"),
        ("tools/weather.py", "AnyWeatherHandler: TypeAlias =", "AnyWeatherHandler: TypeAlias = print() |"),
        ("testing.py", "import AnyWeatherHandler as", "import system, AnyWeatherHandler as"),
        ("testing.py", "weather: WeatherToolHandler", "weather: print()"),
        ("testing.py", "examples = Examples(_package)", "examples = Examples(print())"),
        ("runtime/testing.py", "import difflib", "import difflib, os"),
        ("runtime/in_memory.py", "def make_server", "import os\ndef make_server"),
        (
            "tools/weather.py",
            "def __call__(self, handler: object, /)",
            "def __call__(self, handler: object = print(), /)",
        ),
        ("tools/weather.py", "        @overload\n", "        @print\n"),
        ("tools/weather.py", "lambda: WeatherDecorator(", "lambda: print("),
        ("tools/weather.py", "lambda: WeatherDecorator(", "lambda x=print(): WeatherDecorator("),
        ("runtime/tool_handlers.py", "INJECTED: Any", "import os\nINJECTED: Any"),
        ("runtime/server_adapter.py", "Server: TypeAlias", "import os\nServer: TypeAlias"),
        ("runtime/version_adapter.py", "_Context: TypeAlias", "import os\n_Context: TypeAlias"),
        ("runtime/session.py", "PAGES = 1000", "PAGES = print()"),
    ],
)
def test_the_check_finds_in_modules_of_an_sdk(tmp_path: Path, serving: Path, file: str, old: str, new: str) -> None:
    out = shutil.copytree(serving, tmp_path / "generated")
    text = (out / file).read_text("utf-8")
    assert old in text, text
    (out / file).write_text(text.replace(old, new, 1), "utf-8")
    assert _problems(out, serving)


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
    texts = Texts([*injection.texts([case.content for case in cases]), *chosen])
    assert (
        list(
            allowed_code.package(
                out.out, _written(tmp_path / "h", sdk="mcp"), paths.find_shipped_folder("templates"), texts
            )
        )
        == []
    )
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
    assert "the file outside" in problems
    assert "the file generated/tools/con.py" in problems
