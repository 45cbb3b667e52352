"""Check a JSON value against the declared schema with `jsonschema-rs`, at bounded cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from functools import cache, cached_property
from graphlib import CycleError, TopologicalSorter
from typing import Any, TypeAlias, cast
from urllib.parse import unquote

import jsonschema_rs
from pydantic import BaseModel, ValidationError
from pydantic_core import InitErrorDetails

from .core_schemas import LimitExceeded, explain_refusal, is_deeper, reads_formats
from .errors import Problem, divide_bytes, follow_pointer, make_line, shorten_excerpt, shorten_problem
from .json_values import odd_part
from .package import DEFAULT_LIMITS, Limits, current_limits, use_limits
from .schema_errors import Explainer
from .schema_keywords import (
    CheckFailed,
    change_objects,
    contained,
    encode_uris,
    is_panic,
    select_custom_keywords,
    walk_objects,
)

_Schema: TypeAlias = dict[str, Any] | bool


class SchemaCheck:
    """A compiled schema."""

    @contained()
    def __init__(self, schema: _Schema, limits: Limits = DEFAULT_LIMITS) -> None:
        """Compile a schema, in which `format` and `content…` stay annotations, or raise ValueError: it cannot be."""
        self._limits = limits
        dialect = "" if isinstance(schema, bool) else str(schema.get("$schema", ""))
        self._draft_07 = dialect.startswith("http://json-schema.org/draft-07")
        self._schema: _Schema = change_objects(schema, lambda members: _bound_patterns(encode_uris(members)))
        keywords = {keyword for _, members in walk_objects(self._schema) for keyword in members}
        self._recurses = _is_recursive(self._schema)
        self._backtracks = not _BOUNDED_KEYWORDS.keys().isdisjoint(keywords)
        self._patterns = _make_options(limits) if "x-mcpgen-names" in keywords else jsonschema_rs.RegexOptions()
        available = _BOUNDED_KEYWORDS | select_custom_keywords(self._draft_07)
        used = {name: keyword for name, keyword in available.items() if name in keywords}
        self._keywords = used or None  # custom keywords make `jsonschema-rs` twice as slow for all
        try:
            self._validator = self._compile(self._schema, None)
        except jsonschema_rs.ReferencingError as error:
            raise ValueError(str(error)) from error

    def is_valid(self, value: object) -> bool:
        """Return whether a value satisfies the schema.

        LimitExceeded: it costs too much. CheckFailed: the validator failed. ValueError, TypeError: it is not JSON.
        """
        if self._recurses and is_deeper(value, self._limits.value_depth):
            raise LimitExceeded(self._limits.depth_message)
        try:
            if not self._backtracks:
                return self._validator.is_valid(value)
            exceeded: list[str] = []
            token = _exceeded.set(exceeded)
            try:
                valid = self._validator.is_valid(value)
            finally:
                _exceeded.reset(token)
        except BaseException as error:
            if is_panic(error):
                raise CheckFailed from error
            raise
        if exceeded:
            raise LimitExceeded(exceeded[0])
        return valid

    def problems(self, value: object) -> list[Problem]:
        """Return the first violations of the schema; an empty list if the value is valid."""
        try:
            return [] if self.is_valid(value) else self._explainer.explain(value)
        except LimitExceeded as error:
            return [Problem((), "limit", str(error))]
        except CheckFailed as error:
            return [Problem((), "check", str(error))]
        except (ValueError, TypeError, RecursionError) as error:
            why = str(error) if len(str(error)) < 200 else type(error).__name__
            return [Problem((), "json_value", f"should be a JSON value: {why}")]
        except BaseException as error:
            if not is_panic(error):
                raise
            return [Problem((), "check", str(CheckFailed()))]

    @cached_property
    def _explainer(self) -> Explainer:
        return Explainer(self._schema, self._draft_07, self._compile)

    def _compile(self, schema: _Schema, registry: jsonschema_rs.Registry | None) -> jsonschema_rs.Validator:
        validator = jsonschema_rs.Draft7Validator if self._draft_07 else jsonschema_rs.Draft202012Validator
        with use_limits(self._limits):
            return validator(
                schema,
                validate_formats=False,
                offline=True,
                registry=registry,
                pattern_options=self._patterns,
                keywords=self._keywords,
            )


def find_problems(
    value: object, check: Callable[[], SchemaCheck], is_own: bool = False, refused_by: type[BaseModel] | None = None
) -> Sequence[Problem]:
    """Return the first violations of a schema in a JSON value, empty if there are none.

    `check` returns the compiled schema. `is_own` means that the value comes from an instance and is sent unchanged.
    `refused_by` is the class that refused the value, perhaps since it breaks a native format.
    """
    odd_problem = odd_part(value) if is_own else None
    try:
        problems = [odd_problem] if odd_problem else check().problems(value)
        return explain_refusal(refused_by, value, problems) if refused_by and reads_formats(refused_by) else problems
    except CheckFailed as error:
        return [Problem((), "check", str(error))]
    except ValueError as error:
        return [Problem((), "json_value", f"should be a JSON value: {error}")]


def raise_problems(value: object, title: str, problems: Sequence[Problem]) -> None:
    """Raise a pydantic.ValidationError of at most 4,096 bytes if there are problems; `title` names the class."""
    lines: list[InitErrorDetails] = []
    for problem in problems:
        path, message = shorten_problem(problem.path, problem.message, divide_bytes(len(problems)))
        context = {"message": message, "keyword": problem.keyword, "expected": problem.expected}
        lines.append(make_line("json_schema", path, value, **context))
    if lines:
        raise ValidationError.from_exception_data(title, lines)


def _is_recursive(schema: _Schema) -> bool:
    """Return whether references are circular, or lead to something other than a plain pointer."""
    inside: dict[str, list[str]] = {}
    todo = [""]
    try:
        while todo:
            pointer = todo.pop()
            if pointer in inside:
                continue
            inside[pointer] = []
            for _, members in walk_objects(follow_pointer(schema, pointer)):
                ref = members.get("$ref")
                is_foreign = isinstance(ref, str) and not ref.startswith("#")
                if is_foreign or "$dynamicRef" in members or ("$id" in members and members is not schema):
                    return True
                if isinstance(ref, str):
                    inside[pointer].append(unquote(ref[1:]))
            todo += inside[pointer]
        TopologicalSorter(inside).prepare()
    except (KeyError, CycleError):  # a reference does not resolve, or is circular
        return True
    return False


# --- patterns --------------------------------------------------------------------------------------------------------
_exceeded: ContextVar[list[str] | None] = ContextVar(f"{__name__}.exceeded", default=None)
"""Limits exceeded in the current check, since a custom keyword can only report a violation."""


class _BoundedPattern:
    """A `pattern` that a linear engine cannot match: with look-around or back-references."""

    def __init__(self, schema: object, pattern: Any, path: list[str | int]) -> None:
        self._limits, self._pattern = current_limits.get(), str(pattern)
        self._validator = _compile_pattern(pattern, _make_options(self._limits))

    def validate(self, instance: object) -> None:
        """Match a string; raise a ValueError if it does not match or exceeds a limit."""
        if not isinstance(instance, str):
            return
        exceeded = _exceeded.get()
        if exceeded:
            raise LimitExceeded(exceeded[0])
        reason = f"should have at most {self._limits.pattern_length} characters, the limit `pattern-length`,"
        if len(instance) <= self._limits.pattern_length:
            try:
                return self._validator.validate(instance)
            except jsonschema_rs.ValidationError as error:
                if isinstance(error.kind, jsonschema_rs.ValidationErrorKind.Pattern):
                    raise
            reason = f"takes more than {self._limits.pattern_steps} steps, the limit `pattern-steps`,"
        reason = f"a string {reason} for the pattern {shorten_excerpt(self._pattern)}, which needs backtracking"
        if exceeded is not None:
            exceeded.append(reason)
        raise LimitExceeded(reason)


class _BoundedNames:
    """Patterns of `patternProperties` that need backtracking; matching must only stay within the limits."""

    def __init__(self, schema: object, patterns: Any, path: list[str | int]) -> None:
        self._patterns = [_BoundedPattern(schema, pattern, path) for pattern in patterns]

    def validate(self, instance: object) -> None:
        """Match each name; raise `LimitExceeded` if one exceeds a limit."""
        for name in cast(dict[str, object], instance) if isinstance(instance, dict) else ():
            for pattern in self._patterns:
                with suppress(jsonschema_rs.ValidationError):  # no match is valid
                    pattern.validate(name)


_BOUNDED_KEYWORDS: dict[str, Any] = {"x-mcpgen-pattern": _BoundedPattern, "x-mcpgen-names": _BoundedNames}


def _bound_patterns(members: dict[str, Any]) -> dict[str, Any]:
    pattern, named = members.get("pattern"), members.get("patternProperties")
    if isinstance(pattern, str) and not _is_linear(pattern):
        members = {"x-mcpgen-pattern" if key == "pattern" else key: value for key, value in members.items()}
    if isinstance(named, dict) and (hard := [name for name in cast(Any, named) if not _is_linear(name)]):
        members["x-mcpgen-names"] = hard
    return members


@cache
def _is_linear(pattern: str) -> bool:
    try:
        _compile_pattern(pattern, jsonschema_rs.RegexOptions())
    except (jsonschema_rs.ValidationError, ValueError):
        return False
    return True


def _compile_pattern(pattern: str, options: Any) -> jsonschema_rs.Validator:
    return jsonschema_rs.Draft202012Validator({"pattern": pattern}, pattern_options=options, offline=True)


def _make_options(limits: Limits) -> jsonschema_rs.FancyRegexOptions:
    return jsonschema_rs.FancyRegexOptions(backtrack_limit=limits.pattern_steps)
