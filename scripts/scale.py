"""Measure one package of all real tools of ../shared/corpus: its size, its checks, what an edit costs.

    python scripts/scale.py FOLDER            build there, or again what is there, and print each figure with its goal
    python scripts/scale.py FOLDER --only edits

Parts: `size`, `mypy`, `pyright`, `edits`; by default all. Times are seconds of CPU, of the command and its children, so
that they are the same on a machine that does other things. The first build and the checkers take minutes. The exit code
says whether every goal is met.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support import corpus
from support.import_graph import find_circles, read_import_graph

MAX_MODULE_LINES = 1_500
MAX_LIST_LINES = 2
"""Lines of a list for each tool."""
MAX_MYPY_SECONDS = 1.5
MAX_BUILD_FACTOR = 4
MAX_TOUCHED_FILES = 2
EDIT_COUNT = 5
"""Edits of each kind, of which the median counts."""
SETTLING_SECONDS = 0.1
"""Between an edit and a build, so that the time of the file is before it."""
LISTS = ("__init__.py", "index.py")
LIBRARIES = "import pydantic, black, jinja2, typer"
PYTHON = sys.executable


@dataclass(frozen=True)
class Figure:
    """A measured figure, and whether it is as good as it has to be."""

    title: str
    value: str
    is_met: bool = True


def main() -> int:
    """Measure, and return whether a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sdk", default="mcp")
    parts: dict[str, Callable[[Path], Iterator[Figure]]] = {
        "size": measure_size,
        "mypy": measure_mypy,
        "pyright": measure_pyright,
        "edits": measure_edits,
    }
    parser.add_argument("--only", choices=parts, action="append")
    options = parser.parse_args()
    folder: Path = options.folder
    write_definitions(folder, options.sdk)
    figures = [build_package(folder)]
    print_figure(figures[0])
    for name in options.only or parts:
        for figure in parts[name](folder):
            print_figure(figure)
            figures.append(figure)
    return int(not all(figure.is_met for figure in figures))


def print_figure(figure: Figure) -> None:
    """Print a figure on a line."""
    print(f"{figure.title:58} {figure.value:>18}{'' if figure.is_met else '   MISSED'}", flush=True)


# --- the package -----------------------------------------------------------------------------------------------------
def write_definitions(folder: Path, sdk: str) -> None:
    """Write a definition file for each tool, named after the server, since several servers have tools of one name."""
    schemas = folder / "schemas"
    schemas.mkdir(parents=True, exist_ok=True)
    for source in corpus.SOURCES:
        for tool in corpus.tools_of(source):
            name = re.sub(r"[^A-Za-z0-9_-]", "_", f"{source}-{tool['name']}")[:100]
            (schemas / f"{name}.json").write_text(json.dumps({**tool, "name": name}, indent=1), "utf-8")
    (folder / "mcpgen.toml").write_text(f'schemas = ["schemas"]\nout = "generated"\nsdk = "{sdk}"\n', "utf-8")


def build_package(folder: Path) -> Figure:
    """Build what has changed."""
    seconds, output = run(folder, "-m", "mcpgen", "build", "--cache-dir", "cache")
    summary = re.search(r"generated: (\d+ tools, \d+ classes)", output)
    return Figure("build: CPU seconds", f"{seconds:.1f}" + (f" ({summary[1]})" if summary else ""), summary is not None)


def run(folder: Path, *arguments: str) -> tuple[float, str]:
    """Run Python in a folder; return the seconds of CPU that it and its children took, and all that it said."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    usage_before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.run([PYTHON, *arguments], cwd=folder, capture_output=True, text=True, env=environment)
    usage_after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = usage_after.ru_utime - usage_before.ru_utime + usage_after.ru_stime - usage_before.ru_stime
    return seconds, process.stdout + process.stderr


def measure_size(folder: Path) -> Iterator[Figure]:
    """Yield the length of modules and lists, and the circles of imports."""
    package = folder / "generated"
    lines = {
        path.relative_to(package).as_posix(): path.read_text("utf-8").count("\n") for path in package.rglob("*.py")
    }
    tool_count = len([*(package / "tools").glob("*.json")])
    yield Figure("modules", str(len(lines)))
    yield Figure("lines", str(sum(lines.values())))
    longest = max((path for path in lines if path not in LISTS), key=lambda path: lines[path])
    yield Figure(f"longest: {longest}", str(lines[longest]), lines[longest] <= MAX_MODULE_LINES)
    for path in LISTS:
        share = lines[path] / tool_count
        yield Figure(f"lines of {path} for each tool", f"{share:.2f}", share <= MAX_LIST_LINES)
    circles = find_circles(read_import_graph(package))
    outside = [circle for circle in circles if not any(module.startswith("_runtime") for module in circle)]
    yield Figure("circles of imports", str(len(outside)), not outside)


# --- type checkers ---------------------------------------------------------------------------------------------------
def measure_mypy(folder: Path) -> Iterator[Figure]:
    """Yield what mypy says of the package, and the CPU that it takes, then with everything in its cache."""
    seconds, output = check_with_mypy(folder)
    yield Figure("mypy --strict: CPU seconds, with the cache that there was", f"{seconds:.1f}", "no issues" in output)
    seconds, output = check_with_mypy(folder)
    yield Figure("mypy --strict: CPU seconds, nothing changed", f"{seconds:.2f}", "no issues" in output)


def check_with_mypy(folder: Path) -> tuple[float, str]:
    """Run mypy in strict mode, with a cache."""
    return run(folder, "-m", "mypy", "--strict", "--cache-dir", "mypy-cache", "generated")


def measure_pyright(folder: Path) -> Iterator[Figure]:
    """Yield the errors that pyright finds in its basic and its strict mode."""
    for mode in ("basic", "strict"):
        settings = {"include": ["generated"], "typeCheckingMode": mode, "pythonVersion": "3.11"}
        (folder / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
        seconds, output = run(folder, "-m", "pyright", "--pythonpath", PYTHON)
        summary = re.search(r"\d+ errors?, \d+ warnings?", output)
        clean = "0 errors, 0 warnings" in output
        yield Figure(f"pyright {mode}: CPU seconds", f"{seconds:.0f} ({summary[0] if summary else 'no answer'})", clean)


# --- edits -----------------------------------------------------------------------------------------------------------
def describe_anew(tool: dict[str, Any]) -> None:
    """Change the description of a tool."""
    tool["description"] = f"{tool.get('description', '')} Again."


def add_argument(tool: dict[str, Any]) -> None:
    """Add an argument to a tool."""
    schema = tool["inputSchema"]
    properties = schema.setdefault("properties", {})
    properties[f"added_{len(properties)}"] = {"type": "string"}


def measure_edits(folder: Path) -> Iterator[Figure]:
    """Yield what a changed description and a new argument cost; the definitions are as before in the end."""
    check_with_mypy(folder)
    names = choose_tools(folder)
    edits = {"a changed description": describe_anew, "a new argument": add_argument}
    for title, edit in edits.items():
        for name in names:
            yield from measure_edit(folder, name, f"{title} of {name[:30]}", edit)


def choose_tools(folder: Path) -> Sequence[str]:
    """Return the tools whose definitions are larger than a half, 90 %, 99 % and all of the others."""
    names = [path.stem for path in sorted((folder / "schemas").glob("*.json"), key=lambda path: path.stat().st_size)]
    return [names[int(share * (len(names) - 1))] for share in (0.5, 0.9, 0.99, 1)]


def measure_edit(folder: Path, name: str, title: str, edit: Callable[[dict[str, Any]], None]) -> Iterator[Figure]:
    """Edit a definition, build, check, and take the edit back.

    The libraries are imported before each build, so that both are measured while the machine is equally busy.
    """
    path = folder / "schemas" / f"{name}.json"
    text = path.read_text("utf-8")
    tool = json.loads(text)
    edit(tool)
    old_texts = read_texts(folder / "generated")
    path.write_text(json.dumps(tool, indent=1), "utf-8")
    try:
        imports = [import_libraries(folder)]
        times, checks = [build_once(folder)], [check_with_mypy(folder)]
        for _ in range(EDIT_COUNT - 1):
            edit(tool)
            path.write_text(json.dumps(tool, indent=1), "utf-8")
            imports.append(import_libraries(folder))
            times.append(build_once(folder))
            checks.append(check_with_mypy(folder))
        seconds = statistics.median(times)
        factor = seconds / statistics.median(imports)
        is_description = edit is describe_anew
        is_met = not is_description or factor <= MAX_BUILD_FACTOR
        yield Figure(f"{title}: build", f"{seconds:.2f} ({factor:.1f} imports)", is_met)
        new_texts = read_texts(folder / "generated")
        touched = [file for file in old_texts | new_texts if old_texts.get(file) != new_texts.get(file)]
        yield Figure(f"{title}: files", str(len(touched)), not is_description or len(touched) <= MAX_TOUCHED_FILES)
        seconds = statistics.median(seconds for seconds, _ in checks)
        is_clean = all("no issues" in output for _, output in checks)
        yield Figure(f"{title}: mypy", f"{seconds:.2f}", seconds <= MAX_MYPY_SECONDS and is_clean)
    finally:
        path.write_text(text, "utf-8")
        run(folder, "-m", "mcpgen", "build", "--cache-dir", "cache")
        check_with_mypy(folder)


def import_libraries(folder: Path) -> float:
    """Return the seconds of CPU of the imports of pydantic, black, jinja2 and typer."""
    return run(folder, "-c", LIBRARIES)[0]


def build_once(folder: Path) -> float:
    """Build after an edit, and return the seconds of CPU."""
    time.sleep(SETTLING_SECONDS)
    return run(folder, "-m", "mcpgen", "build", "--cache-dir", "cache", "--jobs", "1")[0]


def read_texts(package: Path) -> dict[str, bytes]:
    """Return the content of each file of a package, by path."""
    return {
        path.relative_to(package).as_posix(): path.read_bytes()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


if __name__ == "__main__":
    sys.exit(main())
