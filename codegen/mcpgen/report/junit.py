"""JUnit's XML, which CI servers show as a table of tests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class JunitCase:
    """A test case: the kind of what was tested, its name, how long it took, and why it failed or was skipped."""

    kind: str
    name: str
    seconds: float = 0
    failures: Sequence[tuple[str, str]] = ()
    """The type of each failure, and its text."""
    skipped: str = ""

    @property
    def is_skipped(self) -> bool:
        """Whether it was not tested, as far as is known."""
        return bool(self.skipped) and not self.failures


def write_junit(path: Path, suite: str, cases: Sequence[JunitCase]) -> None:
    """Write a suite of test cases to a file; raise OSError if that fails."""
    failed, skipped = sum(bool(case.failures) for case in cases), sum(case.is_skipped for case in cases)
    counts = {"tests": len(cases), "failures": failed, "errors": 0, "skipped": skipped}
    attributes = {"name": suite, **{name: str(count) for name, count in counts.items()}, "time": _format_seconds(cases)}
    root = ElementTree.Element("testsuites", attributes)
    parent = ElementTree.SubElement(root, "testsuite", attributes)
    for case in cases:
        name, kind = _clean(case.name), _clean(case.kind)
        element = ElementTree.SubElement(parent, "testcase", name=name, classname=kind, time=_format_seconds([case]))
        if case.failures:  # one element, since many readers of JUnit show no second one
            kinds = ", ".join(dict.fromkeys(kind for kind, _ in case.failures))
            text = _clean("\n\n".join(text for _, text in case.failures))
            message = text.partition("\n")[0]
            ElementTree.SubElement(element, "failure", type=_clean(kinds), message=message).text = text
        elif case.is_skipped:
            ElementTree.SubElement(element, "skipped", message=_clean(case.skipped))
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def _format_seconds(cases: Sequence[JunitCase]) -> str:
    return f"{sum(case.seconds for case in cases):.3f}"


def _clean(text: str) -> str:
    """Return a text without characters that XML cannot have."""
    return _NOT_XML.sub("\ufffd", text)
