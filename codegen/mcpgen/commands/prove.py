"""A run of `prove` as a person sees it: a table by tool and resource, a finding for each claim that does not hold."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TypeAlias

from mcpgen.config.load import LoadedPackages
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Span
from mcpgen.paths import format_path
from mcpgen.prove.falsify import Proof
from mcpgen.prove.package_loader import BUILD_FIRST_HELP, PackageNotImportable, load_package
from mcpgen.prove.runner import ProofTask, list_proof_subjects, prove_subjects
from mcpgen.report.exit_codes import INVALID_INPUT, PROOF_FAILED, SUCCESS
from mcpgen.report.output import CommandOutput
from mcpgen.report.progress import ProgressBar
from mcpgen.report.visible import escape_json
from mcpgen.schema.values import Json

TableRow: TypeAlias = tuple[str, str, str, str, str]
TABLE_HEADER: TableRow = ("name", "class", "valid", "invalid", "")


@dataclass(frozen=True)
class ProveRequest:
    """What to prove: tools and resources (none: all of them), how many values a class, which, in how many processes."""

    names: tuple[str, ...]
    examples: int
    seed: int
    jobs: int


def prove_packages(packages: LoadedPackages, wanted: ProveRequest, output: CommandOutput) -> int:
    """Prove every package, with a table as data; the exit code."""
    found, findings = packages
    failed = False
    data: list[Json] = []
    for package in found:
        failed |= _prove_package(package, wanted, findings, output, data)
    code = PROOF_FAILED if failed else INVALID_INPUT if findings.failed else SUCCESS
    return output.close(findings, code, lambda: {"classes": data})


def _prove_package(
    package: ConfiguredPackage, wanted: ProveRequest, findings: Findings, output: CommandOutput, data: list[Json]
) -> bool:
    """Whether a claim about the package does not hold."""
    out = package.folder / package.settings.out
    where = Span(format_path(out))
    try:
        generated, every = load_package(out), list_proof_subjects(out)
    except PackageNotImportable as error:
        findings.error("MG602", str(error), where, BUILD_FIRST_HELP)
        return False
    for name in wanted.names:
        if all(one.name != name for one in every):
            known = ", ".join(one.name for one in every)
            findings.error("MG602", f'it has no tool or typed resource "{name}"', where, f"it has {known}")
    chosen = [one for one in every if not wanted.names or one.name in wanted.names]
    task = ProofTask(out, package.settings.formats != "native", wanted.examples, wanted.seed)
    rows = [TABLE_HEADER]
    failed = False
    with ProgressBar(output.quiet) as bar:
        for done, (subject, held) in enumerate(prove_subjects(task, chosen, wanted.jobs), 1):
            bar.show("proving", done, len(chosen))
            for proof in held:
                failed |= proof.broken is not None
                rows.append(_make_row(subject.name, proof, generated, findings, format_path(out)))
                data.append(_build_proof_json(subject.name, proof))
    if not output.quiet and (chosen or not wanted.names):
        output.show(_format_proof_table(rows))
    return failed


def _make_row(name: str, proof: Proof, generated: object, findings: Findings, out: str) -> TableRow:
    module = getattr(generated, proof.class_name).__module__.split(".", 1)[-1].replace(".", "/")
    where = Span(f"{out}/{module}.py")
    said = "holds"
    if proof.broken is not None:
        said = f"FAILS: {proof.broken.claim}"
        value = escape_json(json.dumps(proof.value, ensure_ascii=False))
        message = f"{proof.class_name} does not keep a promise: {proof.broken.claim}"
        findings.error("MG601", message, where, f"for the value {value}: {proof.broken.seen}")
    elif not proof.valid:
        said = "no valid value was drawn"
        message = f"{proof.class_name}: among {proof.invalid} drawn values none was valid"
        findings.warn("MG603", message, where, "try more with --max-examples; perhaps no value satisfies the schema")
    return name, proof.class_name, str(proof.valid), str(proof.invalid), said


def _build_proof_json(name: str, proof: Proof) -> Json:
    return {
        "name": name,
        "class": proof.class_name,
        "valid": proof.valid,
        "invalid": proof.invalid,
        "holds": proof.broken is None,
    }


def _format_proof_table(rows: list[TableRow]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines: list[str] = []
    for subject, name, valid, invalid, said in rows:
        words = f"{subject:<{widths[0]}}  {name:<{widths[1]}}  {valid:>{widths[2]}}  {invalid:>{widths[3]}}  {said}"
        lines.append(words.rstrip())
    return lines
