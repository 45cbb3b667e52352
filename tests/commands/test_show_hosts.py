"""`mcpgen show --host` and `--hosts`: what is printed of readings, and mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcpgen.hosts.table import HOSTS
from support.packages import mcpgen, tool

ROWS: dict[str, Any] = {
    "type": "object",
    "properties": {"rows": {"type": "array", "items": {"type": "object", "properties": {"code": {"type": "string"}}}}},
    "required": ["rows"],
    "examples": [{"rows": [{"code": "B4"}, {"code": "C1"}]}],
}
IMAGE = {"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png", "examples": ["iVBORw0KGgo="]}
TOOLS = [
    tool("berths", ROWS, **{"x-mcpgen": {"content": "csv"}}),
    tool("photo", IMAGE),
    tool("say"),
    tool("never", {"type": "object", "required": ["a"], "properties": {"a": False}}),
]
SETTINGS = '[tools."photo"]\ncontent-only = ["codex", "langchain"]\n'


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hosts")
    (folder / "schemas").mkdir()
    (folder / "schemas/tools.json").write_text(json.dumps({"tools": TOOLS}), "utf-8")
    (folder / "mcpgen.toml").write_text(SETTINGS, "utf-8")
    built = mcpgen("build", "--jobs", "1", cwd=folder)
    assert built.returncode == 0, built.stderr
    assert "`content-only` has no effect without an SDK" in built.stderr
    return folder


def show(project: Path, *words: str, code: int = 0) -> str:
    run = mcpgen("show", *words, cwd=project)
    assert run.returncode == code, run.stderr
    return run.stdout + run.stderr


def show_json(project: Path, *words: str) -> Any:
    run = mcpgen("show", *words, "--format", "json", cwd=project)
    return json.loads(run.stdout)["data"]


def test_a_reading(project: Path) -> None:
    text, *about = show(project, "berths", "--host", "codex").rstrip("\n").split("\n\n")
    assert text == 'Wall time: 0.0000 seconds\nOutput:\n{"rows":[{"code":"B4"},{"code":"C1"}]}'
    assert about == ["what the model reads in Codex 0.171.0: 27 tokens (o200k_base)\nnot shown: text"]
    shown = show(project, "berths", "--host", "goose", "--value", '{"rows": [{"code": "ü"}]}')
    assert shown.startswith(r"rows:\r")
    assert "read twice: the text, and the structured content" in show(project, "berths", "--host", "kimi")
    assert "as far as is known; structured content: unknown" in show(project, "berths", "--host", "cursor")


def test_a_medium_and_content_alone(project: Path) -> None:
    shown = show(project, "photo", "--host", "codex")
    assert "[image image/png, 8 bytes]" in shown
    assert "`content-only` in the settings has this host get the content alone" in shown
    assert "read twice" not in shown
    assert "iVBORw0KGgo=" in show(project, "photo", "--host", "claude-code")


def test_a_cut(project: Path) -> None:
    value = json.dumps({"rows": [{"code": "x" * 60_000}]})
    assert "cut: above 50,000 characters" in show(project, "berths", "--host", "claude-code", "--value", value)


def test_a_table(project: Path) -> None:
    lines = show(project, "berths", "--hosts").splitlines()
    assert lines[0].split() == ["host", "version", "tokens", "not", "shown", "read", "twice", "cut"]
    assert [line.split()[0] for line in lines[1:]] == [host.name for host in HOSTS]
    title, _, first, *_ = show(project, "--hosts").splitlines()
    assert title == "what hosts read of the results of 3 tools, together; 1 more without an example"
    assert "text (1)" in first


def test_the_data(project: Path) -> None:
    data = show_json(project, "berths", "--host", "opencode")
    ((package,),) = (data["packages"],)
    (host,) = package["hosts"]
    assert (data["tool"], host["host"], host["vocabulary"]) == ("berths", "opencode", "o200k_base")
    assert host["results"] == [
        {
            "tool": "berths",
            "items": [{"text": "rows:\r\n\r\ncode\r\nB4\r\nC1", "media": False}],
            "tokens": 9,
            "notShown": ["value"],
            "readTwice": False,
            "cut": False,
            "contentOnly": False,
        }
    ]
    (package,) = show_json(project, "--hosts")["packages"]
    assert [host["host"] for host in package["hosts"]] == [host.name for host in HOSTS]
    assert {len(host["results"]) for host in package["hosts"]} == {3}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["berths", "--host", "codx"], 'no host is called "codx": there are claude-code, claude-desktop'),
        (["--host", "codex"], "name a tool; only --hosts alone is for all of them"),
        (["--hosts", "--value", "{}"], "name a tool; only --hosts alone is for all of them"),
        (["berths", "--host", "codex", "--hosts"], "choose one of --host and --hosts"),
        (["berths", "--hosts", "--wire"], "--host and --hosts go with --value, --protocol and --jobs alone"),
        (["berth", "--host", "codex"], 'no generated package has a tool "berth"'),
        (["berths", "--host", "codex", "--value", "{}"], "--value does not satisfy the outputSchema"),
        (["never", "--hosts"], "no example was found that satisfies the schema"),
        (["berths", "--host", "codex", "--out", "elsewhere"], "run `mcpgen build` first"),
    ],
)
def test_mistakes(project: Path, words: list[str], said: str) -> None:
    assert said in " ".join(show(project, *words, code=2).split())
