"""`pull` of a server into a package that has others already."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcpgen.commands import pull
from mcpgen.commands.package_selection import select_packages
from mcpgen.commands.pull import PullRequest, run_pull
from mcpgen.commands.pulled_files import PulledHeader, find_own_folder_of, render_pulled_file
from mcpgen.introspect.server_query import parse_server_query
from mcpgen.introspect.validation import AdvertisedDefinitions
from mcpgen.report.output import CommandOutput
from support.definitions import PRICE
from support.listings import advertised, answer_at_once
from support.packages import tool

SHOP = advertised(tool("buy", PRICE), tool("talk"))
BANK = advertised(tool("pay"), prompts=[{"name": "greet"}])


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer_at_once(monkeypatch, pull, SHOP)
    monkeypatch.chdir(tmp_path)
    Path("mcpgen.toml").write_text('sdk = "none"\n')


def _pull(
    name: str | None = None,
    out: str | None = None,
    words: tuple[str, ...] = ("https://shop.test/mcp",),
    force: bool = False,
) -> int:
    query = parse_server_query(words, (), (), (), None, None)
    request = PullRequest(query, name, None if out is None else Path(out), (), force)
    return run_pull(select_packages(None, None), request, CommandOutput("pull", "text"))


def _write(path: str, server: str, definitions: AdvertisedDefinitions = BANK) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(render_pulled_file(definitions, PulledHeader(server)), "utf-8")


def test_a_second_server_of_a_package_is_announced_once(capsys: pytest.CaptureFixture[str]) -> None:
    _write("schemas/pulled/bank.json", "bank")
    assert _pull("shop") == 0
    line = "schemas/pulled also has bank.json: all these servers are one package (for one each: --from mcp.json --each)"
    assert line in capsys.readouterr().err.splitlines()
    assert _pull("shop") == 0
    assert "also has" not in capsys.readouterr().err


def test_the_same_server_under_another_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert _pull() == 0
    (first,) = Path("schemas/pulled").iterdir()
    assert _pull("again") == 2
    err = capsys.readouterr().err
    assert f'error[MG711]: schemas/pulled/{first.name} has a tool "buy", too, and one package cannot hold both' in err
    assert f"pull it with --name {first.stem}" in err
    assert [*Path("schemas/pulled").iterdir()] == [first]


def test_definitions_that_were_moved_out_of_pulled_are_not_pulled_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert _pull("shop") == 0
    Path("schemas/pulled/shop.json").rename("schemas/own.json")
    capsys.readouterr()
    assert _pull("shop") == 2
    err = capsys.readouterr().err
    assert 'error[MG711]: schemas/own.json has a tool "buy", too, and one package cannot hold both' in err
    assert "delete that to pull again" in err
    assert [*Path("schemas").rglob("*.json")] == [Path("schemas/own.json")]
    Path("schemas/own.json").unlink()
    assert _pull("shop") == 0
    Path("schemas/own.json").write_bytes(Path("schemas/pulled/shop.json").read_bytes())
    assert _pull("shop") == 2, "a copy is found beside a pulled file, too"


def test_a_name_that_another_server_has_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    _write("schemas/pulled/bank.json", "bank", advertised(tool("talk")))
    assert _pull("shop") == 2
    assert "give each server a package of its own" in capsys.readouterr().err
    assert not Path("schemas/pulled/shop.json").exists()
    assert _pull("shop", out="versions") == 0, "no package reads that folder"
    assert _pull("newer", out="versions") == 0


def test_a_file_that_could_be_that_of_several_packages_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    tables = [f'[[package]]\nschemas = ["{name}"]\nout = "out/{name}"\n' for name in ("a", "b")]
    Path("mcpgen.toml").write_text("".join(tables))
    assert _pull("shop") == 2
    err = capsys.readouterr().err
    assert "error[MG302]: the settings have 2 packages, and none is that of shop" in err
    assert "--out schemas/shop/pulled" in err
    assert not [*Path().rglob("*.json")]
    assert _pull("shop", out="schemas/shop/pulled") == 0, "the proposed folder"
    assert _pull("b") == 0, "a package has the name"
    assert Path("b/pulled/b.json").exists()


def test_a_file_is_replaced_in_the_package_that_has_it() -> None:
    tables = [f'[[package]]\nschemas = ["{name}"]\nout = "out/{name}"\n' for name in ("a", "b")]
    Path("mcpgen.toml").write_text("".join(tables), "utf-8")
    packages = select_packages(None, None).packages
    assert find_own_folder_of(packages, "shop") is None
    _write("b/pulled/shop.json", "shop", SHOP)
    assert find_own_folder_of(packages, "shop") == packages[0].folder / "b" / "pulled"
    assert _pull("shop") == 0
    assert not Path("a").exists(), "the file stays in the package that has it"
    assert json.loads(Path("b/pulled/shop.json").read_text("utf-8"))["tools"]


def test_the_inputs_of_all_packages_count() -> None:
    packages = select_packages(None, None).packages
    assert any(package.reads(Path("schemas/pulled").resolve()) for package in packages)
    assert not any(package.reads(Path("elsewhere").resolve()) for package in packages)


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (["http://localhost:8931/mcp"], ["http://localhost:8942/mcp"], "was pulled from http://localhost:8931/mcp"),
        (["https://a.test/git/mcp"], ["https://a.test/jira/mcp"], "another server called https://a.test/…/mcp"),
        (["python", "a/server.py"], ["python", "b/server.py"], "another server called server"),
        (["shop:one"], ["shop:two"], "was pulled from shop:one"),
    ],
)
def test_the_file_of_another_server_of_the_same_name_is_kept(
    first: list[str], second: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _pull(words=(*first,)) == _pull(words=(*first,)) == 0
    (file,) = Path("schemas/pulled").iterdir()
    before = file.read_text("utf-8")
    capsys.readouterr()
    assert _pull(words=(*second,)) == 3
    err = capsys.readouterr().err
    assert file.read_text("utf-8") == before
    assert f"{file}: error[MG701]: was pulled from " in err
    assert said in err
    assert f"--name NAME; if it is the same one, moved: --name {file.stem}\n" in err
    assert _pull(file.stem, words=(*second,)) == 0
    assert _pull(words=(*second,)) == 0
    assert _pull(words=(*first,), force=True) == 0


def test_a_chosen_name_is_not_taken_from_a_server_with_other_definitions(capsys: pytest.CaptureFixture[str]) -> None:
    """The server of a name may be moved, but not another one altogether."""
    _write("schemas/pulled/shop.json", "https://a.test/mcp", advertised(tool("pay"), tool("save")))
    before = Path("schemas/pulled/shop.json").read_text("utf-8")
    assert _pull("shop", words=("https://b.test/mcp",)) == 3
    err = capsys.readouterr().err
    assert "schemas/pulled/shop.json: error[MG701]: was pulled from https://a.test/mcp, and would keep none" in err
    assert Path("schemas/pulled/shop.json").read_text("utf-8") == before
    assert _pull("shop", words=("https://a.test/mcp",)) == 0, "the same server may change as it likes"
    _write("schemas/pulled/shop.json", "https://a.test/mcp", advertised(tool("pay"), tool("buy")))
    assert _pull("shop", words=("https://b.test/mcp",)) == 0
    _write("schemas/pulled/shop.json", "https://a.test/mcp", advertised(tool("pay")))
    assert _pull("shop", words=("https://b.test/mcp",), force=True) == 0


def test_the_file_that_a_server_has_already_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    _write("schemas/pulled/localhost.json", "http://localhost:1/mcp")
    _write("schemas/pulled/other.json", "http://localhost:2/mcp", SHOP)
    assert _pull(words=("http://localhost:2/mcp",)) == 3
    assert "help: this server's file is other.json: --name other\n" in capsys.readouterr().err
    assert _pull("other", words=("http://localhost:2/mcp",)) == 0


def test_what_a_pull_removes_is_said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    resources = [{"uri": "a:b", "name": "x"}]
    _write("schemas/pulled/shop.json", "shop", advertised(tool("buy"), tool("sell"), resources=resources))
    assert _pull("shop") == 0
    assert "  removed: sell, resource a:b" in capsys.readouterr().err.splitlines()
    assert _pull("shop") == 0
    assert "removed" not in capsys.readouterr().err
    Path(".git").mkdir()
    _write("schemas/pulled/shop.json", "shop", advertised(tool("buy"), tool("sell")))
    assert _pull("shop") == 0
    said = "  removed: sell; `mcpgen diff --against HEAD` says what that breaks"
    assert said in capsys.readouterr().err.splitlines()
