"""Diagnostics about the user's input: message, place and help, under a code of the catalogue."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

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


CATALOGUE: dict[str, str] = {
    "MG001": "a file or folder cannot be read",
    "MG002": "a file is not valid JSON or YAML",
    "MG003": "a file has none of the recognised shapes",
    "MG004": "a Tool, Resource or ResourceTemplate does not follow the MCP schema",
    "MG005": "a definition has a member that MCP does not define",
    "MG006": "an x-mcpgen choice is unknown or has a wrong value",
    "MG007": "the input defines nothing to generate",
    "MG009": "the input goes beyond one of the `limits`",
    "MG010": "a URI template is malformed or beyond level 3 of RFC 6570",
    "MG101": "a schema does not follow its dialect's meta-schema",
    "MG102": "a $schema names a dialect that is not supported",
    "MG103": "a $ref points nowhere",
    "MG104": "a $ref leaves the input folder or needs the network",
    "MG105": "a schema keyword looks misspelt",
    "MG106": "a required property can never be present",
    "MG107": "the types are wider than the schema",
    "MG109": "the validator that generated code uses cannot read a schema",
    "MG110": "a pattern needs backtracking, so only short strings can be matched",
    "MG111": "some clients cannot use a tool",
    "MG112": "no example of a tool was found",
    "MG113": "a result is wrapped in an object under every protocol version",
    "MG114": "an enum or const has a value that its type excludes",
    "MG115": "a keyword that is not part of JSON Schema has no effect",
    "MG116": "a required name or a format looks misspelt",
    "MG117": "nothing describes a required property",
    "MG118": "a keyword has no effect where it stands",
    "MG119": "two bounds exclude every value",
    "MG120": "a closed part forbids a property of the others",
    "MG121": "a default or an example breaks its own schema",
    "MG201": "two definitions have the same Python name",
    "MG202": "a name cannot be a Python name",
    "MG203": "a name is defined twice",
    "MG301": "the settings file cannot be read",
    "MG302": "a setting is unknown or has a wrong value",
    "MG303": "a file that `init` or `handlers` would write exists already",
    "MG304": "a path in the settings is outside the project",
    "MG307": "a package would hide a module that Python or generated code imports",
    "MG308": "the settings name a definition that nothing defines",
    "MG309": "the project does not list what its generated package imports",
    "MG401": "a generated file was edited by hand",
    "MG402": "a file that is not mcpgen's is in the way",
    "MG403": "a generated file is stale",
    "MG404": "the output cannot be written",
    "MG405": "a generated file is missing",
    "MG406": "a generated file is orphaned",
    "MG407": "a build was interrupted",
    "MG408": "a folder of mcpgen's own is open to others",
    "MG409": "a build would change the kind of an existing package",
    "MG501": "a content template is not valid Jinja",
    "MG502": "a content template uses something that cannot be compiled",
    "MG503": "a content template names a field or variable that does not exist",
    "MG504": "a content template uses a value that may be absent",
    "MG505": "a content template uses a value of the wrong type",
    "MG506": "a content template cannot be read",
    "MG507": "a content template belongs to no tool",
    "MG508": "a tool cannot use its content template",
    "MG509": "a content strategy does not fit its tool's outputSchema",
    "MG601": "a generated class breaks what mcpgen promises about it",
    "MG602": "a generated package cannot be imported, or has no such tool",
    "MG603": "no valid value was drawn for a class",
    "MG604": "what was asked for cannot be shown",
    "MG605": "tokens cannot be counted",
    "MG606": "a tool goes beyond a budget of tokens",
    "MG701": "a server or its options are named wrongly",
    "MG702": "no MCP SDK is installed to ask a server with, or to serve",
    "MG703": "a module holds no server, or one that fails to run",
    "MG704": "a server cannot be started or reached",
    "MG705": "a server ended before it answered",
    "MG706": "a server did not answer in time",
    "MG707": "a server asks for authorisation",
    "MG708": "a server answered with an error, or with something that is not an MCP message",
    "MG709": "a server does not speak the protocol version that was asked for",
    "MG710": "a definition that a server sent is not a valid Tool, Resource or ResourceTemplate",
    "MG711": "a server advertises two definitions of one name",
    "MG712": "what a server advertises has no end, or goes beyond one of the `limits`",
    "MG713": "a server sent choices that only the user may make",
    "MG714": "a reference in a server's schema was corrected",
    "MG715": "what a server advertises holds a secret that it was given",
    "MG716": "what a server advertises differs from the definitions",
    "MG717": "a server describes a definition differently",
    "MG718": "a part of a recording cannot be used for a schema",
    "MG719": "a schema refuses a recorded result",
    "MG720": "the class that a handler returns does not fit the outputSchema",
    "MG721": "an answer of a running server breaks what it promises",
    "MG801": "a change breaks those who read results",
    "MG802": "a change breaks those who call tools",
    "MG803": "a change breaks those who rely on a tool as such",
    "MG804": "a change breaks those who read resources",
    "MG805": "a change in what the model reads",
    "MG806": "a change in what a tool's annotations promise",
    "MG807": "a change breaks programs that import the generated package",
    "MG808": "whether a change breaks somebody could not be decided",
    "MG809": "an acknowledged change was not found",
    "MG810": "a git revision cannot be read",
    "MG811": "a change breaks those who use prompts",
    "MG812": "what models and people read has changed",
    "MG813": "a tool, resource or prompt is new",
    "MG901": "a text for models or people holds invisible characters",
    "MG902": "clients must refuse the URI of an icon",
    "MG903": "clients must leave out a tool because of its x-mcp-header",
    "MG904": "annotations of a tool contradict each other",
    "MG905": "clients refuse a pattern, or read it differently",
    "MG906": "clients refuse multiples of a number",
    "MG907": "clients refuse the elements of a tuple with a rest",
    "MG908": "no resource declares the user interface of a tool",
    "MG911": "the specification advises against the name of a tool",
    "MG912": "a client refuses the name of a tool",
    "MG913": "two tools have one name in a client",
    "MG914": "an API refuses the name of a property",
    "MG921": "an API refuses a keyword at the root of an inputSchema",
    "MG922": "a client refuses true or false as a schema",
    "MG923": "an outputSchema's root is not an object",
    "MG924": "a parameter has no type",
    "MG925": "an array has no items",
    "MG926": "a strict mode refuses a schema that contains itself",
    "MG927": "a strict mode does not know a format",
    "MG928": "an inputSchema is larger than a strict mode allows",
    "MG929": "a strict mode refuses an object with further properties",
    "MG931": "a definition has no description",
    "MG932": "two definitions have the same description",
    "MG933": "a parameter has no description",
    "MG934": "a tool has two titles",
    "MG935": "nobody has chosen the text of a result",
    "MG936": "a content template prints a value that may be null",
    "MG941": "an API refuses a tuple of draft-07",
    "MG942": "an API refuses a value of an enum",
    "MG943": "a client refuses or cuts a long description",
}
"""Codes of all diagnostics, with their meaning in one line."""

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
        """Record a diagnostic as it is.

        Raises:
            KeyError: its code is not in the catalogue.
        """
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


def join_words(words: Sequence[str], conjunction: str = "and") -> str:
    """Join the words of a message with commas, the last one with a conjunction; a long list is cut."""
    if len(words) > MOST_JOINED:
        words = [*words[:MOST_JOINED], f"{len(words) - MOST_JOINED} more"]
    return f" {conjunction} ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)
