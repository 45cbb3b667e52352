"""`mcpgen explain`: what a diagnostic means, an example of it, and how to mend it."""

from __future__ import annotations

import difflib

import typer

from mcpgen.diagnostics import CATALOGUE, Findings
from mcpgen.explanations import explanation, titled
from mcpgen.report.exit_codes import FINE
from mcpgen.report.output import Output
from mcpgen.report.visible import lines, visible
from mcpgen.schema.values import Json


def explain(code: str | None, output: Output) -> int:
    """Explain a code, or list all of them; the exit code.

    Raises:
        typer.BadParameter: there is no such code.
    """
    if code is None:
        output.show(f"{one}  {meaning}" for one, meaning in CATALOGUE.items())
        chosen = list(CATALOGUE)
    else:
        chosen = [_known(code)]
        output.show(lines(titled(chosen[0])), "markdown")
    return output.close(Findings(), FINE, lambda: {"codes": [_one(one) for one in chosen]})


def _known(code: str) -> str:
    """A code as the catalogue writes it; `mg101`, `101` and `MG-101` are understood."""
    wanted = "MG" + code.upper().removeprefix("MG").lstrip("-").zfill(3)
    if wanted in CATALOGUE:
        return wanted
    if about := _rule(code):
        raise typer.BadParameter(f'"{code}" is a rule of `mcpgen diff`: {about}')
    close = difflib.get_close_matches(wanted, CATALOGUE, 4, 0.6)
    words = [one for one, meaning in CATALOGUE.items() if code.lower() in meaning.lower()][:4]
    near = ", ".join(close or words)
    code = visible(code)
    raise typer.BadParameter(
        f'there is no diagnostic "{code}"; ' + (f"near it are {near}" if near else "`mcpgen explain` lists all")
    )


def _rule(name: str) -> str:
    """What a rule of `diff` is about; empty when it is none."""
    from mcpgen.compat import rules
    from mcpgen.compat.registry import RULES

    assert rules.__all__
    return RULES[name].doc if name in RULES else ""


def _one(code: str) -> Json:
    return {"code": code, "meaning": CATALOGUE[code], "explanation": explanation(code)}
