"""`pull --from`, with servers that answer at once. Real servers are in `tests/commands/test_many_servers.py`."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from mcpgen.cache.store import Store
from mcpgen.commands import pull
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.commands.pull import PullRequest, run_pull
from mcpgen.commands.pull_follow_up import FollowUp
from mcpgen.commands.pulled_files import find_folder_of_server
from mcpgen.config.load import find_settings, load_packages
from mcpgen.diagnostics import Findings, Span
from mcpgen.introspect.client import FetchedServer
from mcpgen.introspect.client_config import ConfiguredServer, ServerChoice
from mcpgen.report.output import CommandOutput
from support.definitions import PRICE
from support.listings import advertised
from support.packages import mcpgen, tool

pytestmark = pytest.mark.ci

CONFIG = {name: {"command": name} for name in ("shop", "My Bank", "down")}


@pytest.fixture(autouse=True)
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Give each server an answer: its definitions, or None where it fails."""
    by_server: dict[str, Any] = {
        "shop": advertised(tool("buy", PRICE), tool("talk")),
        "My Bank": advertised(tool("pay", PRICE), prompts=[{"name": "greet"}]),
        "down": None,
    }

    def fetch(servers: Sequence[ConfiguredServer], *_: object) -> Iterator[FetchedServer]:
        for server in reversed(servers):
            findings = Findings()
            if by_server[server.name] is None:
                findings.error("MG704", "it is down", Span(server.name))
            yield FetchedServer(server, by_server[server.name], findings)

    monkeypatch.setattr(pull, "fetch_from_servers", fetch)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": CONFIG}))
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "pyvenv.cfg").write_text("")  # nothing is installed there
    return by_server


def run(*names: str, each: bool = False, prefix: bool = False, out: Path | None = None, format: Any = "json") -> int:
    loaded = LoadedPackages(load_packages(find_settings(Path.cwd()), Path.cwd(), findings := Findings()), findings)
    choice = ServerChoice(Path("mcp.json"), names)
    return run_pull(loaded, PullRequest(choice, None, out, each=each, prefix=prefix), CommandOutput("pull", format))


def list_files() -> dict[str, list[str]]:
    """Return the names of the tools and prompts in each written file."""
    files: dict[str, list[str]] = {}
    for path in sorted(Path().rglob("*.json")):
        document = json.loads(path.read_text("utf-8"))
        if "generated" in document:
            definitions = [*document["tools"], *document.get("prompts", [])]
            files[path.as_posix()] = [item["name"] for item in definitions]
    return files


def test_one_that_fails_does_not_stop_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 2
    assert list_files() == {
        "schemas/pulled/My-Bank.json": ["pay", "greet"],
        "schemas/pulled/shop.json": ["buy", "talk"],
    }
    document = json.loads(capsys.readouterr().out)
    assert [(item["server"], item["file"]) for item in document["data"]["servers"]] == [
        ("shop", "schemas/pulled/shop.json"),
        ("My Bank", "schemas/pulled/My-Bank.json"),
        ("down", None),
    ]
    assert [(item["code"], item["file"]) for item in document["diagnostics"]] == [("MG704", "down")]


def test_progress_and_what_comes_next(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("shop", "My Bank", format="text") == 0
    assert capsys.readouterr().err.splitlines() == [
        "1 of 2: My Bank: 1 tool, 1 prompt, protocol 2025-11-25",
        "2 of 2: shop: 2 tools, protocol 2025-11-25; 1 of the tools without an outputSchema",
        "schemas/pulled/shop.json: written",
        "  without an outputSchema: talk",
        "schemas/pulled/My-Bank.json: written",
        "without an outputSchema: `mcpgen learn` proposes one from recorded results",
        'chose sdk = "none": no SDK is among the dependencies, and none is installed in .venv',
        "without an SDK there are no server.py and client.py; --sdk names one",
        'wrote mcpgen.toml: sdk = "none", out = "generated"',
        "next:",
        "  mcpgen build",
    ]


def test_a_prefix_for_one_package(answers: dict[str, Any]) -> None:
    answers["My Bank"] = answers["shop"]
    assert run("shop", "My Bank", prefix=True) == 0
    assert list_files() == {
        "schemas/pulled/My-Bank.json": ["My_Bank_buy", "My_Bank_talk"],
        "schemas/pulled/shop.json": ["shop_buy", "shop_talk"],
    }


def test_names_that_two_servers_have(answers: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    answers["My Bank"] = answers["shop"]
    assert run("shop", "My Bank", format="text") == 2
    err = capsys.readouterr().err
    assert 'error[MG711]: shop and My Bank both have a tool "buy", so one package cannot hold both' in err
    assert "nothing was written" in err
    assert not list_files()
    assert not Path("mcpgen.toml").exists()
    assert run("shop", "My Bank", each=True) == 0
    assert run("shop", "My Bank") == 0, "the settings have a package for each"
    assert list_files() == {
        "schemas/My-Bank/pulled/My-Bank.json": ["buy", "talk"],
        "schemas/shop/pulled/shop.json": ["buy", "talk"],
    }


def test_a_package_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("shop", "My Bank", each=True, format="text") == 0
    assert [*list_files()] == ["schemas/My-Bank/pulled/My-Bank.json", "schemas/shop/pulled/shop.json"]
    assert capsys.readouterr().err.splitlines()[-1] == "  mcpgen build"
    packages = load_packages(Path("mcpgen.toml"), Path.cwd(), findings := Findings())
    assert not findings.failed
    assert [(package.settings.schemas, package.settings.out) for package in packages] == [
        (["schemas/shop"], "generated/shop"),
        (["schemas/My-Bank"], "generated/my_bank"),
    ]
    assert run("shop", "My Bank", each=True, format="text") == 0
    assert capsys.readouterr().err.splitlines()[-1] == "  mcpgen build"


def test_a_pull_that_changes_nothing_is_followed_by_a_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], answers: dict[str, Any]
) -> None:
    assert run("shop", "My Bank", each=True) == 0
    assert mcpgen("build", "--no-cache", cwd=tmp_path).returncode == 0
    capsys.readouterr()
    assert run("shop", "My Bank", each=True, format="text") == 0
    assert capsys.readouterr().err.splitlines()[-1] == "  mcpgen check"
    answers["shop"] = advertised(tool("sell", PRICE))
    assert run("shop", "My Bank", each=True, format="text") == 0
    assert capsys.readouterr().err.splitlines()[-1] == "  mcpgen build"


def test_packages_for_settings_that_are_there(capsys: pytest.CaptureFixture[str]) -> None:
    text = '[tool.mcpgen]\nsdk = "none"\n[[tool.mcpgen.package]]\nschemas = ["schemas/shop"]\nout = "here/stores"\n'
    Path("pyproject.toml").write_text(text)
    assert run("shop", "My Bank", each=True, format="text") == 0
    said, _, end = capsys.readouterr().err.partition("add to pyproject.toml:\n")
    assert said
    added, _, command = end.partition("next: ")
    assert command == "add the tables to pyproject.toml; then build:\n  mcpgen build\n"
    assert Path("pyproject.toml").read_text() == text
    Path("pyproject.toml").write_text(text + added)
    packages = load_packages(Path("pyproject.toml"), Path.cwd(), findings := Findings())
    assert not findings.failed
    assert [package.settings.out for package in packages] == ["here/stores", "here/my_bank"]


def test_settings_without_the_packages_are_not_built(capsys: pytest.CaptureFixture[str]) -> None:
    def fail_to_load(_: list[Path]) -> LoadedPackages:
        raise AssertionError("the old settings are built")

    Path("mcpgen.toml").write_text('schemas = ["schemas/old"]\nout = "old"\n')
    loaded = LoadedPackages(load_packages(Path("mcpgen.toml"), Path.cwd(), findings := Findings()), findings)
    choice = ServerChoice(Path("mcp.json"), ("shop",))
    follow_up = FollowUp((fail_to_load, Store()))
    request = PullRequest(choice, follow_up=follow_up, each=True)
    assert run_pull(loaded, request, CommandOutput("pull", "text")) == 2
    err = capsys.readouterr().err
    assert 'add to mcpgen.toml:\n  [[package]]\n  schemas = ["schemas/shop"]' in err
    assert "error[MG302]: not built: the settings lack these packages" in err
    assert "help: add the tables to mcpgen.toml instead of its `schemas` and `out`; then `mcpgen build`" in err


@pytest.mark.parametrize("renamed", [False, True])
def test_each_gets_a_package_after_one_package_of_single_pulls(
    renamed: bool, answers: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """What is printed can be followed: then the packages are built, and nothing of the old one is left."""
    pulled = Path("schemas/pulled")
    answers["My Bank"] = advertised(tool("spend"), tool("save"))
    assert run("shop", "My Bank") == 0
    for file in pulled.glob("*.json"):  # as single pulls write them
        text = file.read_text("utf-8")
        server = json.loads(text)["generated"]["address"]
        file.write_text(text.replace(f'"server": "{file.stem.replace("-", " ")}"', f'"server": "{server}"'), "utf-8")
    if renamed:
        (pulled / "My-Bank.json").rename(pulled / "bank.json")
    settings = 'sdk = "mcp"\n'
    Path("mcpgen.toml").write_text(f'schemas = ["schemas"]\nout = "src/agent/mcp_gen"\n{settings}')
    assert mcpgen("build", cwd=Path.cwd()).returncode == 0
    del answers["down"]
    Path("mcp.json").write_text(json.dumps({"mcpServers": {name: CONFIG[name] for name in answers}}))
    capsys.readouterr()
    assert run(each=True, format="text") == 0
    lines = capsys.readouterr().err.splitlines()
    old = f"schemas/pulled/{'bank' if renamed else 'My-Bank'}.json"
    assert [line for line in lines if "remove it" in line] == [
        "src/agent/mcp_gen was built as one package: remove it before the next build",
        *sorted(
            [
                f"{old} is an older file of My Bank: remove it",
                "schemas/pulled/shop.json is an older file of shop: remove it",
            ]
        ),
    ]
    assert lines[-2:] == [
        "next: add the tables to mcpgen.toml instead of its `schemas` and `out`, and remove the files and folders "
        "named above; then build:",
        "  mcpgen build",
    ]
    tables = lines[lines.index("add to mcpgen.toml:") + 1 :][:6]
    Path("mcpgen.toml").write_text("\n".join([settings, *tables]))
    assert run(each=True, format="text") == 0
    assert f"{old} is an older file of My Bank: remove it" in capsys.readouterr().err, "no package reads it now"
    shutil.rmtree("src/agent/mcp_gen")
    shutil.rmtree(pulled)
    assert mcpgen("build", cwd=Path.cwd()).returncode == 0
    assert sorted(path.name for path in Path("src/agent/mcp_gen").iterdir()) == ["my_bank", "shop"]


def test_a_package_for_each_that_answers(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(each=True, format="text") == 2
    assert 'wrote mcpgen.toml: sdk = "none", 2 packages' in capsys.readouterr().err
    packages = load_packages(Path("mcpgen.toml"), Path.cwd(), Findings())
    assert [package.settings.out for package in packages] == ["generated/shop", "generated/my_bank"]
    Path("mcpgen.toml").write_text('[[package]]\nschemas = ["schemas/shop"]\nout = "generated/shop"\n')
    assert run(each=True, format="text") == 2
    err = capsys.readouterr().err
    assert 'added to mcpgen.toml:\n  [[package]]\n  schemas = ["schemas/My-Bank"]' in err
    assert "next:" not in err, "a server is down"
    packages = load_packages(Path("mcpgen.toml"), Path.cwd(), Findings())
    assert [package.settings.out for package in packages] == ["generated/shop", "generated/my_bank"]


def test_a_server_that_was_down_gets_its_table_later(
    answers: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """Settings that only `pull` has written are completed, as it would have written them at once."""
    answers["My Bank"], bank = None, answers["My Bank"]
    assert run("shop", "My Bank", each=True) == 2
    answers["My Bank"] = bank
    assert run("shop", "My Bank", each=True) == 0
    text = Path("mcpgen.toml").read_text("utf-8")
    assert run("shop", "My Bank", each=True) == 0
    assert Path("mcpgen.toml").read_text("utf-8") == text
    Path("mcpgen.toml").unlink()
    assert run("shop", "My Bank", each=True) == 0
    assert Path("mcpgen.toml").read_text("utf-8") == text
    capsys.readouterr()
    Path("mcpgen.toml").write_text('[[package]]\nschemas = ["schemas/shop"]\nout = "mine"\n')
    assert run("shop", "My Bank", each=True, format="text") == 0
    assert "add to mcpgen.toml:" in capsys.readouterr().err, "somebody has edited them"


@pytest.mark.parametrize(("name", "out"), [("class", "class_"), ("1pass", "_1pass"), ("json", "json")])
def test_a_package_whose_server_has_no_name_of_python(name: str, out: str, answers: dict[str, Any]) -> None:
    """The proposed package can be imported: Python itself is asked."""
    answers.clear()
    answers[name] = advertised(tool("buy"))
    Path("mcp.json").write_text(json.dumps({"mcpServers": {name: {"command": name}}}))
    assert run(each=True, format="text") == 0
    (package,) = load_packages(Path("mcpgen.toml"), Path.cwd(), Findings())
    assert package.settings.out == f"generated/{out}"
    compile(f"import generated.{out}", "test", "exec")
    build(package.settings.out)


def test_the_package_of_a_server_that_is_gone(answers: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("shop", "My Bank", each=True) == 0
    Path("mcp.json").write_text(json.dumps({"mcpServers": {"shop": CONFIG["shop"]}}))
    assert run(each=True, format="text") == 0
    lines = capsys.readouterr().err.splitlines()
    first = lines.index("schemas/My-Bank/pulled/My-Bank.json is of My Bank, which is no longer configured: remove it")
    line = Path("mcpgen.toml").read_text().splitlines().index('schemas = ["schemas/My-Bank"]') + 1
    assert lines[first + 1] == f"  and its [[package]] table, at mcpgen.toml:{line}, and the folder generated/my_bank"


def test_what_is_left_behind(answers: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    """Files of a server that was renamed in the configuration, and of one that has a package of its own now."""
    del answers["down"]
    config = {name: CONFIG[name] for name in answers}
    Path("mcp.json").write_text(json.dumps({"mcpServers": {**config, "old": {"command": "old"}}}))
    answers["old"] = advertised(tool("old"))
    assert run() == 0
    Path("mcp.json").write_text(json.dumps({"mcpServers": config}))
    assert run(format="text") == 0
    assert "schemas/pulled/old.json is of old, which is no longer configured: remove it" in capsys.readouterr().err
    Path("schemas/pulled/old.json").unlink()
    build("generated")
    assert run(each=True, format="text") == 0
    lines = capsys.readouterr().err.splitlines()
    assert "schemas/pulled/shop.json is an older file of shop: remove it" in lines
    assert "schemas/pulled/My-Bank.json is an older file of My Bank: remove it" in lines
    assert "generated was built as one package: remove it before the next build" in lines
    assert run(each=True, format="text") == 0


def build(out: str) -> None:
    made = mcpgen("build", "--sdk", "mcp", "--out", out, "schemas", cwd=Path.cwd())
    assert made.returncode == 0, made.stderr


def test_a_folder_of_ones_own() -> None:
    assert run("shop", "My Bank", out=Path("there")) == 0
    assert [*list_files()] == ["there/My-Bank.json", "there/shop.json"]


def test_a_server_that_the_file_does_not_have(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("shp") == 2
    (diagnostic,) = json.loads(capsys.readouterr().out)["diagnostics"]
    assert (diagnostic["code"], diagnostic["help"]) == ("MG701", "it has shop, My Bank, down")


def test_settings_that_lead_out_of_the_project(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    (inner / "schemas").mkdir(parents=True)
    (inner / ".git").mkdir()
    (inner / "schemas" / "pulled").symlink_to(tmp_path)
    findings = Findings()
    packages = load_packages(None, inner, findings)
    request = PullRequest(ServerChoice(tmp_path / "mcp.json", ("shop",)))
    assert run_pull(LoadedPackages(packages, findings), request, CommandOutput("pull", "json")) == 2
    assert [finding.code for finding in findings] == ["MG304"]
    assert list_files() == {}


def test_where_the_package_of_a_server_is(tmp_path: Path) -> None:
    (tmp_path / "mcpgen.toml").write_text('[[package]]\nschemas = ["a/shop"]\nout = "x"\n[[package]]\nout = "y"\n')
    packages = load_packages(tmp_path / "mcpgen.toml", tmp_path, Findings())
    assert find_folder_of_server(packages, "shop") == tmp_path / "a" / "shop" / "pulled"
    assert find_folder_of_server(packages, "bank") == tmp_path / "schemas" / "bank" / "pulled"


@pytest.mark.parametrize(("each", "build"), [(False, True), (True, True), (True, False)])
def test_what_is_not_built_is_said(each: bool, build: bool, capsys: pytest.CaptureFixture[str]) -> None:
    def fail_to_load(_: list[Path]) -> LoadedPackages:
        raise AssertionError("it is built")

    loaded = LoadedPackages(load_packages(None, Path.cwd(), findings := Findings()), findings)
    follow_up = FollowUp((fail_to_load, Store())) if build else FollowUp()
    request = PullRequest(ServerChoice(Path("mcp.json"), ()), follow_up=follow_up, each=each)
    assert run_pull(loaded, request, CommandOutput("pull", "text")) == 2
    lines = capsys.readouterr().err.splitlines()
    said = ["not built, since this failed: down", "next:", "  mcpgen build"]
    assert (lines[-3:] == said) is build
    assert "3 of 3: shop: 2 tools, protocol 2025-11-25; 1 of the tools without an outputSchema" in lines
