"""`prove`: its table, its diagnostics and its exit code."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from mcpgen.commands import prove
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.commands.prove import ProveRequest, run_prove
from mcpgen.diagnostics import Findings
from mcpgen.prove.proofs import BrokenClaim, Proof, ProofSubject
from mcpgen.report.output import CommandOutput
from support.definitions import configure_package

HOLDS = Proof("BuyResult", 190, 10)
BROKEN = Proof("BuyResult", 1, 0, BrokenClaim("reads valid values", "an error"), {"a": 1})
UNTESTED = Proof("BuyResult", 0, 20)


class _BuyResult:
    __module__ = "generated.tools.buy"


def _run(folder: Path, monkeypatch: pytest.MonkeyPatch, proof: Proof, *names: str) -> int:
    subject = ProofSubject("buy")
    proofs: Any = lambda task, chosen, jobs: [(item, [proof]) for item in chosen]  # noqa: E731
    monkeypatch.setattr(prove, "load_package", lambda out: SimpleNamespace(BuyResult=_BuyResult))
    monkeypatch.setattr(prove, "list_proof_subjects", lambda out: [subject])
    monkeypatch.setattr(prove, "prove_subjects", proofs)
    loaded = LoadedPackages([configure_package(folder, [])], Findings())
    return run_prove(loaded, ProveRequest(names, 200, 0, 1), CommandOutput("prove", "text", "never"))


@pytest.mark.parametrize(
    ("proof", "exit_code", "verdict", "code"),
    [
        (HOLDS, 0, "holds", ""),
        (BROKEN, 6, "FAILS: reads valid values", "error[MG601]"),
        (UNTESTED, 0, "no valid value was drawn", "warning[MG603]"),
    ],
)
def test_a_verdict_is_a_row_and_a_diagnostic(
    proof: Proof,
    exit_code: int,
    verdict: str,
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert _run(tmp_path, monkeypatch, proof) == exit_code
    out, err = capsys.readouterr()
    _, row = out.splitlines()
    assert row.split(maxsplit=4) == ["buy", "BuyResult", str(proof.valid), str(proof.invalid), verdict]
    assert code in err
    assert ("generated/tools/buy.py" in err) == bool(code)


def test_an_unknown_tool_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(tmp_path, monkeypatch, HOLDS, "sell") == 2
    assert 'no tool or typed resource "sell"' in capsys.readouterr().err


def test_a_package_has_to_be_built_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loaded = LoadedPackages([configure_package(tmp_path, [])], Findings())
    assert run_prove(loaded, ProveRequest((), 1, 0, 1), CommandOutput("prove", "text", "never")) == 2
    assert "error[MG602]" in capsys.readouterr().err
