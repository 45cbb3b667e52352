"""A generated package, class by class, in worker processes."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from mcpgen.json_types import Json
from mcpgen.prove.claims import ArgumentClaims, Claims, ContentClaims, ResultClaims
from mcpgen.prove.search import Proof, search
from mcpgen.read.keywords import DRAFT_2020_12, dialect_of

TEXT: Json = {"type": "string"}


class NotImportable(Exception):
    """There is no generated package, or its import fails; the message says why."""


@dataclass(frozen=True)
class Task:
    """How to prove the tools of a package: its folder, how many values a class is held against, and which."""

    out: Path
    exact: bool
    examples: int
    seed: int


@cache
def load(out: Path) -> Any:
    """Import a generated package from its folder, under a name of its own.

    Raises:
        NotImportable: there is none, or it cannot be imported.
    """
    init = out / "__init__.py"
    if not init.is_file():
        raise NotImportable("there is no generated package")
    name = f"_mcpgen_proved_{len([one for one in sys.modules if one.startswith('_mcpgen_proved_')])}"
    spec = importlib.util.spec_from_file_location(name, init, submodule_search_locations=[str(out)])
    if spec is None or spec.loader is None:
        raise NotImportable("it cannot be imported")
    package = importlib.util.module_from_spec(spec)
    sys.modules[name] = package
    try:
        spec.loader.exec_module(package)
        _ = package.TOOLS
    except Exception as error:  # a broken package may raise anything
        raise NotImportable(f"it cannot be imported: {type(error).__name__}: {error}") from error
    return package


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
