"""The template that is being checked: its variables, and what the functions that check expressions see of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from keyword import iskeyword
from typing import NoReturn

from jinja2 import nodes

from mcpgen.content.type_lookup import TypeLookup
from mcpgen.content.values import Condition, Facts, Value
from mcpgen.ir.template import Expr, Local, TemplateType
from mcpgen.ir.types import Type as JsonType
from mcpgen.names.reserved import IMPORT_SOURCES
from mcpgen.words import convert_to_snake_case

_RESERVED_LOCALS = frozenset(IMPORT_SOURCES) | frozenset(
    "abs bool bytes dict enumerate float int isinstance iter len list max min next parts range reversed round self set "
    "sorted str sum tuple type".split()
)
"""Names that the generated code uses for something else."""


@dataclass(frozen=True)
class TemplateVariable:
    """Variable of a template; its value is None if the statement that sets it was refused."""

    value: Value | None
    is_partial: bool = False
    """Set in some branches only."""


@dataclass(frozen=True)
class LoopState:
    """State of `loop`: the variable that counts from 0, and the list if its length is needed."""

    index: Local | None
    items: Expr | None


@dataclass
class _Frame:
    variables: dict[str, TemplateVariable]
    loop: LoopState | None = None
    branch_depth: int = 0
    assigned: dict[str, Value] = field(default_factory=dict[str, Value])
    """Latest Python variable that a `set` of this frame created, by the name in the template."""
    assignable: set[Expr] = field(default_factory=set[Expr])
    """Python variables that a `set` of this frame created, so that another `set` may assign them."""


class Scope:
    """Nested frames of variables; new variables get unique Python names."""

    def __init__(self) -> None:
        self._frame = _Frame({})
        self._locals: set[str] = set()
        self._bound_locals: frozenset[str] = frozenset()
        self._assignments: list[Local] = []

    @property
    def variables(self) -> Mapping[str, TemplateVariable]:
        """Variables that the template can use, by name."""
        return self._frame.variables

    @property
    def loop(self) -> LoopState | None:
        """State of the innermost loop, None outside of a loop's body."""
        return self._frame.loop

    @property
    def is_in_branch(self) -> bool:
        """True inside of a branch of an `if`, within the innermost loop."""
        return self._frame.branch_depth > 0

    def define(self, name: str, variable: TemplateVariable) -> None:
        """Set or replace a variable of the template."""
        self._frame.variables[name] = variable

    # --- Python variables -----------------------------------------------------------------------------------------
    def make_local(self, name: str) -> Local:
        """Return a new Python variable for a name."""
        stem = convert_to_snake_case(name).strip("_") or "item"
        stem = f"{stem}_" if stem in _RESERVED_LOCALS or not stem.isidentifier() or iskeyword(stem) else stem
        python, number = stem, 1
        while python in self._locals:
            number += 1
            python = f"{stem}{number}" if stem.endswith("_") else f"{stem}_{number}"
        self._locals.add(python)
        return Local(python)

    def make_temporary(self) -> Local:
        """Return a variable for a comprehension or lambda; those that are not nested may share a name."""
        name, number = "item", 1
        while name in self._locals or name in self._bound_locals:
            number += 1
            name = f"item_{number}"
        return Local(name)

    # --- assignments ----------------------------------------------------------------------------------------------
    def make_assigned_local(self, name: str, type: TemplateType) -> Local:
        """Return the Python variable for a `set`, which branches that set it to one type share."""
        value = self._frame.assigned.get(name)
        if value is None or value.type != type or name in self.variables:
            value = Value(self.make_local(name), type)
            self._frame.assigned[name] = value
            self._frame.assignable.add(value.expr)
        assert isinstance(value.expr, Local)
        return value.expr

    def can_assign(self, local: Expr) -> bool:
        """Return whether a `set` at this place may assign an existing Python variable."""
        return local in self._frame.assignable

    def record_assignment(self, local: Local) -> None:
        """Remember that a Python variable has got a value, so that earlier facts about it are dropped."""
        self._assignments.append(local)

    def count_assignments(self) -> int:
        """Return the number of assignments so far."""
        return len(self._assignments)

    def drop_assigned(self, facts: Facts, start: int) -> Facts:
        """Remove the facts about variables that were assigned since `count_assignments()` returned `start`."""
        for local in self._assignments[start:]:
            facts = facts.drop_local(local)
        return facts

    # --- nesting --------------------------------------------------------------------------------------------------
    @contextmanager
    def bind_variable(self, name: str, value: Value) -> Generator[None]:
        """Define a variable within a `with` block, for an expression."""
        variables, bound_locals = self._frame.variables, self._bound_locals
        self._frame.variables = {**variables, name: TemplateVariable(value)}
        if isinstance(value.expr, Local):
            self._bound_locals = bound_locals | {value.expr.name}
        try:
            yield
        finally:
            self._frame.variables, self._bound_locals = variables, bound_locals

    @contextmanager
    def enter_loop(self, targets: Mapping[str, TemplateVariable]) -> Generator[None]:
        """Enter a loop with its targets within a `with` block. There is no `loop` before `start_body`."""
        outer = self._frame
        variables = {**outer.variables, **targets}
        variables.pop("loop", None)
        self._frame = _Frame(variables)
        try:
            yield
        finally:
            self._frame = outer

    def start_body(self, loop: LoopState) -> None:
        """Make `loop` available, in the body of a loop."""
        self._frame.loop = loop

    @contextmanager
    def enter_branches(self) -> Generator[Branches]:
        """Enter the branches of a statement within a `with` block; then the variables at their ends are merged."""
        frame = self._frame
        branches = Branches(frame)
        frame.branch_depth += 1
        try:
            yield branches
        finally:
            frame.branch_depth -= 1
            frame.variables = _merge_branches(branches.before, branches.ends)


class Branches:
    """Branches of a statement."""

    def __init__(self, frame: _Frame) -> None:
        self._frame = frame
        self.before = dict(frame.variables)
        """Variables before the statement."""
        self.ends: list[dict[str, TemplateVariable]] = []
        """Variables at the end of each branch that may be taken."""

    def start_branch(self) -> None:
        """Start a branch with the variables from before the statement."""
        self._frame.variables = dict(self.before)

    def end_branch(self) -> None:
        """Keep the variables at the end of a branch that may be taken."""
        self.ends.append(dict(self._frame.variables))


def _merge_branches(
    before: Mapping[str, TemplateVariable], ends: Sequence[Mapping[str, TemplateVariable]]
) -> dict[str, TemplateVariable]:
    """Return the variables after branches: the same in all of them, or marked as partial."""
    merged = dict(before)
    for name in dict.fromkeys(name for end in ends for name in end):
        variables = [end.get(name) for end in ends]
        first = next(variable for variable in variables if variable is not None)
        if any(variable is not None and variable.value is None for variable in variables):
            merged[name] = TemplateVariable(None)
        elif all(variable == first for variable in variables):
            merged[name] = first
        else:
            merged[name] = TemplateVariable(first.value, True)
    return merged


# --- the check -------------------------------------------------------------------------------------------------------
class TemplateRefused(Exception):
    """Raised after a problem was recorded: the surrounding expression or statement cannot be checked."""


@dataclass(frozen=True)
class TemplateProblem:
    """Problem in a template, at an offset in its text."""

    code: str
    message: str
    offset: int
    help: str = ""


class CheckContext(ABC):
    """Classes, variables and problems of the template that is being checked, and the recursion into expressions."""

    def __init__(self, types: TypeLookup) -> None:
        self.types, self.scope = types, Scope()
        self.declared_types: dict[Expr, JsonType] = {}
        """Types of expressions before conditions narrowed them."""
        self.problems: list[TemplateProblem] = []
        """Problems in the order in which they were found; some may be there twice."""
        self.printed_nulls: list[TemplateProblem] = []
        """Places that print `None` for null, which is valid but seldom meant."""

    def refuse(self, code: str, message: str, node: nodes.Node, help: str = "") -> NoReturn:
        """Record a problem and raise `TemplateRefused`."""
        self.problems.append(_make_problem(code, message, node, help))
        raise TemplateRefused

    def refuse_unsupported(self, construct: str, node: nodes.Node, help: str = "") -> NoReturn:
        """Record that a construct cannot be compiled and raise `TemplateRefused`."""
        self.refuse("MG502", f"{construct} cannot be compiled", node, help)

    def refuse_type(self, message: str, node: nodes.Node, help: str = "") -> NoReturn:
        """Record that a value has the wrong type and raise `TemplateRefused`."""
        self.refuse("MG505", message, node, help)

    def note_printed_null(self, message: str, node: nodes.Node, help: str) -> None:
        """Record that a node prints `None` for null."""
        self.printed_nulls.append(_make_problem("MG936", message, node, help))

    @abstractmethod
    def check_value(self, node: nodes.Expr, facts: Facts) -> Value:
        """Check an expression, which may be absent."""

    @abstractmethod
    def check_condition(self, node: nodes.Expr, facts: Facts) -> Condition:
        """Check an expression as a condition."""


def _make_problem(code: str, message: str, node: nodes.Node, help: str) -> TemplateProblem:
    offset = node.lineno + isinstance(node, nodes.Getattr)  # the member's name starts after the dot
    return TemplateProblem(code, message, offset, help)


def sort_problems(problems: Iterable[TemplateProblem]) -> list[TemplateProblem]:
    """Return each problem once, sorted by offset."""
    return sorted(dict.fromkeys(problems), key=lambda problem: problem.offset)
