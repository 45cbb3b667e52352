"""Counts bytecode instructions and peak memory of serializers and readers of the example, and instructions of builds.

They are the same in every run, so that a machine's speed doesn't matter. `python -m benchmarks.count` compares with
`benchmarks/summary.json` and exits with 1 where something grew by more than 5 %; `--update` writes the summary.
"""

from __future__ import annotations

import argparse
import gc
import importlib.metadata
import json
import sys
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import generated
from benchmarks.count_builds import count_builds

SUMMARY = Path(__file__).with_name("summary.json")
ALLOWED, ALLOWED_ELSEWHERE = 0.05, 0.25
"""By how much a count may grow; where the libraries have other versions, whose code is counted, too."""
WARM = 3
"""Calls before those that count: what is made once and kept is there then."""
CALLS = 6
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
LIBRARIES = ("black", "datamodel-code-generator", "jinja2", "orjson", "pydantic", "pydantic-core", "typer")
Counts = dict[str, dict[str, int]]
"""Name of a call or a build → what is counted → how many."""

BERTH = {
    "code": "A07",
    "position": {"lat": 54.1203, "lon": 8.8571},
    "max_length_m": 12,
    "min_depth_m": 1.8,
    "services": ["water", "shore_power"],
    "occupant": {"register_no": 118, "name": "Grey Wagtail", "length_m": 9.6, "draught_m": None, "callSign": "QH4TX"},
}
PROFILE = {
    "register_no": 118,
    "name": "Grey Wagtail",
    "length_m": 9.6,
    "draught_m": 1.45,
    "callSign": "QH4TX",
    "lastSeen": {"lat": 54.1203, "lon": 8.8571},
    "insured_until": None,  # what formats dates in Python 3.12 and 3.13 has caches that no two runs fill alike
    "status": "afloat",
}
OWNER = {"family_name": "Kielland", "phone": None, "status": "member"}
PAGE = {"berths": [{**BERTH, "code": f"A{number:02}"} for number in range(50)], "total": 50}
STILL = "/9j/" * 16_384


def list_calls() -> dict[str, Callable[[], object]]:
    """Return the calls that are counted, each with nothing left to do but to serialize, or to read."""
    owner = generated.LookupOwnerResult.from_structured_content(OWNER)
    page = generated.ListBerthsResult.from_structured_content(PAGE)
    profile = generated.VesselProfileResult.from_structured_content(PROFILE)
    still = generated.WebcamStillResult.from_structured_content(STILL)
    sent = page.to_call_tool_result()
    return {
        "small, to a CallToolResult": owner.to_call_tool_result,
        "small, to wire bytes": owner.to_wire_json,
        "50 rows, to a CallToolResult": page.to_call_tool_result,
        "50 rows, to wire bytes": page.to_wire_json,
        "template, to wire bytes": profile.to_wire_json,
        "binary, to wire bytes": still.to_wire_json,
        "small, from a dict to a CallToolResult": lambda: generated.LookupOwnerResult.normalize_any(OWNER),
        "50 rows, from a dict to a CallToolResult": lambda: generated.ListBerthsResult.normalize_any(PAGE),
        "small, read from a value": lambda: generated.LookupOwnerResult.from_structured_content(OWNER),
        "50 rows, read from a value": lambda: generated.ListBerthsResult.from_structured_content(PAGE),
        "50 rows, read from a CallToolResult": lambda: generated.ListBerthsResult.from_call_tool_result(sent),
    }


# --- counting --------------------------------------------------------------------------------------------------------
def count_call(run: Callable[[], object]) -> dict[str, int]:
    """Return what one call comes to, after some that don't count."""
    for _ in range(WARM):
        run()
    gc.collect()
    gc.disable()
    try:
        return {"instructions": count_instructions(run), "peak bytes": measure_peak(run)}
    finally:
        gc.enable()


def measure_peak(run: Callable[[], object]) -> int:
    """Return the bytes that a call has allocated at most at a time: the most of some calls, where caches make them
    differ.
    """
    tracemalloc.start()
    try:
        for _ in range(WARM):
            run()  # fills free lists with blocks that are traced
        return max(_trace_peak(run) for _ in range(CALLS))
    finally:
        tracemalloc.stop()


def _trace_peak(run: Callable[[], object]) -> int:
    tracemalloc.reset_peak()
    start_bytes, _ = tracemalloc.get_traced_memory()
    run()
    return tracemalloc.get_traced_memory()[1] - start_bytes


def count_instructions(run: Callable[[], object]) -> int:
    """How many bytecode instructions a call executes, all functions that it calls included."""
    return _count_by_tracing(run) if sys.version_info < (3, 12) else _count_by_monitoring(run)


def _count_by_tracing(run: Callable[[], object]) -> int:
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        count += event == "opcode"
        return trace

    old_trace = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(old_trace)
    return count


def _count_by_monitoring(run: Callable[[], object]) -> int:
    count = 0

    def executed(code: CodeType, offset: int) -> None:
        nonlocal count
        count += 1

    monitoring: Any = vars(sys)["monitoring"]  # new in Python 3.12, which not all that check types here know
    tool = monitoring.PROFILER_ID
    monitoring.use_tool_id(tool, "mcpgen")
    try:
        monitoring.register_callback(tool, monitoring.events.INSTRUCTION, executed)
        monitoring.set_events(tool, monitoring.events.INSTRUCTION)
        run()
        monitoring.set_events(tool, 0)
    finally:
        monitoring.free_tool_id(tool)
    return count


# --- comparing -------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Change:
    """A count, then and now; None where it was not, or is not, there."""

    name: str
    what: str
    before: int | None
    now: int | None

    @property
    def growth(self) -> float:
        """By how much it grew, as a part of what it was."""
        if self.before is None or self.now is None:
            return 0.0
        return self.now / self.before - 1 if self.before else float(self.now > 0)

    def judge(self, allowed: float) -> str:
        """Return what to think of it; empty: nothing."""
        if self.before is None or self.now is None:
            return "not in the summary" if self.before is None else "not counted any more"
        if self.growth > allowed:
            return "GREW"
        return "shrank: refresh the summary" if self.growth < -allowed else ""

    def fails(self, allowed: float) -> bool:
        """Return whether this may not be without a change to the summary."""
        return self.before is None or self.now is None or self.growth > allowed


def compare(recorded: Counts, counted: Counts) -> list[Change]:
    """Every count of two summaries."""
    names = {name: {**recorded.get(name, {}), **counted.get(name, {})} for name in {**recorded, **counted}}
    return [
        Change(name, measure, recorded.get(name, {}).get(measure), counted.get(name, {}).get(measure))
        for name, counts in names.items()
        for measure in counts
    ]


def render_table(changes: list[Change], allowed: float) -> Iterator[str]:
    """Yield the lines of a table."""
    yield f"{'call or build':42} {'count':14} {'summary':>10} {'now':>10} {'growth':>8}"
    for change in changes:
        recorded, counted = ("–" if value is None else f"{value:,}" for value in (change.before, change.now))
        values = f"{recorded:>10} {counted:>10} {change.growth:>+8.1%}"
        yield f"{change.name:42} {change.what:14} {values} {change.judge(allowed)}".rstrip()


def list_versions() -> dict[str, str]:
    """Return what is installed here of what is counted, too."""
    return {name: importlib.metadata.version(name) for name in LIBRARIES}


def main(arguments: list[str] | None = None, summary: Path = SUMMARY) -> int:
    """Count and compare, or write the summary; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.count", description=__doc__)
    parser.add_argument("--update", action="store_true", help="write the summary of this Python version")
    options = parser.parse_args(arguments)
    summaries: dict[str, Any] = json.loads(summary.read_text("utf-8")) if summary.exists() else {}
    counts: Counts = {name: count_call(run) for name, run in list_calls().items()} | count_builds()
    if options.update:
        summaries[VERSION] = {"versions": list_versions(), "counts": counts}
        text = json.dumps(dict(sorted(summaries.items())), indent=2, ensure_ascii=False)
        summary.write_text(text + "\n", "utf-8", newline="\n")
        return 0
    if VERSION not in summaries:
        print(f"{summary.name} knows nothing of Python {VERSION}: nothing to compare with")
        return 0
    return _report_changes(summaries[VERSION], counts)


def _report_changes(recorded: Mapping[str, Any], counts: Counts) -> int:
    changes, versions = compare(recorded["counts"], counts), list_versions()
    allowed = ALLOWED if recorded["versions"] == versions else ALLOWED_ELSEWHERE
    print("\n".join(render_table(changes, allowed)))
    if recorded["versions"] != versions:
        print(
            f"The summary was made with {_format_versions(recorded['versions'])}; here is {_format_versions(versions)}."
        )
    if failed := any(change.fails(allowed) for change in changes):
        print("Mend it, or, if it has to be, write the summary anew: python -m benchmarks.count --update")
    return int(failed)


def _format_versions(counts: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in counts.items())


if __name__ == "__main__":
    sys.exit(main())
