"""The application and its commands."""

from __future__ import annotations

import errno
import gc
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from mcpgen import __main__ as main
from mcpgen import __version__, cli
from mcpgen.app import generate_package
from mcpgen.cache import recorded_runs
from mcpgen.cache.store import Store
from support.definitions import PRICE, configure_package
from support.packages import tool
from typer.testing import CliRunner


# --- the whole pipeline, in memory ------------------------------------------------------------------------------------
def test_a_package_is_generated_in_memory(tmp_path: Path) -> None:
    reports: list[str] = []
    package = configure_package(tmp_path, [tool("buy", PRICE), tool("talk")])
    outcome = generate_package(package, 1, lambda step, completed, total, item="": reports.append(step))
    assert not outcome.findings.failed
    generated = outcome.generated
    assert generated is not None
    assert {"__init__.py", "tools/buy.py", "tools/talk.py", "tools/buy.json"} <= generated.texts.keys()
    assert "class BuyResult" in generated.texts["tools/buy.py"]
    assert json.loads(generated.texts["tools/talk.json"])["tool"]["name"] == "talk"
    assert (generated.tool_count, generated.class_count) == (2, 4)
    assert [*dict.fromkeys(reports)] == ["reading", "lowering", "rendering"]
    assert outcome.observed[str(tmp_path / "schemas" / "tools.json")]
    assert not (tmp_path / "generated").exists()


def test_a_warm_store_generates_the_same_objects_again(tmp_path: Path) -> None:
    package, store = configure_package(tmp_path, [tool("buy", PRICE)]), Store(is_warm=True)
    rendered: list[int] = []
    texts = []
    for _ in range(2):
        outcome = generate_package(
            package, 1, lambda step, completed, total, item="": rendered.append(step == "rendering"), store
        )
        assert outcome.generated is not None
        texts.append({**outcome.generated.texts})
        rendered.append(-1)
    assert texts[0] == texts[1]
    assert sum(rendered[rendered.index(-1) + 1 : -1]) == 0, "the second run renders nothing"


def test_wrong_input_generates_nothing(tmp_path: Path) -> None:
    package = configure_package(tmp_path, [tool("buy", {"type": "strng"})])
    outcome = generate_package(package, 1, lambda *_: None)
    assert outcome.generated is None
    assert [finding.code for finding in outcome.findings] == ["MG101"]


# --- start of the command line: a run that is repeated loads nothing else ---------------------------------------------
@pytest.mark.parametrize("is_repeated", [True, False])
def test_the_command_line_is_loaded_unless_the_run_is_repeated(
    is_repeated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[object] = []

    def repeat(arguments: list[str]) -> bool:
        commands.append(arguments)
        return is_repeated

    monkeypatch.setattr(sys, "argv", ["mcpgen", "build", "-q"])
    monkeypatch.setattr(recorded_runs, "repeat_run", repeat)
    monkeypatch.setattr(gc, "set_threshold", lambda _: None)
    monkeypatch.setitem(sys.modules, "mcpgen.cli", SimpleNamespace(run=lambda: commands.append("cli")))
    monkeypatch.setattr("mcpgen.cli", sys.modules["mcpgen.cli"], raising=False)
    main.run()
    assert commands == [["build", "-q"], *([] if is_repeated else ["cli"])]


def test_an_error_that_is_not_about_output_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(sys, "argv", ["mcpgen", "explain"])
    monkeypatch.setattr(cli, "run", fail)
    with pytest.raises(OSError, match="No space left"):
        main.run()


def test_the_exit_code_is_that_of_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["mcpgen", "explain", "MG000"])
    with pytest.raises(SystemExit) as ended:
        main.run()
    assert ended.value.code == 2


# --- the command line: options, and the messages about wrong ones -----------------------------------------------------
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
