"""Which of several packages a server's definitions are in."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.commands.package_selection import select_packages
from mcpgen.commands.server_package import find_pulled_files
from mcpgen.config.models import ConfiguredPackage
from mcpgen.introspect.client import parse_server_query
from mcpgen.introspect.pulled_file import render_pulled_file
from mcpgen.introspect.server_identity import identify_server
from support.listings import advertised
from support.packages import tool

SERVER = "https://shop.test/mcp"


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[ConfiguredPackage]:
    """Two packages; the second one has a file that was pulled from a server."""
    monkeypatch.chdir(tmp_path)
    settings = '[[package]]\nschemas = ["a"]\nout = "out_a"\n[[package]]\nschemas = ["b"]\nout = "out_b"\n'
    Path("mcpgen.toml").write_text(settings, "utf-8")
    for folder in ("a", "b"):
        Path(folder, "pulled").mkdir(parents=True)
    Path("b/pulled/shop.json").write_text(render_pulled_file(advertised(tool("buy")), SERVER), "utf-8")
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
        (folder / f"{name}.json").write_text(render_pulled_file(advertised(tool("x")), url), "utf-8")
    queries = [parse_server_query([url], (), (), (), None, None) for url in urls]
    found = [[file.stem for file in find_pulled_files(packages, "localhost", query)] for query in queries]
    assert found == [["localhost"], ["other"], ["localhost"]]


def test_scripts_of_one_name_are_told_apart(packages: list[ConfiguredPackage]) -> None:
    folder = packages[0].folder / "a" / "pulled"
    queries = [parse_server_query(["python", f"{name}/server.py"], (), (), (), None, None) for name in ("x", "y")]
    for name, query in zip(("server", "second"), queries, strict=True):
        text = render_pulled_file(advertised(tool("x")), "server", identity=identify_server(query.source))
        (folder / f"{name}.json").write_text(text, "utf-8")
    found = [[file.stem for file in find_pulled_files(packages, "server", query)] for query in queries]
    assert found == [["server"], ["second"]]
