"""Proofs of a whole package."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from mcpgen.prove.package_loader import PackageNotImportable, load_package
from mcpgen.prove.proofs import (
    BrokenClaim,
    Proof,
    ProofSubject,
    ProofTask,
    falsify_claims,
    list_proof_subjects,
    prove_subjects,
)
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json
from support.repository import ROOT

OUT = ROOT / "generated"


def test_subjects_are_tools_and_typed_resources() -> None:
    subjects = {subject.name: subject.resource_schema for subject in list_proof_subjects(OUT)}
    assert {"flags_today", "release-berth", "office-settings"} <= subjects.keys()
    assert subjects["flags_today"] is None
    assert isinstance(subjects["office-settings"], dict)


def test_a_resource_whose_file_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("TOOLS = {}\n")
    (tmp_path / "resources").mkdir()
    (tmp_path / "resources" / "chart.json").write_text("{")
    with pytest.raises(PackageNotImportable, match=r"its chart\.json cannot be read"):
        list_proof_subjects(tmp_path)


def test_each_class_of_a_subject_has_a_proof() -> None:
    subjects = {subject.name: subject for subject in list_proof_subjects(OUT)}
    chosen = [subjects[name] for name in ("gate_is_open", "release-berth", "office-settings")]
    results = list(prove_subjects(ProofTask(OUT, 6, 0), chosen, 1))
    assert [subject for subject, _ in results] == chosen
    assert [[proof.class_name for proof in proofs] for _, proofs in results] == [
        ["GateIsOpenResult", "GateIsOpenArguments"],
        ["ReleaseBerthResult", "ReleaseBerthArguments"],
        ["OfficeSettings"],
    ]
    for _, proofs in results:
        assert all(proof.broken is None and proof.valid + proof.invalid == 6 for proof in proofs)


def test_a_subject_that_the_package_lacks() -> None:
    with pytest.raises(KeyError):
        list(prove_subjects(ProofTask(OUT, 1, 0), [ProofSubject("nothing")], 1))


# --- import of generated packages -------------------------------------------------------------------------------------
def write_package(folder: Path, text: str) -> Path:
    folder.mkdir()
    (folder / "__init__.py").write_text(text)
    (folder / "part.py").write_text("VALUE = 5\n")
    return folder


def test_a_package_is_imported_once(tmp_path: Path) -> None:
    out = write_package(tmp_path / "out", "from .part import VALUE\nTOOLS = {}\n")
    package = load_package(out)
    assert package.VALUE == 5
    assert load_package(Path(os.path.relpath(out))) is package


def test_packages_of_one_name_are_different(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_package(tmp_path / name / "out", f"TOOLS = {{{name!r}: 1}}\n")
    packages = [load_package(tmp_path / name / "out") for name in ("a", "b")]
    assert [list(package.TOOLS) for package in packages] == [["a"], ["b"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("raise ValueError('oh no')", "it cannot be imported: ValueError: oh no"),
        ("from . import nothing", "it cannot be imported: ImportError"),
        ("", "it cannot be imported: AttributeError"),
    ],
)
def test_broken_packages_leave_nothing_behind(tmp_path: Path, text: str, message: str) -> None:
    out = write_package(tmp_path / "out", text)
    before = set(sys.modules)
    with pytest.raises(PackageNotImportable, match=message):
        load_package(out)
    assert not [name for name in set(sys.modules) - before if name.startswith("_mcpgen_package")]


def test_a_folder_without_a_package(tmp_path: Path) -> None:
    with pytest.raises(PackageNotImportable, match="there is no generated package"):
        load_package(tmp_path)


# --- search for counterexamples ---------------------------------------------------------------------------------------
SCHEMA: Json = {"type": "integer", "minimum": 0, "maximum": 100}


class NumberClaims:
    """Claims that are disproved by integers from a bound on."""

    def __init__(self, bound: int, raises: bool = False) -> None:
        self._bound, self._raises = bound, raises
        self.tested: list[Json] = []

    def is_valid(self, value: Json) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 100

    def find_broken(self, value: Json) -> BrokenClaim | None:
        self.tested.append(value)
        if not self.is_valid(value) or not isinstance(value, int) or value < self._bound:
            return None
        if self._raises:
            raise RuntimeError(f"at {value}")
        return BrokenClaim("it is small", f"it is {value}")


def falsify(claims: Any, examples: int = 60, seed: int = 0) -> Proof:
    return falsify_claims("Number", claims, SCHEMA, DRAFT_2020_12, examples, seed)


def test_claims_that_hold_are_tested_with_valid_and_invalid_values() -> None:
    proof = falsify(NumberClaims(10**9))
    assert proof.broken is None
    assert proof.valid + proof.invalid == 60
    assert proof.valid > 20
    assert proof.invalid > 5


def test_a_counterexample_is_shrunk() -> None:
    proof = falsify(NumberClaims(7))
    assert isinstance(proof.value, int)
    assert 7 <= proof.value < 14
    assert proof.broken == BrokenClaim("it is small", f"it is {proof.value}")


def test_exceptions_disprove_a_claim() -> None:
    proof = falsify(NumberClaims(7, raises=True))
    assert proof.broken == BrokenClaim("nothing but ValidationError is raised", f"RuntimeError: at {proof.value}")


def test_a_seed_draws_the_same_values() -> None:
    tests = [NumberClaims(10**9) for _ in range(3)]
    for claims, seed in zip(tests, (0, 0, 1), strict=True):
        falsify(claims, seed=seed)
    assert tests[0].tested == tests[1].tested != tests[2].tested
