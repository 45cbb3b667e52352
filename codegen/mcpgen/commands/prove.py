"""`mcpgen prove`: test generated classes with random values; print a table and report each contradiction."""

from __future__ import annotations

import json
from dataclasses import dataclass

from mcpgen.commands.generated_package import report_missing_package
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Span
from mcpgen.paths import format_path
from mcpgen.prove.package_loader import PackageNotImportable, load_package
from mcpgen.prove.proofs import Proof, ProofTask, list_proof_subjects, prove_subjects
from mcpgen.report.exit_codes import INVALID_INPUT, PROOF_FAILED, SUCCESS
from mcpgen.report.output import CommandOutput
from mcpgen.report.text import format_table
from mcpgen.report.visible import escape_json
from mcpgen.schema.values import Json

TABLE_HEADER = ("name", "class", "valid", "invalid", "")


@dataclass(frozen=True)
class ProveRequest:
    """Classes to test, and with which values."""

    names: tuple[str, ...]
    """Tools and resources; empty for all."""
    examples: int
    seed: int
    jobs: int


def run_prove(loaded: LoadedPackages, request: ProveRequest, output: CommandOutput) -> int:
    """Test the classes of every package, print a table per package and return the exit code."""
    findings = loaded.findings
    proved = [figures for package in loaded.packages for figures in _prove_package(package, request, findings, output)]
    all_hold = all(figures["holds"] for figures in proved)
    exit_code = PROOF_FAILED if not all_hold else INVALID_INPUT if findings.failed else SUCCESS
    return output.finish(findings, exit_code, lambda: {"classes": [*proved]})


def _prove_package(
    package: ConfiguredPackage, request: ProveRequest, findings: Findings, output: CommandOutput
) -> list[dict[str, Json]]:
    out = package.out
    where = Span(format_path(out))
    try:
        generated, subjects = load_package(out), list_proof_subjects(out)
    except PackageNotImportable as error:
        report_missing_package(package, error, findings)
        return []
    all_names = [subject.name for subject in subjects]
    for name in request.names:
        if name not in all_names:
            help = f"it has {', '.join(all_names)}"
            findings.error("MG602", f'it has no tool or typed resource "{name}"', where, help)
    chosen = [subject for subject in subjects if not request.names or subject.name in request.names]
    task = ProofTask(out, request.examples, request.seed)
    rows: list[tuple[str, ...]] = [TABLE_HEADER]
    proved: list[dict[str, Json]] = []
    with output.open_progress() as bar:
        for done_count, (subject, proofs) in enumerate(prove_subjects(task, chosen, request.jobs), 1):
            bar.show("proving", done_count, len(chosen), subject.name)
            for proof in proofs:
                _report_proof(proof, generated, findings, format_path(out))
                rows.append(_make_row(subject.name, proof))
                figures: dict[str, Json] = {"valid": proof.valid, "invalid": proof.invalid}
                holds = proof.broken is None
                proved.append({"name": subject.name, "class": proof.class_name, **figures, "holds": holds})
    if not output.quiet and (chosen or not request.names):
        output.print_data(format_table(rows, (2, 3)))
    return proved


def _report_proof(proof: Proof, generated: object, findings: Findings, out: str) -> None:
    module = getattr(generated, proof.class_name).__module__.split(".", 1)[-1].replace(".", "/")
    where = Span(f"{out}/{module}.py")
    if proof.broken is not None:
        value = escape_json(json.dumps(proof.value, ensure_ascii=False))
        message = f"{proof.class_name} does not keep a promise: {proof.broken.claim}"
        findings.error("MG601", message, where, f"for the value {value}: {proof.broken.observation}")
    elif not proof.valid:
        message = f"{proof.class_name}: among {proof.invalid} drawn values none was valid"
        findings.warn("MG603", message, where, "try more with --max-examples; perhaps no value satisfies the schema")


def _make_row(name: str, proof: Proof) -> tuple[str, ...]:
    if proof.broken is not None:
        verdict = f"FAILS: {proof.broken.claim}"
    else:
        verdict = "holds" if proof.valid else "no valid value was drawn"
    return name, proof.class_name, str(proof.valid), str(proof.invalid), verdict
