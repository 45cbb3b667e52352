"""Diagnostics about the user's input: message, place and help, under a code of the catalogue."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path

MOST_JOINED = 5
"""Words that a message lists before it counts the rest."""


class Severity(StrEnum):
    """Severity of a diagnostic. Only an error stops the build."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Span:
    """Place in an input file, or a server. `line` and `column` start at 1, columns count characters; 0 if unknown."""

    file: str
    line: int = 0
    column: int = 0
    pointer: str = ""
    text: str = ""
    """Source line, or the part of it around the place, to print with a caret; may be empty."""
    start: int = 1
    """Column at which `text` begins."""
    is_file: bool = True
    """Whether `file` is the path of a file; otherwise it names a server."""
    revision: str = ""
    """The git revision that has this file; empty for the file as it is now."""
    pulled: str = ""
    """The name or URI, on its server, of the pulled definition that this is in; empty in what the user wrote."""

    @classmethod
    def of_server(cls, name: str) -> Span:
        """Return the place of what is wrong with a server: no file, but its name for people."""
        return cls(name, is_file=False)

    @property
    def is_current(self) -> bool:
        """Whether the place is one in a file as it is now, where an editor can show it."""
        return self.is_file and not self.revision

    def format_line(self) -> str:
        """Return the file, and the line if it is known: `a.json:3`."""
        return f"{self.file}:{self.line}" if self.line else self.file

    def format_place(self) -> str:
        """Return the place for people: `a.json:3:5`, or `a.json at HEAD, line 3`."""
        if self.revision:
            return f"{self.file} at {self.revision}" + (f", line {self.line}" if self.line else "")
        return self.file + (f":{self.line}:{self.column}" if self.line else "")


@dataclass(frozen=True)
class Diagnostic:
    """Message about the input. `code` is a key of `CATALOGUE`; a code never changes its meaning."""

    code: str
    message: str
    span: Span | None = None
    help: str = ""
    severity: Severity = Severity.ERROR


EXPLANATIONS_FOLDER = Path(__file__).resolve().parent / "explanations"
"""The folder with a Markdown file for each code."""


class _Catalogue(Mapping[str, str]):
    """The meaning of each code in one line: the heading of its explanation, which is read when it is asked for."""

    @cached_property
    def _codes(self) -> dict[str, None]:
        return dict.fromkeys(sorted(path.stem for path in EXPLANATIONS_FOLDER.glob("MG*.md")))

    def __getitem__(self, code: str) -> str:
        if code not in self._codes:
            raise KeyError(code)
        with (EXPLANATIONS_FOLDER / f"{code}.md").open(encoding="utf-8") as file:
            return file.readline().strip("# \n")

    def __contains__(self, code: object) -> bool:
        return code in self._codes

    def __iter__(self) -> Iterator[str]:
        return iter(self._codes)

    def __len__(self) -> int:
        return len(self._codes)


CATALOGUE = _Catalogue()
"""Codes of all diagnostics, sorted, with their meanings."""

LINT_FAMILY = "MG9"
"""How the codes of lint rules begin, but for `CLIENT_NOTE`."""
CLIENT_NOTE = "MG111"
"""A lint rule that is older than its family."""

_ABOUT_DEFINITIONS = tuple(
    "MG003 MG004 MG005 MG010 MG10 MG111 MG114 MG115 MG116 MG117 MG118 MG119 MG12 "
    "MG90 MG91 MG92 MG931 MG932 MG933 MG934 MG94".split()
)
"""How the codes begin whose help says what to write in a definition."""


def suggest_exclusion(name: str) -> str:
    """Return how the user gets rid of a pulled definition; its file is not the user's to edit."""
    return f"leave it out: mcpgen pull --exclude {shlex.quote(name)} SERVER"


def _advise_on_pulled(item: Diagnostic) -> Diagnostic:
    """Return a diagnostic whose help does not say what to write in a file that `pull` writes."""
    name = item.span.pulled if item.span is not None else ""
    if not name or not item.code.startswith(_ABOUT_DEFINITIONS) or suggest_exclusion(name) in item.help:
        return item
    return replace(item, help=f"tell who runs the server, or {suggest_exclusion(name)}")


def is_lint_code(code: str) -> bool:
    """Report whether a diagnostic comes from a lint rule, which the settings select."""
    return code.startswith(LINT_FAMILY) or code == CLIENT_NOTE


class Findings:
    """Diagnostics of a run, in the order of their discovery."""

    def __init__(self) -> None:
        self._items: list[Diagnostic] = []

    def error(self, code: str, message: str, span: Span | None = None, help: str = "") -> None:
        """Record an error. The run continues, so that all errors are reported at once."""
        self.add(Diagnostic(code, message, span, help, Severity.ERROR))

    def warn(self, code: str, message: str, span: Span | None = None, help: str = "") -> None:
        """Record a warning."""
        self.add(Diagnostic(code, message, span, help, Severity.WARNING))

    def note(self, code: str, message: str, span: Span | None = None, help: str = "") -> None:
        """Record a note."""
        self.add(Diagnostic(code, message, span, help, Severity.NOTE))

    def extend(self, items: Iterable[Diagnostic]) -> None:
        """Record diagnostics as they are."""
        for item in items:
            self.add(item)

    def add(self, item: Diagnostic) -> None:
        """Record a diagnostic as it is; raise `KeyError` if its code is not in the catalogue."""
        if item.code not in CATALOGUE:
            raise KeyError(f"{item.code} is not in the catalogue of diagnostics")
        self._items.append(_advise_on_pulled(item))

    def take(self, start: int) -> list[Diagnostic]:
        """Remove the diagnostics from a number on, counted from 0, and return them."""
        taken = self._items[start:]
        del self._items[start:]
        return taken

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    @property
    def errors(self) -> list[Diagnostic]:
        """The errors among the diagnostics."""
        return [item for item in self._items if item.severity is Severity.ERROR]

    @property
    def failed(self) -> bool:
        """Tell whether there is an error among the diagnostics."""
        return any(item.severity is Severity.ERROR for item in self._items)

    def sorted(self) -> list[Diagnostic]:
        """Return the distinct diagnostics, sorted by file, position, code and message."""

        def get_sort_key(item: Diagnostic) -> tuple[str, int, int, str, str]:
            span = item.span or Span("")
            return (span.file, span.line, span.column, item.code, item.message)

        return sorted(dict.fromkeys(self._items), key=get_sort_key)


def join_words(words: Sequence[str], conjunction: str = "and", most: int = MOST_JOINED) -> str:
    """Join the words of a message with commas, the last one with a conjunction; a long list is cut."""
    if len(words) > most:
        words = [*words[:most], f"{len(words) - most} more"]
    return f" {conjunction} ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)
