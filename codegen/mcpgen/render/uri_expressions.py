"""Render a URI template: the expression that expands it, and the parts that a URI is matched against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcpgen.ir.definitions import UriTemplatePart, list_uri_variables
from mcpgen.literals import Literal, make_literal

EXPANSION_PREFIXES = {"": "", "+": "", "#": "#", ".": ".", "/": "/", ";": ";", "?": "?", "&": "&"}
"""The text that an operator puts before its first value (RFC 6570, appendix A)."""
EXPANSION_SEPARATORS = {"": ",", "+": ",", "#": ",", ".": ".", "/": "/", ";": ";", "?": "&", "&": "&"}
"""The text that an operator puts between its values (RFC 6570, appendix A)."""
MAX_TERMS = 50
"""The most terms of a sum: each nests the one before it, and Python and the type checkers limit the depth."""


@dataclass(frozen=True)
class UriVariable:
    """Place of a value, as the run-time class of this name has it."""

    name: str
    reserved: bool
    """Reserved characters are not percent-encoded."""
    lead: str
    """Text before the value that is missing when the value is empty."""


@dataclass(frozen=True)
class UriQuery:
    """Place of a query's pairs, as the run-time class `Query` has it."""

    first: str
    """The operator: `?` or `&`."""
    names: tuple[str, ...]


# --- expansion -------------------------------------------------------------------------------------------------------
def render_uri_expression(template: tuple[UriTemplatePart, ...], python_names: Mapping[str, str]) -> str:
    """Return the expression that expands a URI template.

    Args:
        template: the parts of the template.
        python_names: the parameter of each variable.
    """
    optional = list_uri_variables(template)
    terms: list[str] = []
    text = ""
    for part in template:
        if isinstance(part, str):
            text += part
            continue
        if part.operator in ("?", "&") and any(optional[name] for name in part.names):
            pairs = ", ".join(f"({make_literal(name)}, {python_names[name]})" for name in part.names)
            terms += [*_quote_nonempty(text), f"uri_templates.query({make_literal(part.operator)}, {pairs})"]
            text = ""
            continue
        for index, name in enumerate(part.names):
            text += EXPANSION_PREFIXES[part.operator] if index == 0 else EXPANSION_SEPARATORS[part.operator]
            if part.operator in ("?", "&"):
                text += f"{name}="
            terms += [*_quote_nonempty(text), _render_value_expression(part.operator, name, python_names[name])]
            text = ""
    terms += _quote_nonempty(text)
    if len(terms) > MAX_TERMS:
        return f'"".join(({", ".join(terms)}))'
    return " + ".join(terms)


def _render_value_expression(operator: str, name: str, value: str) -> str:
    if operator == ";":
        return f"uri_templates.parameter({make_literal(name)}, {value})"
    return f"uri_templates.{'reserved' if operator in ('+', '#') else 'unreserved'}({value})"


def _quote_nonempty(text: str) -> list[str]:
    return [str(make_literal(text))] if text else []


# --- matching --------------------------------------------------------------------------------------------------------
def make_match_parts(template: tuple[UriTemplatePart, ...]) -> list[str | UriVariable | UriQuery]:
    """Return the parts of a template that a URI is matched against, with neighbouring literals joined."""
    parts: list[str | UriVariable | UriQuery] = []

    def add_literal(text: str) -> None:
        if text and parts and isinstance(previous := parts[-1], str):
            parts[-1] = previous + text
        elif text:
            parts.append(text)

    for part in template:
        if isinstance(part, str):
            add_literal(part)
        elif part.operator in ("?", "&"):
            parts.append(UriQuery(part.operator, part.names))
        else:
            for index, name in enumerate(part.names):
                add_literal(EXPANSION_PREFIXES[part.operator] if index == 0 else EXPANSION_SEPARATORS[part.operator])
                if part.operator == ";":
                    add_literal(name)
                parts.append(UriVariable(name, part.operator in ("+", "#"), "=" if part.operator == ";" else ""))
    return parts


def render_match_part(part: str | UriVariable | UriQuery) -> Literal:
    """Return the expression for a part that a URI is matched against."""
    match part:
        case str():
            return make_literal(part)
        case UriVariable(name=name, reserved=reserved, lead=lead):
            arguments = [
                str(make_literal(name)),
                *(["reserved=True"] if reserved else []),
                *([f'lead="{lead}"'] if lead else []),
            ]
            return Literal(f"uri_templates.Variable({', '.join(arguments)})")
        case UriQuery(first=first, names=names):
            listed = ", ".join(str(make_literal(name)) for name in names)
            return Literal(f"uri_templates.Query({make_literal(first)}, ({listed}{',' if len(names) == 1 else ''}))")
