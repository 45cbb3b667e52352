"""A generated package, class by class, in worker processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from mcpgen.files.file_tracker import MAX_FILE_SIZE
from mcpgen.files.regular_files import read_input
from mcpgen.prove.falsify import Proof, falsify_claims
from mcpgen.prove.package_loader import PackageNotImportable, load_package
from mcpgen.prove.properties import ArgumentClaims, Claims, ContentClaims, ResourceClaims, ResultClaims
from mcpgen.read.json_parser import parse_json
from mcpgen.schema.keywords import DRAFT_2020_12, detect_dialect
from mcpgen.schema.values import Json

TEXT_SCHEMA: Json = {"type": "string"}


@dataclass(frozen=True)
class ProofTask:
    """How to prove the tools of a package: its folder, how many values a class is held against, and which."""

    out: Path
    exact: bool
    examples: int
    seed: int


@dataclass(frozen=True)
class ProofSubject:
    """A tool (its result and its arguments), or a resource whose JSON text has a schema."""

    name: str
    resource_schema: Json | None = None
    """The schema of a resource's text; None: a tool."""


def list_proof_subjects(out: Path) -> list[ProofSubject]:
    """Everything in a generated package that has classes to prove, in order of names.

    Raises:
        NotImportable: there is no package, or it cannot be imported.
    """
    tools = [ProofSubject(name) for name in load_package(out).TOOLS]
    try:
        held: Any = parse_json(read_input(out / "resources.json", MAX_FILE_SIZE).decode("utf-8"))
        return tools + [ProofSubject(name, schema) for name, schema in held["schemas"].items()]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise PackageNotImportable(f"its resources.json cannot be read: {error}") from error


def prove_subjects(
    task: ProofTask, subjects: list[ProofSubject], jobs: int
) -> Iterator[tuple[ProofSubject, list[Proof]]]:
    """The proofs of each subject's classes, one subject after the other."""
    work: Callable[[ProofSubject], list[Proof]] = partial(_prove_subject, task)
    if jobs <= 1 or len(subjects) < 4:
        yield from zip(subjects, map(work, subjects), strict=True)
        return
    with ProcessPoolExecutor(min(jobs, len(subjects))) as pool:
        yield from zip(subjects, pool.map(work, subjects), strict=True)


def _prove_subject(task: ProofTask, subject: ProofSubject) -> list[Proof]:
    package, name = load_package(task.out), subject.name

    def proof(cls: type, claims: Claims, schema: Json) -> Proof:
        dialect = detect_dialect(schema) or DRAFT_2020_12
        return falsify_claims(cls.__name__, claims, schema, dialect, task.examples, task.seed)

    if subject.resource_schema is not None:
        schema = subject.resource_schema
        return [proof(package.RESOURCE_TYPES[name], ResourceClaims(package, name, schema, task.exact), schema)]
    declared = package.TOOLS[name]
    result, arguments = package.RESULT_TYPES[name], package.ARGUMENT_TYPES[name]
    if "outputSchema" in declared:
        first = proof(result, ResultClaims(package, name, task.exact), declared["outputSchema"])
    else:
        first = proof(result, ContentClaims(package, name), TEXT_SCHEMA)
    return [first, proof(arguments, ArgumentClaims(package, name, task.exact), declared["inputSchema"])]
