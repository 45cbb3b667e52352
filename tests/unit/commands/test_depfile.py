"""Rules for Make."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.commands.build import escape_make_path, find_unquotable_path, render_rules
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.pipeline.outcome import Outcome


def configure(folder: Path, file: Path | None = None, schemas: tuple[str, ...] = ("schemas",)) -> ConfiguredPackage:
    settings = PackageSettings.model_validate({"schemas": list(schemas)})
    return ConfiguredPackage(settings=settings, folder=folder, file=file)


def test_a_package_depends_on_the_files_that_were_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    observed: dict[str, str | bool] = {
        "schemas/b.json": "1",
        "schemas/a.json": "2",
        "missing.json": False,
        "here": True,
    }
    outcome = Outcome(tmp_path / "out", Findings(), observed=observed)
    assert render_rules([(outcome, configure(tmp_path, tmp_path / "mcpgen.toml"))]) == (
        "out/__init__.py: \\\n  mcpgen.toml \\\n  schemas/a.json \\\n  schemas/b.json\n"
        "\nmcpgen.toml:\n\nschemas/a.json:\n\nschemas/b.json:\n"
    )


def test_a_package_depends_on_its_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("schemas/in/empty", "schemas/.git/x", "schemas/out/x", "elsewhere", "schemas/a;b"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "one.json").touch()
    package = configure(tmp_path, None, ("schemas", "one.json", "absent"))
    outcome = Outcome(tmp_path / "schemas" / "out", Findings(), observed={"one.json": "1"})
    rule, _, _ = render_rules([(outcome, package)]).partition("\n\n")
    expected = ["schemas/out/__init__.py:", "one.json", "schemas", "schemas/in", "schemas/in/empty"]
    assert rule == " \\\n  ".join(expected)


@pytest.mark.parametrize(
    ("path", "escaped"),
    [("a.json", "a.json"), ("a b", "a\\ b"), ("a\\ b", "a\\\\\\ b"), ("a#b$c", "a\\#b$$c"), ("a\\b", "a\\b")],
)
def test_paths_are_escaped_for_make(path: str, escaped: str) -> None:
    assert escape_make_path(path) == escaped


@pytest.mark.parametrize(
    ("path", "quotable"),
    [
        *[(path, True) for path in ("a b#c$d.json", "per%cent.json", "x[1]*.json", ".hidden.json", "\udcff.json", "é")],
        *[(path, False) for path in ("a;b", "a:b", "a=b", "a|b", "a\nb", "a\x7fb", ".ONESHELL")],
    ],
)
def test_what_make_cannot_quote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, quotable: bool) -> None:
    monkeypatch.chdir(tmp_path)
    reads = Outcome(tmp_path / "out", Findings(), observed={path: "1"})
    assert find_unquotable_path([(reads, configure(tmp_path))]) == (None if quotable else path)
    settled = Outcome(tmp_path / "out", Findings(), observed={})
    assert find_unquotable_path([(settled, configure(tmp_path, tmp_path / path))]) == (None if quotable else path)


def test_a_target_that_make_cannot_quote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = Outcome(tmp_path / "a=b", Findings(), observed={"c": "1"})
    assert find_unquotable_path([(outcome, configure(tmp_path))]) == "a=b/__init__.py"
