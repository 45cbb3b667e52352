"""Words of a server's command that are read as mcpgen's own options or files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mcpgen.cli import app
from mcpgen.commands.server_words import check_is_quoted
from typer.testing import CliRunner

QUOTE = 'put the whole command in quotes: {} "npx -y some-server"'
DASHES = "write -- before the server's command: mcpgen pull -- npx -y some-server"


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("check --server python s.py --flag", QUOTE.format("--server")),
        ("check --server npx -y x", QUOTE.format("--server")),
        ("check --server python s.py", QUOTE.format("--server")),
        ("check --server -- python s.py", QUOTE.format("--server")),
        ("learn calls.json --server python s.py", QUOTE.format("--server")),
        ("learn calls.json --server python s.py -x", QUOTE.format("--server")),
        ("diff --against-server python s.py", QUOTE.format("--against-server")),
        ("diff --against-server python s.py --token=ghp_secret1", QUOTE.format("--against-server")),
        ("pull python s.py --token=ghp_secret1", DASHES),
        ("pull npx -y x", DASHES),
        ("pull https://a.test --biuld", "did you mean --build? If it is an option of the server's command, write --"),
        ("pull python s.py --biuld", "did you mean --build? If it is an option of the server's command, write --"),
        ("pull python s.py --workers", DASHES),
        ("pull --server s:server", "pull takes the server without an option"),
    ],
)
def test_the_error_says_how_to_write_it(
    line: str, advice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("calls.json", "s.py"):
        (tmp_path / name).touch()
    run = CliRunner().invoke(app, line.split(), env={"COLUMNS": "200"})
    assert run.exit_code == 2
    assert advice in re.sub(r"\s+", " ", run.output)
    assert "ghp_secret1" not in run.output


def test_other_unknown_options_are_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for line in ("check --flag", "pull --flag", "build x --flag", "pull --flag https://a.test"):
        run = CliRunner().invoke(app, line.split())
        assert run.exit_code == 2
        assert "No such option: --flag" in run.output
        assert ";" not in run.output
    assert "(Possible options: " in CliRunner().invoke(app, ["check", "--serve", "x"]).output


def test_files_beside_a_server_are_fine(tmp_path: Path) -> None:
    (tmp_path / "a.json").touch()
    for server in ("https://a.test", "a.b:server", "python s.py", "some-server"):
        check_is_quoted("--server", server, [tmp_path, tmp_path / "a.json"])
    for server in ("https://a.test", "a.b:server", "python s.py"):
        check_is_quoted("--server", server, [tmp_path / "missing.json"])
