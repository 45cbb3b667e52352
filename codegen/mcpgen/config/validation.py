"""Validate settings and `x-mcpgen` against their models, and explain errors in the words of the settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from mcpgen.config.models import Acknowledged, BudgetSettings, DiffSettings, Limits, ModelT, ToolBudget, ToolChoice
from mcpgen.config.toml import KeyPositions, format_header
from mcpgen.diagnostics import Findings, Span
from mcpgen.schema.values import Json
from mcpgen.words import NameGuesser

MAX_REPORTED_ERRORS = 100
"""Errors that are reported for one table of settings. Each may quote a long line."""
COMMENT_KEY = "comment"
"""Member of every `x-mcpgen` with a text for those who read the file. Nothing depends on it."""
_KEY = ("[key]",)
"""The end of pydantic's path to a key that a table may not have."""
_TABLES: Mapping[str, type[BaseModel]] = {
    "tools": ToolChoice,
    "limits": Limits,
    "budget": BudgetSettings,
    "diff": DiffSettings,
}
_TYPE_NAMES = {"dict_type": "a table", "model_type": "a table", "list_type": "a list"}


def validate_options(
    model: type[ModelT], value: object, findings: Findings, locate: Callable[[tuple[str | int, ...], bool], Span]
) -> ModelT | None:
    """Return an `x-mcpgen` object as a `model`; None if it is wrong, and reported at `locate(path, is_name)`."""
    if not isinstance(value, dict):
        findings.error("MG006", "x-mcpgen must be an object", locate((), False))
        return None
    members = cast("dict[str, Json]", value)
    choices = {key: member for key, member in members.items() if key != COMMENT_KEY}
    if not isinstance(members.get(COMMENT_KEY, ""), str):
        findings.error("MG006", f'x-mcpgen: "{COMMENT_KEY}": must be a text', locate((COMMENT_KEY,), False))
        return None
    try:
        return model.model_validate(choices)
    except ValidationError as validation_error:
        for error in validation_error.errors():
            message, help = explain_validation_error(error, model)
            is_key = error["type"] == "extra_forbidden" or error["loc"][-1:] == _KEY
            span = locate(_get_path(error), is_key)
            findings.error("MG006", f"x-mcpgen: {message}", span, help)
        return None


def validate_table(
    model: type[ModelT], table: object, positions: KeyPositions, path: tuple[str | int, ...], findings: Findings
) -> ModelT | None:
    """Return the table at a path of a settings file as a `model`, None if it is wrong; then that is reported."""
    try:
        return model.model_validate(table)
    except ValidationError as validation_error:
        errors = validation_error.errors()
        for error in errors[:MAX_REPORTED_ERRORS]:
            message, help = explain_validation_error(error, model, (*positions.prefix, *path))
            findings.error("MG302", message, positions.locate((*path, *_get_path(error))), help)
        if len(errors) > MAX_REPORTED_ERRORS:
            message = f"{len(errors) - MAX_REPORTED_ERRORS} more settings are wrong"
            findings.error("MG302", message, positions.locate(path))
        return None


def explain_validation_error(error: Any, model: type[BaseModel], table: tuple[str | int, ...] = ()) -> tuple[str, str]:
    """Return the message and the help for one of pydantic's errors about a `model`, the table at a path."""
    path = ".".join(map(str, _get_path(error)))
    described = _describe_path(_get_path(error))
    if error["loc"][-1:] == _KEY:
        return f"unknown key {described}", _suggest_choice(error) or f"known here: {error['ctx']['expected']}"
    if error["type"] == "extra_forbidden":
        if path == "tool" and isinstance(error["input"], dict) and "mcpgen" in error["input"]:
            help = 'here, write its keys at the top of the file, and its tables without "tool.mcpgen."'
            return "a table [tool.mcpgen] belongs in pyproject.toml", help
        return f"unknown key {described}", _suggest_key(error["loc"], model, table)
    if error["type"] in _TYPE_NAMES:
        help = f"write {format_header((*table, path), is_list=True)} tables" if path == "package" else ""
        return f"{described} must be {_TYPE_NAMES[error['type']]}", help
    message, help = str(error["msg"]), ""
    if error["type"] == "literal_error":
        help = _suggest_choice(error)
    elif error["type"] == "missing":
        help = f"add the key `{error['loc'][-1]}`"
    return f"{described}: {message[:1].lower()}{message[1:]}", help


def _describe_path(path: Sequence[str | int]) -> str:
    """Return a path for people: `"diff.off"`, or `"reason" of entry 1 of "diff.acknowledged"`, counted from 1."""
    parts: list[str] = []
    for step in path:
        if isinstance(step, int):
            parts.append(f"entry {step + 1}")
        elif parts and parts[-1].endswith('"'):
            parts[-1] = f'{parts[-1][:-1]}.{step}"'
        else:
            parts.append(f'"{step}"')
    return " of ".join(reversed(parts))


def _get_path(error: Any) -> tuple[str | int, ...]:
    path: tuple[str | int, ...] = error["loc"]
    return path[:-1] if path[-1:] == _KEY else path


def _suggest_choice(error: Any) -> str:
    if not isinstance(error["input"], str):
        return ""
    allowed = re.findall(r"'([^']*)'", error["ctx"]["expected"])
    close = NameGuesser().guess(error["input"].lower(), allowed, 0.6)
    return f'did you mean "{close}"?' if close else ""


def _suggest_key(path: tuple[str | int, ...], model: type[BaseModel], whole: tuple[str | int, ...]) -> str:
    *outer, key = path
    table = _TABLES.get(str(outer[0]), model) if outer else model
    if outer[:2] == ["diff", "acknowledged"]:
        table = Acknowledged
    elif outer[:1] == ["tools"] and outer[2:] == ["budget"]:
        table = ToolBudget
    keys = _list_keys(table)
    if not outer and "tools" in keys and key in _list_keys(ToolChoice):
        return f'"{key}" belongs in the table of a tool: {format_header((*whole, "tools", "NAME"))}'
    close = NameGuesser().guess(str(key), keys, 0.6)
    return f'did you mean "{close}"?' if close else f"known here: {', '.join(sorted(keys))}"


def _list_keys(table: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in table.model_fields.items()]
