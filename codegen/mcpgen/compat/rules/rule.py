"""Compatibility rules as data: an id, a category, a severity, a line of documentation, and what each one looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Literal

from mcpgen.compat.gap import Gap, GapKind
from mcpgen.compat.python_names import PythonNames
from mcpgen.compat.rules.messages import GapFields, describe_keyword_change
from mcpgen.diagnostics import Severity
from mcpgen.read.definitions import PromptDefinition, ResourceDefinition, ToolDefinition
from mcpgen.schema.values import Json


class Category(StrEnum):
    """Group of rules that is switched on and off together."""

    OUTPUT = "output"
    INPUT = "input"
    TOOLS = "tools"
    RESOURCES = "resources"
    PROMPTS = "prompts"
    CONTENT = "content"
    ANNOTATIONS = "annotations"
    NAMES = "names"
    WORDING = "wording"
    ADDITIONS = "additions"


CATEGORY_CODES: Mapping[Category, str] = MappingProxyType(
    {
        Category.OUTPUT: "MG801",
        Category.INPUT: "MG802",
        Category.TOOLS: "MG803",
        Category.RESOURCES: "MG804",
        Category.PROMPTS: "MG811",
        Category.CONTENT: "MG805",
        Category.ANNOTATIONS: "MG806",
        Category.NAMES: "MG807",
        Category.WORDING: "MG812",
        Category.ADDITIONS: "MG813",
    }
)
"""Diagnostic code of each category."""


@dataclass(frozen=True)
class RuleMatch:
    """One change that a rule reports: a message, a JSON pointer into the definition, and advice."""

    text: str
    pointer: str = ""
    help: str = ""
    """Advice for the author of the definitions."""
    client_help: str = ""
    """Advice for who has pulled them from somebody else's server, and cannot change them."""


@dataclass(frozen=True)
class ToolPair:
    """A tool before and after; `new` is None if the tool was removed."""

    old: ToolDefinition
    new: ToolDefinition | None


@dataclass(frozen=True)
class ResourcePair:
    """A resource or template before and after; `new` is None if it was removed."""

    old: ResourceDefinition
    new: ResourceDefinition | None


@dataclass(frozen=True)
class PromptPair:
    """A prompt before and after; `new` is None if it was removed."""

    old: PromptDefinition
    new: PromptDefinition | None


@dataclass(frozen=True)
class PythonNamesPair:
    """Python names of one tool or resource before and after."""

    old: PythonNames
    new: PythonNames
    new_classes: frozenset[str]
    """All classes of the new package, those of other tools included."""
    old_schemas: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """Schemas of the definition before, by the first part of a place: `#output`."""
    new_schemas: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True)
class SubschemaPair:
    """A subschema before and after, at the same JSON pointer."""

    pointer: str
    old: Mapping[str, Json]
    new: Mapping[str, Json]


@dataclass(frozen=True)
class Rule:
    """Compatibility rule. An id never changes its meaning."""

    id: str
    category: Category
    doc: str
    """One line of documentation."""
    _: KW_ONLY
    severity: Severity = Severity.ERROR

    @property
    def code(self) -> str:
        """Diagnostic code of the changes that the rule reports."""
        return CATEGORY_CODES[self.category]


@dataclass(frozen=True)
class AdditionRule(Rule):
    """Rule that reports each new definition of a kind."""

    kind: Literal["tool", "resource", "prompt"]


@dataclass(frozen=True)
class ToolRule(Rule):
    """Rule that compares a tool before and after."""

    find: Callable[[ToolPair], Iterator[RuleMatch]]


@dataclass(frozen=True)
class ResourceRule(Rule):
    """Rule that compares a resource or template before and after."""

    find: Callable[[ResourcePair], Iterator[RuleMatch]]


@dataclass(frozen=True)
class PromptRule(Rule):
    """Rule that compares a prompt before and after."""

    find: Callable[[PromptPair], Iterator[RuleMatch]]


@dataclass(frozen=True)
class PythonNamesRule(Rule):
    """Rule that compares the Python names of a tool or resource before and after."""

    find: Callable[[PythonNamesPair], Iterator[RuleMatch]]


@dataclass(frozen=True)
class KeywordRule(Rule):
    """Rule that reports another value of a keyword that asserts nothing, such as `format`."""

    keyword: str

    def find(self, subschemas: SubschemaPair) -> Iterator[RuleMatch]:
        """Yield a match if the keyword's value was replaced or removed."""
        text = describe_keyword_change(self.keyword, subschemas.old.get(self.keyword), subschemas.new.get(self.keyword))
        if text is not None:
            yield RuleMatch(text, subschemas.pointer)


def match_any_gap(gap: Gap) -> bool:
    """Accept every gap."""
    return True


@dataclass(frozen=True)
class SubschemaRule(Rule):
    """Rule that compares each subschema before and after."""

    side: Category
    """`OUTPUT` for the schemas of results and payloads, `INPUT` for those of arguments."""
    find: Callable[[SubschemaPair], Iterator[RuleMatch]]


@dataclass(frozen=True)
class GapRule(Rule):
    """Rule that reports a kind of gap between two schemas."""

    kind: GapKind
    text: str
    """Message template; `{gap.types}` and the like are fields of `GapFields`."""
    applies: Callable[[Gap], bool] = match_any_gap
    """Condition for the rule to name a gap of its kind."""
    advice: str = ""
    """How schemas can be written so that the change does not break."""

    def describe(self, gap: Gap) -> str:
        """Return the message for a gap."""
        return self.text.format(gap=GapFields(gap))


def are_akin(rule: Rule, other: Rule) -> bool:
    """Return whether two rules are one, or report the same kind of gap."""
    if isinstance(rule, GapRule) and isinstance(other, GapRule):
        return (rule.category, rule.kind) == (other.category, other.kind)
    return rule.id == other.id
