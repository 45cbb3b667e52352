"""Check a JSON value against the declared schema with `jsonschema-rs`, at bounded cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from contextvars import ContextVar
from functools import cache, cached_property
from typing import Any, TypeAlias, cast
from urllib.parse import unquote

import jsonschema_rs
from pydantic import BaseModel, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from .core_schemas import LimitExceeded, explain_refusal, is_deeper, reads_formats
from .errors import Problem, divide_bytes, follow_pointer, shorten_problem
from .json_values import odd_part
from .package import DEFAULT_LIMITS, Limits, get_limits, use_limits
from .schema_errors import Explainer
from .schema_keywords import (
    SCHEMA_KEYWORDS,
    SCHEMA_MAP_KEYWORDS,
    CheckFailed,
    contained,
    encode_references,
    is_panic,
    select_custom_keywords,
)

_Schema: TypeAlias = dict[str, Any] | bool


class SchemaCheck:
    """A compiled schema."""

    def __init__(self, schema: _Schema, limits: Limits = DEFAULT_LIMITS) -> None:
        """Compile a schema; `format` and `content…` stay annotations.

        Raises:
            ValueError: `jsonschema-rs` cannot read it; CheckFailed if it panics.
        """
        self._limits = limits
        try:
            with contained():
                self._prepare(schema)
        except jsonschema_rs.ReferencingError as error:
            raise ValueError(str(error)) from error

    def _prepare(self, schema: _Schema) -> None:
        dialect = "" if isinstance(schema, bool) else str(schema.get("$schema", ""))
        self._draft_07 = dialect.startswith("http://json-schema.org/draft-07")
        self._schema = _replace_hard_patterns(encode_references(schema))
        keywords = {keyword for members in _iterate_objects(self._schema) for keyword in members}
        self._recurses = _is_recursive(self._schema)
        self._backtracks = not _BOUNDED_KEYWORDS.keys().isdisjoint(keywords)
        self._patterns = (
            jsonschema_rs.FancyRegexOptions(backtrack_limit=self._limits.pattern_steps)
            if "x-mcpgen-names" in keywords
            else jsonschema_rs.RegexOptions()
        )
        available = _BOUNDED_KEYWORDS | select_custom_keywords(self._draft_07)
        used = {name: keyword for name, keyword in available.items() if name in keywords}
        self._keywords = used or None  # custom keywords make `jsonschema-rs` twice as slow for all
        self._validator = self._compile(self._schema, None)

    def is_valid(self, value: object) -> bool:
        """Return whether a value satisfies the schema.

        Raises:
            LimitExceeded: a ValueError; it cannot be checked at bounded cost.
            CheckFailed: a ValueError; the validator failed.
            ValueError, TypeError: it is not a JSON value.
        """
        try:
            return self._is_valid(value)
        except BaseException as error:
            if is_panic(error):
                raise CheckFailed from error
            raise

    def _is_valid(self, value: object) -> bool:
        if self._recurses and is_deeper(value, self._limits.value_depth):
            raise LimitExceeded(self._limits.depth_message)
        if not self._backtracks:
            return self._validator.is_valid(value)
        exceeded: list[str] = []
        token = _exceeded.set(exceeded)
        try:
            valid = self._validator.is_valid(value)
        finally:
            _exceeded.reset(token)
        if exceeded:
            raise LimitExceeded(exceeded[0])
        return valid

    def problems(self, value: object) -> list[Problem]:
        """Return the first violations of the schema; an empty list if the value is valid."""
        try:
            return [] if self._is_valid(value) else self._explainer.explain(value)
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
    """Return the first violations of a schema, empty if there are none; parameters as in `hold`."""
    odd_problem = odd_part(value) if is_own else None
    try:
        problems = [odd_problem] if odd_problem else check().problems(value)
        return explain_refusal(refused_by, value, problems) if refused_by and reads_formats(refused_by) else problems
    except CheckFailed as error:
        return [Problem((), "check", str(error))]
    except ValueError as error:
        return [Problem((), "json_value", f"should be a JSON value: {error}")]


def hold(
    value: object,
    check: Callable[[], SchemaCheck],
    title: str,
    is_own: bool = False,
    refused_by: type[BaseModel] | None = None,
) -> None:
    """Check a JSON value against a schema.

    Args:
        value: the value.
        check: returns the compiled schema.
        title: the name of the class that the value is for.
        is_own: whether the value comes from an instance and is sent unchanged.
        refused_by: the class that refused the value, perhaps since it breaks a native format.

    Raises:
        pydantic.ValidationError: the value violates the schema; the error has the places of the first violations. Or
            the value cannot be checked within the limits, or the schema cannot be read.
    """
    if problems := find_problems(value, check, is_own, refused_by):
        raise violation(title, problems, value)


def violation(title: str, problems: Sequence[Problem], value: object) -> ValidationError:
    """Return the error that lists the violations of a value, in at most 4,096 bytes."""
    errors: list[InitErrorDetails] = []
    most = divide_bytes(len(problems))
    for problem in problems:
        path, message = shorten_problem(problem.path, problem.message, most)
        context = {"message": message, "keyword": problem.keyword, "expected": problem.expected}
        kind = PydanticCustomError("json_schema", "{message}", context)
        errors.append({"type": kind, "loc": path, "input": value})
    return ValidationError.from_exception_data(title, errors)


# --- depth -----------------------------------------------------------------------------------------------------------
def _is_recursive(schema: _Schema) -> bool:
    """Return whether references are circular, or lead to something other than a plain pointer."""
    targets: dict[str, Any] = {"": schema}
    inside: dict[str, set[str]] = {}
    while targets.keys() != inside.keys():
        for pointer in targets.keys() - inside.keys():
            inside[pointer] = set()
            for members in _iterate_objects(targets[pointer]):
                if "$dynamicRef" in members or ("$id" in members and members is not schema):
                    return True
                ref = members.get("$ref")
                if isinstance(ref, str):
                    if not ref.startswith("#"):
                        return True
                    target = unquote(ref[1:])
                    try:
                        targets[target] = follow_pointer(schema, target)
                    except KeyError:
                        return True
                    inside[pointer].add(target)
    while inside:  # schemas without references are not part of a circle
        ends = {pointer for pointer, refs in inside.items() if not refs}
        if not ends:
            return True
        inside = {pointer: refs - ends for pointer, refs in inside.items() if pointer not in ends}
    return False


# --- patterns --------------------------------------------------------------------------------------------------------
_exceeded: ContextVar[list[str] | None] = ContextVar(f"{__name__}.exceeded", default=None)
"""Limits exceeded in the current check, since a custom keyword can only report a violation."""


class _BoundedPattern:
    """A `pattern` that a linear engine cannot match: with look-around or back-references."""

    def __init__(self, schema: object, pattern: Any, path: list[str | int]) -> None:
        self._limits = get_limits()
        options = jsonschema_rs.FancyRegexOptions(backtrack_limit=self._limits.pattern_steps)
        self._pattern = str(pattern)
        self._validator = jsonschema_rs.Draft202012Validator(
            {"pattern": pattern}, pattern_options=options, offline=True
        )

    def validate(self, instance: object) -> None:
        """Match a string within the limits.

        Raises:
            ValueError: it does not match, or a limit was exceeded.
        """
        if not isinstance(instance, str):
            return
        exceeded = _exceeded.get()
        if exceeded:
            raise LimitExceeded(exceeded[0])
        reason = ""
        if len(instance) > self._limits.pattern_length:
            reason = f"should have at most {self._limits.pattern_length} characters, the limit `pattern-length`,"
        else:
            try:
                self._validator.validate(instance)
            except jsonschema_rs.ValidationError as error:
                if error.kind.name == "pattern" and not isinstance(
                    error.kind,
                    jsonschema_rs.ValidationErrorKind.BacktrackLimitExceeded
                    | jsonschema_rs.ValidationErrorKind.RegexEngineFailure,
                ):
                    raise
                reason = f"takes more than {self._limits.pattern_steps} steps, the limit `pattern-steps`,"
        if reason:
            pattern = self._pattern if len(self._pattern) <= 60 else f"{self._pattern[:59]}…"
            reason = f"a string {reason} for the pattern {pattern}, which needs backtracking"
            if exceeded is not None:
                exceeded.append(reason)
            raise LimitExceeded(reason)


class _BoundedNames:
    """Patterns of `patternProperties` that need backtracking; matching must only stay within the limits."""

    def __init__(self, schema: object, patterns: Any, path: list[str | int]) -> None:
        self._patterns = [_BoundedPattern(schema, pattern, path) for pattern in patterns]

    def validate(self, instance: object) -> None:
        """Match each name within the limits.

        Raises:
            LimitExceeded: a limit was exceeded.
        """
        for name in cast(dict[str, object], instance) if isinstance(instance, dict) else ():
            for pattern in self._patterns:
                with suppress(jsonschema_rs.ValidationError):  # no match is valid
                    pattern.validate(name)


def _replace_hard_patterns(schema: _Schema) -> _Schema:
    """Return the schema with custom keywords for the patterns that need backtracking."""
    if not any("pattern" in members or "patternProperties" in members for members in _iterate_objects(schema)):
        return schema
    return cast(_Schema, _bound_patterns(schema))


def _bound_patterns(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    out: dict[str, Any] = {}
    for keyword, argument in cast(dict[str, Any], schema).items():
        if keyword == "pattern" and isinstance(argument, str) and not _is_linear(argument):
            out["x-mcpgen-pattern"] = argument
        elif keyword in SCHEMA_MAP_KEYWORDS and isinstance(argument, dict):
            named = cast(dict[str, Any], argument)
            out[keyword] = {name: _bound_patterns(inner) for name, inner in named.items()}
            hard = [name for name in named if not _is_linear(name)]
            if keyword == "patternProperties" and hard:
                out["x-mcpgen-names"] = hard
        elif keyword in SCHEMA_KEYWORDS and isinstance(argument, list):
            out[keyword] = [_bound_patterns(inner) for inner in cast(Any, argument)]
        elif keyword in SCHEMA_KEYWORDS:
            out[keyword] = _bound_patterns(argument)
        else:
            out[keyword] = argument
    return out


@cache
def _is_linear(pattern: str) -> bool:
    """Return whether a pattern can be matched in linear time."""
    try:
        jsonschema_rs.Draft202012Validator(
            {"pattern": pattern}, pattern_options=jsonschema_rs.RegexOptions(), offline=True
        )
    except (jsonschema_rs.ValidationError, ValueError):
        return False
    return True


def _iterate_objects(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield each object inside a schema, including data."""
    todo: list[Any] = [schema]
    while todo:
        inner = todo.pop()
        if isinstance(inner, dict):
            members = cast(dict[str, Any], inner)
            yield members
            todo.extend(members.values())
        elif isinstance(inner, list):
            todo.extend(cast(Any, inner))


_BOUNDED_KEYWORDS: dict[str, Any] = {"x-mcpgen-pattern": _BoundedPattern, "x-mcpgen-names": _BoundedNames}
