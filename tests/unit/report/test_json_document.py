"""The JSON document of a run."""

from __future__ import annotations

import json

from mcpgen.diagnostics import Diagnostic, Severity, Span
from mcpgen.report.json_document import render_json
from mcpgen.report.renderer import CommandRun


def test_a_run_is_one_document() -> None:
    diagnostics = [
        Diagnostic("MG101", "wrong", Span("a.json", 3, 7, "#/x"), "help"),
        Diagnostic("MG105", "odd", Span("b.json"), severity=Severity.WARNING),
    ]
    assert json.loads(render_json(diagnostics, CommandRun("build", 2, lambda: {"packages": []}))) == {
        "version": 1,
        "command": "build",
        "exit_code": 2,
        "diagnostics": [
            {
                "code": "MG101",
                "severity": "error",
                "message": "wrong",
                "help": "help",
                "file": "a.json",
                "server": None,
                "line": 3,
                "column": 7,
                "pointer": "#/x",
            },
            {
                "code": "MG105",
                "severity": "warning",
                "message": "odd",
                "help": None,
                "file": "b.json",
                "server": None,
                "line": None,
                "column": None,
                "pointer": None,
            },
        ],
        "data": {"packages": []},
    }


def test_a_command_without_data_has_null() -> None:
    assert json.loads(render_json([], CommandRun("build")))["data"] is None


def test_a_server_is_no_file() -> None:
    diagnostic = Diagnostic("MG704", "it is down", Span.of_server("shop:server"))
    (written,) = json.loads(render_json([diagnostic], CommandRun("check")))["diagnostics"]
    assert (written["file"], written["server"]) == (None, "shop:server")
