"""Count the tokens of stubs of ../shared/corpus against those of the JSON definitions of the same tools.

    python scripts/stub_tokens.py                    print a line for each server, and the totals
    python scripts/stub_tokens.py NAME …             take some of the servers
    python scripts/stub_tokens.py --vocabulary qwen3

A definition is the compact JSON of a Tool's name, description, inputSchema and outputSchema. Files are counted whole,
with their headers. Columns:

    definitions   tokens of all definitions
    index         tokens of `index.txt`, and their share
    stubs         tokens of all stubs, and their share
    median        share of a stub of the definition of the same tool, its median
    below         tools whose stub takes at most 40 %
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from mcpgen.vocabularies import DEFAULT_VOCABULARY, VOCABULARY_NAMES, TokenCounter, make_counter
from support import corpus

MEMBERS = ("name", "description", "inputSchema", "outputSchema")
GOAL = 0.4


@dataclass
class Tally:
    """Tokens of one server, or of all."""

    definitions: int = 0
    index: int = 0
    stubs: int = 0
    shares: list[float] = field(default_factory=list[float])

    def add(self, other: Tally) -> None:
        """Add the tokens of another tally."""
        self.definitions += other.definitions
        self.index += other.index
        self.stubs += other.stubs
        self.shares += other.shares

    def format(self) -> str:
        """Return the columns of the table."""
        below = sum(share <= GOAL for share in self.shares)
        return (
            f"{len(self.shares):5}  {self.definitions:9}  {self.index:6} {self.index / self.definitions:6.1%}  "
            f"{self.stubs:7} {self.stubs / self.definitions:6.1%}  {statistics.median(self.shares):6.1%}  {below:5}"
        )


def main() -> int:
    """Run; the exit code says whether every package was built."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="*", default=corpus.SOURCES)
    parser.add_argument("--vocabulary", choices=VOCABULARY_NAMES, default=DEFAULT_VOCABULARY)
    options = parser.parse_args()
    count, total, failed = make_counter(options.vocabulary), Tally(), False
    print(f"{'':42} tools  definitions  index         stubs           median  below")
    for source in options.sources:
        with tempfile.TemporaryDirectory() as name:
            run = corpus.build(source, Path(name), "mcp", settings="stubs = true\n")
            if run.returncode:
                print(f"{source}: exit code {run.returncode}\n{run.stderr[-3000:]}")
                failed = True
                continue
            tally = count_stubs(source, Path(name) / corpus.package_name(Path(name)), count)
        print(f"{source:42} {tally.format()}", flush=True)
        total.add(tally)
    print(f"{'total':42} {total.format()}")
    return failed


def count_stubs(source: str, package: Path, count: TokenCounter) -> Tally:
    """Return the tokens of the stubs of one server."""
    definitions = {
        tool["name"]: count(
            json.dumps({key: tool[key] for key in MEMBERS if key in tool}, ensure_ascii=False, separators=(",", ":"))
        )
        for tool in corpus.tools_of(source)
    }
    stubs = {path.stem: count(path.read_text("utf-8")) for path in (package / "stubs").glob("*.pyi")}
    shares: list[float] = []
    for path in (package / "tools").glob("*.json"):
        content = json.loads(path.read_text("utf-8"))
        function = content.get("attribute", path.stem)
        shares.append(stubs[function if function in stubs else f"{function}_"] / definitions[content["tool"]["name"]])
    index = count((package / "stubs" / "index.txt").read_text("utf-8"))
    return Tally(sum(definitions.values()), index, sum(stubs.values()), shares)


if __name__ == "__main__":
    sys.exit(main())
