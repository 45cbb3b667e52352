"""`mcpgen show`: a tool's generated class, its result on the wire for an example, what its content costs a model."""

from __future__ import annotations

import difflib
import inspect
import json
import sys
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from mcpgen.config import Package
from mcpgen.diagnostics import Findings, Span
from mcpgen.draw import Drawer
from mcpgen.json_types import Json
from mcpgen.loaded import NotImportable, load
from mcpgen.paths import shown
from mcpgen.read.keywords import DRAFT_2020_12, dialect_of
from mcpgen.report import text
from mcpgen.report.exit_codes import FINE, INPUT

BYTES_A_TOKEN = 4
"""A rule of thumb for English and JSON; what a model really counts is up to its tokenizer."""


@dataclass(frozen=True)
class Wanted:
    """What to show of which tool; `part` is `code`, `wire`, `schema` or, for all that helps to choose, empty."""

    tool: str
    part: str
    value: str | None
    protocol: str | None


class _CannotShow(Exception):
    """What was asked for is not there; the message says why, the help what to do."""

    def __init__(self, message: str, help: str = "") -> None:
        super().__init__(message)
        self.help = help


def show(packages: tuple[list[Package], Findings], wanted: Wanted) -> int:
    """Show a tool of the first package that has it, on standard output; the exit code."""
    found, findings = packages
    for package in found:
        out = package.folder / package.settings.out
        where = Span(shown(out))
        try:
            generated = load(out)
            if wanted.tool in generated.TOOLS:
                _print(generated, wanted)
                break
        except NotImportable as error:
            findings.error(
                "MG602", str(error), where, "run `mcpgen build` first, with the SDK of the package installed"
            )
        except _CannotShow as error:
            findings.error("MG604", str(error), where, error.help)
            break
    else:
        if found and not findings.failed:
            names = [name for one in found for name in _names(one)]
            close = difflib.get_close_matches(wanted.tool, names, 1)
            help = f'did you mean "{close[0]}"?' if close else f"there are {', '.join(names)}"
            findings.error("MG602", f'no generated package has a tool "{wanted.tool}"', None, help)
    sys.stderr.write(text.diagnostics(findings.sorted()))
    return INPUT if findings.failed else FINE


def _names(package: Package) -> list[str]:
    return list(load(package.folder / package.settings.out).TOOLS)


def _print(generated: Any, wanted: Wanted) -> None:
    cls = generated.RESULT_TYPES[wanted.tool]
    declared = generated.TOOLS[wanted.tool]
    if wanted.part == "schema":
        return _paint(_pretty(declared.get("outputSchema")), "json")
    if wanted.part == "code":
        return _paint(inspect.getsource(sys.modules[cls.__module__]), "python")
    result = _example(cls, declared, wanted.value)
    wire = _pretty(result.to_wire(protocol=wanted.protocol))
    if wanted.part == "wire":
        return _paint(wire, "json")
    _paint(inspect.getsource(cls), "python")
    sys.stdout.write("\n")
    _paint(wire, "json")
    sys.stdout.write(f"\n{_sizes(result, declared)}")


def _example(cls: Any, declared: dict[str, Json], given: str | None) -> Any:
    """An instance: of the value that was given, else of one that is drawn from the schema.

    Raises:
        _CannotShow: the value does not fit, or none was found.
    """
    schema = declared.get("outputSchema")
    if schema is None:
        said = "some text" if given is None else given
        return cls(content=[{"type": "text", "text": said}])
    if given is None:
        value = Drawer(schema, dialect_of(schema) or DRAFT_2020_12).example()
    else:
        try:
            value = json.loads(given)
        except ValueError as error:
            raise _CannotShow(f"--value is not JSON: {error}") from None
    try:
        return cls.from_structured_content(value)
    except ValidationError as error:
        if given is None:
            raise _CannotShow("no example was found that satisfies the schema", "give one with --value") from None
        raise _CannotShow(f"--value does not satisfy the outputSchema: {error.errors()[0]['msg']}") from None


def _sizes(result: Any, declared: dict[str, Json]) -> str:
    """What the content costs beside the JSON text that it replaces, as a small table."""
    blocks = result.to_wire()["content"]
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    size = sum(len(one.encode()) for one in texts)
    rows = [(f"content ({_many(len(texts), 'text block')})", size)]
    if "outputSchema" in declared:
        dumped = json.dumps(result.to_structured_content(), ensure_ascii=False, separators=(",", ":"))
        rows.append(("the value as JSON", len(dumped.encode())))
    lines = [f"{name:<26} {size:>8,} bytes, about {-(-size // BYTES_A_TOKEN):,} tokens" for name, size in rows]
    others = [block["type"] for block in blocks if block["type"] != "text"]
    if others:
        lines.append(f"beside it {', '.join(others)}, which models count in their own ways")
    return "\n".join(lines) + "\n"


def _many(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _pretty(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _paint(source: str, language: str) -> None:
    """Print, in colours on a terminal."""
    if not sys.stdout.isatty():
        sys.stdout.write(source)
        return
    from rich.console import Console
    from rich.syntax import Syntax

    Console().print(Syntax(source.rstrip("\n"), language, background_color="default", word_wrap=True))
