"""Files of learned schemas: what those that are there say of recorded results."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from mcpgen.commands.learned_files import LearnedTool, write_files
from mcpgen.config.models import Limits
from mcpgen.diagnostics import Findings, Span
from mcpgen.learn.results import RecordedValue, ToolRecording
from mcpgen.schema.values import Json

LIMITS = Limits.model_validate({})
NO_JSON = "text that is not JSON"


def write(
    folder: Path, text: str, values: Sequence[Json], unreadable: list[Span], *, is_named: bool
) -> tuple[dict[str, str] | None, list[str]]:
    recorded = [RecordedValue(value, Span("x.jsonl", line)) for line, value in enumerate(values, 1)]
    recording = ToolRecording(recorded, unreadable=[(NO_JSON, span) for span in unreadable])
    tool = LearnedTool("a", folder, "a.output.json", recording, text, is_named)
    states = write_files([tool], LIMITS, findings := Findings())
    assert all(item.code == "MG719" for item in findings)
    return states, [item.message for item in findings]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.output.json").write_text(json.dumps({"type": "integer"}), "utf-8")
    return tmp_path


def test_a_new_file_is_written(tmp_path: Path) -> None:
    assert write(tmp_path, "{}", [1], [], is_named=False) == ({"a": "written"}, [])
    assert write(tmp_path, "{}", [1], [], is_named=False) == ({"a": "unchanged"}, [])
    _, messages = write(tmp_path, "{}", [1], [Span("x.jsonl", 2)], is_named=True)
    assert messages == [f"refuses 1 of 2 recorded results: x.jsonl:2: {NO_JSON}"], "although the file is the same"


def test_answers_that_are_no_json_count_once_the_settings_name_the_file(folder: Path) -> None:
    answer = [Span("x.jsonl", 2)]
    assert write(folder, "{}", [1], answer, is_named=False) == ({"a": "kept, since it accepts the result"}, [])
    states, messages = write(folder, "{}", [1], answer, is_named=True)
    assert states == {"a": "kept, but it refuses recorded results"}
    assert messages == [f"refuses 1 of 2 recorded results: x.jsonl:2: {NO_JSON}"]
    assert write(folder, "", [], answer, is_named=True)[1] == [f"refuses 1 of 1 recorded result: x.jsonl:2: {NO_JSON}"]


def test_places_are_lines_or_servers(folder: Path) -> None:
    (folder / "a.output.json").write_text(json.dumps({"properties": {"id": {"type": "integer"}}}), "utf-8")
    _, (message,) = write(folder, "{}", [{"id": "x"}], [Span.of_server("tickets")], is_named=True)
    assert message.startswith(f"refuses 2 of 2 recorded results: an answer of tickets: {NO_JSON}; x.jsonl:1 at /id: ")
