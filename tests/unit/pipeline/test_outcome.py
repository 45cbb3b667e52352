"""Generated files against the disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.diagnostics import Findings
from mcpgen.pipeline.outcome import GeneratedFiles, Outcome, compare_output, write_output
from mcpgen.render.header import add_header


def _make_outcome(out: Path, **texts: str) -> Outcome:
    files = {f"{name}.py": add_header(text, "a.json") for name, text in texts.items()}
    return Outcome(out, Findings(), GeneratedFiles(files))


def test_what_is_written_is_up_to_date(tmp_path: Path) -> None:
    first = _make_outcome(tmp_path / "out", a="A = 1\n", b="B = 1\n")
    write_output(first, force=False)
    assert first.written
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"a.py", "b.py"}
    second = _make_outcome(tmp_path / "out", a="A = 1\n", b="B = 2\n")
    compare_output(second)
    assert second.plan is not None
    assert [(step.path, step.action.value) for step in second.plan.changes] == [("b.py", "update")]
    assert not second.written


@pytest.mark.parametrize(("text", "code"), [("MINE = 1\n", "MG402"), (None, "MG401")])
def test_a_file_of_the_user_is_refused(tmp_path: Path, text: str | None, code: str) -> None:
    write_output(_make_outcome(tmp_path, a="A = 1\n"), force=False)
    file = tmp_path / "a.py"
    mine = file.read_text("utf-8") + "MINE = 1\n" if text is None else text
    file.write_text(mine, "utf-8")
    outcome = _make_outcome(tmp_path, a="A = 2\n")
    write_output(outcome, force=False)
    assert [finding.code for finding in outcome.findings] == [code]
    assert not outcome.written
    assert file.read_text("utf-8") == mine
    forced = _make_outcome(tmp_path, a="A = 2\n")
    write_output(forced, force=True)
    assert forced.written


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine", "utf-8")
    outcome = _make_outcome(tmp_path / "out", a="A = 1\n")
    write_output(outcome, force=True)
    assert [finding.code for finding in outcome.findings] == ["MG402"]
    assert (tmp_path / "out").read_text("utf-8") == "mine"


def test_wrong_input_is_not_compared(tmp_path: Path) -> None:
    outcome = Outcome(tmp_path, Findings())
    compare_output(outcome)
    write_output(outcome, force=True)
    assert outcome.plan is None
