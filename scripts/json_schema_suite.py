"""The JSON Schema test suite through generated classes, as a table by keyword."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support import json_schema_suite as suite


def main() -> int:
    """Run; the exit code says whether there was any disagreement."""
    rows: list[suite.Row] = []
    for dialect in suite.DIALECTS:
        keywords = suite.keywords(dialect)
        with tempfile.TemporaryDirectory() as name:
            rows += suite.run(
                dialect, [keyword for keyword in sys.argv[1:] or keywords if keyword in keywords], Path(name)
            )
    for row in rows:
        print(
            f"{row.dialect:13} {row.keyword:25} groups {row.groups:3}  tests {row.agreed:4}/{row.tests:4}  "
            f"refused {row.refused_groups:2} groups, {row.refused_tests:2} tests"
        )
        for problem in row.problems:
            print("   ", problem)
    print(
        f"agreed {sum(row.agreed for row in rows)} of {sum(row.tests for row in rows)}, refused "
        f"{sum(row.refused_tests for row in rows)} under a custom meta-schema"
    )
    return any(row.problems for row in rows)


if __name__ == "__main__":
    sys.exit(main())
