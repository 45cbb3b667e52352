"""Time of a monorepo's build, with the rules of docs/guides/monorepo.md.

`python -m benchmarks.monorepo` builds 50 packages of 200 made-up tools with Ninja. For each number of jobs it prints
the seconds of a build of everything, of one that has nothing to do, and after a change. `--shared 1000` builds two
checkouts of two packages of 1,000 tools, and prints what the second one takes from a shared cache: from a folder of
mcpgen's with Ninja, and from a server on this machine with Bazel, if there is one.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks.made import change, make

PAGE = Path(__file__).parents[1] / "docs" / "guides" / "monorepo.md"
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
PROGRAM_RULE = """\
def _link(ctx):
    out = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = out, target_file = ctx.file.script, is_executable = True)
    return [DefaultInfo(executable = out, runfiles = ctx.runfiles(ctx.files.data))]

program = rule(
    implementation = _link,
    executable = True,
    attrs = {"data": attr.label_list(allow_files = True), "script": attr.label(allow_single_file = True)},
)
"""
"""A rule for Bazel that makes a script a program: the page's rule for that needs the network."""


@dataclass(frozen=True)
class Build:
    """What a build took: wall clock, processor time, how many packages it built, and how many it took from a cache."""

    seconds: float
    processor: float
    built: int
    cached: int = 0


def read_example(first: str) -> str:
    """Return the example of the page that starts with a line."""
    match = re.search(rf"^```\w+\n({re.escape(first)}\n.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert match is not None
    return match[1]


def write_packages(folder: Path, packages: int, tools: int) -> list[Path]:
    """Write packages of made-up tools and the rules to build them; return the packages' folders."""
    folders = [folder / f"package{number:02}" for number in range(packages)]
    rules = [read_example("rule mcpgen").partition("\nbuild ")[0]]
    for number, package in enumerate(folders):
        make(package, tools, seed=number)
        rules.append(f"build {package.name}/mcp_gen/__init__.py: mcpgen {package.name}/mcpgen.toml")
        rules.append(f"  package = {package.name}/mcp_gen")
    (folder / "build.ninja").write_text("\n".join([*rules, ""]), "utf-8")
    return folders


def build(folder: Path, jobs: int, cache: str = "") -> Build:
    """Build with Ninja; `cache` is a folder for mcpgen's own cache, which it does without if there is none.

    Raises:
        RuntimeError: it failed.
    """
    environment = {**os.environ, "PATH": PATH, "MCPGEN_CACHE_DIR": cache}
    seconds, processor, output = _run(["ninja", "-v", f"-j{jobs}"], folder, environment)
    return Build(seconds, processor, output.count("mcpgen build"))


def _run(command: list[str], folder: Path, environment: Mapping[str, str]) -> tuple[float, float, str]:
    """Run a command; return the seconds, those of processors, and what it printed."""
    start, before = time.perf_counter(), os.times()
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(run.stdout + run.stderr)
    seconds, after = time.perf_counter() - start, os.times()
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    return seconds, processor, run.stdout + run.stderr


# --- Bazel ------------------------------------------------------------------------------------------------------------
def write_workspace(folder: Path) -> None:
    """Write the page's files for Bazel, for the packages in a folder with a `requirements.txt`."""
    tools = folder / "tools" / "mcpgen"
    tools.mkdir(parents=True)
    (folder / "WORKSPACE").touch()
    (folder / "BUILD.bazel").write_text('exports_files(["requirements.txt"])\n', "utf-8")
    (tools / "defs.bzl").write_text(read_example("# tools/mcpgen/defs.bzl"), "utf-8")
    (tools / "program.bzl").write_text(PROGRAM_RULE, "utf-8")
    attributes = 'script = "mcpgen.sh", data = ["//:requirements.txt"], visibility = ["//visibility:public"]'
    program = f'load(":program.bzl", "program")\nprogram(name = "mcpgen", {attributes})\n'
    (tools / "BUILD.bazel").write_text(program, "utf-8")
    (tools / "mcpgen.sh").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mcpgen "$@"\n', "utf-8")
    (tools / "mcpgen.sh").chmod(0o755)
    for settings in folder.glob("*/mcpgen.toml"):
        settings.with_name("BUILD.bazel").write_text(read_example("# weather/BUILD.bazel, and the same in tides/"))


def build_with_bazel(folder: Path, cache: str) -> Build:
    """Build with Bazel, each action in a sandbox; `cache` is the URL of a cache.

    Raises:
        RuntimeError: it failed.
    """
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    command = ["bazel", "--batch", f"--output_user_root={home}", "build", "//...", "--spawn_strategy=sandboxed"]
    command += ["--color=no", "--curses=no", f"--remote_cache={cache}"]
    environment = {"PATH": PATH, "HOME": str(home), "USER": "someone"}
    seconds, processor, output = _run(command, folder, environment)
    (line,) = re.findall(r"INFO: \d+ process(?:es)?: (.*)\.$", output, re.MULTILINE)
    counts = {kind: int(number) for number, kind in re.findall(r"(\d+) ([a-z -]+)", line)}
    cached = counts.pop("remote cache hit", 0)
    return Build(seconds, processor, sum(counts.values()) - counts.get("internal", 0), cached)


@contextmanager
def serve_cache() -> Iterator[str]:
    """Serve what Bazel calls a remote cache, on this machine: GET returns what PUT stored. Yield its URL."""
    entries: dict[str, bytes] = {}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(200 if self.path in entries else 404, entries.get(self.path, b""))

        def do_PUT(self) -> None:
            entries[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
            self._answer(200, b"")

        def _answer(self, status: int, data: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 128

    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


# --- two checkouts ----------------------------------------------------------------------------------------------------
def measure_shared(tools: int) -> Iterator[tuple[str, str, Build]]:
    """Build two checkouts of two packages with each build system; yield its name, the step, and what the step took.

    Raises:
        RuntimeError: a build failed, or two of them wrote different files.
    """
    with tempfile.TemporaryDirectory(prefix="mcpgen-") as name, serve_cache() as cache:
        project = Path(name, "project")
        packages = [package.name for package in write_packages(project, 2, tools)]
        (project / "requirements.txt").write_text("mcpgen\n", "utf-8")
        write_workspace(project)
        ninja = partial(build, jobs=os.cpu_count() or 1)
        ways: dict[str, Callable[[Path], Build]] = {
            "Ninja": ninja,
            "Ninja and mcpgen's cache": partial(ninja, cache=str(Path(name, "cache"))),
        }
        if shutil.which("bazel", path=PATH):
            ways["Bazel and --remote_cache"] = partial(build_with_bazel, cache=cache)
        written: dict[Path, bytes] = {}
        for way, run in ways.items():
            first, second = checkouts = [Path(name, way.replace(" ", "-"), number) for number in ("first", "second")]
            for checkout in checkouts:
                shutil.copytree(project, checkout)
            yield way, "first checkout", run(first)
            yield way, "second checkout", run(second)
            yield way, "second checkout, nothing to do", run(second)
            time.sleep(0.1)
            for checkout, step in ((second, "second checkout, an edit"), (first, "first checkout, the same edit")):
                change(checkout / packages[0], "Changed.")
                yield way, step, run(checkout)
                outputs = checkout / "bazel-bin" if way.startswith("Bazel") else checkout
                files = [path for package in packages for path in (outputs / package / "mcp_gen").rglob("*.*")]
                found = {path.relative_to(outputs): path.read_bytes() for path in files}
                written = written or found
                if not found or found != written:
                    raise RuntimeError(f"{way}, {step}: other files than before")


def main() -> None:
    """Measure, and print a line for each number of jobs, or for each build of the checkouts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.monorepo", description=__doc__)
    parser.add_argument("--packages", type=int, default=50)
    parser.add_argument("--tools", type=int, default=200, help="tools of each package")
    parser.add_argument("--jobs", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--shared", type=int, metavar="TOOLS", help="build two checkouts instead")
    options = parser.parse_args()
    for way, step, made in measure_shared(options.shared) if options.shared else ():
        time_taken = f"{made.seconds:.2f} s, {made.processor:.2f} s of processors"
        print(f"{way}: {step}: {time_taken}, {made.built} packages built, {made.cached} from the cache", flush=True)
    if options.shared:
        return
    with tempfile.TemporaryDirectory(prefix="mcpgen-") as name:
        folder = Path(name)
        packages = write_packages(folder, options.packages, options.tools)
        for jobs in options.jobs:
            for package in packages:
                shutil.rmtree(package / "mcp_gen", ignore_errors=True)
            results = [build(folder, jobs), build(folder, jobs)]
            time.sleep(0.1)
            change(packages[0], f"Changed before the build with {jobs} jobs.")
            results.append(build(folder, jobs))
            described = ", ".join(f"{result.seconds:.2f} s for {result.built} packages" for result in results)
            print(f"{jobs} jobs: {described}", flush=True)


if __name__ == "__main__":
    main()
