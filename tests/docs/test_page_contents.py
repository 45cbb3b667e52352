"""What single pages of docs/ say about the code is so: names, options, settings, versions, what is generated."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import jinja2.filters
import jinja2.tests
import pytest
from mcpgen.commands.help_pages import COMMAND_GROUPS
from mcpgen.compat.registry import RULES
from mcpgen.compat.rules.rule import Category
from mcpgen.config.load import load_packages
from mcpgen.config.models import DeclaredToolChoice, Limits, PackageSettings, ResourceChoice, ToolChoice
from mcpgen.content.conditions import TESTS
from mcpgen.content.filters import FILTERS
from mcpgen.diagnostics import Findings
from mcpgen.introspect.client_config import INPUT_PREFIX, ServerChoice, read_client_config
from mcpgen.introspect.server_query import ServerQuery
from mcpgen.targets import SDKS, Sdk
from sdk.server_kinds import KINDS
from support.doc_pages import read_page
from support.packages import mcpgen
from support.repository import ROOT

# --- explanation/generated-module.md shows what is generated from the schema on the page ------------------------------
SCHEMA = "schemas/get_weather.json"
MODULE = "generated/tools/get_weather.py"


def test_the_generated_code_is_what_is_generated(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    page = read_page("explanation/generated-module.md")
    (tmp_path / "schemas").mkdir()
    (tmp_path / SCHEMA).write_text(page.find_file(SCHEMA), "utf-8")
    (command,) = page.list_texts("sh")
    run = mcpgen(*shlex.split(command)[1:], cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    generated = (tmp_path / MODULE).read_text("utf-8")
    if request.config.getoption("--regenerate", default=False):
        text = page.path.read_text("utf-8").replace(page.find_file(MODULE), generated)
        page.path.write_text(text, "utf-8")
    else:
        assert page.find_file(MODULE) == generated


def test_the_schema_is_that_of_the_servers() -> None:
    assert read_page("explanation/generated-module.md").find_file(SCHEMA) == read_page("guides/servers.md").find_file(
        SCHEMA
    )


# --- guides/learn.md: its formats of recordings are read, and its options exist; test_pages.py runs its example -------
LEARN = (ROOT / "docs" / "guides" / "learn.md").read_text("utf-8")


def list_formats() -> list[str]:
    """Return the examples of the table of formats, with values in place of the dots."""
    table = LEARN.partition("| format | for example |")[2].partition("\n\n")[0]
    rows = [row.split("|", 2)[2] for row in table.splitlines() if row.startswith("|") and "`" in row]
    filled = [re.sub(r"\{…\}", '{"structuredContent": {"port": "Oslo"}}', row).replace("[…]", "[]") for row in rows]
    return ["\n".join(re.findall(r"`([\[{].*?)`(?:[ ,;|]|$)", row)) for row in filled]


def test_the_formats_of_the_table(tmp_path: Path) -> None:
    """The first two are whole; the others are in part, and in full in tests/unit/learn/test_recordings.py."""
    calls, messages, *others = list_formats()
    assert len(others) == 3
    for number, text in enumerate((calls, messages)):
        (tmp_path / "calls.jsonl").write_text(text, "utf-8")
        run = mcpgen("learn", "calls.jsonl", "--out", str(number), "--format", "json", cwd=tmp_path)
        (tool,) = json.loads(run.stdout)["data"]["tools"]
        assert (run.returncode, tool["name"], tool["results"]) == (0, "get_tides", 1)


@pytest.mark.parametrize("option", sorted(set(re.findall(r"--[a-z]+(?:-[a-z]+)*", LEARN))))
def test_the_options_that_are_named_exist(option: str) -> None:
    script = (ROOT / "scripts" / "learning.py").read_text("utf-8")
    help = mcpgen("learn", "--help", cwd=ROOT, COLUMNS="200").stdout
    assert option in help or f'"{option}"' in script


# --- guides/many-servers.md: its file is read, and its options exist --------------------------------------------------
MANY_SERVERS = (ROOT / "docs" / "guides" / "many-servers.md").read_text("utf-8")


def test_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mcp.json").write_text(read_page("guides/many-servers.md").find_file("examples/mcp.json"), "utf-8")
    monkeypatch.setenv("NOTES_KEY", "k")
    monkeypatch.delenv("TEAM", raising=False)
    servers = read_client_config(ServerChoice(tmp_path / "mcp.json"), Limits.model_validate({}), Findings())
    queries = {server.name: server.query for server in servers}
    assert [*queries] == ["files", "issues", "notes"]
    assert all(isinstance(query, ServerQuery) for query in queries.values())
    assert isinstance(queries["issues"], ServerQuery)
    assert queries["issues"].credentials.headers == {"X-Team": "blue"}


def test_names_are_those_of_the_code() -> None:
    assert f"`{INPUT_PREFIX}ID`" in MANY_SERVERS
    pages = {command: mcpgen(command, "--help", cwd=ROOT, COLUMNS="200").stdout for command in ("pull", "check")}
    for option in set(re.findall(r"--[a-z]+(?:-[a-z]+)*", MANY_SERVERS)):
        assert any(option in page for page in pages.values()), option


# --- reference/servers.md names the servers and versions that are supported, and those that .ci/run tests -------------
@pytest.mark.parametrize("sdk", SDKS, ids=lambda sdk: sdk.name)
def test_servers_and_versions_are_as_supported_and_tested(sdk: Sdk) -> None:
    page = (ROOT / "docs" / "reference" / "servers.md").read_text("utf-8")
    (row,) = re.findall(rf"(?m)^\| `{sdk.name}` \| (.*) \| (.*) \| (.*) \|$", page)
    servers, supported, tested = row
    distribution = sdk.distributions[-1]
    kinds = [kind for kind in KINDS if kind.row.name == sdk.name]
    names = ["low-level `Server`" if kind.is_low_level else f"`{kind.row.server_class}`" for kind in kinds]
    assert servers == ", ".join(names)
    assert supported == f"{distribution} from {sdk.oldest}, below {sdk.below}"
    assert "the newest " in tested
    pins = re.findall(rf"\]=\"{distribution}==([\d.]+)", _read_checks("legs.sh"))
    if oldest := re.match(rf"{distribution} ([\d.]+) and ", tested):
        assert oldest[1] in pins
        assert oldest[1] == f"{sdk.oldest}.0"
    else:
        assert not pins


@pytest.mark.parametrize(
    "requirement", ["mcp<2", "fastmcp[tasks]>=4,<5", "fastmcp[tasks]>=3,<4", "dedalus-mcp>=0.7,<1"]
)
def test_the_newest_versions_are_tested(requirement: str) -> None:
    (name,) = re.findall(rf'\[(\w+)\]="{re.escape(requirement)}[ "]', _read_checks("legs.sh"))
    assert re.search(rf'run_sdk {name} "\$\{{SEAM\[@\]\}}"', _read_checks("run"))
    assert "SEAM=(matrix " in _read_checks("legs.sh")


def _read_checks(name: str) -> str:
    return (ROOT / ".ci" / name).read_text("utf-8")


# --- pages about settings and choices name all that there are, and no other -------------------------------------------
def test_the_settings_are_all_there_are(tmp_path: Path) -> None:
    (settings,) = read_page("reference/settings-example.md").list_texts("toml")
    file = tmp_path / "mcpgen.toml"
    file.write_text(settings, "utf-8")
    findings = Findings()
    (package,) = load_packages(file, tmp_path, findings)
    assert not len(findings)
    known = {field.alias or name for name, field in PackageSettings.model_fields.items()}
    assert package.settings.model_fields_set == set(PackageSettings.model_fields)
    assert {line.split(" =")[0] for line in settings.splitlines() if " = " in line} - {"content"} == known - {"tools"}


def test_the_acknowledgement_is_one(tmp_path: Path) -> None:
    (settings,) = read_page("guides/breaking-changes.md").list_texts("toml")
    file = tmp_path / "mcpgen.toml"
    file.write_text(settings, "utf-8")
    findings = Findings()
    (package,) = load_packages(file, tmp_path, findings)
    assert not len(findings)
    (acknowledged,) = package.settings.diff.acknowledged
    assert {acknowledged.rule, *package.settings.diff.off} <= {*RULES, *Category}


def test_the_choices_are_all_there_are() -> None:
    text = read_page("reference/definitions.md").path.read_text("utf-8")
    tables = text.partition("## Choices")[2].split("on a\nResource")
    tool_fields = ToolChoice.model_fields | DeclaredToolChoice.model_fields
    for table, fields in zip(tables, (tool_fields, ResourceChoice.model_fields), strict=True):
        rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
        keys = {key for row in rows for key in re.findall(r"`([\w-]+)`", row)}
        assert keys == {field.alias or name for name, field in fields.items()}


# --- reference/templates.md lists the filters and tests that there are ------------------------------------------------
def list_template_names(kind: str) -> list[str]:
    """Return the names in a row of the table of what templates can use."""
    match = re.search(
        rf"^\| {kind} \|(.*)\|$", read_page("reference/templates.md").path.read_text("utf-8"), re.MULTILINE
    )
    assert match
    return re.findall(r"`(\w+)`", match[1])


def test_the_filters_and_tests_of_templates_are_all_there_are() -> None:
    *of_jinja, added = list_template_names("filters")
    assert of_jinja == sorted(FILTERS.keys() & jinja2.filters.FILTERS.keys())
    assert {added} == FILTERS.keys() - jinja2.filters.FILTERS.keys()
    comparisons = {name for name, test in jinja2.tests.TESTS.items() if test.__module__ == "_operator"}
    assert sorted(list_template_names("tests")) == sorted(TESTS.keys() - comparisons)
    assert comparisons <= TESTS.keys()


# --- reference/options.md has what `mcpgen COMMAND --help` prints, and each environment variable that is read ---------
OPTIONS = (ROOT / "docs" / "reference" / "options.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"(?ms)^## (.+?)\n(.*?)(?=^## |\Z)", OPTIONS))
COMMANDS = [name for names in COMMAND_GROUPS.values() for name in names]
OPTION = re.compile(r"(?<![\w-])--?[a-z][\w-]*")
VARIABLE = re.compile(
    r'"((?:MCPGEN|XDG|GITHUB)_[A-Z_]+|[A-Z]+_PREFIX|[A-Z_]*COLOR[A-Z_]*|TERM|LOCALAPPDATA|VIRTUAL_ENV)"'
)


def list_common_options(command: str) -> set[str]:
    """Return the options of a command that the page describes once, for most commands."""
    rows = re.findall(r"^\| `(-.+?)` \|.*\| (.+) \|$", SECTIONS["Options of most commands"], re.MULTILINE)
    return {option for names, users in rows if f"`{command}`" not in users for option in OPTION.findall(names)}


def test_each_command_has_a_section() -> None:
    assert [*SECTIONS] == [
        "Options of most commands",
        *(f"`mcpgen {name}`" for name in COMMANDS),
        "Environment variables",
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_section_has_what_the_help_has(command: str, tmp_path: Path) -> None:
    help = mcpgen(command, "--help", cwd=tmp_path, COLUMNS="400").stdout
    section = SECTIONS[f"`mcpgen {command}`"]
    options = {name for line in re.findall(r"^  (-.+?)(?:   |$)", help, re.MULTILINE) for name in OPTION.findall(line)}
    own = {name for cell in re.findall(r"^\| `(-.+?)` \|", section, re.MULTILINE) for name in OPTION.findall(cell)}
    assert {"--help", "-h", "--color"} <= options
    assert "--format" in options or command == "mock"  # standard output is for its client
    assert own | list_common_options(command) == options
    assert not own & list_common_options(command)
    printed = dict(re.findall(r"^  (\d)  (.+)$", help.partition("Exit codes:")[2], re.MULTILINE))
    assert dict(re.findall(r"(\d) \((.+?)\)(?:, |\.$)", section.partition("Exit codes: ")[2], re.MULTILINE)) == printed
    usage = re.search(r"^Usage: (?:python -m )?(.+)$", help, re.MULTILINE)
    assert usage is not None
    assert f"\nUsage: `{usage[1]}`\n" in section
    arguments = re.findall(r"^  (\S.*?)  ", help.partition("Arguments:\n")[2].partition("\n\n")[0], re.MULTILINE)
    assert [f"{name} |" in section.replace("`", "") for name in arguments] == [True] * len(arguments)


def test_each_environment_variable_is_on_the_page() -> None:
    sources = (ROOT / "codegen" / "mcpgen").rglob("*.py")
    read = {name for source in sources for name in VARIABLE.findall(source.read_text("utf-8"))}
    assert {"MCPGEN_CACHE_DIR", "NO_COLOR", "MCPGEN_TOKEN_"} <= read
    listed = re.findall(r"^\| `([A-Z_]+)` \|", SECTIONS["Environment variables"], re.MULTILINE)
    assert [name for name in sorted(read) if not any(each.startswith(name) for each in listed)] == []


def test_the_tests_of_the_rules_of_normalization_exist() -> None:
    page = (ROOT / "docs" / "explanation" / "normalization.md").read_text("utf-8")
    named = {*re.findall(r"`(test_\w+)`", page)}
    existing = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert len(named) > 50
    assert named - existing == set()
