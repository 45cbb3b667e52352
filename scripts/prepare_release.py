"""Check that the checkout is what a tag says, and write the repository's name into the metadata; release.yml runs it.

python scripts/prepare_release.py --tag v0.1.0 --repository owner/mcpgen
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

PLACEHOLDER = "OWNER/mcpgen"
"""What stands for the repository in a checkout: forks publish under names of their own."""
TEXTS = ("pyproject.toml", "README.md", "runtime/pyproject.toml", "runtime/README.md")
SOURCES = ("codegen/mcpgen/__init__.py", "runtime/src/mcpgen_runtime/__init__.py")
"""Modules that state the version of their distribution."""


def main(arguments: list[str] | None = None, top: Path = Path()) -> int:
    """Run; the exit code says whether the checkout may be released."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tag", required=True, help="the tag of the release, such as v0.1.0")
    parser.add_argument("--repository", required=True, help="the repository, as owner/name")
    options = parser.parse_args(arguments)
    problems = [*find_problems(options.tag, top)]
    for problem in problems:
        print(f"not released: {problem}", file=sys.stderr)
    if not problems:
        name_repository(options.repository, top)
    return bool(problems)


def find_problems(tag: str, top: Path) -> Iterator[str]:
    """Yield what of the checkout does not fit the tag."""
    version = tag.removeprefix("v")
    if not re.fullmatch(r"v\d+\.\d+\.\d+", tag):
        yield f"{tag} is no tag of a release; it has to be v and a version, such as v1.2.3"
        return
    for file, found in read_versions(top):
        if found.removeprefix("mcpgen-runtime ") != version:
            yield f"{file} says {found}, the tag {version}"
    changelog = (top / "CHANGELOG.md").read_text("utf-8")
    heading = re.search(rf"^## \[{re.escape(version)}\] - (.*)$", changelog, re.MULTILINE)
    if heading is None:
        yield f"CHANGELOG.md has no section for {version}"
    elif not re.fullmatch(r"\d{4}-\d\d-\d\d", heading[1]):
        yield f"CHANGELOG.md has no date for {version}: write ## [{version}] - YYYY-MM-DD"


def read_versions(top: Path) -> Iterator[tuple[str, str]]:
    """Yield each file that states the version, and what it states."""
    for source in SOURCES:
        stated = re.search(r'^__version__ = "(.*)"$', (top / source).read_text("utf-8"), re.MULTILINE)
        yield source, stated[1] if stated else "nothing"
    pinned = re.search(r'"mcpgen-runtime==(.*)"', (top / "pyproject.toml").read_text("utf-8"))
    yield "pyproject.toml", f"mcpgen-runtime {pinned[1]}" if pinned else "nothing"


def name_repository(repository: str, top: Path) -> None:
    """Replace the placeholder in what the distributions contain."""
    for file in TEXTS:
        path = top / file
        path.write_text(path.read_text("utf-8").replace(PLACEHOLDER, repository), "utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main())
