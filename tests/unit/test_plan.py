"""Plans: generated files against those in the output folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from mcpgen.diagnostics import Span
from mcpgen.plan import Action, Step, find_first_difference, is_as_planned, make_plan, plan_file, split_diff_lines
from mcpgen.render.header import add_header, add_plain_header


def _generate(body: str) -> str:
    return add_header(body, "a.json")


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")


def _list_actions(out: Path, texts: Mapping[str, str], force: bool = False) -> dict[str, str]:
    return {step.path: step.action.value for step in make_plan(out, texts, force).steps}


def test_each_file_has_its_action(tmp_path: Path) -> None:
    kept_text, edited = _generate("A = 1\n"), _generate("A = 2\n") + "MINE = 1\n"
    _write(
        tmp_path,
        {"kept.py": kept_text, "stale.py": kept_text, "orphan.py": kept_text, "edited.py": edited, "old.py": edited},
    )
    _write(tmp_path, {"foreign.py": "MINE = 1\n", "other.py": "MINE = 2\n", "types/orphan.py": kept_text})
    texts: dict[str, str] = dict.fromkeys(("kept.py", "new.py", "foreign.py"), kept_text)
    texts |= dict.fromkeys(("stale.py", "edited.py"), _generate("A = 3\n"))
    assert _list_actions(tmp_path, texts) == {
        "edited.py": "edited",
        "foreign.py": "foreign",
        "kept.py": "keep",
        "new.py": "create",
        "old.py": "edited",
        "orphan.py": "remove",
        "stale.py": "update",
        "types/orphan.py": "remove",
    }
    forced = _list_actions(tmp_path, texts, force=True)
    assert (forced["edited.py"], forced["foreign.py"], forced["old.py"]) == ("update", "update", "remove")
    assert "other.py" not in forced


def test_a_missing_folder_is_filled(tmp_path: Path) -> None:
    plan = make_plan(tmp_path / "out", {"b.py": "B", "a.py": "A"})
    assert [(step.path, step.action, step.text) for step in plan.changes] == [
        ("a.py", Action.CREATE, "A"),
        ("b.py", Action.CREATE, "B"),
    ]
    assert plan.refused == []


def test_another_package_within_the_folder_is_left_alone(tmp_path: Path) -> None:
    marker = add_plain_header("* linguist-generated=true\n", "")
    _write(tmp_path, {"inner/.gitattributes": marker, "inner/a.py": _generate("A = 1\n")})
    assert _list_actions(tmp_path, {}) == {}


def test_a_link_to_a_folder_blocks_the_files_below_it(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "tools").symlink_to(tmp_path / "elsewhere")
    assert _list_actions(tmp_path / "out", {"tools/a.py": "A"}) == {"tools/a.py": "foreign"}


def test_a_single_file_is_planned_alone(tmp_path: Path) -> None:
    _write(tmp_path, {"a.py": _generate("A = 1\n"), "b.py": _generate("B = 1\n")})
    (step,) = plan_file(tmp_path, "a.py", _generate("A = 2\n")).steps
    assert (step.path, step.action) == ("a.py", Action.UPDATE)
    (step,) = plan_file(tmp_path, "c.py", "C").steps
    assert step.action is Action.CREATE


def test_a_change_after_the_plan_is_noticed(tmp_path: Path) -> None:
    _write(tmp_path, {"a.py": _generate("A = 1\n")})
    update, creation = make_plan(tmp_path, {"a.py": _generate("A = 2\n"), "b.py": "B"}).steps
    assert is_as_planned(tmp_path, update)
    assert is_as_planned(tmp_path, creation)
    _write(tmp_path, {"a.py": _generate("A = 3\n"), "b.py": ""})
    assert not is_as_planned(tmp_path, update)
    assert not is_as_planned(tmp_path, creation)
    (tmp_path / "a.py").unlink()
    assert not is_as_planned(tmp_path, update)


@pytest.mark.parametrize(
    ("text", "lines"), [(None, []), ("", []), ("a", ["a"]), ("a\n", ["a\n"]), ("a\x0cb\n\nc", ["a\x0cb\n", "\n", "c"])]
)
def test_lines_end_at_line_feeds_only(text: str | None, lines: list[str]) -> None:
    assert split_diff_lines(text) == lines


@pytest.mark.parametrize(
    ("current", "text", "line"),
    [
        ("a\nb\nc\n", "a\nx\nc\n", 2),
        ("# mcpgen-sha256: 1\nb\n", "# mcpgen-sha256: 2\nx\n", 2),
        ("a\nb\n", "a\n", 2),
        ("a\n", "a\nb\n", 1),
    ],
)
def test_the_first_difference_has_a_line(current: str, text: str, line: int) -> None:
    step = Step("a.py", Action.UPDATE, text, current)
    assert find_first_difference("out/a.py", step) == Span("out/a.py", line, 1)
    assert find_first_difference("out/a.py", Step("a.py", Action.CREATE, text)) == Span("out/a.py")
