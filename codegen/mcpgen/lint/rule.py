"""What a lint rule is: a function of definitions or of a schema that yields problems."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from mcpgen.diagnostics import Severity
from mcpgen.lint.clients import ClientName
from mcpgen.schema.document import Schema, SubschemaValidators
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import walk_places
from mcpgen.schema.values import Json, find_property

_PARTIAL = re.compile(r"(?<!/properties)(?<!/\$defs)/(?:allOf|if|then|else|not|dependentSchemas|contains)(?=/|$)")
"""A keyword, and no property or definition of that name, in a pointer."""


# --- what rules are asked about --------------------------------------------------------------------------------------
class Place(NamedTuple):
    """A subschema, with its pointer in the schema and the keyword that holds it; for a root, that is empty."""

    pointer: str
    keyword: str
    schema: dict[str, Json]

    @property
    def name(self) -> str:
        """Its name for messages: its last property, or what it is."""
        name = find_property(self.pointer)
        return f'"{name}"' if name is not None else "an object in it" if self.pointer else "its root"

    @property
    def is_partial(self) -> bool:
        """Whether it adds to what other schemas say of the same value, as below `allOf`, `if` or `not`."""
        return _PARTIAL.search(self.pointer) is not None


@dataclass(frozen=True)
class LintedSchema:
    """A schema for rules, which walk over it together."""

    value: Json
    dialect: str
    is_part: bool = False
    """Whether schemas of another file refer to it, so that it need not say everything."""
    is_pulled: bool = False
    """Whether a server has written it."""
    describe: Callable[[str], str] = lambda pointer: f"the schema at #{pointer}" if pointer else "the schema itself"
    """Returns what messages call the subschema at a pointer."""

    @cached_property
    def places(self) -> tuple[tuple[str, str, Json], ...]:
        """The pointer, the keyword and the value of the schema and all inside it, in the order of the document."""
        return tuple(walk_places(self.value, self.dialect))

    @cached_property
    def objects(self) -> tuple[Place, ...]:
        """Those of the places that are no booleans."""
        return tuple(Place(at, keyword, value) for at, keyword, value in self.places if isinstance(value, dict))

    @cached_property
    def index(self) -> SchemaIndex:
        """Its references and identifiers."""
        return SchemaIndex(self.value, self.dialect)

    @cached_property
    def validators(self) -> SubschemaValidators:
        """Validators of its subschemas; ValueError if it is no schema."""
        return SubschemaValidators(self.value, self.dialect)


@dataclass(frozen=True)
class LintedDefinition:
    """A definition as clients get it: its schemas are self-contained, and `x-mcpgen` is gone."""

    kind: Literal["tool", "resource", "prompt", "form"]
    name: str
    value: dict[str, Json]
    input: Schema | None = None
    output: Schema | None = None
    has_default_content: bool = False
    """It is a tool whose result the model gets as JSON because nobody has chosen a content."""
    has_chosen_text: bool = False
    """It is a tool for whose results somebody has chosen a text, which is sent beside the value."""
    content_only: frozenset[str] = frozenset()
    """The hosts that get the text of its results alone, without the value."""

    @property
    def label(self) -> str:
        """Its kind and name, to begin a message with."""
        return f'{self.kind} "{self.name}"'

    @cached_property
    def schemas(self) -> dict[str, LintedSchema]:
        """Its schemas, by member."""
        members = {"inputSchema": self.input, "outputSchema": self.output}
        return {name: LintedSchema(schema.value, schema.dialect) for name, schema in members.items() if schema}


# --- what they yield -------------------------------------------------------------------------------------------------
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
    """What a rule finds; pointers are relative to the definition, or to the schema that the rule is asked about."""

    pointer: str
    message: str
    help: str = ""
    fix: Fix | None = None
    """The one safe answer, if there is one."""
    key: str | None = None
    """The member of the object at the pointer whose name is the place."""

    def move(self, pointer: str, label: str) -> Problem:
        """Return the problem of a schema as that of the definition with the schema at a pointer."""
        fix = None if self.fix is None else replace(self.fix, pointer=pointer + self.fix.pointer)
        return replace(self, pointer=pointer + self.pointer, message=f"{label}: {self.message}", fix=fix)


# --- rules -----------------------------------------------------------------------------------------------------------
Check: TypeAlias = Callable[[LintedDefinition, frozenset[str]], Iterator[Problem]]
"""Yields the problems of a definition; the second argument are the clients that the rule is asked for."""
SchemaCheck: TypeAlias = Callable[[LintedSchema, frozenset[str]], Iterator[Problem]]
"""Yields the problems of a schema."""
PackageCheck: TypeAlias = Callable[[Sequence[LintedDefinition], frozenset[str]], Iterator[tuple[int, Problem]]]
"""Yields what several definitions show together, each with the number of the definition to report it at."""


@dataclass(frozen=True)
class LintRule:
    """Entry of a table of rules. Its title is that of its code, in the catalogue of diagnostics."""

    code: str
    source: str = ""
    """Where it comes from: a section of the specification, or what a client's maker has published."""
    check: Check | None = None
    check_schema: SchemaCheck | None = None
    """In place of `check`: asked about one schema of a definition, or about any."""
    member: Literal["inputSchema", "outputSchema", ""] = "inputSchema"
    """The schema that it is asked about; empty: any."""
    check_package: PackageCheck | None = None
    """In place of `check`; such a rule is asked by `mcpgen lint` only, and so is one without any."""
    clients: tuple[ClientName, ...] = ()
    """Clients for which it is asked when they are named; empty: it has to be selected."""
    severity: Severity = Severity.WARNING
    is_fixable: bool = False
