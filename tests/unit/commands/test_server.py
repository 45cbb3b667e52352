"""What commands say about servers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer
from mcpgen.cli import app
from mcpgen.commands.package_selection import select_packages
from mcpgen.commands.pulled_files import PulledHeader, find_pulled_files, render_pulled_file
from mcpgen.commands.server_options import (
    CallOptions,
    DiffQueryOptions,
    QueryOptions,
    ServerCheckOptions,
    check_is_quoted,
)
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings
from mcpgen.introspect.server_address import Command, Url, identify_server
from mcpgen.introspect.server_query import parse_server_query
from support.documents import list_messages
from support.listings import advertised
from support.packages import tool
from typer.testing import CliRunner


# --- options about a running server, as queries -----------------------------------------------------------------------
def test_queries_carry_the_options() -> None:
    findings = Findings()
    query = QueryOptions(header=["X: y"], timeout=3, protocol="2025-06-18").make_query(["https://a.test/mcp"], findings)
    assert query is not None
    assert (query.source, query.credentials.headers) == (Url("https://a.test/mcp"), {"X": "y"})
    assert (query.timeout, query.protocol) == (3, "2025-06-18")
    for options in (DiffQueryOptions(env=["A=b"]), ServerCheckOptions(env=["A=b"]), CallOptions(env=["A=b"])):
        match options:
            case DiffQueryOptions():
                query = options.make_query(["serve it"], findings)
            case ServerCheckOptions():
                query = options.make_query(["serve it"], findings)
            case CallOptions():
                query = CallOptions(server="serve it", env=["A=b"]).make_call_query(findings)
        assert query is not None
        assert isinstance(query.source, Command)
        assert query.credentials.env == {"A": "b"}
    assert list_messages(findings) == []


def test_malformed_options_are_findings() -> None:
    findings = Findings()
    assert QueryOptions(header=["X"]).make_query(["https://a.test/mcp"], findings) is None
    assert CallOptions(server="https://a.test/mcp", env=["A=b"]).make_call_query(findings) is None
    assert [code for code, _ in list_messages(findings)] == ["MG701", "MG701"]


@pytest.mark.parametrize("options", [{"call": ["a"]}, {"header": ["X: y"]}, {"env": ["A"]}, {"timeout": 3.0}])
def test_options_without_a_server(options: dict[str, list[str]]) -> None:
    assert CallOptions().make_call_query(Findings()) is None
    with pytest.raises(typer.BadParameter, match="--server"):
        CallOptions(**options).make_call_query(Findings())  # type: ignore[arg-type]


# --- which of several packages a server's definitions are in ----------------------------------------------------------
SERVER = "https://shop.test/mcp"


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[ConfiguredPackage]:
    """Two packages; the second one has a file that was pulled from a server."""
    monkeypatch.chdir(tmp_path)
    settings = '[[package]]\nschemas = ["a"]\nout = "out_a"\n[[package]]\nschemas = ["b"]\nout = "out_b"\n'
    Path("mcpgen.toml").write_text(settings, "utf-8")
    for folder in ("a", "b"):
        Path(folder, "pulled").mkdir(parents=True)
    Path("b/pulled/shop.json").write_text(render_pulled_file(advertised(tool("buy")), PulledHeader(SERVER)), "utf-8")
    return select_packages(None, None).packages


def test_a_file_is_found_by_its_name_in_any_package(packages: list[ConfiguredPackage]) -> None:
    (file,) = find_pulled_files(packages, "shop", None)
    assert file == packages[1].folder / "b" / "pulled" / "shop.json"
    assert find_pulled_files(packages, "bank", None) == []


def test_a_file_of_another_name_is_found_by_its_server(packages: list[ConfiguredPackage]) -> None:
    queries = [parse_server_query([url], (), (), (), None, None) for url in (SERVER, "https://bank.test/mcp")]
    found = [find_pulled_files(packages, "unknown", query) for query in queries]
    assert [[file.name for file in files] for files in found] == [["shop.json"], []]


def test_a_package_reads_what_is_in_its_folders(packages: list[ConfiguredPackage]) -> None:
    file = packages[1].folder / "b" / "pulled" / "shop.json"
    assert [package.reads(file) for package in packages] == [False, True]
    assert [package.reads(packages[0].folder / "a") for package in packages] == [True, False]


def test_the_server_counts_before_the_name(packages: list[ConfiguredPackage]) -> None:
    """Two servers on one host: the first one's file has the name that is made from the address of both."""
    folder = packages[0].folder / "a" / "pulled"
    urls = [f"http://localhost:{port}/mcp" for port in (1, 2, 3)]
    for name, url in zip(("localhost", "other"), urls, strict=False):
        (folder / f"{name}.json").write_text(render_pulled_file(advertised(tool("x")), PulledHeader(url)), "utf-8")
    queries = [parse_server_query([url], (), (), (), None, None) for url in urls]
    found = [[file.stem for file in find_pulled_files(packages, "localhost", query)] for query in queries]
    assert found == [["localhost"], ["other"], ["localhost"]]


def test_scripts_of_one_name_are_told_apart(packages: list[ConfiguredPackage]) -> None:
    folder = packages[0].folder / "a" / "pulled"
    queries = [parse_server_query(["python", f"{name}/server.py"], (), (), (), None, None) for name in ("x", "y")]
    for name, query in zip(("server", "second"), queries, strict=True):
        text = render_pulled_file(advertised(tool("x")), PulledHeader("server", identity=identify_server(query.source)))
        (folder / f"{name}.json").write_text(text, "utf-8")
    found = [[file.stem for file in find_pulled_files(packages, "server", query)] for query in queries]
    assert found == [["server"], ["second"]]


# --- words of a server's command that are read as mcpgen's own options or files ---------------------------------------
QUOTE = 'put the whole command in quotes: {} "npx -y some-server"'
DASHES = "write -- before the server's command: mcpgen pull -- npx -y some-server"


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("check --server python s.py --flag", QUOTE.format("--server")),
        ("check --server npx -y x", QUOTE.format("--server")),
        ("check --server python s.py", QUOTE.format("--server")),
        ("check --server -- python s.py", QUOTE.format("--server")),
        ("learn calls.json --server python s.py", QUOTE.format("--server")),
        ("learn calls.json --server python s.py -x", QUOTE.format("--server")),
        ("diff --against-server python s.py", QUOTE.format("--against-server")),
        ("diff --against-server python s.py --token=ghp_secret1", QUOTE.format("--against-server")),
        ("pull python s.py --token=ghp_secret1", DASHES),
        ("pull npx -y x", DASHES),
        ("pull https://a.test --biuld", "did you mean --build? If it is an option of the server's command, write --"),
        ("pull python s.py --biuld", "did you mean --build? If it is an option of the server's command, write --"),
        ("pull python s.py --workers", DASHES),
        ("pull --server s:server", "pull takes the server without an option"),
    ],
)
def test_the_error_says_how_to_write_it(
    line: str, advice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("calls.json", "s.py"):
        (tmp_path / name).touch()
    run = CliRunner().invoke(app, line.split(), env={"COLUMNS": "200"})
    assert run.exit_code == 2
    assert advice in re.sub(r"\s+", " ", run.output)
    assert "ghp_secret1" not in run.output


def test_other_unknown_options_are_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for line in ("check --flag", "pull --flag", "build x --flag", "pull --flag https://a.test"):
        run = CliRunner().invoke(app, line.split())
        assert run.exit_code == 2
        assert "No such option: --flag" in run.output
        assert ";" not in run.output
    assert "(Possible options: " in CliRunner().invoke(app, ["check", "--serve", "x"]).output


def test_files_beside_a_server_are_fine(tmp_path: Path) -> None:
    (tmp_path / "a.json").touch()
    for server in ("https://a.test", "a.b:server", "python s.py", "some-server"):
        check_is_quoted("--server", server, [tmp_path, tmp_path / "a.json"])
    for server in ("https://a.test", "a.b:server", "python s.py"):
        check_is_quoted("--server", server, [tmp_path / "missing.json"])
