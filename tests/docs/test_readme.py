"""The README's example, run as it stands there: its schema built, its code compared, its servers called."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import jinja2.filters
import jinja2.tests
import jsonschema_rs
import pytest
from mcpgen.compat.registry import RULES
from mcpgen.compat.rules.rule import Category
from mcpgen.config.load import load_packages
from mcpgen.config.models import PackageSettings, ResourceChoice, ToolChoice
from mcpgen.content.filters import FILTERS
from mcpgen.content.jinja_tests import TESTS
from mcpgen.diagnostics import Findings
from support.packages import mcpgen
from support.repository import ROOT

README = ROOT / "README.md"
SCHEMA = "schemas/get_weather.json"
MODULE = "generated/tools/get_weather.py"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HUNK = re.compile(r"^@@.*@@\n", re.MULTILINE)
CLIENT = """
import asyncio, importlib, json, sys
from mcp.client import Client

async def main(module, mode):
    async with Client(importlib.import_module(module).server, mode=mode, raise_exceptions=True) as client:
        tools = (await client.list_tools()).tools
        result = await client.call_tool("get_weather", {"city": "Oslo"})
        print(json.dumps({
            "advertised": {tool.name: tool.model_dump(by_alias=True, exclude_unset=True) for tool in tools},
            "result": result.model_dump(by_alias=True, exclude_unset=True),
        }))

asyncio.run(main(*sys.argv[1:]))
"""

needs_mcp = pytest.mark.skipif(
    importlib.util.find_spec("mcp") is None or importlib.util.find_spec("mcp_types") is None,
    reason="mcp 2.x is not installed here",
)


def text() -> str:
    return README.read_text("utf-8")


def blocks(language: str) -> list[str]:
    return [body for name, body in BLOCK.findall(text()) if name == language]


def named(path: str) -> str:
    """Return the code block behind the paragraph that ends with a file's name."""
    match = re.search(rf"`{re.escape(path)}`:\n\n```\w+\n(.*?)^```$", text(), re.MULTILINE | re.DOTALL)
    assert match, f"the README shows no {path}"
    return match[1]


def patched(source: str, diff: str) -> str:
    """Return the source after a unified diff."""
    for hunk in HUNK.split(diff)[1:]:
        lines = hunk.splitlines(keepends=True)
        old = "".join(line[1:] for line in lines if line[0] in " -")
        new = "".join(line[1:] for line in lines if line[0] in " +")
        assert source.count(old) == 1
        source = source.replace(old, new)
    return source


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the README's schema, built as the README says, and its servers."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "schemas").mkdir()
    (folder / SCHEMA).write_text(named(SCHEMA), "utf-8")
    (command,) = [body for body in blocks("sh") if body.startswith("mcpgen build")]
    run = mcpgen(*shlex.split(command)[1:], cwd=folder)
    assert run.returncode == 0, run.stderr
    (folder / "server.py").write_text(named("server.py"), "utf-8")
    (diff,) = blocks("diff")
    (folder / "existing_server.py").write_text(patched(named("existing_server.py"), diff), "utf-8")
    return folder


def called(project: Path, module: str, mode: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what a client in memory is told of `get_weather`, and what it answers."""
    command = [sys.executable, "-c", CLIENT, module, mode]
    run = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    answer = json.loads(run.stdout)
    assert list(answer["advertised"]) == ["get_weather"]
    return answer["advertised"]["get_weather"], answer["result"]


def test_the_generated_code_is_what_is_generated(project: Path, request: pytest.FixtureRequest) -> None:
    generated = (project / MODULE).read_text("utf-8")
    if request.config.getoption("--regenerate", default=False):
        README.write_text(text().replace(f"```python\n{named(MODULE)}```", f"```python\n{generated}```"), "utf-8")
    assert named(MODULE) == generated


@pytest.mark.ci
@needs_mcp
@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("module", ["server", "existing_server"])
def test_the_servers_advertise_the_declared_schema_and_conform_to_it(project: Path, module: str, mode: str) -> None:
    declared = json.loads(named(SCHEMA))
    tool, result = called(project, module, mode)
    assert tool["outputSchema"] == declared["outputSchema"]
    assert result["isError"] is False
    structured = result["structuredContent"]
    assert jsonschema_rs.Draft202012Validator(declared["outputSchema"]).is_valid(structured)
    assert structured["windSpeed"] is None
    assert "gusts" not in structured
    assert json.loads(result["content"][0]["text"]) == structured
    if module == "server":
        assert tool["inputSchema"] == declared["inputSchema"]
        assert structured in [json.loads(block) for block in blocks("json")]


def test_the_message_is_what_the_typo_gives(tmp_path: Path) -> None:
    (message,) = [body for body in blocks("") if "error[MG101]" in body]
    (tmp_path / "schemas").mkdir()
    schema = named(SCHEMA).replace('"conditions": {"type": "string"}', '"conditions": {"type": "strng"}')
    (tmp_path / SCHEMA).write_text(schema, "utf-8")
    run = mcpgen("build", cwd=tmp_path)
    assert run.returncode == 2
    assert run.stderr == message


def test_the_settings_are_all_there_are(tmp_path: Path) -> None:
    settings, _ = blocks("toml")
    file = tmp_path / "pyproject.toml"
    file.write_text(settings, "utf-8")
    findings = Findings()
    (package,) = load_packages(file, tmp_path, findings)
    assert not len(findings)
    known = {field.alias or name for name, field in PackageSettings.model_fields.items()}
    assert package.settings.model_fields_set == set(PackageSettings.model_fields)
    assert {line.split(" =")[0] for line in settings.splitlines() if " = " in line} - {"content"} == known - {"tools"}


def test_the_acknowledgement_is_one(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(blocks("toml")[1], "utf-8")
    findings = Findings()
    (package,) = load_packages(file, tmp_path, findings)
    assert not len(findings)
    (acknowledged,) = package.settings.diff.acknowledged
    assert {acknowledged.rule, *package.settings.diff.off} <= {*RULES, *Category}


def test_the_choices_are_all_there_are() -> None:
    tables = text().partition("### Choices")[2].partition("\n## ")[0].partition("\n### ")[0].split("on a\nResource")
    for table, fields in zip(tables, (ToolChoice.model_fields, ResourceChoice.model_fields), strict=True):
        rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
        keys = {key for row in rows for key in re.findall(r"`(\w+)`", row)}
        assert keys == {field.alias or name for name, field in fields.items()}


def test_the_resources_are_as_it_says(tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "config.yaml").write_text(named("schemas/config.yaml"), "utf-8")
    (tmp_path / "reads.py").write_text(
        named("reads.py") + "print(answer.model_dump_json(by_alias=True))\nprint(both)\n"
    )
    assert mcpgen("build", cwd=tmp_path).returncode == 0
    run = subprocess.run([sys.executable, "reads.py"], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    answer, both = run.stdout.splitlines()
    (contents,) = json.loads(answer)["contents"]
    assert contents.items() >= {"mimeType": "text/plain", "text": "12:00 started"}.items()
    assert both == str(
        {"contents": [{"mimeType": "text/plain", "text": '[{"at":12},{"at":13}]', "uri": contents["uri"]}]}
    )


def test_the_template_and_its_code_are_those_of_the_example() -> None:
    root = README.parent
    for language, path in (
        ("jinja", "schemas/vessels/vessel_profile.content.j2"),
        ("python\n    def to_content", "generated/tools/vessel_profile.py"),
    ):
        output = text().partition(f"```{language}")[2].partition("```")[0].lstrip("\n")
        assert output
        assert output in (root / path).read_text("utf-8")
    (message,) = [body for body in blocks("") if "error[MG504]" in body]
    assert message in (root / "tests" / "golden" / "cases" / "template_faults" / "stderr.txt").read_text("utf-8")


def list_template_names(kind: str) -> list[str]:
    """Return the names in a row of the README's table of what templates can use."""
    match = re.search(rf"^\| {kind} \|(.*)\|$", text(), re.MULTILINE)
    assert match
    return re.findall(r"`(\w+)`", match[1])


def test_the_filters_and_tests_of_templates_are_all_there_are() -> None:
    *of_jinja, added = list_template_names("filters")
    assert of_jinja == sorted(FILTERS.keys() & jinja2.filters.FILTERS.keys())
    assert {added} == FILTERS.keys() - jinja2.filters.FILTERS.keys()
    comparisons = {name for name, test in jinja2.tests.TESTS.items() if test.__module__ == "_operator"}
    assert sorted(list_template_names("tests")) == sorted(TESTS.keys() - comparisons)
    assert comparisons <= TESTS.keys()


@pytest.mark.parametrize("name", ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"])
def test_links_and_files_that_are_named_exist(name: str) -> None:
    document = (README.parent / name).read_text("utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", document):
        assert (README.parent / target).exists(), target
    if name != "README.md":
        for path in re.findall(r"`((?:codegen|templates|scripts|tests|schemas)/[\w./-]+)`", document):
            assert (README.parent / path).exists(), path
