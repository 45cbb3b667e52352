"""Proofs of a whole package."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.prove.package_loader import PackageNotImportable
from mcpgen.prove.runner import ProofSubject, ProofTask, list_proof_subjects, prove_subjects
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
