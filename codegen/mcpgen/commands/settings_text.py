"""Add a key to the text of a settings file; everything else in it stays as it is, comments too."""

from __future__ import annotations

import json
import re
from typing import Any

from mcpgen.config.toml_parser import parse_toml

_TABLE = re.compile(r"^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*mcpgen[ \t]*\][^\n]*\n", re.MULTILINE)
_COMMENTS = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*(?:[ \t]*#[^\n]*\Z)?")
"""The blank lines and comments with which a file begins."""


def add_setting(text: str, is_pyproject: bool, key: str, value: str) -> str | None:
    """Return a settings file with one more key; None if there is no safe place for it.

    Args:
        text: the file, which does not have the key.
        is_pyproject: whether the settings are the table `[tool.mcpgen]` of it.
        key: the key.
        value: its value, a string.
    """
    header = _TABLE.search(text) if is_pyproject else _COMMENTS.match(text)
    if header is None:
        return None
    newline = "\r\n" if "\r\n" in text else "\n"
    added = f"{key} = {json.dumps(value, ensure_ascii=False)}{newline}"
    start, end = text[: header.end()], text[header.end() :]
    if start and not start.endswith("\n"):
        start += newline
    changed = f"{start}{added}{end}"
    try:
        return changed if _without(changed, is_pyproject, key) == (_get_settings(text, is_pyproject), value) else None
    except ValueError:
        return None


def _without(text: str, is_pyproject: bool, key: str) -> tuple[Any, Any]:
    """Return the whole settings without a key, and the value of this."""
    settings = _get_settings(text, is_pyproject)
    value = settings.pop(key, None)
    return settings, value


def _get_settings(text: str, is_pyproject: bool) -> Any:
    document = parse_toml(text)
    return document.get("tool", {}).get("mcpgen", {}) if is_pyproject else document
