"""`mcpgen explain`: what a diagnostic means, an example of it, and how to mend it."""

from __future__ import annotations

import difflib

import typer

from mcpgen.diagnostics import CATALOGUE, Findings
from mcpgen.explanations import read_explanation, read_titled_explanation
from mcpgen.report.exit_codes import SUCCESS
from mcpgen.report.output import CommandOutput
from mcpgen.report.visible import escape_line, split_text_lines
from mcpgen.schema.values import Json


def explain_codes(code: str | None, output: CommandOutput) -> int:
    """Explain a code, or list all of them; the exit code.

    Raises:
        typer.BadParameter: there is no such code.
    """
    if code is None:
        output.show(f"{one}  {meaning}" for one, meaning in CATALOGUE.items())
        chosen = list(CATALOGUE)
    else:
        chosen = [_normalize_code(code)]
        output.show(split_text_lines(read_titled_explanation(chosen[0])), "markdown")
    return output.close(Findings(), SUCCESS, lambda: {"codes": [_build_code_json(one) for one in chosen]})


def _normalize_code(code: str) -> str:
    """A code as the catalogue writes it; `mg101`, `101` and `MG-101` are understood."""
    wanted = "MG" + code.upper().removeprefix("MG").lstrip("-").zfill(3)
    if wanted in CATALOGUE:
        return wanted
    if about := _describe_rule(code):
        raise typer.BadParameter(f'"{code}" is a rule of `mcpgen diff`: {about}')
    close = difflib.get_close_matches(wanted, CATALOGUE, 4, 0.6)
    words = [one for one, meaning in CATALOGUE.items() if code.lower() in meaning.lower()][:4]
    near = ", ".join(close or words)
    code = escape_line(code)
    raise typer.BadParameter(
        f'there is no diagnostic "{code}"; ' + (f"near it are {near}" if near else "`mcpgen explain` lists all")
    )


def _describe_rule(name: str) -> str:
    """What a rule of `diff` is about; empty when it is none."""
    from mcpgen.compat.registry import RULES

    return RULES[name].doc if name in RULES else ""


def _build_code_json(code: str) -> Json:
    return {"code": code, "meaning": CATALOGUE[code], "explanation": read_explanation(code)}
