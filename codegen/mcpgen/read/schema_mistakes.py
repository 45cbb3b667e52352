"""Explain why a schema breaks its meta-schema: what people write in place of a keyword's value."""

from __future__ import annotations

import json
import re
from typing import Any, cast

from mcpgen.schema.document import format_error
from mcpgen.schema.keywords import DRAFT_07, KEYWORDS_BY_TYPE, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS
from mcpgen.schema.values import Json
from mcpgen.words import NameGuesser

TYPE_NAMES = ("string", "integer", "number", "boolean", "object", "array", "null")
_TYPE_ALIASES = {
    '"string"': "str text char varchar bytes binary file",
    '"integer"': "int int32 int64 long uint bigint",
    '"number"': "float double decimal numeric real",
    '"boolean"': "bool",
    '"object"': "dict map mapping record struct model json",
    '"array"': "list tuple set sequence vector",
    '"null"': "none nil void undefined nonetype",
    '"string", "format": "date-time"': "datetime timestamp date-time",
    '"string", "format": "date"': "date",
    '"string", "format": "time"': "time",
    '"string", "format": "uuid"': "uuid guid",
    '"string", "format": "uri"': "url uri",
    '"string", "format": "email"': "email",
}
"""What is to be written behind `"type": `→ types of other languages that mean it."""
ARTICLES = {"array": "an ", "object": "an ", "integer": "an ", "null": ""}
NO_SCHEMA = "not a valid JSON Schema"
NOT_SCHEMA = f"{NO_SCHEMA}: "
_WRITTEN_TYPES = {alias: written for written, aliases in _TYPE_ALIASES.items() for alias in aliases.split()}
_BOOLEAN_WORDS = {"yes": "true", "no": "false", "on": "true", "off": "false", "true": "true", "false": "false"}
_SCHEMA_KEYWORDS = frozenset(
    {"additionalProperties", "items", "not", "contains", "propertyNames", "if", "then", "else"}
)
_COUNTS = frozenset("minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains".split())


def explain_meta_error(error: Any, dialect: str) -> tuple[str, str]:
    """Return the message and the help for an error of the meta-schema's validator."""
    path, value = list(error.instance_path), cast(Json, error.instance)
    keyword = path[-1] if path else ""
    outer = str(path[-2]) if len(path) > 1 else ""
    if keyword == "type" or outer == "type":
        if (explained := _explain_type(value)) is not None:
            return explained
    elif outer in ("properties", "$defs", "definitions", "patternProperties"):
        if isinstance(value, str):
            message = f'{NOT_SCHEMA}"{keyword}" is described by a text, and must be described by a schema'
            return message, f'write {{"type": {_write_type(value) or "…"}}}'
    elif (explained := _explain_keyword(str(keyword), value, dialect)) is not None:
        return explained
    message = format_error(error)
    if keyword == "":
        return message, f"write the schema itself as an object{', not its text' * isinstance(value, str)}"
    return f'{NOT_SCHEMA}{message} in "{keyword}"', _suggest_value(str(keyword), error)


def _suggest_value(keyword: str, error: Any) -> str:
    value = cast(Json, error.instance)
    if keyword in SCHEMA_LIST_KEYWORDS - {"items"} and not isinstance(value, list):
        return f'write a list of schemas: "{keyword}": [{{…}}]'
    if keyword in SCHEMA_MAP_KEYWORDS - {"dependencies"} and not isinstance(value, dict):
        return f'write an object with a schema for each name: "{keyword}": {{"name": {{…}}}}'
    return suggest_json_type(error)


def suggest_json_type(error: Any) -> str:
    """Return the help for a value of another JSON type than a schema asks for; empty if it is another error."""
    expected = re.search(r'is not of type "(\w+)"$', str(error.message))
    if expected and expected[1] == "boolean" and isinstance(error.instance, str):
        return "write true or false, without quotes"
    return f"write {ARTICLES.get(expected[1], 'a ')}{expected[1]} here" if expected else ""


def _explain_type(value: Json) -> tuple[str, str] | None:
    names = value if isinstance(value, list) else [value]
    unknown = next((name for name in names if name not in TYPE_NAMES), None)
    if isinstance(unknown, str):
        return f'"{shorten(unknown)}" is not a JSON Schema type', _suggest_type(unknown)
    if unknown is None and value is None:
        return '"type" is null', 'write "type": "null", in quotes, or leave "type" out if every value is allowed'
    if isinstance(unknown, bool | int | float):
        return f"{json.dumps(unknown)} is not a JSON Schema type", f"the types are {', '.join(TYPE_NAMES)}"
    if isinstance(unknown, dict):
        return f'{NOT_SCHEMA}"type" is an object', 'name a type: "type": "object", with "properties" next to it'
    return None


def _suggest_type(name: str) -> str:
    if name.lower() in ("any", "unknown", "mixed", "*"):
        return 'leave "type" out: then every value is allowed'
    if name.lower() == "function":
        return 'this is a function of a model\'s API; an MCP Tool has "name", "description" and "inputSchema"'
    if written := _write_type(name):
        return f'write "type": {written}'
    close = NameGuesser().guess(name, TYPE_NAMES, 0.5)
    return f'did you mean "{close}"?' if close else "the types are " + ", ".join(TYPE_NAMES)


def _write_type(name: str) -> str:
    """Return the JSON that stands for a type of another language behind `"type": `, "" if it is not known."""
    lowered = name.lower()
    return f'"{lowered}"' if lowered in TYPE_NAMES else _WRITTEN_TYPES.get(lowered.partition("[")[0], "")


def _explain_keyword(keyword: str, value: Json, dialect: str) -> tuple[str, str] | None:
    if keyword == "required":
        if isinstance(value, bool):
            return '"required" must be a list of names', _REQUIRED_HELP
        if isinstance(value, str):
            return '"required" must be a list of names', f'write "required": [{_quote(value)}]'
    if keyword == "items" and isinstance(value, list) and dialect != DRAFT_07:
        return (
            f'{NOT_SCHEMA}"items" is a list, as in draft-07; in 2020-12 it is the schema of every item',
            'for items of one kind write "items": {…}; for a tuple rename it to "prefixItems", '
            'and its "additionalItems" to "items"',
        )
    if keyword in ("exclusiveMinimum", "exclusiveMaximum") and isinstance(value, bool):
        inclusive = "minimum" if keyword == "exclusiveMinimum" else "maximum"
        help = f'write the number itself, "{keyword}": 0, instead of "{inclusive}": 0 and "{keyword}": true'
        return f'{NOT_SCHEMA}"{keyword}" is a number; true and false are its form in draft-04', help
    if keyword in _SCHEMA_KEYWORDS and isinstance(value, str):
        if value.lower() in _BOOLEAN_WORDS:
            return f'{NOT_SCHEMA}"{keyword}" is a text', f"write {_BOOLEAN_WORDS[value.lower()]}, without quotes"
        written = _write_type(value)
        return f'{NOT_SCHEMA}"{keyword}" is a text', f'write a schema: {{"type": {written}}}' if written else ""
    if keyword in _COUNTS | KEYWORDS_BY_TYPE["number"] and isinstance(value, str):
        help = f"write {value.strip()}" if _is_number(value) else "write a number"
        return f'{NOT_SCHEMA}"{keyword}" is a text, not a number', f"{help}, without quotes"
    if keyword == "enum" and not isinstance(value, list):
        return f'{NOT_SCHEMA}"enum" must be a list of values', f'write "enum": [{_quote(value)}]'
    return None


_REQUIRED_HELP = (
    'list the property\'s name in its object\'s required: "required": ["name"] next to "properties"; '
    "a property that no list names is optional"
)


def _is_number(text: str) -> bool:
    try:
        return isinstance(json.loads(text), int | float)
    except ValueError:
        return False


def _quote(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else "…"


def shorten(text: str) -> str:
    """Return a text that is short enough to be quoted in a message."""
    return text if len(text) <= 60 else text[:57] + "..."
