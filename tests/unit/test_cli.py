"""The command line: options, and the messages about wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen import __version__, cli
from typer.testing import CliRunner


def _run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli.app, [*arguments])
    return result.exit_code, result.output


def test_the_version_is_shown() -> None:
    assert _run("--version") == (0, f"mcpgen {__version__}\n")


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("build", "--out --sdk --protocol --config --root --jobs --force --cache-dir --no-cache --depfile --quiet"),
        ("check", "--out --sdk --jobs --server --from --only --name --header --env --oauth --exclude --no-cache"),
        ("diff", "--against --against-server --off --only --header --env --protocol --exclude --config --root"),
        ("pull", "--name --from --only --each --prefix --out --force --header --env --protocol --oauth --exclude"),
        ("prove", "--out --config --root --max-examples --seed --jobs --quiet --format --color"),
        ("show", "--out --config --root --protocol --code --wire --schema --value --format --color"),
    ],
)
def test_the_help_lists_the_options_in_order(command: str, options: str) -> None:
    exit_code, text = _run(command, "--help")
    assert exit_code == 0
    at = [text.index(f"  {option} ") if f"  {option} " in text else text.index(option) for option in options.split()]
    assert at == sorted(at)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "--server", "https://a.test", "--sdk", "mcp"], "are for generated packages, not for servers"),
        (["check", "--header", "A: b"], "go with --server"),
        (["show", "a", "--code", "--wire"], "choose one of --code, --wire, --schema"),
        (["diff"], "name OLD and NEW"),
        (["diff", "--against", "main", "--against-server", "https://a.test"], "name OLD and NEW"),
        (["diff", "--against", "main", "--exclude", "a"], "go with --against-server"),
        (["build", "--jobs", "0"], "--jobs"),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    exit_code, text = _run(*arguments)
    assert exit_code == 2
    assert message in " ".join(text.split())


def test_a_malformed_server_is_a_diagnostic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments in (["pull", "https://a.test", "--protocol", "1"], ["check", "--server", "a:b", "--protocol", "1"]):
        exit_code, text = _run(*arguments)
        assert (exit_code, "error[MG701]" in text) == (2, True)
