"""Findings for machines: JSON, GitHub's annotations, SARIF, and where each stream's part goes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from mcpgen.diagnostics import Diagnostic, Severity, Span
from mcpgen.report import documents, text
from mcpgen.report.text import CommandRun
from support.command_server import run_command
from support.packages import files, mcpgen, tool
from support.schemastore_copy import schema

pytestmark = pytest.mark.ci

ODD = "a % b, c: d\r\ne ::error::f \N{BELL} \ud800 \N{CAT FACE}"
ITEMS = [
    Diagnostic("MG101", ODD, Span("a b/ü,%:c.json", 3, 7, "#/x/y", "  a cat \N{CAT FACE}"), ODD),
    Diagnostic("MG105", "warned", Span("a.json", 1, 1), "", Severity.WARNING),
    Diagnostic("MG107", "noted", Span("/elsewhere/x y.json", 2, 0), "", Severity.NOTE),
    Diagnostic("MG007", "a file", Span("a.json")),
    Diagnostic("MG302", "no place"),
]
REMOVED = Diagnostic("MG803", "was removed", Span("schemas/a.json", 3, 5, "/name", "{", revision="HEAD"))
URI = jsonschema_rs.Draft7Validator({"format": "uri-reference"}, validate_formats=True)
TOOLS = """\
{
  "tools": [
    {
      "name": "first",
      "inputSchema": {"type": "object"},
      "outputSchema": {"type": "strng"}
    },
    {
      "name": "second",
      "inputSchema": {"type": "object"},
      "outputSchema": {"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}}}
    }
  ]
}
"""


@pytest.fixture(scope="module")
def built_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two wrong tools and a built package of two right ones, one file stale, one edited, and so on."""
    tmp_path = tmp_path_factory.mktemp("formats")
    (tmp_path / "schemas").mkdir()
    value = [tool("stays", {"type": "string"}), tool("stale", {"type": "string"}), tool("gone"), tool("edited")]
    (tmp_path / "schemas/tools.json").write_text(json.dumps(value), "utf-8")
    assert mcpgen("build", "-q", cwd=tmp_path).returncode == 0
    value[1]["outputSchema"] = {"type": "integer"}
    value[2]["name"] = "new"
    (tmp_path / "schemas/tools.json").write_text(json.dumps(value), "utf-8")
    with open(tmp_path / "generated/tools/edited.py", "a", encoding="utf-8") as file:
        file.write("MINE = 1  # no newline\n \x0c ::set-output name=a::b")
    return tmp_path


@pytest.fixture
def project(built_once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built_once, tmp_path, dirs_exist_ok=True))


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas/tools.json").write_text(TOOLS, "utf-8")
    return tmp_path


# --- SARIF ------------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def sarif_schema() -> Any:
    return schema("sarif-2.1.0")


def valid_sarif(document: str, sarif_schema: Any) -> Any:
    data = json.loads(document)
    jsonschema_rs.Draft7Validator(sarif_schema).validate(data)
    for result in data["runs"][0]["results"]:
        for location in result.get("locations", []):
            URI.validate(location["physicalLocation"]["artifactLocation"]["uri"])
    return data


def test_the_schema_refuses_what_is_no_sarif(sarif_schema: Any) -> None:
    document = json.loads(documents.render_sarif(ITEMS, CommandRun("check", 2)))
    document["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    assert not jsonschema_rs.Draft7Validator(sarif_schema).is_valid(document)


def test_sarif_is_valid_and_says_everything(sarif_schema: Any) -> None:
    (run,) = valid_sarif(
        documents.render_sarif(ITEMS, CommandRun("check", 2)).encode("utf-8", "replace").decode(), sarif_schema
    )["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == sorted({item.code for item in ITEMS})
    assert [rules[result["ruleIndex"]] for result in run["results"]] == [item.code for item in ITEMS]
    assert [result["level"] for result in run["results"]] == ["error", "warning", "note", "error", "error"]
    (location,) = run["results"][0]["locations"]
    place = location["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%20b/%C3%BC%2C%25%3Ac.json"
    assert (place["region"]["startLine"], place["region"]["startColumn"]) == (3, 7)
    assert location["logicalLocations"][0]["fullyQualifiedName"] == "#/x/y"
    assert "locations" not in run["results"][4]


COMMANDS = [
    *(["build"], ["check"], ["show", "x"], ["prove"], ["explain"], ["init"], ["diff", "schemas", "schemas"]),
    *(["pull", "nowhere:server"], ["pull"], ["check", "--server", "nowhere:server"], ["diff", "--against", "no such"]),
    ["diff", "--against-server", "nowhere:server"],
]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_sarif(command: list[str], wrong: Path, sarif_schema: Any) -> None:
    completed = mcpgen(*command, "--format", "sarif", cwd=wrong)
    (run,) = valid_sarif(completed.stdout, sarif_schema)["runs"]
    assert run["invocations"][0]["exitCode"] == completed.returncode
    assert completed.stderr == ""
    assert bool(run["results"]) == bool(completed.returncode)


def test_changes_are_sarif_with_their_places(tmp_path: Path, sarif_schema: Any) -> None:
    for name, kind in (("old", "string"), ("new", "integer")):
        (tmp_path / f"{name}.json").write_text(json.dumps(tool("one", {"type": kind})), "utf-8")
    completed = mcpgen("diff", "old.json", "new.json", "--format", "sarif", cwd=tmp_path)
    (run,) = valid_sarif(completed.stdout, sarif_schema)["runs"]
    assert (completed.returncode, completed.stderr) == (5, "")
    (result,) = run["results"]
    assert result["ruleId"] == "MG801"
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "new.json"


def test_nothing_found_is_valid_sarif_too(sarif_schema: Any) -> None:
    assert valid_sarif(documents.render_sarif([], CommandRun("check")), sarif_schema)["runs"][0]["results"] == []


# --- GitHub -----------------------------------------------------------------------------------------------------------
def commands(log: str) -> Iterator[tuple[str, dict[str, str], str]]:
    """Yield the workflow commands of a log, read as GitHub's runner reads them (its ActionCommand and its escapes)."""
    stopped = ""
    for line in log.split("\n"):
        match = re.match(r"\s*::([^:\s]+)(?: ([^:]*(?::(?!:)[^:]*)*))?::(.*)", line)
        if stopped:
            stopped = "" if match and match[1] == stopped else stopped
        elif match and match[1] == "stop-commands":
            stopped = match[3]
        elif match:
            pairs = [item.partition("=") for item in (match[2] or "").split(",") if item]
            yield match[1], {key: unescaped(value, "%2C=,", "%3A=:") for key, _, value in pairs}, unescaped(match[3])


def unescaped(value: str, *more: str) -> str:
    for entry in (*more, "%0D=\r", "%0A=\n", "%25=%"):
        escape, _, char = entry.partition("=")
        value = value.replace(escape, char)
    return value


def test_annotations_keep_every_character() -> None:
    first, *_ = value = list(commands(documents.render_github(ITEMS, CommandRun("check"))))
    assert [kind for kind, _, _ in value] == ["error", "warning", "notice", "error", "error"]
    assert first[1] == {"file": "a b/ü,%:c.json", "line": "3", "col": "7", "title": "mcpgen MG101"}
    text = r"a % b, c: d\r\ne ::error::f 🔔 \ud800 🐱"  # nothing that a log or a runner would act on
    assert first[2] == f"a b/ü,%:c.json:3:7: {text}\nhelp: {text}"
    assert value[3][1] == {"file": "a.json", "title": "mcpgen MG007"}
    assert value[4][1] == {"title": "mcpgen MG302"}


def test_annotations_sit_on_the_right_lines(wrong: Path) -> None:
    run = mcpgen("check", "--format", "github", cwd=wrong)
    assert run.returncode == 2
    value = {item["title"]: item for _, item, _ in commands(run.stdout)}
    lines = TOOLS.split("\n")
    for title, word in (("mcpgen MG101", '"strng"'), ("mcpgen MG103", '"#/$defs/b"')):
        line, column = int(value[title]["line"]), int(value[title]["col"])
        assert lines[line - 1][column - 1 :].startswith(word)
        assert value[title]["file"] == "schemas/tools.json"


def test_files_are_those_of_the_repository(wrong: Path) -> None:
    """A workflow that works in a folder of its repository annotates the right file all the same."""
    inner = wrong / "services/weather"
    inner.mkdir(parents=True)
    shutil.move(wrong / "schemas", inner / "schemas")
    run = mcpgen("check", "--format", "github", cwd=inner, GITHUB_WORKSPACE=str(wrong))
    assert {item["file"] for _, item, _ in commands(run.stdout)} == {"services/weather/schemas/tools.json"}
    run = mcpgen("check", "--format", "github", cwd=inner, GITHUB_WORKSPACE=str(wrong / "elsewhere"))
    assert {item["file"] for _, item, _ in commands(run.stdout)} == {"schemas/tools.json"}


def test_no_command_can_be_smuggled_in_by_what_is_shown(project: Path) -> None:
    run = mcpgen("check", "--format", "github", cwd=project, GITHUB_WORKSPACE="")
    assert "::set-output" in run.stdout
    value = list(commands(run.stdout))
    assert {kind for kind, _, _ in value} == {"error"}
    assert any(item.get("line") for _, item, _ in value)


# --- JSON -------------------------------------------------------------------------------------------------------------
def test_json_has_the_documented_shape() -> None:
    document = json.loads(documents.render_json(ITEMS[:1] + ITEMS[3:], CommandRun("check", 2, lambda: {"x": 1})))
    assert list(document) == ["version", "command", "exit_code", "diagnostics", "data"]
    first, second, third = document["diagnostics"]
    assert first == {
        "code": "MG101",
        "severity": "error",
        "message": ODD,
        "help": ODD,
        "file": "a b/ü,%:c.json",
        "server": None,
        "line": 3,
        "column": 7,
        "pointer": "#/x/y",
    }
    assert (second["file"], second["line"], second["pointer"]) == ("a.json", None, None)
    assert third["file"] is None


def test_formats_say_the_same(project: Path) -> None:
    run = mcpgen("check", cwd=project).stderr
    document = json.loads(mcpgen("check", "--format", "json", cwd=project).stdout)["diagnostics"]
    places = [f"{item['file']}:{item['line']}:{item['column']}" if item["line"] else item["file"] for item in document]
    for place, entry in zip(places, document, strict=True):
        assert f"{place}: {entry['severity']}[{entry['code']}]: {entry['message']}\n" in run
    assert run.count("error[") == len(document)
    results = json.loads(mcpgen("check", "--format", "sarif", cwd=project).stdout)["runs"][0]["results"]
    assert [result["ruleId"] for result in results] == [item["code"] for item in document]
    log = mcpgen("check", "--format", "github", cwd=project, GITHUB_WORKSPACE="").stdout
    assert [item["title"] for _, item, _ in commands(log)] == [f"mcpgen {item['code']}" for item in document]


def test_quiet_leaves_errors_in_every_format(tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas/a.json").write_text('{"type": "object", "proprties": {}}', "utf-8")
    loud = json.loads(mcpgen("build", "--format", "json", cwd=tmp_path).stdout)
    assert [diagnostic["code"] for diagnostic in loud["diagnostics"]] == ["MG105"]
    quiet = mcpgen("build", "--format", "json", "--quiet", cwd=tmp_path)
    assert json.loads(quiet.stdout)["diagnostics"] == []
    assert quiet.stderr == ""


def test_json_of_each_command(project: Path) -> None:
    def data(*arguments: str) -> Any:
        run = mcpgen(*arguments, "--format", "json", cwd=project)
        document = json.loads(run.stdout)
        assert (document["command"], document["exit_code"]) == (arguments[0], run.returncode)
        assert run.stderr == ""
        return document["data"]

    (package,) = data("check")["packages"]
    assert {file["action"] for file in package["files"]} == {"create", "update", "remove", "edited"}
    (package,) = data("build", "--force")["packages"]
    assert package["written"]
    assert {"path": "generated/tools/gone.py", "action": "remove"} in package["files"]
    text = data("show", "stays")
    assert set(text) == {"tool", "class", "wire", "sizes"}
    assert text["wire"]["content"][0]["type"] == "text"
    assert data("show", "stays", "--schema")["schema"] == {"type": "string"}
    assert data("show", "nobody") is None
    (proof,) = (item for item in data("prove")["classes"] if item["class"] == "StaysResult")
    assert (proof["name"], proof["holds"]) == ("stays", True)


# --- the difference ---------------------------------------------------------------------------------------------------
@pytest.mark.skipif(shutil.which("git") is None, reason="git applies the difference")
def test_the_difference_makes_what_build_makes(project: Path) -> None:
    edited = project / "generated/tools/edited.py"  # what is escaped in a log cannot be applied
    edited.write_text(edited.read_text("utf-8").replace("\x0c ::set-output name=a::b", "YOURS = 2"), "utf-8")
    result = run_command(["check", "--verbose", "--color", "never"], project, dict(os.environ))
    assert result.returncode == 4
    (project / "by_diff").mkdir()
    shutil.copytree(project / "generated", project / "by_diff/generated")
    command = ["git", "apply", "-p0", "--whitespace=nowarn", "-"]
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(project.parent)}
    run = subprocess.run(command, cwd=project / "by_diff", input=result.stdout, capture_output=True, env=environment)
    assert run.returncode == 0, run.stderr
    assert mcpgen("build", "--force", cwd=project).returncode == 0
    assert files(project / "by_diff/generated") == files(project / "generated")


def test_findings_of_check_have_their_codes_and_lines(project: Path) -> None:
    document = json.loads(mcpgen("check", "--format", "json", cwd=project).stdout)["diagnostics"]
    actual = {item["file"].removeprefix("generated/"): (item["code"], item["line"]) for item in document}
    assert actual["tools/gone.py"] == ("MG406", None)
    assert actual["tools/new.py"] == ("MG405", None)
    code, line = actual["tools/stale.py"]
    assert code == "MG403"
    assert "raw_text" in (project / "generated/tools/stale.py").read_text("utf-8").split("\n")[line - 1]
    code, line = actual["tools/edited.py"]
    assert code == "MG401"
    assert (project / "generated/tools/edited.py").read_text("utf-8").split("\n")[line - 1].startswith("MINE")


# --- colours ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("options", "environment", "coloured"),
    [
        ([], {}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": ""}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colours(options: list[str], environment: dict[str, str], coloured: bool, project: Path) -> None:
    surroundings = {"NO_COLOR": "", "FORCE_COLOR": "", "TERM": "xterm", **environment}
    run = mcpgen("check", *options, cwd=project, **surroundings)
    assert ("\x1b[" in run.stdout, "\x1b[" in run.stderr) == (coloured, coloured)
    plain = mcpgen("check", "--color", "never", cwd=project)
    stripped = re.sub(r"\x1b\[[\d;]*m", "", run.stdout + run.stderr)
    assert stripped.replace("\x0c", "") == (plain.stdout + plain.stderr).replace("\x0c", "")


def test_a_coloured_diagnostic_is_the_plain_one_with_colours() -> None:
    for item in ITEMS:
        coloured = text.render_text([item], CommandRun("check", colored=True))
        assert "\x1b[" in coloured
        assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == text.render_text([item], CommandRun("check"))


# --- places in a git revision -----------------------------------------------------------------------------------------
def test_a_place_in_a_revision_is_no_line_of_the_working_tree(sarif_schema: Any) -> None:
    run, place = CommandRun("diff", 5), "schemas/a.json at HEAD, line 3: "
    assert text.render_text([REMOVED], run).startswith(f"{place}error[MG803]: was removed\n")
    ((_, properties, message),) = commands(documents.render_github([REMOVED], run))
    assert (properties, message) == ({"title": "mcpgen MG803"}, f"{place}was removed")
    (result,) = valid_sarif(documents.render_sarif([REMOVED], run), sarif_schema)["runs"][0]["results"]
    assert result["message"]["text"] == f"{place}was removed"
    assert result["locations"] == [{"physicalLocation": {"artifactLocation": {"uri": "schemas/a.json"}}}]
    (item,) = json.loads(documents.render_json([REMOVED], run))["diagnostics"]
    assert (item["file"], item["line"]) == ("HEAD:schemas/a.json", 3)
