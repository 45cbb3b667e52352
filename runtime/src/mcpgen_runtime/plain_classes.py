"""What the types of a class say: everything, or native formats; and why a value was refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, TypeAlias, cast

from pydantic import BaseModel

from .deep_values import BRIEF_ERRORS, find_errors
from .exact_types import list_inner, walk_schemas
from .json_types import FORMAT_ERROR, Native
from .violations import MOST_PROBLEMS, Problem, describe_value, sort_by_place

_Path: TypeAlias = tuple[str | int, ...]
CHECKED: Any = object()
"""Validation context of a value whose schema needs no check."""


@cache
def says_all(cls: type[BaseModel]) -> bool:
    """Return whether a class accepts what its schema accepts, and no value that is nested without a limit.

    A class whose schema is stricter than its types has a validator of its own, which is not among `_PLAIN_TYPES`.
    """
    if not cls.__pydantic_complete__:
        cls.model_rebuild()
    return _is_plain(cast(dict[str, Any], cls.__pydantic_core_schema__))


def _is_plain(schema: dict[str, Any]) -> bool:
    """Return whether a core schema has plain types alone, without references and open objects."""
    kind = schema["type"]
    if kind == "json-or-python":
        return _is_plain(schema["json_schema"])
    if kind not in _PLAIN_TYPES:
        return False
    if kind == "model" and not (schema.get("root_model") or _is_closed(schema)):
        return False
    return all(map(_is_plain, list_inner(schema)))


def _is_closed(model: dict[str, Any]) -> bool:
    return bool(model["config"].get("extra_fields_behavior") == "forbid")


_PLAIN_TYPES = frozenset(
    "bool chain default dict float function-after int list literal model model-field model-fields none nullable str "
    "tagged-union tuple union".split()
)
"""Types of a core schema that accept the same values as the keywords that they were generated from."""


# --- why a value was refused -----------------------------------------------------------------------------------------
_WITH_FORMATS = "should fit, with the formats of its strings"
"""What is expected of a place if it is unclear which string breaks its format."""


def explain_refusal(cls: type[BaseModel], value: object, problems: Sequence[Problem]) -> list[Problem]:
    """Return the first violations of the schema and of native formats, in the order of the value.

    Args:
        cls: the class that refused the value.
        value: the JSON value.
        problems: violations of the schema.
    """
    formats = [
        problem
        for problem in _find_format_problems(cls, value)
        if problem.expected != _WITH_FORMATS or not any(_is_related(problem.path, other.path) for other in problems)
    ]
    return sort_by_place([*problems, *formats], value)[:MOST_PROBLEMS]


def _is_related(path: _Path, other: _Path) -> bool:
    """Return whether one of two places is inside the other."""
    return all(token == other_token for token, other_token in zip(path, other, strict=False))


def _find_format_problems(cls: type[BaseModel], value: object) -> list[Problem]:
    """Return the places in a JSON value that break native formats of a class."""
    try:
        error = find_errors(cls, value, CHECKED)
    except Exception:  # foreign objects may raise anything
        return []
    if error is None:
        return []
    details = error.errors(include_url=False, include_input=False)
    problems, _ = _read_errors([(detail["loc"], detail) for detail in details], value, ())
    return problems


def _read_errors(errors: Iterable[tuple[_Path, Any]], value: Any, path: _Path) -> tuple[list[Problem], bool]:
    """Return the violations of native formats in a part of a value, and whether something else is wrong there.

    Args:
        errors: pydantic's errors, each with the rest of its `loc`: members and items, but also names of alternatives.
        value: the part.
        path: members and indices that lead to it.
    """
    problems: list[Problem] = []
    is_wrong = False
    inside: dict[str | int, list[tuple[_Path, Any]]] = {}
    alternatives: dict[str | int, list[tuple[_Path, Any]]] = {}
    for rest, detail in errors:
        if rest:
            group = inside if _has_part(value, rest[0]) else alternatives
            group.setdefault(rest[0], []).append((rest[1:], detail))
        elif detail["type"] == FORMAT_ERROR and isinstance(value, str):
            expected = f"should be {detail['ctx']['words']}"
            problems.append(Problem(path, "format", expected, describe_value(value)))
        elif detail["type"] in BRIEF_ERRORS:
            problems.append(_make_general_problem(path, value))
        else:
            is_wrong = True
    for token, part in inside.items():
        found, is_part_wrong = _read_errors(part, cast(Any, value)[token], (*path, token))
        problems.extend(found)
        is_wrong = is_wrong or is_part_wrong
    read = [_read_errors(alternative, value, path) for alternative in alternatives.values()]
    likely = [found for found, is_unlikely in read if not is_unlikely]
    if len(likely) == 1:
        problems.extend(likely[0])
    elif any(found for found, _ in read):
        problems.append(_make_general_problem(path, value))
    else:
        is_wrong = is_wrong or bool(read)
    return problems, is_wrong


def _has_part(value: Any, token: str | int) -> bool:
    if isinstance(token, int):
        return isinstance(value, list | tuple) and token < len(cast(Any, value))
    return isinstance(value, dict) and token in value


def _make_general_problem(path: _Path, value: object) -> Problem:
    return Problem(path, "format", _WITH_FORMATS, describe_value(value))


@cache
def reads_formats(cls: type[BaseModel]) -> bool:
    """Return whether a class, or one inside of it, has a native format."""
    if not cls.__pydantic_complete__:
        cls.model_rebuild()
    return any(map(_is_format, walk_schemas(cls.__pydantic_core_schema__)))


def _is_format(schema: dict[str, Any]) -> bool:
    function = schema.get("function")
    if isinstance(function, dict):
        function = cast(dict[str, Any], function)["function"]
    return isinstance(getattr(function, "__self__", None), Native)
