"""A run of `mcpgen pull` as a person sees it: what was pulled, what its schemas leave open, what to do next."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from mcpgen.config import Limits, Package, ToolChoice
from mcpgen.diagnostics import Findings, Span
from mcpgen.json_types import Json
from mcpgen.live.ask import Question, ask
from mcpgen.live.checked import Advertised, checked
from mcpgen.live.drift import words_of
from mcpgen.live.errors import CannotAsk
from mcpgen.live.remarks import remarks
from mcpgen.live.source import name_of
from mcpgen.live.source import shown as shown_source
from mcpgen.names import class_stem
from mcpgen.paths import shown
from mcpgen.pull import file_text, folder_of, put
from mcpgen.report import text
from mcpgen.report.exit_codes import FINE, INPUT, REFUSED


@dataclass(frozen=True)
class Wanted:
    """What to pull, and into which file; `name`: None for one made from the source."""

    question: Question
    name: str | None
    out: Path | None
    exclude: tuple[str, ...]
    force: bool
    quiet: bool


def pull(packages: tuple[list[Package], Findings], wanted: Wanted) -> int:
    """Pull one server's definitions into its file; the report goes to standard error; the exit code."""
    found, findings = packages
    code = INPUT if findings.failed else _pull(found, wanted, findings)
    items = [item for item in findings.sorted() if not wanted.quiet or item.severity == "error"]
    sys.stderr.write(text.diagnostics(items))
    return code


def _pull(packages: list[Package], wanted: Wanted, findings: Findings) -> int:
    name = wanted.name or name_of(wanted.question.source)
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*", name) or name.endswith((".defs", ".json")):
        help = "letters, digits, dots, dashes and underscores; it becomes a file NAME.json"
        findings.error("MG701", "the name for the server's file is none", None, help)
        return INPUT
    limits = packages[0].settings.limits if packages else Limits.model_validate({})
    advertised = asked(wanted.question, wanted.exclude, limits, findings)
    if advertised is None:
        return INPUT
    folder = wanted.out or folder_of(packages)
    plan = put(folder, name, file_text(advertised, shown_source(wanted.question.source)), wanted.force, findings)
    if plan is None:
        return INPUT
    if plan.refused:
        return REFUSED
    if not wanted.quiet:
        changed = "written" if plan.changes else "unchanged"
        sys.stderr.write(_report(advertised, shown(folder / f"{name}.json"), changed, packages))
    return FINE


def asked(question: Question, exclude: tuple[str, ...], limits: Limits, findings: Findings) -> Advertised | None:
    """What a server advertises, or None with findings."""
    where = Span(shown_source(question.source))
    try:
        return checked(ask(question), exclude, limits, where, findings)
    except CannotAsk as error:
        findings.error(error.code, error.message, where, error.help)
        return None


def _report(advertised: Advertised, path: str, changed: str, packages: list[Package]) -> str:
    lines = [f"{path}: {words_of(advertised)}, under {advertised.protocol}, {changed}"]
    choices = {name: choice for one in packages for name, choice in one.settings.tools.items()}
    for tool in advertised.tools:
        lines += _of_tool(tool, choices.get(str(tool["name"])))
    if advertised.tools:
        lines.append(
            "next: `mcpgen build`; then, a tool at a time, its handler says that it returns the class named here"
        )
    return "".join(f"{text.printable(line)}\n" for line in lines)


def _of_tool(tool: dict[str, Json], choice: ToolChoice | None) -> list[str]:
    """A tool, the class that its handler is to return, and what there is to say of its schema."""
    name = str(tool["name"])
    stem = class_stem(name, None if choice is None else choice.name)
    line = f"  {name} -> {stem}Result" if stem else f"  {name}"
    if "outputSchema" not in tool:
        if choice is not None and choice.output_schema is not None:
            return [f"{line}: no outputSchema, but the settings give it one"]
        return [f"{line}: no outputSchema; one can be given to it in the settings"]
    found = remarks(tool)
    return [line, *(f"    {one}" for one in found)]
