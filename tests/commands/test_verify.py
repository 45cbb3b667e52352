"""`mcpgen verify`: its reports, options and budgets, and what it never does. The faults are in tests/sdk."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from support.children import child, interruptible
from support.packages import mcpgen
from support.ports import await_port, reserve_port

pytestmark = pytest.mark.ci
SECRET = "correcthorsebattery"
SERVER = """
import json, os, sys, time
READ_ONLY = {"readOnlyHint": True}
DAYS = {"type": "object", "properties": {"days": {"type": "integer", "minimum": 1, "maximum": 40},
    "more": {"type": "array", "items": {"type": "string"}}}, "required": ["days"]}
NODE = {"type": "object", "properties": {"name": {"type": "string"}, "kids": {"type": "array", "items": {"$ref": "#"}}},
    "required": ["name"]}
NEVER = {"type": "object", "properties": {"a": {"type": "string", "minLength": 3, "maxLength": 2}}, "required": ["a"]}
MAIL = {"type": "object", "properties": {"to": {"type": "string", "format": "email"}}, "required": ["to"]}
HUGE = {"type": "object", "properties": {f"p{n}": {"enum": [f"v{n}", f"w{n}"]} for n in range(300)}}
OUTPUT = {"type": "object", "properties": {"days": {"type": "integer"}}, "required": ["days"]}
TOOLS = [
    {"name": "forecast", "inputSchema": DAYS, "outputSchema": OUTPUT, "annotations": READ_ONLY},
    {"name": "tree", "inputSchema": NODE, "annotations": READ_ONLY},
    {"name": "never", "inputSchema": NEVER, "annotations": READ_ONLY},
    {"name": "mail", "inputSchema": MAIL, "annotations": READ_ONLY},
    {"name": "huge", "inputSchema": HUGE, "annotations": READ_ONLY},
    {"name": "destroy", "inputSchema": {"type": "object"}, "annotations": {**READ_ONLY, "destructiveHint": True}},
    {"name": "unannotated", "inputSchema": {"type": "object"}},
]
ABOUT = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}


def call(name, arguments):
    with open("called.txt", "a") as log:
        log.write(json.dumps([name, arguments]) + "\\n")
    if os.path.exists("waits"):
        time.sleep(60)
    if name == "forecast":
        days = arguments.get("days")
        if type(days) not in (int, float) or days != int(days) or not 1 <= days <= 40 or not is_list(arguments):
            return {"content": [{"type": "text", "text": "no"}], "isError": True, "structuredContent": {"days": -1}}
        value = {"days": os.environ.get("TOKEN", "many") if days > 30 else days}
        return {"content": [{"type": "text", "text": json.dumps(value)}], "structuredContent": value}
    bad = name in ("mcpgen-no-such-tool", "never") or not is_tree(name, arguments)
    return {"content": [{"type": "text", "text": "no" if bad else "yes"}], "isError": bad}


def is_list(arguments):
    more = arguments.get("more", [])
    return isinstance(more, list) and all(isinstance(item, str) for item in more)


def is_tree(name, value):
    if name == "mail":
        return isinstance(value.get("to"), str)
    if name == "huge":
        return all(value.get(key, "v" + key[1:]) in ("v" + key[1:], "w" + key[1:]) for key in value if key[0] == "p")
    if name != "tree":
        return True
    kids = value.get("kids", []) if isinstance(value, dict) else None
    return isinstance(kids, list) and isinstance(value.get("name"), str) and all(is_tree(name, kid) for kid in kids)


def answer(asked):
    if asked["method"] == "tools/call":
        notice = {"level": "info", "data": "working"}
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": notice}), flush=True)
        return {"result": call(asked["params"]["name"], asked["params"].get("arguments", {}))}
    known = {"initialize": ABOUT, "tools/list": {"tools": [] if os.path.exists("empty") else TOOLS}}
    method = asked["method"]
    return {"result": known[method]} if method in known else {"error": {"code": -32601, "message": "no"}}


if __name__ == "__main__":
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" in asked:
            print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer(asked)}), flush=True)
"""
HTTP = """
import http.server, json, sys
import server


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send(405, "text/plain", b"")

    do_DELETE = do_GET

    def send(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "id" not in asked:
            return self.send(202, "text/plain", b"")
        text = json.dumps({"jsonrpc": "2.0", "id": asked["id"], **server.answer(asked)})
        if sys.argv[2] == "sse":
            return self.send(200, "text/event-stream", f"event: message\\ndata: {text}\\n\\n".encode())
        self.send(200, "application/json", text.encode())


server.print = lambda *_, **__: None
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "server.py").write_text(SERVER, "utf-8")
    (tmp_path / "http_server.py").write_text(HTTP, "utf-8")
    return tmp_path


def verify(folder: Path, *options: str, server: str = "python3 server.py") -> subprocess.CompletedProcess[str]:
    return mcpgen("verify", "--server", server, *options, cwd=folder)


def read_calls(folder: Path) -> list[list[Any]]:
    return [json.loads(line) for line in (folder / "called.txt").read_text("utf-8").splitlines()]


def test_reports_in_each_format_show_a_small_fault_that_the_printed_command_shows_again(folder: Path) -> None:
    secret = ("--env", f"TOKEN={SECRET}")
    run = verify(folder, "--format", "json", "--junit", "report.xml", *secret)
    assert run.returncode == 9, run.stderr
    data = json.loads(run.stdout)["data"]
    subjects = {item["name"]: item for item in data["subjects"]}
    (fault,) = [fault for item in data["subjects"] for fault in item["faults"]]
    assert (fault["fault"], fault["recurs"]) == ("outputSchema", True)
    assert fault["arguments"].keys() == {"days"}
    assert 30 < fault["arguments"]["days"] <= 40
    assert fault["request"]["params"] == {"name": "forecast", "arguments": fault["arguments"]}
    assert data["notCalled"] == ["destroy", "unannotated"]
    assert subjects["forecast"]["bytes"]["median"] <= subjects["forecast"]["bytes"]["p95"]
    assert all(item["finished"] for item in data["subjects"])
    assert {name for name, _ in read_calls(folder)} == {
        "forecast",
        "tree",
        "never",
        "mail",
        "huge",
        "mcpgen-no-such-tool",
    }

    text = verify(folder, *secret)
    assert "forecast" in text.stdout
    assert "FAILS: outputSchema" in text.stdout
    assert "median" not in text.stderr
    command = shlex.split(text.stderr.split("again with the same --header and --env: `")[1].split("`")[0])
    again = mcpgen(*command[1:], cwd=folder)
    assert again.returncode == 9
    assert again.stderr.count("error[MG721]") == 1
    github = verify(folder, "--format", "github", *secret)
    assert github.returncode == 9
    assert "::error" in github.stdout
    assert "MG721" in github.stdout
    junit = (folder / "report.xml").read_text("utf-8")
    for printed in (run.stdout, run.stderr, text.stdout, text.stderr, github.stdout, junit):
        assert SECRET not in printed
    check_junit(ElementTree.fromstring(junit))


def check_junit(root: ElementTree.Element) -> None:
    """Check the structure: suites of cases, each with at most one outcome, and counts that agree."""
    assert root.tag == "testsuites"
    assert [suite.tag for suite in root] == ["testsuite"]
    cases = [*root[0]]
    assert {case.tag for case in cases} == {"testcase"}
    assert all({"name", "classname", "time"} == {*case.attrib} and len(case) <= 1 for case in cases)
    outcomes = [outcome for case in cases for outcome in case]
    assert [(outcome.tag, outcome.get("type")) for outcome in outcomes] == [("failure", "outputSchema")]
    assert "mcpgen verify --server" in str(outcomes[0].text)
    for element in (root, root[0]):
        counts = {name: int(element.attrib[name]) for name in ("tests", "failures", "errors", "skipped")}
        assert counts == {"tests": len(cases), "failures": 1, "errors": 0, "skipped": 0}
        assert float(element.attrib["time"]) >= 0


def test_calls_are_those_of_the_seed_and_within_the_budgets(folder: Path) -> None:
    made: list[list[list[Any]]] = []
    for seed in ("1", "1", "2"):
        run = verify(folder, "--seed", seed, "--max-calls", "30", "--only", "tree", "--only", "mail")
        assert run.returncode == 0, run.stderr
        made.append(read_calls(folder))
        (folder / "called.txt").unlink()
    assert made[0] == made[1] != made[2]
    assert len(made[0]) <= 2 * (30 + 8)
    arguments = [given for name, given in made[0] if name == "tree"]
    assert any("kids" not in given for given in arguments)
    assert any("name" not in given for given in arguments)
    assert all(isinstance(given.get("to", ""), str) is False or "@" in given.get("to", "@") for _, given in made[0])
    run = verify(folder, "--call", "destroy", "--call", "unannotated", "--only", "destroy", "--only", "unannotated")
    assert {name for name, _ in read_calls(folder)} == {"destroy", "unannotated"}, run.stderr
    (folder / "waits").touch()
    run = verify(folder, "--seconds", "1", "--call-seconds", "1", "--only", "tree", "--only", "mail")
    assert run.returncode == 9
    assert "no answer within 1 s" in run.stderr
    assert "the time was up" in run.stderr


def test_wrong_options_and_servers_that_cannot_be_tested(folder: Path) -> None:
    for options, message in (
        (("--call", "forecats"), 'did you mean "forecast"?'),
        (("--only", "destroy"), "needs --call"),
        (("--only", "forecast", "--arguments", "{"), "it is not JSON"),
        (("--only", "forecast", "--arguments", "[]"), "it is not a JSON object"),
        (("--arguments", "{}"), "--arguments goes with one --only"),
        (("--protocol", "2026-07-28"), "does not speak 2026-07-28"),
    ):
        run = verify(folder, *options)
        assert (run.returncode, message in run.stderr) == (2, True), run.stderr
    assert not (folder / "called.txt").exists()
    (folder / "empty").touch()
    run = verify(folder)
    assert (run.returncode, "0 calls" in run.stderr) == (0, True), run.stderr
    (folder / "dead.py").write_text("raise SystemExit('no configuration')", "utf-8")
    run = verify(folder, server="python3 dead.py")
    assert run.returncode == 2
    assert "no configuration" in run.stderr


def test_a_server_that_promises_less_than_the_definitions_here_does_not_pass(folder: Path) -> None:
    days = {"type": "integer", "maximum": 9}
    forecast = {
        "name": "forecast",
        "inputSchema": {"type": "object", "properties": {"days": {**days, "minimum": 1}}, "required": ["days"]},
        "outputSchema": {"type": "object", "properties": {"days": {"type": "integer", "minimum": 3}}},
        "x-mcpgen": {"error": {"type": "object", "properties": {"days": {"minimum": 0}}}},
    }
    (folder / "schemas").mkdir()
    (folder / "schemas" / "forecast.json").write_text(json.dumps(forecast), "utf-8")
    run = verify(folder, "--only", "forecast", "--format", "json")
    assert run.returncode == 9, run.stderr
    (subject,) = json.loads(run.stdout)["data"]["subjects"]
    assert sorted(fault["fault"] for fault in subject["faults"]) == ["accepted (maximum)", "error data", "outputSchema"]


@pytest.mark.parametrize("kind", ["json", "sse"])
def test_a_server_over_http_is_tested_over_several_connections(kind: str, folder: Path) -> None:
    with reserve_port() as port:
        command = [sys.executable, "http_server.py", str(port), kind]
    with child(command, cwd=folder) as process:
        assert await_port(port, process)
        url = f"http://127.0.0.1:{port}/mcp"
        run = verify(folder, "--connections", "8", "--max-calls", "30", "--header", f"X-Key: {SECRET}", server=url)
    assert run.returncode == 9, run.stderr
    assert run.stderr.count("error[MG721]") == 1
    assert SECRET not in run.stdout + run.stderr


def test_ctrl_c_ends_the_run_and_the_server(folder: Path) -> None:
    (folder / "waits").touch()
    start = [sys.executable, "-m", "mcpgen", "verify", "--server", "python3 server.py"]
    for count in ("1", "4"):
        (folder / "called.txt").unlink(missing_ok=True)
        words = [*start, "--connections", count]
        with child(interruptible([*words, "--call-seconds", "3"]), cwd=folder, stderr=subprocess.PIPE) as process:
            while not (folder / "called.txt").exists():
                assert process.poll() is None
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            assert process.wait(60) != 0
