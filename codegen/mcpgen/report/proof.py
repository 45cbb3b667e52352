"""A run of `prove` as a person sees it: a table by tool, a finding for each claim that does not hold."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TypeAlias

from mcpgen.config import Package
from mcpgen.diagnostics import Findings, Span
from mcpgen.paths import shown
from mcpgen.prove.run import NotImportable, Task, load, proofs
from mcpgen.prove.search import Proof
from mcpgen.report import text
from mcpgen.report.progress import Bar

FINE, INPUT, FAILED = 0, 2, 6
Row: TypeAlias = tuple[str, str, str, str, str]
HEADER: Row = ("tool", "class", "valid", "invalid", "")


@dataclass(frozen=True)
class Wanted:
    """What the command line asks to prove: tools (none: all of them), values a class, a seed, worker processes."""

    tools: tuple[str, ...]
    examples: int
    seed: int
    jobs: int
    quiet: bool


def prove(packages: tuple[list[Package], Findings], wanted: Wanted) -> int:
    """Prove every package; the table goes to standard output, findings to standard error; the exit code."""
    found, findings = packages
    failed = False
    for package in found:
        failed |= _one(package, wanted, findings)
    sys.stderr.write(text.diagnostics(findings.sorted()))
    if failed:
        return FAILED
    return INPUT if findings.failed else FINE


def _one(package: Package, wanted: Wanted, findings: Findings) -> bool:
    """Whether a claim about the package does not hold."""
    out = package.folder / package.settings.out
    where = Span(shown(out))
    try:
        generated = load(out)
    except NotImportable as error:
        findings.error("MG602", str(error), where, "run `mcpgen build` first, with the SDK of the package installed")
        return False
    for name in wanted.tools:
        if name not in generated.TOOLS:
            findings.error("MG602", f'it has no tool "{name}"', where, f"it has {', '.join(generated.TOOLS)}")
    tools = [name for name in generated.TOOLS if not wanted.tools or name in wanted.tools]
    task = Task(out, package.settings.formats != "native", wanted.examples, wanted.seed)
    rows = [HEADER]
    failed = False
    with Bar(wanted.quiet) as bar:
        for done, (tool, held) in enumerate(proofs(task, tools, wanted.jobs), 1):
            bar.show("proving", done, len(tools))
            for proof in held:
                failed |= proof.broken is not None
                rows.append(_row(tool, proof, generated, findings, shown(out)))
    if not wanted.quiet:
        sys.stdout.write(_table(rows))
    return failed


def _row(tool: str, proof: Proof, generated: object, findings: Findings, out: str) -> Row:
    module = getattr(generated, proof.class_name).__module__.split(".", 1)[-1].replace(".", "/")
    where = Span(f"{out}/{module}.py")
    said = "holds"
    if proof.broken is not None:
        said = f"FAILS: {proof.broken.claim}"
        value = json.dumps(proof.value, ensure_ascii=False)
        message = f"{proof.class_name} does not keep a promise: {proof.broken.claim}"
        findings.error("MG601", message, where, f"for the value {value}: {proof.broken.seen}")
    elif not proof.valid:
        said = "no valid value was drawn"
        message = f"{proof.class_name}: among {proof.invalid} drawn values none was valid"
        findings.warn("MG603", message, where, "try more with --max-examples; perhaps no value satisfies the schema")
    return tool, proof.class_name, str(proof.valid), str(proof.invalid), said


def _table(rows: list[Row]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines: list[str] = []
    for tool, name, valid, invalid, said in rows:
        words = f"{tool:<{widths[0]}}  {name:<{widths[1]}}  {valid:>{widths[2]}}  {invalid:>{widths[3]}}  {said}"
        lines.append(words.rstrip() + "\n")
    return "".join(lines)
