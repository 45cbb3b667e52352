"""Time and peak memory of `mcpgen build` over made-up tools: cold, after one change, with nothing to do."""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Schema = dict[str, Any]
WORDS = (
    "account amount area author batch berth branch bucket city cluster code colour comment count country cursor "
    "depth device email event file folder group height host image invoice item key label level limit line link "
    "member message metric mode name node note order owner page path payment period phase place plan port price "
    "query rate reason record region result role route rule score source speed state status step tag task team "
    "ticket title token topic total unit user value vendor version volume weight window zone"
).split()
COMMON = """\
$defs:
  Money:
    type: object
    description: An amount in a currency.
    properties: {amount: {type: number}, currency: {type: string, minLength: 3, maxLength: 3}}
    required: [amount, currency]
    additionalProperties: false
  Person:
    type: object
    properties: {name: {type: string}, email: {type: [string, "null"]}, role: {enum: [admin, editor, viewer]}}
    required: [name, role]
"""
SHARED_EVERY, YAML_EVERY, TEMPLATE_EVERY, LISTED = 10, 20, 10, 5
"""Of so many tools one refers to `common.defs.yaml`, is written in YAML, has a content template; how many a list file
holds where definitions come from a `tools/list` answer (one tool of ten)."""


def make(folder: Path, count: int, seed: int = 0) -> None:
    """Write `count` tools into `folder/schemas`, the same for the same seed: what servers declare, in their mix."""
    chance = random.Random(seed)
    schemas = folder / "schemas"
    schemas.mkdir(parents=True, exist_ok=True)
    (schemas / "common.defs.yaml").write_text(COMMON, "utf-8")
    (folder / "mcpgen.toml").write_text("", "utf-8")
    listed: list[Schema] = []
    for number in range(count):
        tool = _tool(number, chance)
        if number % 10 == 9:
            listed.append(tool)
            if len(listed) == LISTED:
                (schemas / f"list_{number:05}.json").write_text(json.dumps({"tools": listed}, indent=2), "utf-8")
                listed = []
            continue
        group = schemas / WORDS[number // 100 % len(WORDS)]
        group.mkdir(exist_ok=True)
        suffix = "yaml" if number % YAML_EVERY == 3 else "json"  # JSON is YAML
        (group / f"{tool['name']}.{suffix}").write_text(json.dumps(tool, indent=2), "utf-8")
        if number % TEMPLATE_EVERY == 0:
            (group / f"{tool['name']}.content.j2").write_text("{{ headline }} ({{ hits }})\n", "utf-8")
    if listed:
        (schemas / "list_rest.json").write_text(json.dumps({"tools": listed}, indent=2), "utf-8")


def _tool(number: int, chance: random.Random) -> Schema:
    words = chance.sample(WORDS, 2)
    tool: Schema = {
        "name": f"{words[0]}_{words[1]}_{number}",
        "description": f"Looks up the {words[0]} of a {words[1]}, number {number}.",
        "inputSchema": _object(chance, chance.randint(1, 6), 1),
    }
    kind = number % 20
    if number % TEMPLATE_EVERY == 0:
        tool["outputSchema"] = _object(chance, chance.randint(2, 8), 2)
        tool["outputSchema"]["properties"] |= {"headline": {"type": "string"}, "hits": {"type": "integer"}}
        tool["outputSchema"]["required"] += ["headline", "hits"]
    elif kind == 7:
        tool["outputSchema"] = {"type": "array", "items": _object(chance, 5, 1)}
    elif kind == 13:
        tool["outputSchema"] = {"type": "string"}
    elif kind == 17:
        tool["outputSchema"] = _union(chance)
    elif kind not in (2, 12):  # these declare none
        tool["outputSchema"] = _object(chance, chance.randint(2, 10), 3)
    if number % SHARED_EVERY == 5:
        held = tool["outputSchema"]["properties"]
        held["price_total"] = {"$ref": "../common.defs.yaml#/$defs/Money"}
        held["owners"] = {"type": "array", "items": {"$ref": "../common.defs.yaml#/$defs/Person"}}
    return tool


def _object(chance: random.Random, fields: int, depth: int) -> Schema:
    names = chance.sample(WORDS, fields)
    held: Schema = {name: _value(chance, depth) for name in names}
    schema: Schema = {"type": "object", "properties": held, "required": names[: chance.randint(0, fields)]}
    if chance.random() < 0.6:
        schema["additionalProperties"] = False
    return schema


def _union(chance: random.Random) -> Schema:
    kinds: list[Schema] = []
    for kind in ("found", "missing"):
        one = _object(chance, 3, 1)
        one["properties"] = {"kind": {"const": kind}, **one["properties"]}
        one["required"] = ["kind", *one["required"]]
        kinds.append(one)
    return {"oneOf": kinds}


def _value(chance: random.Random, depth: int) -> Schema:
    plain: list[Schema] = [
        {"type": "string"},
        {"type": "string", "description": f"The {chance.choice(WORDS)} as it was entered."},
        {"type": "integer", "minimum": 0},
        {"type": "number"},
        {"type": "boolean"},
        {"type": ["string", "null"]},
        {"type": "string", "format": "date-time"},
        {"enum": chance.sample(WORDS, 3)},
        {"type": "array", "items": {"type": "string"}},
        {"type": "string", "pattern": "^[A-Z]{2}[0-9]+$"},
    ]
    roll = chance.random()
    if depth > 1 and roll < 0.12:
        return _object(chance, chance.randint(2, 5), depth - 1)
    if depth > 1 and roll < 0.24:
        return {"type": "array", "items": _object(chance, chance.randint(2, 5), depth - 1)}
    return chance.choices(plain, (8, 6, 5, 4, 3, 3, 2, 2, 2, 1))[0]


# --- measuring -------------------------------------------------------------------------------------------------------
def main() -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("counts", nargs="*", type=int, default=[1000, 10_000], help="numbers of tools")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="worker processes")
    parser.add_argument("--rounds", type=int, default=5, help="runs of which the median is shown, but for cold ones")
    parser.add_argument("--watch", action="store_true", help="also from a save to the changed file under `watch`")
    options = parser.parse_args()
    print(f"{'tools':>6}  {'what':24} {'seconds':>8} {'CPU':>8} {'peak MiB':>9}   ({options.jobs} jobs)")
    for count in options.counts:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "project"
            make(folder, count)
            measure(folder, count, options.jobs, options.rounds, options.watch)
    return 0


def measure(folder: Path, count: int, jobs: int, rounds: int, watch: bool) -> None:
    """Print the rows of one number of tools."""

    def row(what: str, command: list[str], runs: int = 1, edit: bool = False) -> None:
        found: list[Run] = []
        for number in range(runs):
            if edit:
                change(folder, f"{what} {number}")
            found.append(run([*command, "--jobs", str(jobs)], folder))
        middle = sorted(found, key=lambda one: one.seconds)[len(found) // 2]
        print(f"{count:6}  {what:24} {middle.seconds:8.2f} {middle.cpu:8.2f} {middle.mib:9.0f}", flush=True)

    row("build, cold, no cache", ["build", "--no-cache"])
    row("check, no cache", ["check", "--no-cache"])
    row("check, fills a cache", ["check", "--cache-dir", "../cache"])
    row("check, nothing to do", ["check", "--cache-dir", "../cache"], rounds)
    row("build, nothing to do", ["build", "--cache-dir", "../cache"], rounds)
    row("build, one change", ["build", "--cache-dir", "../cache"], rounds, edit=True)
    if watch:
        took = sorted(latencies(folder, 2 * rounds + 1))
        shown = " ".join(f"{1000 * one:.0f}" for one in took)
        print(f"{count:6}  {'watch, save to file':24} {took[len(took) // 2]:8.3f}   (ms: {shown})", flush=True)


def change(folder: Path, text: str) -> Path:
    """Say something else in one tool; its file."""
    path = min((folder / "schemas").glob("*/*_1.json"))
    tool: Schema = json.loads(path.read_text("utf-8"))
    tool["inputSchema"]["description"] = text
    path.write_text(json.dumps(tool, indent=2), "utf-8")
    return path


@dataclass(frozen=True)
class Run:
    """What a run took: wall clock, processor time, and the peak of the memory of all its processes together."""

    seconds: float
    cpu: float
    mib: float


def run(arguments: list[str], folder: Path) -> Run:
    """Run `mcpgen` in a folder."""
    before, start = os.times(), time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "mcpgen", *arguments, "-q"], cwd=folder)
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, memory(process.pid))
        time.sleep(0.005 if time.perf_counter() - start < 1 else 0.1)
    seconds, after = time.perf_counter() - start, os.times()
    if process.returncode:
        raise SystemExit(f"mcpgen {' '.join(arguments)}: exit code {process.returncode}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Run(seconds, cpu, peak / 2**20)


def memory(pid: int) -> float:
    """The bytes of a process and its children, what they share counted once (Linux; 0 elsewhere)."""
    total = 0.0
    for one in (pid, *children(pid)):
        try:
            text = Path(f"/proc/{one}/smaps_rollup").read_text("ascii")
        except OSError:
            continue
        total += sum(1024 * int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))
    return total


def children(pid: int) -> list[int]:
    """The child processes of a process."""
    try:
        found = [text for path in Path(f"/proc/{pid}/task").glob("*/children") for text in path.read_text().split()]
    except OSError:
        return []
    return [int(text) for text in found]


def latencies(folder: Path, rounds: int) -> list[float]:
    """Seconds from the moment when a definition was saved to the moment when its module is there."""
    command = [sys.executable, "-m", "mcpgen", "watch", "--cache-dir", "../cache"]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        while "watching" not in process.stderr.readline():
            pass
        threading.Thread(target=process.stderr.read, daemon=True).start()
        time.sleep(2)
        took: list[float] = []
        for number in range(rounds):
            text = f"Saved for the {number}th time."
            path = change(folder, text)
            start = time.perf_counter()
            module = folder / "generated" / "tools" / f"{path.stem}.py"
            while text not in module.read_text("utf-8"):
                time.sleep(0.001)
            took.append(time.perf_counter() - start)
            time.sleep(1)
        return took
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    sys.exit(main())
