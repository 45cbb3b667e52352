"""What is said about a program that cannot be started."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from mcpgen.introspect.error_messages import describe_start_failure
from mcpgen.introspect.server_address import Command
from support.packages import mcpgen

ERROR = OSError(errno.ENOENT, "No such file or directory")


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("app", "schemas"):
        (tmp_path / folder).mkdir()
    (tmp_path / "schemas" / "a.json").write_text('{"type": "object"}', "utf-8")
    for path in ("server.py", "app/main.py", "start-it"):
        (tmp_path / path).write_text("", "utf-8")
    monkeypatch.chdir(tmp_path)


def explain(*words: str, folder: str | None = None) -> str:
    error = describe_start_failure(Command(words, folder), ERROR)
    assert error.code == "MG704"
    return error.help


@pytest.mark.parametrize(
    ("word", "help"),
    [
        ("server.py", "did you mean `python server.py`, or `server:NAME` for a server object in the module?"),
        ("./app/main.py", "did you mean `python ./app/main.py`, or `app.main:NAME` for a server object in the module?"),
        ("app.main", "did you mean `python app/main.py`, or `app.main:NAME` for a server object in the module?"),
        ("server", "did you mean `python server.py`, or `server:NAME` for a server object in the module?"),
        ("my-server.py", "did you mean `python my-server.py`?"),
        ("start-it", "write `./start-it` to start the file in this folder"),
        ("no-such-program", "no program of this name is on the PATH: install it, or write its whole path"),
        ("bin/tool", "the path is relative to {folder}"),
        ("/bin/no-such-tool", ""),
    ],
)
def test_what_was_probably_meant(word: str, help: str) -> None:
    assert explain(word, "--token", "s3cret") == help.format(folder=Path.cwd())


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("from fastmcp import FastMCP\nmcp = FastMCP('a')\n", "mcp"),
        ("import mcp.server\nserver = mcp.server.Server[dict]('a')\nother = 5\n", "server"),
        ("a = MCPServer('a')\nb = MCPServer('b')\n", "NAME"),
        ("class Server: ...\nclient = Client()\n", "NAME"),
        ("not Python", "NAME"),
    ],
)
def test_the_server_in_the_module_is_named(text: str, name: str) -> None:
    Path("server.py").write_text(text, "utf-8")
    assert explain("server.py").endswith(f"or `server:{name}` for a server object in the module?")


def test_the_folder_of_the_command_counts() -> None:
    assert explain("main", folder="app").startswith("did you mean `python main.py`")
    assert explain("main").startswith("no program of this name")


def test_words_that_may_be_secret_are_not_quoted() -> None:
    secret = "a8f7d6e5c4b3a291807f6e5d4c3b2a19"
    assert explain(f"/{secret}/server.py") == "did you mean `python …/server.py`?"
    assert explain(f"{secret}.py").startswith("no program of this name")


@pytest.mark.parametrize("arguments", [("check", "--server", "server.py"), ("pull", "--", "server.py")])
def test_commands_say_it(arguments: tuple[str, ...]) -> None:
    run = mcpgen(*arguments, cwd=Path.cwd())
    assert "error[MG704]" in run.stderr
    assert "did you mean `python server.py`, or `server:NAME`" in run.stderr


def test_the_whole_path_is_shown() -> None:
    for path in ("/opt/acme/no-such-server", "C:/tools/x7f3/no-such-server", "./venv3x/bin/server"):
        assert f'"{path}"' in describe_start_failure(Command((path,)), ERROR).message
