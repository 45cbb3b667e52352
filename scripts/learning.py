"""Measure what `mcpgen learn` learns: from half of the valid instances of ../shared/corpus, about the other half.

    python scripts/learning.py               print a line for each server, and the totals
    python scripts/learning.py --drawn 40    learn from values that are drawn from the declared schemas instead
    python scripts/learning.py --failures    print the values that a learned schema refuses, and why

Tools count that declare an outputSchema and have at least two valid instances, of which one at least is not empty.
Columns, of which jsonschema-rs is the judge:

    others     tools whose learned schema accepts all of the other half, of all tools
    accepted   values of the other half that are accepted
    mutants    values that the declared schema refuses, and the learned one, too
    declared   values drawn from the learned schema that the declared one accepts
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from random import Random
from typing import Any

import jsonschema_rs

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from mcpgen.learn.inference import SchemaInference
from mcpgen.samples.generator import ValueGenerator
from mcpgen.schema.keywords import DRAFT_2020_12, detect_dialect, walk_subschemas
from support import corpus

PROBES = 10
"""Values that are drawn from each learned schema."""


@dataclass
class Tally:
    """Counts of one server, or of all."""

    tools: int = 0
    perfect: int = 0
    valid: int = 0
    accepted: int = 0
    mutants: int = 0
    refused: int = 0
    probes: int = 0
    declared: int = 0

    def add(self, other: Tally) -> None:
        """Add the counts of another tally."""
        for field in fields(Tally):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    def format(self) -> str:
        """Return the columns of the table."""
        pairs = ((self.perfect, self.tools), (self.accepted, self.valid), (self.refused, self.mutants))
        return " ".join(f"{part:>6}/{whole:<6}" for part, whole in (*pairs, (self.declared, self.probes)))


@dataclass(frozen=True)
class Case:
    """A tool, the values that its schema is learned from, and the others."""

    name: str
    schema: Any
    recorded: Sequence[Any]
    held_out: Sequence[Any]
    mutants: Sequence[Any]


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drawn", type=int, default=0, metavar="COUNT")
    parser.add_argument("--failures", action="store_true")
    options = parser.parse_args()
    total, reasons = Tally(), Counter[str]()
    print(f"{'server':40} {'others':>13} {'accepted':>13} {'mutants':>13} {'declared':>13}")
    for source in corpus.SOURCES:
        tally = Tally()
        for case in iterate_cases(source, options.drawn):
            tally.add(measure(case, reasons, options.failures))
        if tally.tools:
            print(f"{source[:40]:40} {tally.format()}", flush=True)
        total.add(tally)
    print(f"{'all':40} {total.format()}")
    for reason, count in reasons.most_common():
        print(f"{count:6} refused for {reason}")
    return 0


def iterate_cases(source: str, drawn: int) -> Iterator[Case]:
    """Yield the tools of a server that count."""
    path = corpus.CORPUS / "instances" / f"{source}.json"
    instances: Any = json.loads(path.read_text("utf-8")) if path.exists() else {}
    for tool in corpus.tools_of(source):
        known = instances.get(tool["name"])
        if "outputSchema" not in tool or known is None:
            continue
        schema = tool["outputSchema"]
        values = draw_values(schema, drawn) if drawn else known["valid"]
        half = (len(values) + 1) // 2
        if len(values) > 1 and any(values[:half]):
            yield Case(tool["name"], schema, values[:half], values[half:], known["invalid"])


def draw_values(schema: Any, count: int) -> list[Any]:
    """Return values that a schema accepts, drawn from it."""
    generator, validator = ValueGenerator(schema, detect_dialect(schema) or DRAFT_2020_12), make_validator(schema)
    values = (generator.draw_value(Random(seed)) for seed in range(2 * count))
    return [value for value in values if validator.is_valid(value)][:count]


def measure(case: Case, reasons: Counter[str], prints_failures: bool) -> Tally:
    """Learn from the recorded values, and hold what was learned against the others."""
    learned = SchemaInference().infer_schema(case.recorded)
    validator, declared = make_validator(learned), make_validator(case.schema)
    assert all(map(validator.is_valid, case.recorded)), case.name
    probes = draw_values(learned, PROBES)
    tally = Tally(tools=1, valid=len(case.held_out), mutants=len(case.mutants), probes=len(probes))
    for value in case.held_out:
        error = next(validator.iter_errors(value), None)
        tally.accepted += error is None
        if error is not None:
            reason = explain(error, case.schema)
            reasons[reason] += 1
            if prints_failures:
                print(f"  {case.name}: {reason} at {error.instance_path}: {error.message[:200]}")
    tally.perfect = int(tally.accepted == tally.valid)
    tally.refused = sum(not validator.is_valid(value) for value in case.mutants)
    tally.declared = sum(map(declared.is_valid, probes))
    return tally


def explain(error: Any, declared: Any) -> str:
    """Return why a value is refused that the declared schema accepts."""
    names: set[str] = set()
    for _, part in walk_subschemas(declared, DRAFT_2020_12):
        properties = part.get("properties") if isinstance(part, dict) else None
        names.update(properties if isinstance(properties, dict) else ())
    members = [token for token in error.instance_path if isinstance(token, str)]
    if any(member not in names for member in members):
        return "a member that the declared schema does not name"
    match error.kind.name:
        case "required":
            return "a member that all recorded values had, and that is optional"
        case "type" if not members:
            return "another type of the whole value, of which the declared schema says nothing or little"
        case "type":
            return "another type of a member"
        case name:
            return str(name)


def make_validator(schema: Any) -> Any:
    """Return jsonschema-rs's validator of a schema."""
    return jsonschema_rs.validator_for(schema)


if __name__ == "__main__":
    sys.exit(main())
