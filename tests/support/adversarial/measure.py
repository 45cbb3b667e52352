"""Measure what generated code spends on adversarial values: `python tests/support/adversarial/measure.py`."""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "codegen"), str(ROOT / "tests")]

from support.adversarial.pairs import PAIRS  # noqa: E402
from support.adversarial.ways import CPU_SECONDS, WAYS, Built, Verdict, build, measure  # noqa: E402


def main() -> int:
    """Measure, print a line for each pair and way, and say how many are not as they have to be."""
    options = _options()
    pairs = [pair for pair in PAIRS.values() if re.search(options.only, pair.name)]
    verdicts: list[Verdict] = []
    with tempfile.TemporaryDirectory() as folder:
        built: Built = build(Path(folder), pairs)
        for pair in pairs:
            for way in options.way or WAYS:
                verdict = measure(built, pair, way, options.bytes, options.cpu) if way in pair.ways else None
                if verdict is not None:
                    verdicts.append(verdict)
                    if not (options.failures and verdict.good):
                        print(line(verdict), flush=True)
    bad = [verdict for verdict in verdicts if not verdict.good]
    print(f"{len(pairs)} pairs, {len(verdicts)} measurements, {len(bad)} not as they have to be")
    if options.json:
        text = json.dumps([asdict(verdict) for verdict in verdicts], indent=1)
        Path(options.json).write_text(text + "\n", "utf-8")
    if options.plots:
        from support.adversarial.plots import draw

        print(draw(verdicts, Path(options.plots)))
    return 1 if bad else 0


def _options() -> Any:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="a regular expression for the names of pairs")
    parser.add_argument("--way", action="append", choices=[*WAYS], help="a way in; may be given again")
    parser.add_argument("--bytes", type=int, default=8_000_000, help="the largest value's size")
    parser.add_argument("--cpu", type=int, default=CPU_SECONDS, help="seconds of CPU that one reading may take")
    parser.add_argument("--failures", action="store_true", help="print only what is not as it has to be")
    parser.add_argument("--json", help="a file for the figures")
    parser.add_argument("--plots", nargs="?", const=str(ROOT / "docs" / "plots"), help="a folder for plots")
    return parser.parse_args()


def line(verdict: Verdict) -> str:
    """Return the table's line of a verdict: pair, way, milliseconds at each size, what came out."""
    counted = [reading for reading in verdict.readings if reading.get("counts")]
    sizes = f"{counted[0]['size']} ({counted[0]['bytes']} bytes) and doubled" if counted else "-"
    spent = "  ".join(f"{item['ms']:8.1f}" for item in counted)
    verdict_text = "good" if verdict.good else f"BAD  {verdict.why}"
    if verdict.good and counted and counted[-1]["limited"]:
        verdict_text += f", refused: {counted[-1]['said'][:60]}"
    return f"{verdict.pair:50} {verdict.way:13} {sizes:40} {spent:40} {verdict_text}"


if __name__ == "__main__":
    sys.exit(main())
