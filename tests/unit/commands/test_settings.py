"""Settings that commands write and check."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from mcpgen.commands.generation import drop_names_of_other_packages
from mcpgen.commands.token_counts import Excess, format_worst
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.config.toml import add_setting
from mcpgen.diagnostics import Findings, Span
from support.packages import mcpgen, tool

pytestmark = pytest.mark.ci


# --- a key that is added to a settings file leaves the rest of the text alone -----------------------------------------
@pytest.mark.parametrize(
    ("text", "is_pyproject", "expected"),
    [
        ("", False, 'sdk = "mcp"\n'),
        ('out = "x"\n', False, 'sdk = "mcp"\nout = "x"\n'),
        ('# why\n\n[tools.a]\nname = "b"\n', False, '# why\n\nsdk = "mcp"\n[tools.a]\nname = "b"\n'),
        ("# only words", False, '# only words\nsdk = "mcp"\n'),
        ("# a\r\nout = 'x'\r\n", False, "# a\r\nsdk = \"mcp\"\r\nout = 'x'\r\n"),
        (
            "[project]\nname = 'a'\n\n[tool.mcpgen] # ours\nout = 'x'\n[tool.b]\n",
            True,
            "[project]\nname = 'a'\n\n[tool.mcpgen] # ours\nsdk = \"mcp\"\nout = 'x'\n[tool.b]\n",
        ),
        ("[tool.mcpgen.tools.a]\nname = 'b'\n", True, None),
        ("[tool]\nmcpgen = {out = 'x'}\n", True, None),
        ("x = '''\n[tool.mcpgen]\n'''\n[tool.mcpgen]\nout = 'x'\n", True, None),
        ('sdk = "none"\n', False, None),
    ],
)
def test_a_key_is_added_where_that_is_safe(text: str, is_pyproject: bool, expected: str | None) -> None:
    assert add_setting(text, is_pyproject, "sdk", "mcp") == expected


def test_a_value_that_toml_forbids_in_a_string_is_escaped() -> None:
    text = add_setting("", False, "out", "a\x7f\u200bé")
    assert text == 'out = "a\\U0000007f\\U0000200bé"\n'
    assert tomllib.loads(text) == {"out": "a\x7f\u200bé"}


# --- settings for a tool at the top of several packages: a warning only if none of them has the tool ------------------
SHARED = """
[tools."buy"]
content = "json"
[tools."pay"]
content = "json"
[tools."nowhere"]
content = "json"
"""
PACKAGES = """
[[package]]
schemas = ["shop"]
out = "shop_gen"
[[package]]
schemas = ["bank"]
out = "bank_gen"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the definitions of two packages, each of one tool."""
    for name, member in (("shop", "buy"), ("bank", "pay")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tools.json").write_text(json.dumps(tool(member, {"type": "object"})), "utf-8")
    return tmp_path


def run(folder: Path, settings: str, *command: str) -> str:
    (folder / "mcpgen.toml").write_text(settings, "utf-8")
    options = [] if command == ("lint",) else ["--jobs", "1", "--cache-dir", str(folder / "cache")]
    run = mcpgen(*command, *options, cwd=folder)
    assert run.returncode == 0, run.stderr
    return run.stderr


def _configure(folder: Path, *names: str) -> ConfiguredPackage:
    settings = PackageSettings.model_validate({"tools": {name: {"content": "json"} for name in names}})
    return ConfiguredPackage(settings=settings, folder=folder)


def _report(*names: str) -> Findings:
    findings = Findings()
    for name in names:
        span = Span("mcpgen.toml", 1, 1, f"tools.{name}")
        findings.warn("MG308", f'the settings name a tool "{name}" that nothing defines', span)
    return findings


def test_packages_that_failed_may_define_a_tool(tmp_path: Path) -> None:
    """Their errors may have hidden the tool, so nobody knows; packages without the setting do not count."""
    packages = [_configure(tmp_path, "a.b"), _configure(tmp_path, "a.b")]
    for is_failed in (True, False):
        reports = [_report("a.b"), _report()]
        if is_failed:
            reports[1].error("MG001", "cannot be read")
        kept = drop_names_of_other_packages([*zip(packages, reports, strict=True)])
        assert not kept[0]
    reports = [_report("a.b"), _report("a.b")]
    reports[1].error("MG001", "cannot be read")
    assert [len(kept) for kept in drop_names_of_other_packages([*zip(packages, reports, strict=True)])] == [0, 1]
    unrelated = [packages[0], _configure(tmp_path)]
    kept = drop_names_of_other_packages([*zip(unrelated, [_report("a.b"), _report()], strict=True)])
    assert len(kept[0]) == 1


def test_a_shared_setting_needs_the_tool_in_one_package(folder: Path) -> None:
    for command in ("build", "build", "check", "check"):  # also when a run is repeated
        said = run(folder, SHARED + PACKAGES, command)
        assert said.count("MG308") == said.count('a tool "nowhere" that nothing defines') == 1, said
    tools = folder / "bank" / "tools.json"
    tools.write_text(tools.read_text("utf-8").replace('"pay"', '"send"'), "utf-8")
    for command in ("build", "build", "check"):
        said = run(folder, SHARED + PACKAGES, command)
        assert said.count("MG308") == 2, said
        assert 'a tool "pay" that nothing defines' in said
    tools.write_text(tools.read_text("utf-8").replace('"send"', '"pay"'), "utf-8")
    assert run(folder, SHARED + PACKAGES, "build").count("MG308") == 1


def test_the_most_similar_name_of_all_packages_is_proposed(folder: Path) -> None:
    """The warning is counted on the package that has it; without a similar name, on the one with its file."""
    said = run(folder, '[tools."pays"]\ncontent = "json"\n' + PACKAGES, "build")
    assert 'help: did you mean "pay"? If not, remove the table' in said
    assert [line.endswith("1 warning") for line in said.splitlines() if "_gen: " in line] == [False, True]
    said = run(folder, '[tools."nowhere"]\ncontent = "json"\n' + PACKAGES, "build")
    assert "help: no package has a tool of a similar name: correct the name, or remove the table" in said
    (folder / "bank" / "learned").mkdir()
    (folder / "bank" / "learned" / "nowhere.json").write_text('{"type": "object"}', "utf-8")
    said = run(folder, '[tools."nowhere"]\noutputSchema = "bank/learned/nowhere.json"\n' + PACKAGES, "build")
    assert [line.endswith("1 warning") for line in said.splitlines() if "_gen: " in line] == [False, True]
    assert "has no effect, and bank/learned/nowhere.json is not used" in said


def test_a_package_alone_still_warns(folder: Path) -> None:
    """With the same cache, so that what is stored of a package has the warning."""
    run(folder, SHARED + PACKAGES, "build")
    alone = SHARED + PACKAGES.partition('[[package]]\nschemas = ["bank"]')[0]
    said = run(folder, alone, "build")
    assert said.count("MG308") == 2, said
    assert 'a tool "pay" that nothing defines' in said


def test_a_setting_of_one_package_needs_the_tool_there(folder: Path) -> None:
    own = PACKAGES.replace('out = "shop_gen"', 'out = "shop_gen"\n[package.tools."pay"]\ncontent = "json"')
    said = run(folder, own, "build")
    assert said.count('a tool "pay" that nothing defines') == 1, said


def test_lint_says_the_same_as_build(folder: Path) -> None:
    right = SHARED.replace('[tools."nowhere"]\ncontent = "json"\n', "")
    assert "MG308" not in run(folder, 'lint.ignore = ["MG9"]\n' + right + PACKAGES, "lint")  # exit code 0
    (folder / "mcpgen.toml").write_text(SHARED + PACKAGES, "utf-8")
    linted = mcpgen("lint", cwd=folder)
    assert linted.returncode == 7
    wrong = [line for line in linted.stderr.splitlines() if "MG308" in line]
    assert wrong == [line for line in run(folder, SHARED + PACKAGES, "build").splitlines() if "MG308" in line]
    assert len(wrong) == 1


# --- budgets of tokens: what `check` says where a tool has more -------------------------------------------------------
LONG = "Find a ship by its name, or by the beginning of its name, among all ships that are in the harbour now."
OUTPUT = {
    "type": "object",
    "properties": {"name": {"type": "string"}},
    "required": ["name"],
    "examples": [{"name": "Möwe"}],
}
TOOLS = [tool("find", OUTPUT, description=LONG), tool("lose", OUTPUT, description="Lose a ship."), tool("say")]


@pytest.fixture(scope="module")
def budget_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    budget_folder: Path = tmp_path_factory.mktemp("budgets")
    (budget_folder / "schemas").mkdir()
    (budget_folder / "schemas" / "tools.json").write_text(json.dumps({"tools": TOOLS}), "utf-8")
    (budget_folder / "mcpgen.toml").write_text("", "utf-8")
    assert mcpgen("build", cwd=budget_folder).returncode == 0
    return budget_folder


def check(budget_folder: Path, settings: str, *options: str) -> tuple[int, str, str]:
    (budget_folder / "mcpgen.toml").write_text(settings, "utf-8")
    process = mcpgen("check", *options, cwd=budget_folder)
    return process.returncode, process.stdout, process.stderr


def read_tokens(budget_folder: Path, settings: str = "[budget]\ndefinition = 9999") -> dict[str, Any]:
    document = json.loads(check(budget_folder, settings, "--format", "json")[1])
    tokens: dict[str, Any] = document["data"]["packages"][0]["tokens"]
    return tokens


def test_a_limit_is_the_most_that_is_allowed(budget_folder: Path) -> None:
    tokens = read_tokens(budget_folder, "[budget]\ntext = 9999")
    rows = {row["name"]: row for row in tokens["tools"]}
    for key, tools in (
        ("definition", ["find", "lose", "say"]),
        ("text", ["find", "lose", "say"]),
        ("result", ["find", "lose", "say"]),
    ):
        most = max(rows[name][key] for name in tools)
        assert check(budget_folder, f"[budget]\n{key} = {most}")[0] == 0
        exit_code, table, errors = check(budget_folder, f"[budget]\n{key} = {most - 1}")
        assert exit_code == 4
        assert "mcpgen.toml:2:1: error[MG606]: " in errors
        assert table.splitlines()[0].split() == ["tool", "budget", "tokens", "limit"]
        assert table.splitlines()[1].split()[1:4] == [key, str(most), str(most - 1)]
    total = tokens["totals"]["definition"]
    assert total == sum(row["definition"] for row in rows.values())
    assert check(budget_folder, f"[budget]\ndefinitions = {total}")[0] == 0
    exit_code, table, errors = check(budget_folder, f"[budget]\ndefinitions = {total - 1}")
    assert exit_code == 4
    assert f"the definitions have {total} tokens together, {total - 1} are allowed" in errors
    assert table.splitlines()[1].startswith("all tools  definitions")


def test_the_budget_of_a_tool_wins(budget_folder: Path) -> None:
    assert check(budget_folder, "[budget]\ndefinition = 25\n[tools.find.budget]\ndefinition = 60")[0] == 0
    exit_code, _, errors = check(budget_folder, "[tools.find.budget]\ndefinition = 20")
    assert exit_code == 4
    assert 'mcpgen.toml:2:1: error[MG606]: 1 tool beyond the 20 tokens of `definition`: "find" has' in errors


def test_the_json_has_what_is_exceeded(budget_folder: Path) -> None:
    tokens = read_tokens(budget_folder, '[budget]\ndefinition = 25\nvocabulary = "qwen3"')
    (exceeded,) = tokens["exceeded"]
    (row,) = (row for row in tokens["tools"] if row["name"] == "find")
    assert tokens["vocabulary"] == "qwen3"
    assert exceeded == {"tool": "find", "budget": "definition", "limit": 25, "tokens": row["definition"]}
    assert row["text"] is None, "results are counted where they have a limit"


def test_without_a_budget_nothing_is_counted(budget_folder: Path) -> None:
    document = json.loads(check(budget_folder, "", "--format", "json")[1])
    assert "tokens" not in document["data"]["packages"][0]


def test_a_package_that_is_not_up_to_date_is_not_counted(budget_folder: Path) -> None:
    settings = "azure = true\n[budget]\ndefinition = 1"
    exit_code, _, errors = check(budget_folder, settings)
    assert exit_code == 4
    assert "MG606" not in errors


def test_the_table_has_the_worst_ten() -> None:
    excesses = [Excess(("budget", "text"), 10, 11 + number, f"tool_{number}") for number in range(12)]
    _, first, *rest = format_worst(excesses)
    assert first.split() == ["tool_11", "text", "22", "10", "2.2", "times"]
    assert len(rest) == 9
    assert not any("tool_0" in line for line in rest)
