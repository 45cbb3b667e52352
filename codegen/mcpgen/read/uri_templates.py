"""Parse URI templates (RFC 6570) of levels 1 to 3."""

from __future__ import annotations

import re
from urllib.parse import quote

from mcpgen.ir.definitions import UriExpression, UriTemplatePart

EXPRESSION_OPERATORS = "+#./;?&"
_RESERVED_OPERATORS = "=,!@|"
_URI_VARIABLE = re.compile(r"(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(?:\.(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*")
_NOT_LITERAL = re.compile(r'[\x00-\x20"<>\\^`|}\x7f-\x9f\ud800-\udfff]|%(?![0-9A-Fa-f]{2})')
_LITERAL_SAFE_CHARS = "%:/?#[]@!$&'()*+,;="


class InvalidUriTemplate(Exception):
    """Template that doesn't follow RFC 6570, or exceeds level 3; `offset` and `text` are the faulty part."""

    def __init__(self, message: str, offset: int, text: str, help: str = "") -> None:
        super().__init__(message)
        self.message, self.offset, self.text, self.help = message, offset, text, help

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.offset, self.text, self.help), self.__dict__


def parse_uri_template(template: str) -> tuple[UriTemplatePart, ...]:
    """Return the literals of a template, percent-encoded as in its URIs, and its expressions, in their order.

    Raises:
        InvalidUriTemplate: The template doesn't follow RFC 6570, or exceeds level 3.
    """
    if not template:
        raise InvalidUriTemplate("a template of no URI", 0, "", "a resource's URI is absolute: scheme://…")
    parts: list[UriTemplatePart] = []
    offset = 0
    while offset < len(template):
        start = template.find("{", offset)
        end = start if start >= 0 else len(template)
        if offset < end:
            parts.append(_encode_literal(template[offset:end], offset))
        if start < 0:
            break
        close = template.find("}", start)
        if close < 0:
            raise InvalidUriTemplate(
                "an expression is not closed", start, template[start:], "write } behind its variables"
            )
        parts.append(_parse_expression(template[start + 1 : close], start + 1))
        offset = close + 1
    return tuple(parts)


def _encode_literal(text: str, offset: int) -> str:
    if wrong := _NOT_LITERAL.search(text):
        char = wrong[0]
        message = "a } that nothing opens" if char == "}" else f"{char!r} is not allowed in a URI"
        raise InvalidUriTemplate(message, offset + wrong.start(), char, "" if char == "}" else "percent-encode it")
    return quote(text, safe=_LITERAL_SAFE_CHARS)


def _parse_expression(text: str, offset: int) -> UriExpression:
    operator = text[:1] if text[:1] and text[0] in EXPRESSION_OPERATORS else ""
    if text[:1] and text[0] in _RESERVED_OPERATORS:
        raise InvalidUriTemplate(
            f"the operator {text[0]} means nothing yet", offset, text[0], f"known are {EXPRESSION_OPERATORS}"
        )
    names: dict[str, None] = {}
    position = offset + len(operator)
    for name in text[len(operator) :].split(","):
        _check_name(name, position)
        if name in names:
            raise InvalidUriTemplate(f"{name} stands twice in one expression", position, name)
        names[name] = None
        position += len(name) + 1
    return UriExpression(operator, tuple(names))


def _check_name(name: str, offset: int) -> None:
    match = _URI_VARIABLE.match(name)
    end = match.end() if match else 0
    modifier = name[end:]
    if match and not modifier:
        return
    if match and (modifier == "*" or re.fullmatch(r":[0-9]*", modifier)):
        kind = "the explode modifier" if modifier == "*" else "a prefix"
        help = "levels 1 to 3 of RFC 6570 are read: leave it out"
        raise InvalidUriTemplate(f"{kind} ({modifier}) is level 4", offset + end, modifier, help)
    help = "letters, digits, _ and dots between them" if name else "write the name of a variable"
    if not name:
        raise InvalidUriTemplate("an expression lacks a variable", offset, "", help)
    raise InvalidUriTemplate(f"{name!r} is not a name of a variable", offset + end, modifier[:1], help)
