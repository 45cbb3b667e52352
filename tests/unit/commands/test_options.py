"""Groups of options."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
import typer
from mcpgen.commands.options import CacheOptions, OutputOptions, expand_groups
from mcpgen.commands.server_options import DiffOptions, QueryOptions
from mcpgen.diagnostics import Findings
from typer.testing import CliRunner


@dataclass(frozen=True, kw_only=True)
class Size:
    """A group for these tests."""

    width: Annotated[int, typer.Option(help="Cells.")] = 3
    height: Annotated[int | None, typer.Option(help="Lines.")] = None


def _make_app(calls: list[tuple[str, Size, bool]]) -> typer.Typer:
    app = typer.Typer()

    @app.command()
    @expand_groups
    def draw(*, name: Annotated[str, typer.Argument()], size: Size, fill: bool = False) -> None:
        """Draw a name."""
        calls.append((name, size, fill))

    return app


def test_a_command_is_called_with_its_groups() -> None:
    calls: list[tuple[str, Size, bool]] = []
    for arguments in (["a"], ["b", "--width", "5", "--height", "2", "--fill"]):
        assert CliRunner().invoke(_make_app(calls), arguments).exit_code == 0
    assert calls == [("a", Size(), False), ("b", Size(width=5, height=2), True)]


def test_a_group_is_expanded_in_its_place() -> None:
    @expand_groups
    def draw(*, name: str, size: Size, fill: bool = False) -> None:
        """Draw a name."""

    signature = inspect.signature(draw)
    assert [*signature.parameters] == ["name", "width", "height", "fill"]
    assert signature.parameters["width"].default == 3
    assert draw.__doc__ == "Draw a name."


def test_a_malformed_query_is_a_finding() -> None:
    findings = Findings()
    assert QueryOptions(header=["no colon"]).make_query(["https://a.test"], findings) is None
    assert [finding.code for finding in findings] == ["MG701"]
    query = QueryOptions(timeout=3, protocol="2025-06-18").make_query(["https://a.test"], Findings())
    assert query is not None
    assert (query.timeout, query.protocol) == (3, "2025-06-18")


@pytest.mark.parametrize(
    ("options", "valid"),
    [
        (DiffOptions(), False),
        (DiffOptions(paths=[Path("a")]), False),
        (DiffOptions(paths=[Path("a"), Path("b")]), True),
        (DiffOptions(against="main", paths=[Path("a")]), True),
        (DiffOptions(against_server="a:b"), True),
        (DiffOptions(against="main", against_server="a:b"), False),
    ],
)
def test_diff_needs_two_sides(options: DiffOptions, valid: bool) -> None:
    if valid:
        options.check_sides()
    else:
        with pytest.raises(typer.BadParameter):
            options.check_sides()


def test_what_diff_without_arguments_is_probably_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(typer.BadParameter) as outside:
        DiffOptions().check_sides()
    assert "HEAD" not in outside.value.message
    (tmp_path / ".git").mkdir()
    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path / "server")
    with pytest.raises(typer.BadParameter) as inside:
        DiffOptions().check_sides()
    assert inside.value.message.endswith("mcpgen diff --against HEAD")


def test_output_and_cache_are_opened_as_the_options_say(tmp_path: Path) -> None:
    output = OutputOptions(quiet=True, format="json", color="never").open("build")
    assert (output.command, output.quiet, output.format, output.color) == ("build", True, "json", "never")
    assert CacheOptions(cache_dir=tmp_path).open_store().folder == tmp_path
    assert CacheOptions(cache_dir=tmp_path, no_cache=True).open_store().folder is None
