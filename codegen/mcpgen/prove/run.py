"""A generated package, class by class, in worker processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mcpgen.json_types import Json
from mcpgen.loaded import load
from mcpgen.prove.claims import ArgumentClaims, Claims, ContentClaims, ResultClaims
from mcpgen.prove.search import Proof, search
from mcpgen.read.keywords import DRAFT_2020_12, dialect_of

TEXT: Json = {"type": "string"}


@dataclass(frozen=True)
class Task:
    """How to prove the tools of a package: its folder, how many values a class is held against, and which."""

    out: Path
    exact: bool
    examples: int
    seed: int


def proofs(task: Task, tools: list[str], jobs: int) -> Iterator[tuple[str, list[Proof]]]:
    """The proofs of each tool's classes, tool by tool."""
    work: Callable[[str], list[Proof]] = partial(_proved, task)
    if jobs <= 1 or len(tools) < 4:
        yield from zip(tools, map(work, tools), strict=True)
        return
    with ProcessPoolExecutor(min(jobs, len(tools))) as pool:
        yield from zip(tools, pool.map(work, tools), strict=True)


def _proved(task: Task, tool: str) -> list[Proof]:
    package = load(task.out)
    declared = package.TOOLS[tool]

    def proof(cls: type, claims: Claims, schema: Json) -> Proof:
        dialect = dialect_of(schema) or DRAFT_2020_12
        return search(cls.__name__, claims, schema, dialect, task.examples, task.seed)

    result, arguments = package.RESULT_TYPES[tool], package.ARGUMENT_TYPES[tool]
    if "outputSchema" in declared:
        first = proof(result, ResultClaims(package, tool, task.exact), declared["outputSchema"])
    else:
        first = proof(result, ContentClaims(package, tool), TEXT)
    return [first, proof(arguments, ArgumentClaims(package, tool, task.exact), declared["inputSchema"])]
