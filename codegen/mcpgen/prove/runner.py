"""Proofs of all classes of a generated package, in worker processes."""

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
"""Schema from which the texts of tools without an outputSchema are drawn."""
_FEWEST_PARALLEL_SUBJECTS = 4
"""Subjects from which on processes are started."""


@dataclass(frozen=True)
class ProofTask:
    """Options that apply to all subjects of a package."""

    out: Path
    """The folder of the package."""
    examples: int
    """Number of values for each class."""
    seed: int


@dataclass(frozen=True)
class ProofSubject:
    """Tool (its result and its arguments), or resource whose JSON text has a schema."""

    name: str
    resource_schema: Json | None = None
    """Schema of a resource's text; None: the subject is a tool."""


def list_proof_subjects(out: Path) -> list[ProofSubject]:
    """Return everything in a generated package that has classes to prove, tools first.

    Raises:
        PackageNotImportable: there is no package, or it cannot be imported.
    """
    tools = [ProofSubject(name) for name in load_package(out).TOOLS]
    return [*tools, *_list_resource_subjects(out)]


def _list_resource_subjects(out: Path) -> Iterator[ProofSubject]:
    """Yield each resource whose text has a schema."""
    for path in sorted((out / "resources").glob("*.json")):
        try:
            document: Any = parse_json(read_input(path, MAX_FILE_SIZE).decode("utf-8"))
            name = document["resource"]["name"]
            if "schema" in document:
                yield ProofSubject(name, document["schema"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise PackageNotImportable(f"its {path.name} cannot be read: {error}") from error


def prove_subjects(
    task: ProofTask, subjects: list[ProofSubject], jobs: int
) -> Iterator[tuple[ProofSubject, list[Proof]]]:
    """Yield the proofs of each subject's classes, in order, from up to `jobs` processes."""
    prove: Callable[[ProofSubject], list[Proof]] = partial(_prove_subject, task)
    if jobs <= 1 or len(subjects) < _FEWEST_PARALLEL_SUBJECTS:
        yield from zip(subjects, map(prove, subjects), strict=True)
        return
    with ProcessPoolExecutor(min(jobs, len(subjects))) as pool:
        yield from zip(subjects, pool.map(prove, subjects), strict=True)


def _prove_subject(task: ProofTask, subject: ProofSubject) -> list[Proof]:
    package, name = load_package(task.out), subject.name
    if subject.resource_schema is not None:
        schema = subject.resource_schema
        claims = ResourceClaims(package, name, schema)
        return [_prove_class(task, package.RESOURCE_TYPES[name], claims, schema)]
    tool = package.TOOLS[name]
    result_class, arguments_class = package.RESULT_TYPES[name], package.ARGUMENT_TYPES[name]
    if "outputSchema" in tool:
        result_claims = ResultClaims(package, name)
        result_proof = _prove_class(task, result_class, result_claims, tool["outputSchema"])
    else:
        result_proof = _prove_class(task, result_class, ContentClaims(package, name), TEXT_SCHEMA)
    argument_claims = ArgumentClaims(package, name)
    return [result_proof, _prove_class(task, arguments_class, argument_claims, tool["inputSchema"])]


def _prove_class(task: ProofTask, cls: type, claims: Claims, schema: Json) -> Proof:
    dialect = detect_dialect(schema) or DRAFT_2020_12
    return falsify_claims(cls.__name__, claims, schema, dialect, task.examples, task.seed)
