"""What a compatibility rule is: an id, a category, a severity, a line of documentation and a function that finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from mcpgen.compat.gap import Gap, Kind
from mcpgen.compat.python_names import Surface
from mcpgen.diagnostics import Severity
from mcpgen.read.definitions import ResourceDefinition, ToolDefinition


class Category(StrEnum):
    """What rules are switched on and off by."""

    OUTPUT = "output"
    INPUT = "input"
    TOOLS = "tools"
    RESOURCES = "resources"
    CONTENT = "content"
    ANNOTATIONS = "annotations"
    NAMES = "names"


CODES = {
    Category.OUTPUT: "MG801",
    Category.INPUT: "MG802",
    Category.TOOLS: "MG803",
    Category.RESOURCES: "MG804",
    Category.CONTENT: "MG805",
    Category.ANNOTATIONS: "MG806",
    Category.NAMES: "MG807",
}
"""The diagnostic's code for each category."""


@dataclass(frozen=True)
class Found:
    """What a rule says: a line, what to do about it, and where in the definition (a JSON pointer)."""

    text: str
    at: str = ""
    help: str = ""


@dataclass(frozen=True)
class Pair:
    """A definition before and after, as far as there is one."""

    old: ToolDefinition | None
    new: ToolDefinition | None


@dataclass(frozen=True)
class ResourcePair:
    """A resource or template before and after, as far as there is one."""

    old: ResourceDefinition | None
    new: ResourceDefinition | None


@dataclass(frozen=True)
class Names:
    """The Python names of one tool or resource before and after."""

    old: Surface
    new: Surface
    everywhere: frozenset[str]
    """All classes that the new package has."""


@dataclass(frozen=True)
class Words:
    """One place of a schema before and after, for keywords that assert nothing."""

    at: str
    old: dict[str, object]
    new: dict[str, object]


Subject: TypeAlias = Gap | Pair | ResourcePair | Names | Words


@dataclass(frozen=True)
class Rule:
    """A compatibility rule. Its id never changes its meaning."""

    id: str
    category: Category
    severity: Severity
    doc: str
    subject: type[object]
    finds: Callable[..., Iterator[Found] | Found | str | None]
    kind: Kind | None = None

    @property
    def code(self) -> str:
        """The code of its diagnostics."""
        return CODES[self.category]

    def apply(self, subject: Subject) -> list[Found]:
        """What the rule says of a subject."""
        said = self.finds(subject)
        if said is None:
            return []
        if isinstance(said, str):
            return [Found(said)]
        return [said] if isinstance(said, Found) else list(said)


RULES: dict[str, Rule] = {}
"""Every rule by its id, filled by the modules of `compat/rules/`."""
_Finds = Callable[..., Iterator[Found] | Found | str | None]


def rule(
    id: str,
    category: Category,
    subject: type[object],
    severity: Severity = Severity.ERROR,
    kind: Kind | None = None,
) -> Callable[[_Finds], _Finds]:
    """Make a function a rule: its docstring is the documentation."""

    def register(finds: _Finds) -> _Finds:
        if id in RULES:
            raise KeyError(f"there is a rule {id} already")
        RULES[id] = Rule(id, category, severity, (finds.__doc__ or "").strip(), subject, finds, kind)
        return finds

    return register


def output(name: str, kind: Kind, severity: Severity = Severity.ERROR) -> Callable[[_Finds], _Finds]:
    """A rule about a kind of gap by which new results go beyond the old schema."""
    return rule(f"output-{name}", Category.OUTPUT, Gap, severity, kind)


def input(name: str, kind: Kind, severity: Severity = Severity.ERROR) -> Callable[[_Finds], _Finds]:
    """A rule about a kind of gap by which old arguments go beyond the new schema."""
    return rule(f"input-{name}", Category.INPUT, Gap, severity, kind)
