"""Compatibility rules as data: an id, a category, a severity, a line of documentation, and what each one looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Generic, TypeAlias, TypeGuard, TypeVar, cast

from mcpgen.diagnostics import Severity
from mcpgen.read.definitions import FormDefinition, PromptDefinition, ResourceDefinition, ToolDefinition
from mcpgen.schema.values import Json

T = TypeVar("T")
Definition: TypeAlias = ToolDefinition | ResourceDefinition | PromptDefinition | FormDefinition


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
class Rule:
    """Compatibility rule. An id never changes its meaning."""

    id: str
    category: Category
    doc: str
    _: KW_ONLY
    severity: Severity = Severity.ERROR

    @property
    def code(self) -> str:
        """Diagnostic code of the changes that the rule reports."""
        return CATEGORY_CODES[self.category]


@dataclass(frozen=True)
class PresenceRule(Rule):
    """Rule that reports each definition of a kind that is new, or was removed."""

    subject: type[Definition]
    match: RuleMatch
    is_addition: bool = False


@dataclass(frozen=True)
class ComparisonRule(Rule, Generic[T]):
    """Rule that compares a tool, a resource, a prompt, a form or its Python names before and after."""

    subject: type[T]
    find: Callable[[T, T], Iterator[RuleMatch]]


def is_about(rule: Rule, subject: type[T]) -> TypeGuard[ComparisonRule[T]]:
    """Return whether a rule compares a kind of things."""
    return isinstance(rule, ComparisonRule) and cast("ComparisonRule[T]", rule).subject is subject


def define_rule(
    subject: type[T], category: Category, id: str, doc: str, severity: Severity = Severity.ERROR
) -> Callable[[Callable[[T, T], Iterator[RuleMatch]]], ComparisonRule[T]]:
    """Return a decorator that makes a rule of the function that finds what it reports."""
    return lambda find: ComparisonRule(id, category, doc, subject, find, severity=severity)


@dataclass(frozen=True)
class SubschemaPair:
    """A subschema before and after, at the same JSON pointer."""

    pointer: str
    old: Mapping[str, Json]
    new: Mapping[str, Json]


@dataclass(frozen=True)
class SubschemaRule(Rule):
    """Rule that compares each subschema before and after."""

    side: Category
    """`OUTPUT` for the schemas of results and payloads, `INPUT` for those of arguments."""
    find: Callable[[SubschemaPair], Iterator[RuleMatch]]
