"""A run of `mcpgen pull` as a person sees it: what was pulled, what its schemas leave open, what to do next."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from mcpgen.config import Limits, Package
from mcpgen.diagnostics import Findings, Span
from mcpgen.json_types import Json
from mcpgen.live.ask import Question, ask
from mcpgen.live.checked import Advertised, checked
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
    counts = [
        _many(len(advertised.lists[member]), word)
        for member, word in (("tools", "tool"), ("resources", "resource"), ("resourceTemplates", "resource template"))
        if advertised.lists[member]
    ]
    lines = [f"{path}: {', '.join(counts) or 'nothing'}, under {advertised.protocol}, {changed}"]
    chosen = {name: choice.name for one in packages for name, choice in one.settings.tools.items()}
    rows = [(str(tool["name"]), _class_of(tool, chosen), _said(tool)) for tool in advertised.tools]
    widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    lines += [f"  {name:<{widths[0]}}  {cls:<{widths[1]}}  {said}".rstrip() for name, cls, said in rows]
    if rows:
        name, cls, _ = next((row for row in rows if row[1]), rows[0])
        lines.append(f"next: `mcpgen build`, then let handlers say what they return: `-> {cls}` on that of {name}")
    return "".join(f"{text.printable(line)}\n" for line in lines)


def _class_of(tool: dict[str, Json], chosen: dict[str, str | None]) -> str:
    name = str(tool["name"])
    stem = class_stem(name, chosen.get(name))
    return f"{stem}Result" if stem else ""


def _said(tool: dict[str, Json]) -> str:
    found = remarks(tool)
    return "; ".join(found) if found else "its results cannot but fit its schema"


def _many(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
