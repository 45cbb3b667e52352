"""Model of the reference: what a page says, as plain text, before it is Markdown or HTML.

Every text in it shows the invisible characters of the definition, so that nothing on a page is hidden from its reader.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

PageKind: TypeAlias = Literal["tool", "resource", "template", "prompt", "form"]


@dataclass(frozen=True)
class LabelPart:
    """Part of the name of a type; with a `target`, the anchor of the table that describes it."""

    text: str
    target: str = ""


@dataclass(frozen=True)
class Fact:
    """Something that a schema says about a value, in words, and the values that it names."""

    words: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Member:
    """Row of a table: a property of an object, an argument of a prompt, or a variable of a URI."""

    anchor: str
    name: str
    label: tuple[LabelPart, ...]
    is_required: bool
    description: str = ""
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True)
class TypeTable:
    """Table of a type: the members of an object, or what is said about another value."""

    anchor: str
    title: str
    label: tuple[LabelPart, ...]
    description: str = ""
    facts: tuple[Fact, ...] = ()
    members: tuple[Member, ...] = ()


@dataclass(frozen=True)
class Section:
    """Part of a page about values, with a heading: the tables of a schema."""

    anchor: str
    heading: str
    root: TypeTable
    nested: Sequence[TypeTable] = ()
    """The tables of the types inside."""


@dataclass(frozen=True)
class Listing:
    """Text that is shown as it is, such as an example; `language` is what it is written in. It may be empty."""

    anchor: str
    heading: str
    text: str
    language: str = ""
    remark: str = ""


@dataclass(frozen=True)
class Bar:
    """Row of a bar chart: the size of a text."""

    name: str
    bytes: int
    tokens: int | None = None
    share: int = 0
    """Length of the bar in percent of the longest one."""


@dataclass(frozen=True)
class HostRow:
    """Row of a table of hosts: those whose models read the same parts of a result."""

    hosts: str
    shown: str
    omitted: str
    sizes: str


@dataclass(frozen=True)
class Note:
    """Lint finding, or change since a revision."""

    code: str
    severity: str
    text: str
    help: str = ""


@dataclass(frozen=True)
class Page:
    """Page about a tool, resource, resource template, prompt or form."""

    kind: PageKind
    slug: str
    name: str
    title: str
    description: str
    hints: tuple[str, ...] = ()
    """What annotations promise, in words."""
    uri: str = ""
    mime_type: str = ""
    sections: tuple[Section, ...] = ()
    listings: tuple[Listing, ...] = ()
    bars: tuple[Bar, ...] = ()
    hosts: tuple[HostRow, ...] = ()
    findings: tuple[Note, ...] = ()
    changes: tuple[Note, ...] = ()

    @property
    def anchor(self) -> str:
        """Id of the page in the HTML."""
        return f"{self.kind}-{self.slug}"

    @property
    def path(self) -> str:
        """Path of its Markdown file."""
        return f"{_FOLDERS[self.kind]}/{self.slug}.md"

    @property
    def cost(self) -> Bar | None:
        """Size of the definition of a tool."""
        return self.bars[0] if self.bars else None

    @property
    def summary(self) -> str:
        """First sentence or line of its description."""
        first = self.description.strip().partition("\n")[0].strip()
        sentence, stop, _ = first.partition(". ")
        text = sentence + stop.strip()
        return text if len(text) <= 160 else text[:159].rstrip() + "…"


_FOLDERS = {
    "tool": "tools",
    "resource": "resources",
    "template": "resource-templates",
    "prompt": "prompts",
    "form": "forms",
}


@dataclass(frozen=True)
class SiteHead:
    """What the index says about the server as a whole."""

    title: str
    instructions: tuple[str, ...] = ()
    since: str = ""
    """The git revision that changes are shown since; empty: none are."""
    vocabulary: str = ""
    """The vocabulary that tokens are counted with; empty: they are not."""
    removed: tuple[Note, ...] = ()
    """Changes that concern no page, such as tools that are gone."""


# --- names of files and anchors --------------------------------------------------------------------------------------
_MAX_LENGTH = 80
_RESERVED = re.compile(r"index|readme|con|prn|aux|nul|(?:com|lpt)\d|(?:.*-)?[0-9a-f]{12}")
"""Names that mean something to makers of sites, that Windows keeps for devices, or that end like those with a hash."""


def slugify(name: str) -> str:
    """Return a name in lower case with `-` in place of what is neither an ASCII letter nor a digit nor `_`."""
    return re.sub(r"[^a-z0-9_]+", "-", name.lower()).strip("-")[:_MAX_LENGTH].rstrip("-")


def make_slugs(names: Iterable[str]) -> dict[str, str]:
    """Return a different slug for each name; those that would be alike, empty or reserved end in a hash of the name."""
    slugs = {name: slugify(name) for name in names}
    counts = Counter(slugs.values())
    return {
        name: slug if slug and counts[slug] == 1 and not _RESERVED.fullmatch(slug) else _add_hash(slug, name)
        for name, slug in slugs.items()
    }


def _add_hash(slug: str, name: str) -> str:
    digest = hashlib.sha256(name.encode()).hexdigest()[:12]
    return f"{slug}-{digest}".lstrip("-")


class AnchorSet:
    """Anchors of a page, each given once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def add(self, wanted: str) -> str:
        """Return an anchor, with a number behind it if it is taken."""
        anchor, number = wanted, 2
        while anchor in self._taken:
            anchor, number = f"{wanted}-{number}", number + 1
        self._taken.add(anchor)
        return anchor
