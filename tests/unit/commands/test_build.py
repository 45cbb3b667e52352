"""`build`: exit codes, the depfile, and that nothing is written when any input is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.cache.store import Store
from mcpgen.commands import generation
from mcpgen.commands.build import BuildRequest, build_packages, run_build
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings
from mcpgen.pipeline.outcome import GeneratedFiles, Outcome
from mcpgen.render.header import add_header
from mcpgen.report.output import CommandOutput
from support.definitions import configure_package

OUTPUT = CommandOutput("build", "text", "never")
REQUEST = BuildRequest(jobs=1)


@pytest.fixture(autouse=True)
def _generated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each package has one file; that of a folder named `wrong` is wrong."""

    def generate(package: ConfiguredPackage, *_: object) -> Outcome:
        findings, file = Findings(), package.folder / "schemas" / "tools.json"
        generated = None
        if package.folder.name == "wrong":
            findings.error("MG101", "wrong")
        else:
            generated = GeneratedFiles({"__init__.py": add_header("A = 1\n", "a.json")}, tool_count=1, class_count=2)
        return Outcome(package.folder / "generated", findings, generated, {str(file): "0" * 64})

    monkeypatch.setattr(generation, "generate_package", generate)


def _load(tmp_path: Path, *names: str) -> LoadedPackages:
    return LoadedPackages([configure_package(tmp_path / name, []) for name in names], Findings())


def test_all_packages_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = build_packages(_load(tmp_path, "a", "b"), REQUEST, Store(), OUTPUT)
    assert result.exit_code == 0
    assert [outcome.written for outcome in result.outcomes] == [True, True]
    assert (tmp_path / "b" / "generated" / "__init__.py").is_file()
    assert capsys.readouterr().err.count("1 tool, 2 classes, 1 file changed") == 2
    assert run_build(_load(tmp_path, "a"), REQUEST, Store(), OUTPUT) == 0
    assert "nothing changed" in capsys.readouterr().err


def test_one_wrong_package_keeps_all_from_being_written(tmp_path: Path) -> None:
    assert run_build(_load(tmp_path, "a", "wrong"), REQUEST, Store(), OUTPUT) == 2
    assert not (tmp_path / "a" / "generated").exists()


def test_a_foreign_file_is_overwritten_only_by_force(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a" / "generated" / "__init__.py"
    file.parent.mkdir(parents=True)
    file.write_text("MINE = 1\n", "utf-8")
    assert run_build(_load(tmp_path, "a"), REQUEST, Store(), OUTPUT) == 3
    assert file.read_text("utf-8") == "MINE = 1\n"
    assert capsys.readouterr().err.splitlines()[-1].endswith("a/generated: nothing was written")
    assert run_build(_load(tmp_path, "a"), BuildRequest(1, force=True), Store(), OUTPUT) == 0
    assert "A = 1" in file.read_text("utf-8")


def test_the_depfile_may_not_replace_an_input_or_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    loaded = _load(tmp_path, "a")
    assert run_build(loaded, BuildRequest(1, depfile=Path("a.d")), Store(), OUTPUT) == 0
    assert (tmp_path / "a.d").read_text("utf-8").startswith("a/generated/__init__.py: \\\n  a/schemas \\\n")
    for path in ("a/schemas/tools.json", "a/generated/a.d"):
        assert run_build(_load(tmp_path, "a"), BuildRequest(1, depfile=Path(path)), Store(), OUTPUT) == 2
