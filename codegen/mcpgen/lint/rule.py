"""What a lint rule is: a function of definitions that yields problems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mcpgen.diagnostics import Severity
from mcpgen.lint.clients import ClientName
from mcpgen.schema.document import Schema
from mcpgen.schema.values import Json


@dataclass(frozen=True)
class LintedDefinition:
    """A definition as clients get it: its schemas are self-contained, and `x-mcpgen` is gone."""

    kind: Literal["tool", "resource", "prompt"]
    name: str
    value: dict[str, Json]
    input: Schema | None = None
    output: Schema | None = None
    has_default_content: bool = False
    """It is a tool whose result the model gets as JSON because nobody has chosen a content."""

    @property
    def label(self) -> str:
        """Its kind and name, to begin a message with."""
        return f'{self.kind} "{self.name}"'


@dataclass(frozen=True)
class ReplaceValue:
    """Fix: another value in place of the one at a pointer."""

    pointer: str
    value: Json


@dataclass(frozen=True)
class ReplaceMember:
    """Fix: another member, with another name and value, in place of the one at a pointer."""

    pointer: str
    name: str
    value: Json


@dataclass(frozen=True)
class InsertMember:
    """Fix: a new first member of the object at a pointer."""

    pointer: str
    name: str
    value: Json


Fix: TypeAlias = ReplaceValue | ReplaceMember | InsertMember


@dataclass(frozen=True)
class Problem:
    """What a rule finds in a definition; pointers are relative to the definition."""

    pointer: str
    message: str
    help: str = ""
    fix: Fix | None = None
    """The one safe answer, if there is one."""


Check: TypeAlias = Callable[[LintedDefinition, frozenset[str]], Iterator[Problem]]
"""Yields the problems of a definition; the second argument are the clients that the rule is asked for."""
PackageCheck: TypeAlias = Callable[[Sequence[LintedDefinition], frozenset[str]], Iterator[tuple[int, Problem]]]
"""Yields what several definitions show together, each with the number of the definition to report it at."""


@dataclass(frozen=True)
class LintRule:
    """Entry of the table of rules. Its title is that of its code, in the catalogue of diagnostics."""

    code: str
    source: str
    """Where it comes from: a section of the specification, or what a client's maker has published."""
    check: Check | None = None
    check_package: PackageCheck | None = None
    """In place of `check`; such a rule is asked by `mcpgen lint` only, and so is one without either."""
    clients: tuple[ClientName, ...] = ()
    """Clients for which it is asked when they are named; empty: it has to be selected."""
    severity: Severity = Severity.WARNING
    is_fixable: bool = False
