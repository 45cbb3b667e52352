"""What is said about patterns agrees with the engines: JavaScript's, with its flag u, and Python's."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import warnings

import pytest
from mcpgen.lint.patterns import Reader, find_unportable

PIECES = (
    r"a Z 0 é 🚀 - ^ $ | . / \d \w \- \_ \. \/ \A \Z \z \a \h \Q \# \b \B \0 \1 \2 \012 \p{L} \P{Lu} \pL \u00e9 "
    r"\u{e9} \x41 \x{41} \cA \k<n> \ud83d\ude80 * + ? *? ++ {2} {,2} {2,3} {2}+ { } [ [^ [] [^] ] ] [:alpha:] && z-a "
    r"( (?: (?= (?! (?<= (?<!a) (?<n> (?P<m> (?P=m) (?> (?i) (?i: (?#c) (?(1) ) ) )"
).split()
JAVASCRIPT = (
    "const read = p => { try { new RegExp(p, 'u'); return true } catch { return false } };"
    "console.log(JSON.stringify(JSON.parse(require('fs').readFileSync(0)).map(read)))"
)


@pytest.mark.ci
@pytest.mark.skipif(shutil.which("node") is None, reason="no Node")
def test_engines_refuse_what_is_reported_and_nothing_else() -> None:
    drawing = random.Random(38)
    patterns = ["".join(drawing.choices(PIECES, k=drawing.randint(1, 6))) for _ in range(3_000)]
    run = subprocess.run(
        ["node", "-e", JAVASCRIPT], input=json.dumps(patterns), capture_output=True, text=True, check=True
    )
    for pattern, is_ecma in zip(patterns, json.loads(run.stdout), strict=True):
        parts = find_unportable(pattern)
        assert is_ecma != any(Reader.ECMA_262 in part.refusing for part in parts), (pattern, parts)
        refuses = [part for part in parts if Reader.PYTHON in part.refusing]
        assert _is_read_by_python(pattern) != bool(refuses) or any(part.differs for part in parts), (pattern, parts)


def _is_read_by_python(pattern: str) -> bool:
    try:
        with warnings.catch_warnings(action="ignore"):
            re.compile(pattern)
    except re.error:
        return False
    return True


@pytest.mark.parametrize(
    ("pattern", "part", "replacement"),
    [
        ("^(?P<y>a)$", "(?P<y>", "(?<y>"),
        (r"a\Z", r"\Z", "$"),
        (r"[\w-.]", r"\w-.", r"\w\-."),
        ("[[:alpha:]]", "[[:alpha:]]", "[A-Za-z]"),
        ("a++", "++", "+"),
        (r"\u{1F680}", r"\u{1F680}", "🚀"),
        (r"(a)(?<y>b)\k<y>", r"\k<y>", r"\2"),
        ("[a-z&&[^b]]", "&&[^b]", "(?=[^b])"),
    ],
)
def test_the_part_and_its_replacement_are_named(pattern: str, part: str, replacement: str) -> None:
    assert any(found.text == part and f'"{replacement}"' in found.help for found in find_unportable(pattern))
