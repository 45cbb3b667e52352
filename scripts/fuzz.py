"""Feed changed input to the readers and to generated classes, and say what breaks; `--seconds 600` is a long run.

Guided by coverage where atheris is installed (`pip install -e '.[fuzz]'`), else by chance; the same run again for the
same `--seed` and `--runs`. Each finding is a line, and a file in `.fuzz` that `--replay` runs again.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "codegen")]
GUIDED_PACKAGES = ["mcpgen", "fuzzed_package"]


def main() -> int:
    """Fuzz, print the findings, and return how the run ended: 0 when there are none."""
    options = _parse_options()
    if options.worker:
        return _work(options)
    from support.fuzz import targets as fuzz_targets
    from support.fuzz.engine import Run, fuzz, inputs_of

    guided = importlib.util.find_spec("atheris") is not None and not options.plain
    names = options.target or [*fuzz_targets.TARGETS]
    with tempfile.TemporaryDirectory() as folder:
        fuzz_targets.prepare(Path(folder))
        if options.replay:
            return _replay(options, Path(folder))
        run = Run(options.findings, names, options.seed, 0 if options.runs else options.seconds, options.runs, guided)
        findings = fuzz(run, Path(folder))
    for finding in findings:
        print(finding.line)
    how = "guided" if guided else "not guided"
    print(f"{len(names)} targets, {inputs_of(options.findings)} inputs, {how}: {len(findings)} findings")
    return 1 if findings else 0


def _parse_options() -> Any:
    from support.fuzz.targets import TARGETS

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20.0, help="how long, all targets together")
    parser.add_argument("--runs", type=int, default=0, help="how many inputs in place of that, for a run to repeat")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--target", action="append", choices=[*TARGETS], help="what to fuzz; may be given again")
    parser.add_argument("--findings", type=Path, default=ROOT / ".fuzz", help="a folder for what is found")
    parser.add_argument("--plain", action="store_true", help="without atheris, even where it is installed")
    parser.add_argument("--replay", type=Path, help="run the file of a finding again, and nothing else")
    for name in ("--worker", "--package", "--corpus"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    parser.add_argument("--guided", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _work(options: Any) -> int:
    """Be a worker: in a process of its own, which an input may end."""
    atheris: Any = None
    if options.guided:
        atheris = importlib.import_module("atheris")
        with atheris.instrument_imports(include=GUIDED_PACKAGES, enable_loader_override=False):
            _import_package(Path(options.package))
    else:
        _import_package(Path(options.package))
    from support.fuzz.engine import Worker, run_guided, run_plain

    worker, names = Worker(options.findings), options.worker.split(",")
    if atheris is not None:
        corpus = Path(options.corpus) / names[0]
        run_guided(atheris, names[0], worker, options.seed, options.seconds, options.runs, corpus)
    run_plain(names, worker, options.seed, options.seconds, options.runs)
    return 0


def _import_package(package: Path) -> None:
    """Import what is fuzzed."""
    from support.fuzz import targets as fuzz_targets

    fuzz_targets.use(package)


def _replay(options: Any, package: Path) -> int:
    """Run one input, and let what it raises be seen."""
    from support.fuzz import targets as fuzz_targets

    fuzz_targets.use(package)
    name = options.replay.name.split("-")[0]
    fuzz_targets.TARGETS[name].run(options.replay.read_bytes())
    print(f"{name}: nothing is wrong")
    return 0


if __name__ == "__main__":
    sys.exit(main())
