"""Measure how many faults the tests find: change one place of the code at a time, and run the tests that reach it.

    python scripts/mutants.py sample    draw the sample anew, and write scripts/mutants.json
    python scripts/mutants.py cover     record which test files run which lines
    python scripts/mutants.py run       run each mutant of the sample against these; one line each, and the share

`cover` and `run` take a checkout (`--checkout FOLDER`, by default this one), so that two states of the tests are
compared over one sample, and tests by their marker (`--marker 'not slow'` is what the gate runs in one environment).
`run --jobs 2` uses two copies of the checkout. What it found is written to `.mutants/` in the checkout, and a later run
goes on where it was ended. A place is found by its line, wherever that has moved; one whose line has changed or is gone
is named and not counted, until `sample` is run with `--keep`, which draws others only for such places.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from pathlib import Path
from queue import Queue
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = Path(__file__).with_suffix(".json")
FOLDERS = (
    *(f"codegen/mcpgen/{name}" for name in ("read", "lower", "render", "content", "compat", "names")),
    "runtime/src/mcpgen_runtime",
)
OTHER_SDKS = re.compile("/(mcp_1_|(mcp1|fastmcp3?|dedalus)/)")
"""The modules that are sampled, and those that are not: the environment of the tests has mcp 2.x alone."""
COUNT, SEED = 125, 37
LONGEST = 1800
"""Seconds for the tests of one mutant; those that take longer find it, since they end without one."""
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
OPERATORS: dict[type[ast.operator], str] = {ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.Mod: "*", ast.FloorDiv: "*"}
COVERAGE = """
[run]
parallel = true
patch = subprocess, _exit
data_file = {folder}/data
context = $PYTEST_CURRENT_TEST
include =
    {checkout}/codegen/mcpgen/*
    {checkout}/runtime/src/*
disable_warnings = no-data-collected, module-not-measured, include-ignored, couldnt-parse, no-sysmon
"""


@dataclass(frozen=True)
class Mutant:
    """A change of one expression or statement."""

    file: str
    line: int
    """Of the first line of what is changed, counted from 1."""
    source: str
    """The text of that line, without spaces around it."""
    column: int
    """Where it begins in `source`, in characters."""
    old: str
    new: str

    def locate(self, checkout: Path) -> Mutant | None:
        """Return the same change where its line is in a checkout; None if it is not there any more."""
        path = checkout / self.file
        found = find_mutants(self.file, path.read_text("utf-8")) if path.exists() else []
        same = [mutant for mutant in found if replace(mutant, line=self.line) == self]
        return min(same, key=lambda mutant: abs(mutant.line - self.line), default=None)

    def change(self, text: str) -> str:
        """Return the text of the file with the change."""
        lines = text.splitlines(keepends=True)
        indent = len(lines[self.line - 1]) - len(lines[self.line - 1].lstrip())
        start = sum(map(len, lines[: self.line - 1])) + indent + self.column
        assert text.startswith(self.old, start)
        return text[:start] + self.new + text[start + len(self.old) :]


# --- the sample ------------------------------------------------------------------------------------------------------


class _Finder(ast.NodeVisitor):
    """Collect the mutants of a module."""

    def __init__(self, file: str, text: str) -> None:
        self.file, self.text = file, text
        self.mutants: list[Mutant] = []
        self._lines = [0]
        for line in text.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))
        self._bytes = [line.encode() for line in text.splitlines(keepends=True)]

    def _offset(self, line: int, column: int) -> int:
        return self._lines[line - 1] + len(self._bytes[line - 1][:column].decode())

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno, node.end_col_offset)

    def _add(self, node: ast.expr | ast.stmt, start: int, end: int, new: str) -> None:
        line = self.text.count("\n", 0, start) + 1
        source = self.text[self._lines[line - 1] : self._lines[line]]
        column = start - self._lines[line - 1] - (len(source) - len(source.lstrip()))
        self.mutants.append(Mutant(self.file, line, source.strip(), column, self.text[start:end], new))

    def _replace(self, node: ast.expr | ast.stmt, new: str) -> None:
        self._add(node, *self._span(node), new)

    def _between(self, left: ast.expr, right: ast.expr, new: str) -> None:
        """Replace the operator between two operands, where no parenthesis or comment stands beside it."""
        start, end = self._span(left)[1], self._span(right)[0]
        if not set("()#\n") & set(self.text[start:end]):
            self._add(left, start, end, f" {new} ")

    def visit_If(self, node: ast.If) -> None:
        if "TYPE_CHECKING" in ast.unparse(node.test):
            return
        self._replace(node.test, f"not ({self.text[slice(*self._span(node.test))]})")
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._replace(node.test, f"(not ({self.text[slice(*self._span(node.test))]}))")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        left = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            self._between(left, right, COMPARISONS[type(operator)])
            left = right
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for left, right in zip(node.values, node.values[1:], strict=False):
            self._between(left, right, "or" if isinstance(node.op, ast.And) else "and")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if (new := OPERATORS.get(type(node.op))) is not None:
            self._between(node.left, node.right, new)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._replace(node, f"({self.text[slice(*self._span(node.operand))]})")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        match node.value:
            case bool():
                self._replace(node, str(not node.value))
            case int():
                self._replace(node, str(node.value + 1))
            case str() if node.value and self.text[self._span(node)[0]] in "\"'":
                self._replace(node, repr(f"{node.value}X"))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                self.visit(value.value)

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None and ast.unparse(node.value) != "None":
            self._replace(node.value, "None")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return  # a docstring, or ...
        if isinstance(node.value, ast.Call):
            self._replace(node, "pass")
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_arg(self, node: ast.arg) -> None:
        """Annotations do nothing."""

    def visit_Assign(self, node: ast.Assign) -> None:
        if ast.unparse(node.targets[0]) != "__all__":
            self.generic_visit(node)

    def _visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for part in (*node.args.defaults, *(default for default in node.args.kw_defaults if default), *node.body):
            self.visit(part)

    visit_FunctionDef = _visit_function
    visit_AsyncFunctionDef = _visit_function


def find_mutants(file: str, text: str) -> list[Mutant]:
    """Return all mutants of a module; none if it is a template that is no Python."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []
    finder = _Finder(file, text)
    finder.visit(tree)
    return [mutant for mutant in finder.mutants if _compiles(text, mutant)]


def _compiles(text: str, mutant: Mutant) -> bool:
    try:
        compile(mutant.change(text), mutant.file, "exec")
    except SyntaxError:
        return False
    return True


def draw_sample(count: int, seed: int, kept: list[Mutant]) -> list[Mutant]:
    """Return a random sample over the modules of FOLDERS, the same for the same code and seed.

    Args:
        count: how many mutants.
        seed: of the random numbers.
        kept: mutants that belong to it; the others are drawn.
    """
    found = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    paths = [path for path in found if not OTHER_SDKS.search(path.as_posix())]
    mutants = [
        mutant for path in paths for mutant in find_mutants(path.relative_to(ROOT).as_posix(), path.read_text("utf-8"))
    ]
    print(f"{len(mutants)} mutants in {len(paths)} modules; {len(kept)} of the sample are kept")
    others = [mutant for mutant in mutants if mutant not in kept]
    sample = [*kept, *random.Random(seed).sample(others, count - len(kept))]
    return sorted(sample, key=lambda mutant: (mutant.file, mutant.line, mutant.column))


def read_sample(checkout: Path) -> list[Mutant]:
    """Return those mutants of the committed sample that a checkout has, and name the others."""
    found: list[Mutant] = []
    for row in json.loads(SAMPLE.read_text("utf-8"))["mutants"]:
        if (mutant := Mutant(**row).locate(checkout)) is None:
            print(f"{row['file']}:{row['line']}: not in this code: {row['source'][:60]}")
        else:
            found.append(mutant)
    return found


# --- which tests run a line ------------------------------------------------------------------------------------------

PLUGIN = """
import json, os, time
import coverage, pytest

TIMES = {}

def switch(context):
    running = coverage.Coverage.current()
    if running is not None:
        running.switch_context(context)

def pytest_runtest_setup(item):
    switch(item.nodeid.split("::")[0])  # what fixtures run counts for all tests of a file

def pytest_runtest_call(item):
    switch(item.nodeid.split("[")[0])

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item, nextitem):
    started = time.perf_counter()
    yield
    name = item.nodeid.split("[")[0]
    TIMES[name] = TIMES.get(name, 0) + time.perf_counter() - started

def pytest_sessionfinish(session):
    with open(f"{os.environ['MUTANTS_FOLDER']}/times.{os.getpid()}", "w") as out:
        json.dump(TIMES, out)
"""


def cover(checkout: Path, marker: str, arguments: list[str]) -> None:
    """Run the tests under coverage; write which test files run each line, how long they take, and which tests fail."""
    from coverage.numbits import numbits_to_nums

    folder = checkout / ".mutants"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "mutants_plugin.py").write_text(PLUGIN, "utf-8")
    configuration = folder / "coveragerc"
    configuration.write_text(COVERAGE.format(folder=folder, checkout=checkout), "utf-8")
    environment = {**os.environ, "COVERAGE_PROCESS_START": str(configuration), "MUTANTS_FOLDER": str(folder)}
    environment["PYTHONPATH"] = os.pathsep.join([str(folder), str(checkout), str(checkout / "codegen")])
    command = [sys.executable, "-m", "coverage", "run", f"--rcfile={configuration}", "-m", "pytest", "-q", "-rfE"]
    command += ["-n", "2", "-p", "mutants_plugin", "-p", "no:cacheprovider", "-m", marker, *arguments]
    output = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True).stdout
    print(output[-2000:])
    failing = [line.split()[1] for line in output.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    seconds: dict[str, float] = defaultdict(float)
    for path in folder.glob("times.*"):
        for file, time_taken in json.loads(path.read_text("utf-8")).items():
            seconds[file] += time_taken
    files: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))  # code → test file → lines
    for path in folder.glob("data.*"):
        try:
            with closing(sqlite3.connect(path)) as data:  # what CoverageData takes a connection for each file for
                rows = data.execute(
                    "SELECT path, context, numbits FROM line_bits"
                    " JOIN file ON file.id = file_id JOIN context ON context.id = context_id"
                ).fetchall()
        except sqlite3.DatabaseError:
            continue  # of a process that was killed
        for measured, context, bits in rows:
            if (code := _find_code(checkout, measured)) is not None:
                files[code][_find_test(context)].update(numbits_to_nums(bits))
        path.unlink()
    lines = {name: {test: sorted(found) for test, found in tests.items() if test} for name, tests in files.items()}
    (folder / "lines.json").write_text(json.dumps({"lines": lines, "seconds": seconds, "failing": failing}), "utf-8")


def _find_test(context: str) -> str:
    """Return the test function or the file of a context, which is the plugin's, or pytest's name of a test."""
    test, _, phase = context.partition(" (")
    return test.split("::")[0] if phase == "setup)" else test.split("[")[0]


@cache
def _find_code(checkout: Path, measured: str) -> str | None:
    """Return the module of a measured file."""
    path = Path(measured)
    if path.is_relative_to(checkout / "codegen") or path.is_relative_to(checkout / "runtime"):
        return path.relative_to(checkout).as_posix()
    return None


# --- running -------------------------------------------------------------------------------------------------------


def list_tests(checkout: Path, recorded: dict[str, Any], mutant: Mutant) -> tuple[list[str], list[str]]:
    """Return the tests that run a mutant's line (files, functions), likely ones first, and tests to omit."""
    reached: dict[str, list[int]] = recorded["lines"].get(mutant.file, {})
    tests = {test for test, lines in reached.items() if mutant.line in lines}
    tests = tests or set(reached)  # a line that is run when its module is imported, which is no test's
    stem = Path(mutant.file).stem

    seconds: dict[str, float] = defaultdict(float)
    for function, time_taken in recorded["seconds"].items():
        seconds[function] += time_taken
        seconds[function.split("::")[0]] += time_taken

    def rank(test: str) -> tuple[bool, float]:
        return Path(test.split("::")[0]).stem != f"test_{stem}", seconds[test]

    whole = {test for test in tests if "::" not in test and seconds[test]}
    functions = {test for test in tests if seconds[test] and test.split("::")[0] not in whole}
    return sorted(whole | functions, key=rank), recorded["failing"]


def run_mutant(checkout: Path, copy: Path, recorded: dict[str, Any], mutant: Mutant, marker: str) -> dict[str, Any]:
    """Run the tests that reach a mutant in a copy of the checkout; return what found it, if anything."""
    tests, omitted = list_tests(checkout, recorded, mutant)
    started = time.monotonic()
    path = copy / mutant.file
    original = path.read_bytes()
    found = None
    try:
        path.write_bytes(mutant.change(original.decode()).encode())
        if tests:
            found = _run_tests(copy, tests, omitted, marker)
    finally:
        path.write_bytes(original)
    return {**asdict(mutant), "tests": len(tests), "killed": found, "seconds": round(time.monotonic() - started)}


def _run_tests(copy: Path, tests: list[str], omitted: list[str], marker: str) -> str | None:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "-p", "no:cacheprovider", "-m", marker, *tests]
    command += [f"--deselect={test}" for test in omitted]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("COVERAGE")}
    environment["PYTHONPATH"] = os.pathsep.join(
        str(copy / part) for part in ("", "codegen", "runtime/src")
    )  # not what is installed
    with subprocess.Popen(command, cwd=copy, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            output, _ = process.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            process.kill()
            return "the time limit"
    if process.returncode in (0, 5):
        return None
    lines = [line for line in output.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return lines[0].split(" - ")[0].split(" ", 1)[1] if lines else f"exit code {process.returncode}"


def copy_checkout(checkout: Path, folder: Path) -> Path:
    """Copy what is committed, into a folder beside which the shared data is, too."""
    copy = folder / "checkout"
    subprocess.run(["git", "clone", "-q", str(checkout), str(copy)], check=True)
    return copy


def run(checkout: Path, mutants: list[Mutant], marker: str, jobs: int) -> Iterator[dict[str, Any]]:
    """Yield the outcome of each mutant; what an earlier run has found is not run again."""
    path = checkout / ".mutants" / "outcomes.jsonl"
    recorded = json.loads((checkout / ".mutants" / "lines.json").read_text("utf-8"))
    done = [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
    known: dict[Mutant, dict[str, Any]]
    known = {Mutant(**{field.name: row[field.name] for field in fields(Mutant)}): row for row in done}
    copies: Queue[Path] = Queue()
    os.environ.setdefault("MCPGEN_SHARED", str(ROOT.parent / "shared"))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        for number in range(jobs):
            (Path(folder) / str(number)).mkdir()
            copies.put(copy_checkout(checkout, Path(folder) / str(number)))

        def run_one(mutant: Mutant) -> dict[str, Any]:
            if (row := known.get(mutant)) is not None:
                return row
            copy = copies.get()
            try:
                row = run_mutant(checkout, copy, recorded, mutant, marker)
            finally:
                copies.put(copy)
            with path.open("a", encoding="utf-8") as out:
                out.write(json.dumps(row) + "\n")
            return row

        yield from pool.map(run_one, mutants)


def main() -> int:
    """Run a command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["sample", "cover", "run"])
    parser.add_argument("tests", nargs="*", help="for `cover`: other arguments of pytest")
    parser.add_argument("--checkout", type=Path, default=ROOT)
    parser.add_argument("--marker", default="not slow")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", action="store_true", help="for `sample`: draw only what this code does not have")
    options = parser.parse_args()
    checkout: Path = options.checkout.resolve()
    if options.command == "sample":
        kept = read_sample(ROOT) if options.keep else []
        rows = [asdict(mutant) for mutant in draw_sample(COUNT, SEED, kept)]
        text = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        SAMPLE.write_text(f'{{"seed": {SEED}, "mutants": [\n{text}\n]}}\n', "utf-8")
    elif options.command == "cover":
        cover(checkout, options.marker, options.tests)
    else:
        outcomes = []
        for row in run(checkout, read_sample(checkout), options.marker, options.jobs):
            outcomes.append(row)
            found = row["killed"] or "SURVIVED"
            print(f"{row['file']}:{row['line']}: {row['old'][:40]!r} -> {row['new'][:40]!r}: {found}", flush=True)
        killed = sum(row["killed"] is not None for row in outcomes)
        print(f"{killed} of {len(outcomes)} killed ({killed / len(outcomes):.1%})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
