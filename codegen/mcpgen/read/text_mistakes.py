"""Explain why a text is not JSON or YAML: usual mistakes, in words of their own, and what to write."""

from __future__ import annotations

import re

_FOREIGN_WORDS = {
    "True": "true",
    "False": "false",
    "None": "null",
    "undefined": "null",
    "nil": "null",
    "NULL": "null",
    "TRUE": "true",
    "FALSE": "false",
}
"""Words of other languages → JSON's word."""
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_CURLY_QUOTES = "“”„‟‘’«»"
_JSON_FIXES = {
    "Expecting ':' delimiter": "write a colon between the name and its value",
    "Unterminated string": "close the string with a double quote; a line break in a string is written \\n",
    "Invalid control character": "write a line break in a string as \\n and a tab as \\t",
    "Invalid \\escape": "write a backslash in a string twice: \\\\",
    "Invalid \\uXXXX escape": "write four hexadecimal digits after \\u",
}
"""Beginning of a message of Python's parser → what to do."""
_MAX_LOOK_BACK = 1000
"""Characters before a fault that are looked at."""


def explain_json_fault(text: str, offset: int, message: str) -> tuple[str, int, str]:
    """Return the message, the offset and the help for a fault in a JSON text.

    Args:
        text: The text.
        offset: Where Python's parser stopped.
        message: What it says.
    """
    if not text.strip():
        return "the file is empty", 0, "write a definition into it, or remove the file"
    preceding = text[max(0, offset - _MAX_LOOK_BACK) : offset].rstrip()
    character = text[offset : offset + 1]
    closing = {"}": "object", "]": "array"}.get(character)
    if preceding.endswith(",") and closing:  # the message of Python 3.13, in all versions
        offset = len(text[:offset].rstrip()) - 1
        return f"{_NOT_JSON}Illegal trailing comma before end of {closing}", offset, _TRAILING_COMMA
    if message.startswith("Illegal trailing comma"):
        return f"{_NOT_JSON}{message}", offset, _TRAILING_COMMA
    if (explained := _explain_character(text, offset, message)) is not None:
        return explained[0], offset, explained[1]
    is_end = not text[offset:].strip()
    if is_end and message.startswith("Expecting"):
        help = 'add what is missing at the end: every {, [ and " needs its counterpart'
        return f"{_NOT_JSON}the text ends too early", offset, help
    if message.startswith("Expecting ',' delimiter"):
        return f"{_NOT_JSON}{message}", offset, "write a comma between the two members, before this place"
    if message.startswith("Extra data"):
        if closing:
            return (
                f"{_NOT_JSON}a closing bracket too many",
                offset,
                "remove it, or add the bracket that it should close",
            )
        help = "a file holds one value: write several Tools as a list, [{…}, {…}], or give each a file of its own"
        return f"{_NOT_JSON}a second value begins here", offset, help
    help = next((help for start, help in _JSON_FIXES.items() if message.startswith(start)), "")
    if not help and message.startswith("Expecting value"):
        help = "a value is a string in double quotes, a number, true, false, null, an object or an array"
    return f"{_NOT_JSON}{message}", offset, help


_NOT_JSON = "not valid JSON: "
_TRAILING_COMMA = "remove the comma before the closing bracket"


def _explain_character(text: str, offset: int, message: str) -> tuple[str, str] | None:
    """Return the message and the help for a character that JSON does not know, None if it is not that."""
    character = text[offset : offset + 1]
    word = match[0] if (match := _WORD.match(text, offset)) else ""
    if word in _FOREIGN_WORDS:
        return f"{_NOT_JSON}{word} is not a word of JSON", f"write {_FOREIGN_WORDS[word]}"
    if character == "'":
        return f"{_NOT_JSON}{message}", "write strings and names in double quotes"
    if character and character in _CURLY_QUOTES:
        return f"{_NOT_JSON}curly quotes", 'write straight double quotes: "'
    if text[offset : offset + 2] in ("//", "/*") or character == "#":
        return f"{_NOT_JSON}{message}", "JSON has no comments: remove it, or use a .yaml file, which may hold some"
    if character == "<" and not text[:offset].strip():
        return f"{_NOT_JSON}this looks like HTML or XML", "save the definition itself, not the page that shows it"
    if word and "property name" in message:
        return f"{_NOT_JSON}{message}", "write names in double quotes"
    return None


_YAML_FIXES = (
    (r"character '\\t' that cannot start", "indent with spaces: replace the tab at the start of this line"),
    (r"character '[@`]' that cannot start", "put the text into quotes: no plain text begins with @ or `"),
    (r"character '%' that cannot start", "put the text into quotes: no plain text begins with %"),
    (r"mapping values are not allowed", 'put a text with ": " into quotes, or correct the indentation of this line'),
    (
        r"expected '?<(block end|document start)>'?, but",
        "indent all names of one mapping alike, all items of a list too",
    ),
    (r"could not find expected ':'", 'write "name: value", with a space after the colon'),
    (r"another document", "a file holds one document: remove the line ---, or give each its own file"),
    (r"undefined alias", "put a text that begins with * into quotes"),
    (r"while scanning a quoted scalar|unexpected end of stream", "close the quote"),
    (r"expected ',' or '[\]}]'", "close the bracket, or write a comma between two items"),
    (r"^the tag ", "remove the tag, or put the text into quotes"),
    (r"stands twice in one mapping", "remove one of the two, or rename it"),
    (r"a mapping's key must be a string", "write the name as text; { } and [ ] inside of a text need quotes"),
)
"""Pattern of a message → what to do."""


def explain_yaml_fault(message: str) -> tuple[str, str]:
    """Return the message and the help for a fault in a YAML text."""
    help = next((help for pattern, help in _YAML_FIXES if re.search(pattern, message)), "")
    if "character '\\t'" in message:
        message = "not valid YAML: this line is indented with a tab, which YAML does not allow"
    return message, help
