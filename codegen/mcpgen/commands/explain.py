"""`mcpgen explain`: print what a diagnostic means, with an example and how to fix it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import typer

from mcpgen.diagnostics import CATALOGUE, Findings
from mcpgen.explanations import read_explanation, read_titled_explanation
from mcpgen.report.exit_codes import SUCCESS
from mcpgen.report.output import CommandOutput
from mcpgen.report.visible import escape_line, split_text_lines
from mcpgen.schema.values import Json
from mcpgen.words import NameGuesser

if TYPE_CHECKING:
    from mcpgen.compat.rules.rule import Rule


def run_explain(code: str | None, output: CommandOutput) -> int:
    """Explain a code or a rule, or list all, and return the exit code; raise `typer.BadParameter` if it is unknown."""
    if code is None:
        codes = list(CATALOGUE)
        output.print_data(f"{known_code}  {meaning}" for known_code, meaning in CATALOGUE.items())
    else:
        codes, rule = [normalize_code(code)], _load_rules().get(code)
        remark = "" if rule is None else f"`{rule.id}` is a rule of `mcpgen diff`: {rule.doc}"
        output.print_data(split_text_lines(read_titled_explanation(codes[0], remark)), "markdown")
    return output.finish(Findings(), SUCCESS, lambda: {"codes": [*map(_build_code_json, codes)]})


_DIGITS_BY_LETTER = str.maketrans("OIL", "011")
"""Letters that are easily typed for digits."""


def normalize_code(code: str) -> str:
    """Return the code that `mg101`, `101`, `MG-101` or a rule means; raise `typer.BadParameter` with similar ones."""
    normalized = "MG" + code.upper().removeprefix("MG").lstrip("-").zfill(3)
    if normalized in CATALOGUE:
        return normalized
    if rule := _load_rules().get(code):
        return rule.code
    digits = normalized[2:].translate(_DIGITS_BY_LETTER)
    similar_codes = NameGuesser().list_similar(f"MG{digits}", CATALOGUE, 4)
    if not similar_codes:
        similar_codes = [known for known, meaning in CATALOGUE.items() if code.lower() in meaning.lower()][:4]
    similar_codes = similar_codes or NameGuesser().list_similar(code, _load_rules(), 4, 0.7)
    advice = f"near it are {', '.join(similar_codes)}" if similar_codes else "`mcpgen explain` lists all"
    raise typer.BadParameter(f'there is no diagnostic "{escape_line(code)}"; {advice}')


def _load_rules() -> Mapping[str, Rule]:
    from mcpgen.compat.registry import RULES

    return RULES


def _build_code_json(code: str) -> Json:
    return {"code": code, "meaning": CATALOGUE[code], "explanation": read_explanation(code)}
