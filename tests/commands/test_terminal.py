"""What a terminal shows: colors, quiet, details, progress, completion; real shells where they are installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.packages import mcpgen

pytestmark = [pytest.mark.ci, pytest.mark.skipif(os.name == "nt", reason="needs POSIX terminals and shells")]
UNSET = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM")
BIN = Path(sys.executable).parent


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "get_depth.json").write_text('{"type": "object"}\n')
    (tmp_path / "schemas" / "get_wind.json").write_text('{"type": "object", "nullable": true}\n')
    return tmp_path


def run_on_terminal(folder: Path, *arguments: str, **environment: str) -> str:
    """Run mcpgen on a pseudo terminal and return all that it writes."""
    import pty

    leader, follower = pty.openpty()
    clean = {key: value for key, value in os.environ.items() if key not in UNSET}
    process = subprocess.Popen(
        [sys.executable, "-m", "mcpgen", *arguments],
        cwd=folder,
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={**clean, "TERM": "xterm-256color", **environment},
    )
    os.close(follower)
    chunks: list[bytes] = []
    while True:
        try:
            chunk = os.read(leader, 65536)
        except OSError:  # the other end is closed
            break
        if not chunk:
            break
        chunks.append(chunk)
    process.wait()
    os.close(leader)
    return b"".join(chunks).decode()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "arguments", "expected"),
    [
        ({}, [], True),
        ({"NO_COLOR": "1"}, [], False),
        ({"CLICOLOR": "0"}, [], False),
        ({"CLICOLOR": "1"}, [], True),
        ({"TERM": "dumb"}, [], False),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
        ({}, ["--color", "never"], False),
    ],
)
def test_a_terminal_has_colors_unless_something_says_otherwise(
    project: Path, environment: dict[str, str], arguments: list[str], expected: bool
) -> None:
    text = run_on_terminal(project, "check", "--jobs", "1", *arguments, **environment)
    assert "MG115" in text
    assert ("\x1b[3" in text) == expected


@pytest.mark.parametrize(
    ("environment", "expected"),
    [({"CLICOLOR_FORCE": "1"}, True), ({"CLICOLOR_FORCE": "0"}, False), ({"FORCE_COLOR": "1", "TERM": "dumb"}, True)],
)
def test_a_log_has_no_colors_unless_something_says_otherwise(
    project: Path, environment: dict[str, str], expected: bool
) -> None:
    """`--color`, FORCE_COLOR and NO_COLOR are in tests/unit/report/test_formats.py."""
    unset = dict.fromkeys(UNSET, "")
    run = mcpgen("build", "--jobs", "1", cwd=project, **{**unset, **environment})
    assert ("\x1b[" in run.stderr) == expected


def test_quiet_says_nothing_but_errors(project: Path) -> None:
    run = mcpgen("build", "-q", "--jobs", "1", cwd=project)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_verbose_says_what_was_read_and_changed(project: Path) -> None:
    plain = mcpgen("build", "--out", "other", "--no-cache", "--jobs", "1", cwd=project).stderr
    text = mcpgen("build", "-v", "--no-cache", "--jobs", "1", cwd=project).stderr
    for line in ("settings: none, the defaults apply", "definitions: schemas", "cache: not used", "read: 2 files"):
        assert f"{line}\n" in text
        assert line not in plain
    assert re.search(r"^lowering: 2 in \d+\.\d\d s$", text, re.MULTILINE)
    created = re.findall(r"^create: (.+)$", text, re.MULTILINE)
    on_disk = {path.relative_to(project).as_posix() for path in (project / "generated").rglob("*") if path.is_file()}
    assert set(created) == on_disk
    assert mcpgen("build", "-v", "--quiet", cwd=project).returncode == 2


@pytest.mark.slow
def test_a_screen_for_watch_shows_only_the_last_build(project: Path) -> None:
    import pty
    import select
    import signal
    import time

    leader, follower = pty.openpty()
    clean = {key: value for key, value in os.environ.items() if key not in UNSET}
    process = subprocess.Popen(
        [sys.executable, "-m", "mcpgen", "watch", "--no-cache", "--jobs", "1"],
        cwd=project,
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={**clean, "TERM": "xterm-256color"},
    )
    os.close(follower)
    text, end, edited = "", time.monotonic() + 90, False
    try:
        while time.monotonic() < end:
            if select.select([leader], [], [], 0.2)[0]:
                text += os.read(leader, 65536).decode()
            last = text.rpartition("\x1b[H")[2]
            if not edited and "built" in last and "Ctrl-C ends it" in last:
                (project / "schemas" / "get_depth.json").write_text('{"type": "strng"}\n')
                edited = True
            elif edited and "not built" in last and "Ctrl-C ends it" in last:
                break
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)
        os.close(leader)
    last = text.rpartition("\x1b[H")[2]
    assert "strng" in last
    assert "MG115" not in text.split("\x1b[H")[0]
    assert re.search(r"not built.* at \d\d:\d\d:\d\d in \d+\.\d s", last)


def complete(shell: str, words: list[str]) -> str:
    """Return what Typer's completion for a shell proposes for the last word."""
    line = " ".join(["mcpgen", *words])
    environment = {**os.environ, "_MCPGEN_COMPLETE": f"complete_{shell}", "PATH": f"{BIN}:{os.environ['PATH']}"}
    if shell == "bash":
        environment |= {"COMP_WORDS": line, "COMP_CWORD": str(len(words))}
    else:
        environment |= {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    run = subprocess.run([str(BIN / "mcpgen")], env=environment, capture_output=True, text=True)
    return run.stdout


@pytest.mark.parametrize(
    ("shell", "words", "proposed"),
    [
        ("bash", ["do"], "doctor"),
        ("bash", ["build", "--ou"], "--out"),
        ("zsh", ["init", "--sdk", "fa"], "fastmcp"),
        ("fish", ["explain", "MG11"], "MG114"),
    ],
)
def test_commands_options_and_values_are_proposed(shell: str, words: list[str], proposed: str) -> None:
    assert proposed in complete(shell, words)


def show_completion(shell: str) -> str:
    from typer._completion_shared import get_completion_script

    return get_completion_script(prog_name="mcpgen", complete_var="_MCPGEN_COMPLETE", shell=shell)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_real_shell_completes(shell: str, tmp_path: Path) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "completion"
    script.write_text(show_completion(shell))
    commands = {
        "bash": f"source {script}; COMP_WORDS=(mcpgen wat); COMP_CWORD=1; _mcpgen_completion mcpgen; "
        'printf "%s\\n" "${COMPREPLY[@]}"',
        "zsh": f"autoload -Uz compinit; compinit -D -u; source {script}; (( $+functions[_mcpgen_completion] )) && "
        'compadd() {{ : }}; _arguments() {{ print -r -- "$@" }}; _describe() {{ print -r -- "$@" }}; '
        'words=(mcpgen wat); eval "$(env _TYPER_COMPLETE_ARGS="mcpgen wat" _MCPGEN_COMPLETE=complete_zsh mcpgen)"',
        "fish": f'source {script}; complete -C "mcpgen wat"',
    }
    options = {"bash": ["--norc", "-c"], "zsh": ["-f", "-c"], "fish": ["--no-config", "-c"]}
    run = subprocess.run(
        [program, *options[shell], commands[shell].replace("{{", "{").replace("}}", "}")],
        env={**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "watch" in run.stdout, run.stderr
