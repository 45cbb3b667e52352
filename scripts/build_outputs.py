"""Build the example, and every file of ../shared/corpus/tools, into a folder, with an empty cache.

Run in two environments, it shows whether other versions of libraries make other output:

    .venv/bin/python scripts/build_outputs.py /tmp/newest
    .venv-oldest/bin/python scripts/build_outputs.py /tmp/oldest
    diff -r /tmp/newest /tmp/oldest
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from mcpgen.libraries import list_untested
from support import corpus
from support.packages import mcpgen
from support.repository import ROOT

LIBRARIES = ("black", "datamodel-code-generator", "jinja2", "jsonschema-rs", "pydantic")


def main() -> int:
    """Run; the exit code says whether every build succeeded."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    every = ["example", *corpus.SOURCES]
    parser.add_argument("sources", nargs="*", default=every, help='files of the corpus, or "example"; by default all')
    options = parser.parse_args()
    folder: Path = options.folder.absolute()
    failed: list[str] = []
    with tempfile.TemporaryDirectory() as cache:
        os.environ["MCPGEN_CACHE_DIR"] = cache
        for source in options.sources:
            run = build(source, folder / source)
            if run.returncode:
                failed.append(source)
                print(f"{source}: exit code {run.returncode}\n{run.stderr[-3000:]}", file=sys.stderr)
    files = sum(path.is_file() for path in folder.rglob("*"))
    versions = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    print(f"{len(options.sources)} packages, {files} files, {len(failed)} failed: {versions}")
    for sentence in list_untested():
        print(sentence)
    return bool(failed)


def build(source: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Build one package, with what the build says beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    if source == "example":
        run = mcpgen("build", "--out", str(folder / "package"), cwd=ROOT)
    else:
        run = corpus.build(source, folder, out="package")
    (folder / "messages.txt").write_text(run.stderr.replace(str(folder), "FOLDER"), "utf-8")
    return run


if __name__ == "__main__":
    sys.exit(main())
