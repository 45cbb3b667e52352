"""JUnit's XML, which CI servers show as a table of tests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class JunitCase(NamedTuple):
    """A test case, with the type and the text of each failure, or why it was skipped."""

    kind: str
    name: str
    seconds: float = 0
    failures: Sequence[tuple[str, str]] = ()
    skipped: str = ""


def write_junit(path: Path, suite: str, cases: Sequence[JunitCase]) -> None:
    """Write a suite of test cases to a file; raise OSError if that fails."""
    failed, skipped = sum(bool(case.failures) for case in cases), sum(bool(case.skipped) for case in cases)
    counts = {"tests": len(cases), "failures": failed, "errors": 0, "skipped": skipped}
    seconds = f"{sum(case.seconds for case in cases):.3f}"
    attributes = {"name": suite, **{name: str(count) for name, count in counts.items()}, "time": seconds}
    root = ElementTree.Element("testsuites", attributes)
    parent = ElementTree.SubElement(root, "testsuite", attributes)
    for case in cases:
        names = {"name": _clean(case.name), "classname": case.kind, "time": f"{case.seconds:.3f}"}
        element = ElementTree.SubElement(parent, "testcase", names)
        if case.failures:  # one element, since many readers of JUnit show no second one
            kinds = ", ".join(dict.fromkeys(_clean(kind) for kind, _ in case.failures))
            text = _clean("\n\n".join(text for _, text in case.failures))
            ElementTree.SubElement(element, "failure", type=kinds, message=text.partition("\n")[0]).text = text
        elif case.skipped:
            ElementTree.SubElement(element, "skipped", message=case.skipped)
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def _clean(text: str) -> str:
    """Return a text without characters that XML cannot have."""
    return _NOT_XML.sub("\ufffd", text)
