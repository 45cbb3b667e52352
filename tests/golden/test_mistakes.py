"""Each mistake that people make has a golden whose message says what is wrong, where, and what to do."""

from __future__ import annotations

import re
import tomllib

import pytest
from support.repository import ROOT

CASES = ROOT / "tests" / "golden" / "cases"
SETTINGS = {path.parent.name: tomllib.loads(path.read_text("utf-8")) for path in sorted(CASES.glob("*/case.toml"))}
MISTAKES: dict[str, str] = {case: settings["mistake"] for case, settings in SETTINGS.items() if "mistake" in settings}
FEWEST = 30
"""Mistakes that there have to be at least."""
WITHOUT_POSITION = {
    "input_empty_folder",
    "input_file_for_folder",
    "input_misspelt_folder",
    "input_missing_folder",
    "input_only_other_files",
    "settings_missing_file",
    "template_misnamed",
    "check_stale_missing_orphaned",
    "out_edited",
}
"""Cases about a file or a folder as such: their place is its path."""
ELSEWHERE = {"input_wrong_command", "bind_no_server", "import_wrong_sdk"}
"""Cases whose message comes from the command line or from a running program, and has no place in a file."""
_FINDING = re.compile(r"^(?P<place>\S+): (?:error|warning)\[MG\d+\]: (?P<message>.+)$", re.MULTILINE)
_BELOW_THE_ROOT = re.compile(r"error\[MG1\d\d\]|warning\[MG1\d\d\]")


def test_there_are_enough_mistakes_and_each_is_named_once() -> None:
    assert len(MISTAKES) >= FEWEST
    titles = list(MISTAKES.values())
    assert len(set(titles)) == len(titles)
    assert all(title and title == title.strip() and "\n" not in title for title in titles)


@pytest.mark.parametrize("case", sorted(set(MISTAKES) - ELSEWHERE))
def test_the_message_says_what_is_wrong_where_and_what_to_do(case: str) -> None:
    text = (CASES / case / "stderr.txt").read_text("utf-8")
    findings = [*_FINDING.finditer(text)]
    assert findings, text
    if case not in WITHOUT_POSITION:
        for finding in findings:
            assert re.search(r":\d+:\d+$", finding["place"]), finding[0]
    assert re.search(r"^  help: .{10,}$", text, re.MULTILINE), "nothing says what to do"


@pytest.mark.parametrize("case", sorted(set(MISTAKES) - ELSEWHERE))
def test_a_message_about_a_schema_has_a_pointer(case: str) -> None:
    text = (CASES / case / "stderr.txt").read_text("utf-8")
    about_schemas = len(_BELOW_THE_ROOT.findall(text))
    assert len(re.findall(r"^  at: /\S*$", text, re.MULTILINE)) >= about_schemas


@pytest.mark.parametrize("case", sorted(ELSEWHERE))
def test_what_a_program_says_names_the_way_out(case: str) -> None:
    text = (CASES / case / "stderr.txt").read_text("utf-8")
    assert re.search(r"Did you mean|pip install|pass the server", text)
