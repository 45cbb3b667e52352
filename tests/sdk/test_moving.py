"""The way over of docs/guides/migration.md: a decorator server becomes a bound one tool by tool, and the wire stays."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from sdk import moving
from sdk.installed import SDK as INSTALLED
from support.packages import mcpgen

RECORDER = Path(__file__).with_name("recorder.py")
PLAIN = ("2024-11-05", "2025-03-26")
"""The versions without structured content."""
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("count_words", {"text": "one two  three"}),
    ("count_words", {}),
    ("list_stations", {}),
    ("list_stations", {"prefix": "R"}),
    ("list_stations", {"prefix": "X"}),
    ("get_station", {"name": "Byrum"}),
    ("get_station", {"name": "Rona"}),
    ("get_station", {"name": "Nowhere"}),
    ("nearest", {"at": {"x": 60, "y": 1.5}}),
    ("nearest", {"at": {"x": 60, "y": 1.5}, "most": 1}),
    ("nearest", {"at": {"x": 60, "y": 1.5}, "most": "1"}),
    ("get_position", {"name": "Byrum"}),
    ("get_reading", {"name": "Byrum"}),
    ("get_reading", {"name": "Rona"}),
    ("find", {"key": 7}),
    ("find", {"key": "Rona"}),
    ("forget", {"name": "Rona"}),
    ("draw_map", {"name": "Rona"}),
    ("get_levels", {"name": "Rona"}),
    ("describe", {"name": "Byrum"}),
    ("describe", {"name": "Byrum", "short": True}),
    ("report", {"name": "Byrum"}),
    ("report", {"name": "Rona"}),
    ("report", {"name": "Nowhere"}),
]


SDK = INSTALLED or ""
pytestmark = [
    pytest.mark.ci,
    pytest.mark.skipif(not SDK, reason="no SDK is installed here"),
    pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed here"),
]


# --- the server, step by step ----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Step:
    """The server after a commit: what has become of each tool, in their order."""

    module: str
    states: Mapping[str, str]

    def source(self) -> str:
        imports = "import generated\n" if {*self.states.values()} - {"before"} else ""
        nested = "import generated.tools.nearest\n" if self.states["nearest"] == "bound" and SDK != "dedalus" else ""
        bound = "\ntools = generated.bind(server)\n" if "bound" in self.states.values() else ""
        tools = "".join("\n" + self._tool(tool) for tool in moving.TOOLS)
        end = "\n\ntools.complete()\n" if {*self.states.values()} == {"bound"} else ""
        return f"{moving.IMPORTS}\n{imports}{nested}{moving.HEADS[SDK]}{bound}{moving.BODY}{tools}{end}"

    def _tool(self, tool: moving.Moved) -> str:
        state = self.states[tool.name]
        code: str = getattr(tool, state)
        for ours, theirs in moving.IDIOMS[SDK].items():
            code = code.replace(ours, theirs)
        collected = f"\n\nserver.collect({tool.name})\n" if SDK == "dedalus" and state != "bound" else ""
        return code + collected


def steps() -> Iterator[Step]:
    """As it was, then a return annotation at a time, then a decorator at a time."""
    states = {tool.name: "before" for tool in moving.TOOLS}
    commits = [(tool.name, "annotated") for tool in moving.TOOLS if tool.annotated is not None]
    commits += [(tool.name, "bound") for tool in moving.TOOLS]
    yield Step("step_00", dict(states))
    for number, (name, state) in enumerate(commits, 1):
        states[name] = state
        yield Step(f"step_{number:02}", dict(states))


STEPS = [*steps()] if SDK else []


# --- what is recorded ------------------------------------------------------------------------------------------------
BROKEN = ("find", "nearest") if SDK == "dedalus" else ()
"""Tools whose advertised outputSchema nobody can read: dedalus-mcp breaks its references, and `pull` mends them."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the server after each commit, and the package that is generated from what it advertises."""
    folder = tmp_path_factory.mktemp("moving")
    for step in STEPS:
        (folder / f"{step.module}.py").write_text(step.source(), "utf-8")
    (folder / "pyproject.toml").write_text(f'[tool.mcpgen]\nsdk = "{SDK}"\n\n[tool.mypy]\nstrict = true\n', "utf-8")
    run = mcpgen("pull", "step_00:server", "--name", "coast", cwd=folder)
    assert run.returncode == 0, run.stderr
    run = mcpgen("build", cwd=folder)
    assert run.returncode == 0, run.stderr
    return folder


def pulled(project: Path) -> dict[str, Any]:
    tools = json.loads((project / "schemas" / "pulled" / "coast.json").read_text("utf-8"))["tools"]
    return {tool["name"]: tool for tool in tools}


Answers = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def recorded(project: Path) -> dict[str, Answers]:
    """Return what the server answers after each commit: by module, protocol version and request."""
    (project / "calls.json").write_text(json.dumps(CALLS), "utf-8")
    command = [sys.executable, str(RECORDER), "calls.json", *(step.module for step in STEPS)]
    run = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    answers: dict[str, Answers] = json.loads(run.stdout)
    return answers


# --- the differences, all of them ------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Difference:
    """What is answered in another way once a tool has come to a state, and why that is right."""

    call: str
    state: str
    is_right: Callable[[Any, Any, Any], bool]
    """Of the answer before, the answer after, and the tool as it was advertised."""


def broke_its_schema(old_answer: Any, new_answer: Any, tool: Any) -> bool:
    """Return the result violated the outputSchema, by a null where there is no value, which is now left out."""
    schema = jsonschema_rs.validator_for(tool["outputSchema"])
    assert not schema.is_valid(old_answer["structuredContent"])
    value = {key: item for key, item in old_answer["structuredContent"].items() if key != "gusts"}
    assert schema.is_valid(value)
    return bool(new_answer.get("structuredContent", value) == value == json.loads(new_answer["content"][0]["text"]))


def unfit_arguments(old_answer: Any, new_answer: Any, tool: Any) -> bool:
    """Return the call violated the inputSchema; the SDK converted what it could, or told what pydantic says of it."""
    return new_answer["isError"] is True and new_answer["content"][0]["text"].startswith("Invalid arguments for")


def told_too_much(old_answer: Any, new_answer: Any, tool: Any) -> bool:
    """Return the handler failed, and the client was told what an unexpected exception says."""
    assert "division by zero" in json.dumps(old_answer)
    return new_answer["isError"] is True and "division" not in json.dumps(new_answer)


def was_always_an_error(old_answer: Any, new_answer: Any, tool: Any) -> bool:
    """Return the SDK holds the result against its own schema, and cannot read that, or has wrapped the schema alone."""
    text = old_answer["content"][0]["text"]
    assert text.startswith(("PointerToNowhere", "Output validation error: 'result' is a required"))
    return old_answer["isError"] is True and new_answer["isError"] is False


DIFFERENCES = [
    Difference('get_reading {"name": "Rona"}', "annotated", broke_its_schema),
    Difference('nearest {"at": {"x": 60, "y": 1.5}, "most": "1"}', "bound", unfit_arguments),
    Difference("count_words {}", "bound", unfit_arguments),
]
if SDK in ("mcp1", "fastmcp", "fastmcp3", "dedalus"):  # mcp 2.x keeps it to itself already
    DIFFERENCES.append(Difference('report {"name": "Rona"}', "bound", told_too_much))
if SDK == "dedalus":
    broken = ['nearest {"at": {"x": 60, "y": 1.5}}', 'nearest {"at": {"x": 60, "y": 1.5}, "most": 1}']
    broken += ['find {"key": 7}', 'find {"key": "Rona"}']
    DIFFERENCES += [Difference(call, "bound", was_always_an_error) for call in broken]
ORDER = ("before", "annotated", "bound")


def fitted(answer: Any, protocol: str, tool: Any) -> Any:
    """A result without what its protocol version does not know, which the SDKs send whatever the version."""
    if protocol not in PLAIN or "structuredContent" not in answer:
        return answer
    out = {key: value for key, value in answer.items() if key != "structuredContent"}
    if not out["content"] and "outputSchema" in tool:  # where nothing would be left, there is the value's text
        text = json.dumps(answer["structuredContent"], separators=(",", ":"))
        out["content"] = [{"type": "text", "text": text}]
    return out


def advertised(answer: Any) -> dict[str, Any]:
    return {tool["name"]: tool for tool in answer["tools"]}


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.module)
def test_the_wire_is_what_it_was(recorded: dict[str, Answers], step: Step) -> None:
    listed = {difference.call: difference for difference in DIFFERENCES}
    for protocol, old_answers in recorded["step_00"].items():
        new_answers, tools = recorded[step.module][protocol], advertised(old_answers["tools/list"])
        for call, answer in new_answers.items():
            state = step.states.get(call.split()[0])
            if state is None:
                continue
            tool = tools[call.split()[0]]
            was = fitted(old_answers[call], protocol, tool) if state == "bound" else old_answers[call]
            item = listed.get(call)
            if item is None or ORDER.index(state) < ORDER.index(item.state):
                assert answer == was, (protocol, call)
            else:
                assert answer != was, (protocol, call)
                assert item.is_right(old_answers[call], answer, tool), (protocol, call, answer)


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.module)
def test_the_tools_are_advertised_as_they_were(project: Path, recorded: dict[str, Answers], step: Step) -> None:
    for protocol, old_answers in recorded["step_00"].items():
        new_list, was = recorded[step.module][protocol]["tools/list"], old_answers["tools/list"]
        assert {**new_list, "tools": []} == {**was, "tools": []}
        assert [*advertised(new_list)] == [*advertised(was)]
        for name, tool in advertised(new_list).items():
            expected = dict(advertised(was)[name])
            if step.states[name] == "bound":
                if name in BROKEN:
                    assert expected["outputSchema"] != pulled(project)[name]["outputSchema"]
                    expected["outputSchema"] = pulled(project)[name]["outputSchema"]
                if protocol in PLAIN:
                    expected.pop("outputSchema", None)
            assert tool == expected, (protocol, name)


def test_nothing_else_broke_its_schema(recorded: dict[str, Answers]) -> None:
    """Check that what the list of differences rests on: every other result fits what is advertised, before and
    after.
    """
    breaking = {difference.call for difference in DIFFERENCES if difference.is_right is broke_its_schema}
    first, last = (recorded[STEPS[index].module]["2025-11-25"] for index in (0, -1))
    for call, answer in first.items():
        tool = advertised(last["tools/list"]).get(call.split()[0], {})
        if "outputSchema" in tool and "structuredContent" in answer:
            schema = jsonschema_rs.validator_for(tool["outputSchema"])
            assert schema.is_valid(answer["structuredContent"]) == (call not in breaking), call
            assert "structuredContent" not in last[call] or schema.is_valid(last[call]["structuredContent"]), call


def test_versions_without_structured_content_have_lost_it(recorded: dict[str, Answers]) -> None:
    """Check that the other half of `fitted`: the SDKs do send it there."""
    for protocol in PLAIN:
        first, last = (recorded[STEPS[index].module][protocol] for index in (0, -1))
        assert any("structuredContent" in answer for answer in first.values())
        assert "outputSchema" in advertised(first["tools/list"])["count_words"]
        assert all("structuredContent" not in answer for answer in last.values())
        assert all("outputSchema" not in tool for tool in last["tools/list"]["tools"])


def test_mypy_is_clean_after_each_commit(project: Path) -> None:
    command = [sys.executable, "-m", "mypy", *(f"{step.module}.py" for step in STEPS), "generated"]
    run = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=550)
    assert run.returncode == 0, run.stdout
