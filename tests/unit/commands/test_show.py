"""`show`, with a package whose classes are stand-ins."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from mcpgen.commands import show
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.commands.show import ShowRequest, run_show
from mcpgen.diagnostics import Findings
from mcpgen.report.output import CommandOutput
from pydantic import BaseModel
from support.definitions import PRICE, configure_package
from support.packages import tool

TOOL = SimpleNamespace(linked=False, content_only=())


class _Result(BaseModel):
    _tool: ClassVar[Any] = TOOL
    price: float

    @classmethod
    def from_structured_content(cls, value: Any) -> _Result:
        return cls.model_validate(value)

    def to_structured_content(self) -> Any:
        return {"price": self.price}

    def to_wire(self, protocol: str | None = None) -> Any:
        return {"content": [{"type": "text", "text": f"{self.price} €"}, {"type": "image"}], "protocol": protocol}


@pytest.fixture
def loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LoadedPackages:
    """A package with one tool."""
    generated = SimpleNamespace(
        TOOLS={"buy": {"outputSchema": PRICE}}, RESULT_TYPES={"buy": _Result}, RESOURCES={}, PROMPTS={}
    )
    monkeypatch.setattr(show, "load_package", lambda out: generated)
    return LoadedPackages([configure_package(tmp_path, [])], Findings())


def _run(
    loaded: LoadedPackages,
    capsys: pytest.CaptureFixture[str],
    tool: str = "buy",
    section: str = "",
    value: str | None = None,
) -> tuple[int, Any]:
    request = ShowRequest(tool, section, value, "2025-06-18")
    exit_code = run_show(loaded, request, CommandOutput("show", "json"))
    return exit_code, json.loads(capsys.readouterr().out)


def test_everything_is_shown_for_a_value(loaded: LoadedPackages, capsys: pytest.CaptureFixture[str]) -> None:
    exit_code, document = _run(loaded, capsys, value='{"price": 2.5}')
    assert exit_code == 0
    data = document["data"]
    assert [*data] == ["tool", "class", "wire", "sizes"]
    assert data["class"].startswith("class _Result")
    assert data["wire"]["protocol"] == "2025-06-18"
    assert data["sizes"]["content"] == len("2.5 €".encode())
    assert data["sizes"]["json"] == len('{"price":2.5}')


def test_a_section_is_shown_alone(loaded: LoadedPackages, capsys: pytest.CaptureFixture[str]) -> None:
    assert [*_run(loaded, capsys, section="wire")[1]["data"]] == ["tool", "wire"]
    assert _run(loaded, capsys, section="schema")[1]["data"] == {"tool": "buy", "schema": PRICE}
    assert "def test_a_section_is_shown_alone" in _run(loaded, capsys, section="code")[1]["data"]["code"]


@pytest.mark.parametrize(("value", "problem"), [("{", "is not JSON"), ('{"price": "a"}', "does not satisfy")])
def test_a_wrong_value_is_refused(
    value: str, problem: str, loaded: LoadedPackages, capsys: pytest.CaptureFixture[str]
) -> None:
    exit_code, document = _run(loaded, capsys, value=value)
    (diagnostic,) = document["diagnostics"]
    assert (exit_code, diagnostic["code"], document["data"]) == (2, "MG604", None)
    assert problem in diagnostic["message"]


def test_a_misspelt_tool_has_a_suggestion(loaded: LoadedPackages, capsys: pytest.CaptureFixture[str]) -> None:
    exit_code, document = _run(loaded, capsys, tool="buyy")
    (diagnostic,) = document["diagnostics"]
    assert (exit_code, diagnostic["code"], diagnostic["help"]) == (2, "MG602", 'did you mean "buy"?')


def test_the_costs_are_a_table(loaded: LoadedPackages, capsys: pytest.CaptureFixture[str]) -> None:
    request = ShowRequest("buy", "", '{"price": 2.5}', None)
    assert run_show(loaded, request, CommandOutput("show", "text", "never")) == 0
    *_, content, value, others, comparison = capsys.readouterr().out.splitlines()
    assert content.split() == "content (1 text block) 7 bytes".split()
    assert value.split() == "the value as JSON 13 bytes".split()
    assert others == "besides: image, which models count in their own ways"
    assert comparison == "the content has 5 characters, 38 % of the JSON's 13"


@pytest.mark.parametrize(
    ("value", "blocks", "is_said"),
    [([1], ["1", "[1]"], True), ([1], ["[1]"], False), ({"a": 1}, ["1", '{"a":1}'], False), ([1], ["1", "2"], False)],
)
def test_the_json_next_to_another_content_is_explained(
    value: Any, blocks: list[str], is_said: bool, loaded: LoadedPackages, capsys: pytest.CaptureFixture[str]
) -> None:
    content = [{"type": "text", "text": text} for text in blocks]
    result = SimpleNamespace(
        to_structured_content=lambda: value, to_wire=lambda protocol: {"content": content}, _tool=TOOL
    )
    assert ("the protocol requires" in "".join(show._list_costs({"json": 3}, result))) is is_said


def test_content_and_json_are_compared_in_characters(
    loaded: LoadedPackages, capsys: pytest.CaptureFixture[str]
) -> None:
    _, document = _run(loaded, capsys, value='{"price": 2.5}')
    assert document["data"]["sizes"]["characters"] == {"content": len("2.5 €"), "json": len('{"price":2.5}')}


def test_a_content_that_nobody_has_chosen_is_said_below_the_sizes(
    tmp_path: Path, loaded: LoadedPackages, capsys: pytest.CaptureFixture[str]
) -> None:
    for x_mcpgen, section, is_said in (({}, "", True), ({"content": "json"}, "", False), ({}, "wire", False)):
        configure_package(tmp_path, [tool("buy", PRICE, **{"x-mcpgen": x_mcpgen})])
        assert run_show(loaded, ShowRequest("buy", section, '{"price": 1}', None), CommandOutput("show")) == 0
        assert (show.DEFAULT_CONTENT in capsys.readouterr().out) is is_said, (x_mcpgen, section)
