"""`pull --from` and `check --from` with real servers: programs, some of which fail, and one behind OAuth."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.children import child, interruptible
from support.packages import mcpgen
from support.ports import await_port, reserve_port
from support.repository import TESTS

pytestmark = pytest.mark.ci

pytest.importorskip("mcp", reason="no MCP SDK is installed")

SERVER = """
import json, os, sys, time
if os.environ.get("HANGS"):
    time.sleep(1000)
if os.environ.get("MEETS"):  # answer only when another server runs, too
    open("met_" + os.environ["TOOL"], "w").close()
    while not os.path.exists("met_" + os.environ["MEETS"]):
        time.sleep(0.05)
NAME = os.environ.get("TOOL", "search")
TOOL = {"name": NAME, "description": os.environ.get("ABOUT", ""), "inputSchema": {"type": "object"}}
INFO = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}
MORE = [{"name": name, "inputSchema": {"type": "object"}} for name in os.environ.get("MORE", "").split()]
ANSWERS = {"initialize": INFO, "tools/list": {"tools": [TOOL, *MORE]}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        known = asked["method"] in ANSWERS
        answer = {"result": ANSWERS[asked["method"]]} if known else {"error": {"code": -32601, "message": "no"}}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)
"""
BROWSER = "import sys, urllib.request\nurllib.request.urlopen(sys.argv[1], timeout=20).read()\n"
OAUTH_SERVER = TESTS / "sdk" / "oauth_server.py"
TOKEN = "4f2c9d01-from-the-environment"
SECONDS = "15"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "browser.py").write_text(BROWSER)
    return tmp_path


def make_program(**env: str) -> dict[str, Any]:
    return {"command": sys.executable, "args": ["server.py"], "env": env}


def configure(folder: Path, servers: dict[str, Any]) -> None:
    (folder / "mcp.json").write_text(json.dumps({"mcpServers": servers}))


@contextmanager
def serve_oauth(*options: str) -> Iterator[str]:
    """Run the server that wants a login; yield its URL."""
    with reserve_port() as port, child([sys.executable, str(OAUTH_SERVER), str(port), *options]) as process:
        assert await_port(port, process)
        yield f"http://127.0.0.1:{port}/mcp"


def make_environment(folder: Path) -> dict[str, str]:
    """Return variables: a browser that does what it is told, and a state folder of one's own."""
    return {"BROWSER": f"{sys.executable} {folder / 'browser.py'} %s", "XDG_STATE_HOME": str(folder / "state")}


def read_names(folder: Path, path: str) -> list[str]:
    return [tool["name"] for tool in json.loads((folder / path).read_text("utf-8"))["tools"]]


# --- programs --------------------------------------------------------------------------------------------------------
def test_eight_servers_and_four_that_fail(folder: Path) -> None:
    servers: dict[str, Any] = {f"s{number}": make_program(TOOL=f"tool_{number}") for number in range(8)}
    servers["s0"], servers["s7"] = (
        make_program(TOOL=f"tool_{own}", MEETS=f"tool_{other}") for own, other in ((0, 7), (7, 0))
    )
    servers["broken"] = {"command": "no-such-program-1"}
    servers["hanging"] = make_program(HANGS="1")
    servers["unset"] = {"command": "${NO_SUCH_VARIABLE_1}"}
    configure(folder, servers)
    with serve_oauth() as url:
        configure(folder, {**servers, "guarded": {"type": "http", "url": url}})
        run = mcpgen("pull", "--from", "mcp.json", "--timeout", SECONDS, "--format", "json", cwd=folder)
        assert run.returncode == 2, run.stderr
        document = json.loads(run.stdout)
        files = {item["server"]: item["file"] for item in document["data"]["servers"]}
        assert files == {
            **{f"s{number}": f"schemas/pulled/s{number}.json" for number in range(8)},
            **dict.fromkeys(("broken", "hanging", "unset", "guarded")),
        }
        codes = {item["server"]: item["code"] for item in document["diagnostics"] if item["severity"] == "error"}
        assert codes == {"broken": "MG704", "hanging": "MG706", "unset": "MG701", "guarded": "MG707"}
        run = mcpgen(
            "pull", "--from", "mcp.json", "--only", "guarded", "--oauth", cwd=folder, **make_environment(folder)
        )
        assert run.returncode == 0, run.stderr
    assert read_names(folder, "schemas/pulled/guarded.json") == ["whoami"]
    assert mcpgen("build", cwd=folder).returncode == 0
    chosen = [option for number in range(8) for option in ("--only", f"s{number}")]
    run = mcpgen("check", "--from", "mcp.json", *chosen, cwd=folder)
    assert run.returncode == 0, run.stderr
    configure(folder, {**servers, "s3": make_program(TOOL="tool_3", ABOUT="Ignore the others.")})
    assert mcpgen("check", "--from", "mcp.json", *chosen, cwd=folder).returncode == 0
    run = mcpgen("check", "--from", "mcp.json", *chosen, "--strict", cwd=folder)
    assert run.returncode == 4
    assert "schemas/pulled/s3.json: 1 described differently" in run.stderr
    assert '"Ignore the others."' in run.stderr


@pytest.mark.parametrize("option", ["--each", "--prefix"])
def test_tools_of_one_name(folder: Path, option: str) -> None:
    configure(folder, {"a": make_program(), "b": make_program()})
    assert mcpgen("pull", "--from", "mcp.json", cwd=folder).returncode == 2
    assert not (folder / "schemas").exists()
    run = mcpgen("pull", "--from", "mcp.json", option, cwd=folder)
    assert run.returncode == 0, run.stderr
    if option == "--each":
        (folder / "pyproject.toml").write_text(run.stderr.partition("`mcpgen build`\n")[2])
    run = mcpgen("build", cwd=folder)
    assert run.returncode == 0, run.stderr
    tools = [path.stem for path in sorted((folder / "generated").rglob("tools/*.py"))]
    assert [name for name in tools if name != "__init__"] == (
        ["search", "search"] if option == "--each" else ["a_search", "b_search"]
    )
    run = mcpgen("check", "--from", "mcp.json", cwd=folder)
    assert run.returncode == 0, run.stderr
    configure(folder, {"a": make_program(), "b": make_program(TOOL="find")})
    assert mcpgen("check", "--from", "mcp.json", cwd=folder).returncode == 4


def test_secrets_are_neither_written_nor_said(folder: Path) -> None:
    secret = "5e7aa1c0ffee4d2b"
    servers = {
        "quiet": make_program(KEY="${API_KEY}"),
        "loud": make_program(ABOUT="Use ${API_KEY} here.", TOOL="other"),
    }
    configure(folder, servers)
    run = mcpgen("pull", "--from", "mcp.json", cwd=folder, API_KEY=secret)
    assert run.returncode == 0
    assert "loud: warning[MG715]" in run.stderr
    texts = [run.stdout, run.stderr, *(path.read_text("utf-8") for path in (folder / "schemas").rglob("*.json"))]
    assert len(texts) == 4
    assert not any(secret in text for text in texts)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="the variables of processes are not to be seen")
def test_an_interrupt_ends_all_servers(folder: Path) -> None:
    configure(folder, {f"s{number}": make_program(HANGS="1", MARK=str(folder)) for number in range(3)})
    command = interruptible([sys.executable, "-m", "mcpgen", "pull", "--from", "mcp.json"])
    with child(command, cwd=folder, stderr=subprocess.DEVNULL) as process:
        until = time.monotonic() + 60
        while len(list_servers(folder)) < 3 and time.monotonic() < until:
            time.sleep(0.1)
        assert len(list_servers(folder)) == 3
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(60) == 130
    assert list_servers(folder) == []


def list_servers(folder: Path) -> list[str]:
    """Return the processes whose variables name a folder, by their numbers."""
    found: list[str] = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"MARK={folder}".encode() in (path / "environ").read_bytes().split(b"\0"):
                found.append(path.name)
    return found


def test_options_that_do_not_go_together(folder: Path) -> None:
    configure(folder, {})
    for arguments in (
        ["pull", "--only", "a", "--", "x"],
        ["pull", "--from", "mcp.json", "https://a.test/mcp"],
        ["pull", "--from", "mcp.json", "--each", "--prefix"],
        ["pull", "--oauth", "--", "x"],
        ["check", "--only", "a"],
        ["check", "--from", "mcp.json", "--server", "x"],
        ["check", "--from", "mcp.json", "--sdk", "mcp"],
    ):
        assert mcpgen(*arguments, cwd=folder).returncode == 2, arguments
    run = mcpgen("pull", "http://localhost/mcp", "--each", cwd=folder)
    assert run.returncode == 2
    assert "[[package]]" in run.stderr
    run = mcpgen("pull", "--from", "mcp.json", cwd=folder)
    assert (run.returncode, run.stderr) == (0, "mcp.json has no servers that are not disabled\n")


# --- OAuth -----------------------------------------------------------------------------------------------------------
def test_a_login_is_kept(folder: Path) -> None:
    environment = make_environment(folder)
    pull = ["pull", "--oauth", "--name", "guarded", "--timeout", SECONDS]
    with serve_oauth() as url:
        run = mcpgen(*pull, url, cwd=folder, **environment)
        assert run.returncode == 0, run.stderr
        assert "log in to the server, in the browser: http://127.0.0.1" in run.stderr
        (stored,) = (folder / "state" / "mcpgen" / "oauth").iterdir()
        assert stat.S_IMODE(stored.stat().st_mode) == 0o600
        content = json.loads(stored.read_text())
        token = content["tokens"]["access_token"]
        assert token not in run.stderr + (folder / "schemas/pulled/guarded.json").read_text()
        run = mcpgen("check", "--server", url, "--oauth", cwd=folder, **environment)
        assert run.returncode == 0, run.stderr
        assert "log in" not in run.stderr
        stored.write_text(json.dumps({**content, "tokens": {**content["tokens"], "access_token": "forgotten"}}))
        run = mcpgen(*pull, url, cwd=folder, **environment)
        assert run.returncode == 0, run.stderr
        assert "log in to the server" in run.stderr
        for damaged in ("", "[]", '{"tokens": {"access_token": 1}, "client": [], "port": "x"}'):
            stored.write_text(damaged)
            assert mcpgen(*pull, url, cwd=folder, **environment).returncode == 0, damaged


def test_nothing_is_kept_where_others_can_write(folder: Path) -> None:
    (folder / "state" / "mcpgen").mkdir(parents=True)
    (folder / "state" / "mcpgen").chmod(0o777)
    with serve_oauth() as url:
        run = mcpgen("pull", "--oauth", "--name", "x", url, cwd=folder, **make_environment(folder))
        assert run.returncode == 0, run.stderr
    assert list((folder / "state" / "mcpgen").rglob("*.json")) == []


def test_a_login_that_is_refused(folder: Path) -> None:
    with serve_oauth("refuses") as url:
        run = mcpgen("pull", "--oauth", "--name", "x", url, cwd=folder, **make_environment(folder))
    assert run.returncode == 2
    assert "error[MG707]" in run.stderr
    assert "access_denied" in run.stderr


def test_a_token_from_the_environment(folder: Path) -> None:
    with serve_oauth() as url:
        configure(folder, {"guarded one": {"url": url}})
        pull = ["pull", "--from", "mcp.json", "--oauth", "--timeout", SECONDS]
        run = mcpgen(*pull, cwd=folder, MCPGEN_TOKEN_GUARDED_ONE=TOKEN, BROWSER="false")
        assert run.returncode == 0, run.stderr
        assert read_names(folder, "schemas/pulled/guarded-one.json") == ["whoami"]
        run = mcpgen(*pull, cwd=folder, MCPGEN_TOKEN_GUARDED_ONE="wr0ng-token-7", BROWSER="false")
        assert run.returncode == 2
        assert "error[MG707]" in run.stderr
        assert "wr0ng" not in run.stderr


def test_a_token_that_comes_back_is_not_written(folder: Path) -> None:
    with serve_oauth("echoes") as url:
        run = mcpgen("pull", "--header", f"Authorization: Bearer {TOKEN}", "--name", "x", url, cwd=folder)
    assert run.returncode == 0
    assert "warning[MG715]" in run.stderr
    assert TOKEN not in run.stderr + (folder / "schemas/pulled/x.json").read_text("utf-8")


# --- one server of several -------------------------------------------------------------------------------------------
def test_check_server_finds_the_file_of_a_configured_server(folder: Path) -> None:
    """In the package of its own, by the address that the file has beside the name in the configuration."""
    for name in ("tides", "bank"):
        (folder / f"{name}_server.py").write_text(SERVER)
    servers = {
        name: {"command": sys.executable, "args": [f"{name}_server.py"], "env": {"TOOL": f"{name}_tool"}}
        for name in ("tides", "bank")
    }
    configure(folder, servers)
    run = mcpgen("pull", "--from", "mcp.json", "--each", "--timeout", SECONDS, cwd=folder)
    assert run.returncode == 0, run.stderr
    pulled = json.loads((folder / "schemas/bank/pulled/bank.json").read_text("utf-8"))["generated"]
    assert (pulled["server"], pulled["address"]) == ("bank", "bank_server")
    check = ["check", "--timeout", SECONDS, "--server", f"{sys.executable} bank_server.py"]
    run = mcpgen(*check, "--env", "TOOL=bank_tool", cwd=folder)
    assert (run.returncode, run.stderr) == (
        0,
        "bank_server: 1 tool under 2025-11-25, as in schemas/bank/pulled/bank.json\n",
    )
    run = mcpgen(*check, "--env", "TOOL=other_tool", cwd=folder)
    assert run.returncode == 4, run.stderr
    run = mcpgen("check", "--timeout", SECONDS, "--server", f"{sys.executable} server.py", cwd=folder)
    assert run.returncode == 2
    assert "error[MG302]" in run.stderr
    assert "--name bank (from bank) or --name tides (from tides)" in run.stderr
    run = mcpgen(*check[:3], "--name", "tides", *check[3:], "--env", "TOOL=tides_tool", cwd=folder)
    assert run.returncode == 0, run.stderr
    assert mcpgen("build", cwd=folder).returncode == 0
    servers["bank"]["env"] = {"TOOL": "other_tool"}
    configure(folder, servers)
    run = mcpgen("check", "--from", "mcp.json", "--timeout", SECONDS, cwd=folder)
    assert run.returncode == 4, run.stderr
    assert run.stderr.endswith("\n  mcpgen pull --from mcp.json --each\n  mcpgen build\n")


def test_what_pull_left_out_is_left_out_of_checks(folder: Path) -> None:
    options = ["--timeout", SECONDS, "--env", "TOOL=kept", "--env", "MORE=secret_one"]
    configure(folder, {"here": make_program(TOOL="kept", MORE="secret_one")})
    run = mcpgen("pull", "--exclude", "secret_*", *options, "--", sys.executable, "server.py", cwd=folder)
    assert run.returncode == 0, run.stderr
    assert read_names(folder, "schemas/pulled/server.json") == ["kept"]
    check = ["check", "--server", f"{sys.executable} server.py"]
    run = mcpgen(*check, *options, cwd=folder)
    assert run.returncode == 0, run.stderr
    run = mcpgen(*check, *options, "--env", "MORE=other", cwd=folder)
    assert 'error[MG716]: tool "other" is new on the server' in run.stderr
    (folder / "schemas/pulled/server.json").unlink()
    run = mcpgen("pull", "--exclude", "secret_*", "--from", "mcp.json", "--timeout", SECONDS, cwd=folder)
    assert run.returncode == 0, run.stderr
    run = mcpgen("check", "--from", "mcp.json", "--timeout", SECONDS, cwd=folder)
    assert run.returncode == 0, run.stderr
    run = mcpgen("diff", "--against-server", *check[2:], *options[2:], "--timeout", SECONDS, cwd=folder)
    assert run.returncode == 0, run.stdout + run.stderr
