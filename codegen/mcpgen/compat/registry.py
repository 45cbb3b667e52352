"""What a compatibility rule is: an id, a category, a severity, a line of documentation and a function that finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.python_names import PythonNames
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


CATEGORY_CODES = {
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
class RuleMatch:
    """What a rule says: a line, what to do about it, and where in the definition (a JSON pointer)."""

    text: str
    at: str = ""
    help: str = ""


@dataclass(frozen=True)
class ToolPair:
    """A definition before and after, as far as there is one."""

    old: ToolDefinition | None
    new: ToolDefinition | None


@dataclass(frozen=True)
class ResourcePair:
    """A resource or template before and after, as far as there is one."""

    old: ResourceDefinition | None
    new: ResourceDefinition | None


@dataclass(frozen=True)
class PythonNamesPair:
    """The Python names of one tool or resource before and after."""

    old: PythonNames
    new: PythonNames
    everywhere: frozenset[str]
    """All classes that the new package has."""


@dataclass(frozen=True)
class SubschemaPair:
    """One place of a schema before and after, for keywords that assert nothing."""

    at: str
    old: dict[str, object]
    new: dict[str, object]


RuleSubject: TypeAlias = Gap | ToolPair | ResourcePair | PythonNamesPair | SubschemaPair


@dataclass(frozen=True)
class Rule:
    """A compatibility rule. Its id never changes its meaning."""

    id: str
    category: Category
    severity: Severity
    doc: str
    subject: type[object]
    finds: Callable[..., Iterator[RuleMatch] | RuleMatch | str | None]
    kind: GapKind | None = None

    @property
    def code(self) -> str:
        """The code of its diagnostics."""
        return CATEGORY_CODES[self.category]

    def apply(self, subject: RuleSubject) -> list[RuleMatch]:
        """What the rule says of a subject."""
        said = self.finds(subject)
        if said is None:
            return []
        if isinstance(said, str):
            return [RuleMatch(said)]
        return [said] if isinstance(said, RuleMatch) else list(said)


RULES: dict[str, Rule] = {}
"""Every rule by its id, filled by the modules of `compat/rules/`."""
_RuleFunction = Callable[..., Iterator[RuleMatch] | RuleMatch | str | None]


def rule(
    id: str,
    category: Category,
    subject: type[object],
    severity: Severity = Severity.ERROR,
    kind: GapKind | None = None,
) -> Callable[[_RuleFunction], _RuleFunction]:
    """Make a function a rule: its docstring is the documentation."""

    def register(finds: _RuleFunction) -> _RuleFunction:
        if id in RULES:
            raise KeyError(f"there is a rule {id} already")
        RULES[id] = Rule(id, category, severity, (finds.__doc__ or "").strip(), subject, finds, kind)
        return finds

    return register


def output_rule(
    name: str, kind: GapKind, severity: Severity = Severity.ERROR
) -> Callable[[_RuleFunction], _RuleFunction]:
    """A rule about a kind of gap by which new results go beyond the old schema."""
    return rule(f"output-{name}", Category.OUTPUT, Gap, severity, kind)


def input_rule(
    name: str, kind: GapKind, severity: Severity = Severity.ERROR
) -> Callable[[_RuleFunction], _RuleFunction]:
    """A rule about a kind of gap by which old arguments go beyond the new schema."""
    return rule(f"input-{name}", Category.INPUT, Gap, severity, kind)
