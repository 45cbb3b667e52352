"""What the input says never reaches a terminal, a log or a document raw: every command, every format, every stream."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcpgen.introspect import client
from mcpgen.introspect.validation import AdvertisedDefinitions
from mcpgen.report.visible import escape_json, escape_line
from support.in_process import run

HOSTILE = (
    "h\x1b[31m\x9b1m\x07\u202e\u2066\u200b\u200d\ufeff\U000e0041\u3164\u115f\ufe00\x85\u2028\u2029\x7f\x00\r"
    "\n::error::forged\n ::set-output name=a::b\n##[command]forged\n##vso[task.setvariable]forged\rforged"
)
"""Escapes, C1, bidirectional controls, invisible characters, tags, line breaks, and what runners of logs look for."""
IN_FILE_NAME = HOSTILE.replace("\0", "").replace("/", "")[:60]
FORMATS = ["text", "json", "github", "sarif"]
OURS = ("::error ", "::warning ", "::notice ", "::stop-commands::mcpgen-", "::mcpgen-")
PLAIN = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def hostile_schema(more: str = "") -> dict[str, Any]:
    return {
        "type": "object",
        "title": f"Title {HOSTILE}",
        "description": HOSTILE,
        "properties": {f"a {HOSTILE}": {"enum": [HOSTILE, "b"], "description": HOSTILE + more}},
        "required": [f"a {HOSTILE}"],
    }


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, **more}


def good(folder: Path) -> None:
    """Definitions that build, and say hostile things."""
    tools = [
        tool(f"first {HOSTILE}", description=HOSTILE, outputSchema=hostile_schema()),
        tool("second", description=HOSTILE, inputSchema=hostile_schema(), outputSchema=PLAIN),
    ]
    (folder / "schemas").mkdir(parents=True)
    (folder / "schemas" / "tools.json").write_text(json.dumps({"tools": tools}, ensure_ascii=False), "utf-8")
    (folder / "mcpgen.toml").write_text('[tools."not there"]\ncontent = "json"\n', "utf-8")


def bad(folder: Path) -> None:
    """Every mistake, each with a hostile text in it."""
    good(folder)
    schemas = folder / "schemas"
    (schemas / f"{IN_FILE_NAME}.json").write_text("{", "utf-8")
    (schemas / f"{IN_FILE_NAME}.yaml").write_text("a: [", "utf-8")
    (schemas / f"{IN_FILE_NAME}.content.j2").write_text("{{ x }}", "utf-8")
    (schemas / "raw.yaml").write_text(f"inputSchema: {{type: object\n  ::error::forged {HOSTILE}", "utf-8")
    (schemas / "name.yaml").write_text(json.dumps({"outputSchema": {}, HOSTILE: 1}), "utf-8")
    wrong: list[dict[str, Any]] = [
        tool(HOSTILE, **{HOSTILE: 1}),
        tool(HOSTILE, outputSchema={"type": HOSTILE}),
        tool(f"t {HOSTILE}", outputSchema={"$ref": f"#/$defs/{HOSTILE}", "$defs": {HOSTILE + "x": {}}}),
        tool(f"u {HOSTILE}", outputSchema={"$ref": f"{HOSTILE}.json"}),
        tool(f"v {HOSTILE}", outputSchema={"$schema": HOSTILE}),
        tool(f"w {HOSTILE}", outputSchema={"pattern": f"({HOSTILE}"}),
        tool(f"x {HOSTILE}", outputSchema=PLAIN, **{"x-mcpgen": {HOSTILE: HOSTILE, "template": HOSTILE[:40]}}),
        tool(f"y {HOSTILE}", **{"x-mcpgen": {"name": HOSTILE}}),
        tool("same"),
        tool("same"),
        {HOSTILE: HOSTILE, "input_schema": 1, "name": HOSTILE},
        {"name": HOSTILE, "uriTemplate": "{" + HOSTILE},
    ]
    for number, item in enumerate(wrong):
        (schemas / f"wrong{number}.json").write_text(json.dumps(item, ensure_ascii=False), "utf-8")


def settings_of(text: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        good(folder)
        (folder / "mcpgen.toml").write_text(text, "utf-8")

    return make


KEY = json.dumps(HOSTILE).replace("\x7f", "\\u007f")
SETTINGS = {
    "key": f"{KEY} = 1\n",
    "value": f"sdk = {KEY}\n",
    "path": f'schemas = [{KEY[:60]}"]\n',
    "outside": 'out = "../\\u001b[31m\\u202e\\n::error::forged"\n',
    "not toml": "a = [1,\n  ::error::forged \u202e\u200b",
    "tool": f'[tools.{KEY}]\ncontent = "json"\n[tools.second]\n{KEY} = 1\n',
}
FIRST = f"first {HOSTILE}".replace("\0", "")
COMMANDS: dict[str, tuple[Callable[[Path], None], list[str]]] = {
    "build": (good, ["build"]),
    "build, wrong": (bad, ["build"]),
    **{f"build, settings: {name}": (settings_of(text), ["build"]) for name, text in SETTINGS.items()},
    "check": (good, ["check"]),
    "show": (good, ["show", "second"]),
    "show --code": (good, ["show", "second", "--code"]),
    "show --wire": (good, ["show", "second", "--wire"]),
    "show --schema": (good, ["show", "second", "--schema"]),
    "show, unknown": (good, ["show", FIRST]),
    "show, value": (good, ["show", "second", "--value", f'{{"n": "{FIRST}"}}']),
    "prove": (good, ["prove", "--max-examples", "2"]),
    "prove, unknown": (good, ["prove", FIRST]),
    "explain": (good, ["explain", FIRST]),
    "explain, all": (good, ["explain"]),
    "init": (good, ["init", "--yes"]),
    "diff": (good, ["diff", "before", "schemas"]),
    "diff, wrong": (good, ["diff", "schemas", FIRST]),
    "diff --against": (good, ["diff", "--against", FIRST]),
    "check --server": (good, ["check", "--server", "a.b:c"]),
    "diff --against-server": (good, ["diff", "--against-server", "a.b:c"]),
    "pull": (good, ["pull", "a.b:c"]),
    "pull, wrong": (good, ["pull", f"http://{FIRST}"]),
}  # fmt: skip
COLOURED = ("build, wrong", "show", "diff")
"""The commands that the fast tests also run with colours."""
CASES = [
    pytest.param(
        name,
        format,
        colour,
        id=f"{name}: {format}{' coloured' * (colour == 'always')}",
        marks=[pytest.mark.ci] * (format != "text" or (colour == "always" and name not in COLOURED)),
    )
    for name in COMMANDS
    for format, colour in [*((item, "never") for item in FORMATS), ("text", "always")]
]


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that advertises hostile definitions, whatever it is called."""
    tools = [
        tool(f"first {HOSTILE}", description=HOSTILE, outputSchema=hostile_schema("more")),
        tool(f"third {HOSTILE}", description=HOSTILE),
    ]
    lists: dict[str, list[dict[str, Any]]] = {
        "tools": tools,
        "resources": [{"name": HOSTILE, "uri": f"x:{HOSTILE}"}],
        "resourceTemplates": [],
    }

    def answer(*_: object) -> AdvertisedDefinitions:
        return AdvertisedDefinitions("2025-06-18", lists)

    monkeypatch.setattr(client, "fetch_definitions", answer)


@pytest.mark.parametrize(("name", "format", "colour"), CASES)
def test_nothing_of_the_input_is_written_raw(name: str, format: str, colour: str, tmp_path: Path) -> None:
    make, arguments = COMMANDS[name]
    folder = tmp_path / "p"
    folder.mkdir()
    make(folder)
    if arguments[0] in ("show", "prove", "check") and "--server" not in arguments:
        assert run("build", "--jobs", "1", cwd=folder).returncode == 0
    if arguments[0] == "check":
        (folder / "schemas" / "more.json").write_text(json.dumps(tool("more", description=HOSTILE)), "utf-8")
    if arguments[0] == "diff":
        before = folder / "before"
        before.mkdir()
        first = [tool(f"first {HOSTILE}", outputSchema=PLAIN), tool(f"gone {HOSTILE}")]
        (before / "a.json").write_text(json.dumps({"tools": first}), "utf-8")
    if arguments[0] == "init":
        (folder / "mcpgen.toml").unlink()
        (folder / "pyproject.toml").write_text(f"[project]\nname = {KEY}\n", "utf-8")
        (folder / "src" / IN_FILE_NAME).mkdir(parents=True)
        (folder / "src" / IN_FILE_NAME / "__init__.py").write_text("", "utf-8")
    more = ["--jobs", "1"] if arguments[0] in ("build", "check", "prove") and "--server" not in arguments else []
    completed = run(*arguments, *more, "--format", format, "--color", colour, cwd=folder)
    assert completed.traceback == ""
    assert completed.returncode != 1
    for stream in (completed.stdout, completed.stderr):
        harmless(stream, format, coloured=colour == "always")
    if format in ("json", "sarif") and completed.stdout:
        json.loads(completed.stdout)


def harmless(text: str, format: str, coloured: bool) -> None:
    """Hold text against the rules, which are said here once more, in other words than in mcpgen."""
    if coloured:  # of escapes, colours alone, which come before the text
        text = re.sub("\x1b\\[[0-9;]*m", "", text)
    for char in set(text) - {"\n"}:
        assert unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"), f"U+{ord(char):04X}"
        assert char not in "\u3164\u115f\u1160\uffa0\u034f\u2800\ufe00", f"U+{ord(char):04X}"
    for line in text.split("\n"):
        assert not line.startswith(("forged", " forged"))
        assert "##[" not in line
        assert "##vso[" not in line
        if line.lstrip().startswith("::"):
            assert format == "github"
            assert line.startswith(OURS)
            assert not line.startswith("::error ::")


# --- the function ----------------------------------------------------------------------------------------------------
@given(text=st.text())
@settings(deadline=None, max_examples=100)
def test_a_line_stays_one_line_that_can_be_seen(text: str) -> None:
    output = escape_line(text)
    assert "\n" not in output
    harmless(output.replace("\u2028", ""), "text", coloured=False)
    assert escape_line(output) == output
    if text.isascii() and text.isprintable() and "::" not in text and "##" not in text:
        assert output == text


@given(
    value=st.recursive(
        st.text() | st.none() | st.floats(allow_nan=False), lambda inner: st.dictionaries(st.text(), inner)
    )
)
@settings(deadline=None, max_examples=60)
def test_json_is_the_same_value(value: Any) -> None:
    text = escape_json(json.dumps(value, indent=2, ensure_ascii=False))
    assert json.loads(text) == value
    harmless(text, "json", coloured=False)


def test_a_coloured_symbol_and_other_scripts_are_left_as_they_are() -> None:
    for text in ("⚠\ufe0f weather", "größe 天気 😀", "π ≤ 4", "e\u0301", "שלום", "سلام"):
        assert escape_line(text) == text
    assert escape_line("a\ufe0f\ufe0f") != "a\ufe0f\ufe0f"


def test_lone_surrogates_are_escaped() -> None:
    assert escape_line("a\ud800b") == "a\\ud800b"
    assert json.loads(escape_json('"\ud800"')) == "\ud800"
