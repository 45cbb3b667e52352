"""`mcpgen lint --client HOST`: what the model of a host reads of the results of a generated package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from mcpgen.commands import lint_results
from mcpgen.commands.lint import LintRequest, run_lint
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.lint.clients import ClientName
from mcpgen.report.output import CommandOutput
from mcpgen.vocabularies import VocabularyMissing
from support.documents import write_files
from support.packages import mcpgen

WEATHER = {
    "type": "object",
    "properties": {"temperature": {"type": "number"}, "conditions": {"type": "string"}},
    "required": ["temperature", "conditions"],
    "examples": [{"temperature": 7, "conditions": "rain"}],
}
SHIP = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
SHIPS = {"type": "array", "items": SHIP, "examples": [[{"name": "Fram"}] * 5], "x-mcpgen": {"content": "csv"}}
BIKES = {
    "type": "object",
    "properties": {"bikes": {"type": "array", "minItems": 5_000, "items": {"const": "city bike"}}},
    "required": ["bikes"],
    "x-mcpgen": {"content": "json"},
}
SCHEMAS = {"get_weather": WEATHER, "list_bikes": BIKES, "list_ships": SHIPS}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a package."""
    folder = tmp_path_factory.mktemp("hosts")
    write_files(folder, {f"schemas/{name}.json": schema for name, schema in SCHEMAS.items()})
    (folder / "schemas/get_weather.content.j2").write_text("{{ conditions }}, {{ temperature }} °C", "utf-8")
    assert mcpgen("build", "--jobs", "1", cwd=folder).returncode == 0
    return folder


def lint(folder: Path, *options: str) -> tuple[int, list[tuple[str, str]], Any]:
    """Return the exit code, the codes and messages of findings about hosts, and the data."""
    run = mcpgen("lint", "--format", "json", *options, cwd=folder)
    document = json.loads(run.stdout)
    found = [(item["code"], item["message"]) for item in document["diagnostics"]]
    return run.returncode, [item for item in found if item[0].startswith("MG95")], document["data"]


def test_each_consequence_is_found(folder: Path) -> None:
    exit_code, found, data = lint(folder, "--client", "codex", "--client", "kimi")
    assert exit_code == 7
    assert data == {"definitions": 3, "findings": {"MG951": 1, "MG952": 2, "MG953": 1}, "fixed": 0}
    assert dict(found)["MG951"].startswith(
        '2 tools ("get_weather" and "list_ships") have a chosen text, which Codex does'
    )
    assert [message for code, message in found if code == "MG952"] == [
        'tool "get_weather": the value of an example has 9 tokens by the vocabulary o200k_base, the chosen text 6; '
        "the model reads the value in Codex and Kimi Code",
        'tool "list_ships": the value of an example has 30 tokens by the vocabulary o200k_base, the chosen text 16; '
        "the model reads the value in Codex and Kimi Code",
    ]
    assert dict(found)["MG953"] == (
        'tool "list_bikes": the model does not read all of an example result in Codex (60,011 characters; cut in the '
        "middle after 12,000 tokens of 4 bytes (gpt-5.5), or 3,000 (unknown models)); Kimi Code (60,011 characters; "
        "above 50,000 characters, each line is cut after 2,000, or all is saved to a file)"
    )


def test_a_host_that_gets_the_content_alone_shows_the_text(folder: Path) -> None:
    settings = folder / "chosen.toml"
    settings.write_text('content-only = ["codex", "vscode"]\n', "utf-8")
    options = ("--config", settings.name, "--client", "codex", "--client", "vscode")
    exit_code, found, _ = lint(folder, *options)
    assert exit_code == 7
    assert [code for code, _ in found] == ["MG953"]  # the text of that result is as long as the value
    found = lint(folder, *options, "--client", "claude-code")[1]
    assert [code for code, _ in found] == ["MG951", "MG952", "MG953", "MG952"]
    assert all("Codex" not in message for code, message in found if code != "MG953")


def test_the_other_formats_have_the_findings(folder: Path) -> None:
    log = json.loads(mcpgen("lint", "--client", "codex", "--format", "sarif", cwd=folder).stdout)["runs"][0]
    levels = {result["ruleId"]: result["level"] for result in log["results"]}
    assert levels == {"MG951": "warning", "MG952": "note", "MG953": "warning"}
    text = mcpgen("lint", "--client", "codex", cwd=folder).stderr
    assert "not asked" not in text


@pytest.mark.parametrize("client", get_args(ClientName))
def test_each_client_can_be_named(tmp_path: Path, client: str) -> None:
    write_files(tmp_path, {"schemas/find.json": {"name": "find", "inputSchema": {"type": "object"}}})
    assert lint(tmp_path, "--client", client) == (0, [], {"definitions": 1, "findings": {}, "fixed": 0})


def test_without_a_current_package_the_rules_are_not_asked(tmp_path: Path) -> None:
    write_files(tmp_path, {"schemas/list_ships.json": SHIPS})
    why = "MG952 and MG953 were not asked about 1 tool: "
    exit_code, found, data = lint(tmp_path, "--client", "codex")
    assert (exit_code, [code for code, _ in found]) == (7, ["MG951"])
    assert data["unasked"] == [f"{why}there is no generated package; run `mcpgen build` first"]
    assert mcpgen("build", "--jobs", "1", cwd=tmp_path).returncode == 0
    write_files(tmp_path, {"schemas/list_more.json": SHIPS})
    data = lint(tmp_path, "--client", "codex")[2]
    assert data["unasked"] == [f"{why}the generated package is not current; run `mcpgen build` first"]
    text = mcpgen("lint", "--client", "codex", cwd=tmp_path).stderr
    assert text.endswith(f"{data['unasked'][0]}\n")
    assert "unasked" not in lint(tmp_path)[2]  # nobody asks for the rules
    (tmp_path / "generated/__init__.py").write_text("1 / 0\n", "utf-8")
    assert "it cannot be imported: ZeroDivisionError" in lint(tmp_path, "--client", "codex")[2]["unasked"][0]


def test_a_result_without_an_example_is_not_judged(tmp_path: Path) -> None:
    impossible = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(?=b)a$"}}, "required": ["a"]}
    write_files(tmp_path, {"schemas/get_a.json": impossible})
    assert mcpgen("build", "--jobs", "1", cwd=tmp_path).returncode == 0
    assert "no example of the result was found" in lint(tmp_path, "--client", "vscode")[2]["unasked"][0]


def test_without_a_vocabulary_characters_are_counted(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refuse(name: str) -> Any:
        raise VocabularyMissing(name)

    monkeypatch.setattr(lint_results, "make_counter", refuse)
    package = ConfiguredPackage(settings=PackageSettings.model_validate({}), folder=folder)
    run_lint(LoadedPackages([package], Findings()), LintRequest(clients=["codex"]), CommandOutput("lint"))
    assert '"get_weather": the value of an example has 37 characters, the chosen text 10;' in capfd.readouterr().err
