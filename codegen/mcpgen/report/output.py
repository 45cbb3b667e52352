"""What a command says, in the format that was asked for: its data, its remarks and its findings, each on its stream."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, TextIO, TypeAlias

import typer

from mcpgen.diagnostics import Diagnostic, Findings, Severity
from mcpgen.report import text
from mcpgen.report.visible import format_lines
from mcpgen.schema.values import Json

OutputFormat: TypeAlias = Literal["text", "json", "github", "sarif"]
ColorMode: TypeAlias = Literal["auto", "always", "never"]


@dataclass(frozen=True)
class CommandOutput:
    """A command's way to the outside; `quiet` leaves errors only.

    `text` and `github` are read by people: data on standard output, remarks on standard error. In `text` the findings
    are on standard error, too. In the other formats they are what is asked for, so they are on standard output, and in
    `json` and `sarif` nothing else is: one document, which in `json` holds the data.
    """

    command: str
    format: OutputFormat = "text"
    color: ColorMode = "auto"
    quiet: bool = False

    def show(self, data: Iterable[str], language: str = "text") -> None:
        """Lines of data for people, in colours on a terminal; `language` is a name that pygments knows."""
        if self.format == "github":
            from mcpgen.report import github

            _write_text(sys.stdout, github.quote_lines(data))
        elif self.format == "text":
            text = format_lines(data)
            if self.is_coloured(sys.stdout):
                _highlight_source(text, language)
            else:
                _write_text(sys.stdout, text)

    def say(self, *remark: str) -> None:
        """A remark for people, a line each."""
        if self.format in ("text", "github") and not self.quiet:
            _write_text(sys.stderr, format_lines(line.removesuffix("\n") for line in remark))

    def close(self, findings: Findings, exit_code: int, data: Callable[[], Json] = lambda: None) -> int:
        """The findings, and in `json` the data; returns the exit code."""
        items = [one for one in findings.sorted() if not self.quiet or one.severity is Severity.ERROR]
        if self.format == "text":
            colour = self.is_coloured(sys.stderr)
            typer.echo(text.render_text(items, colour), nl=False, err=True, color=colour)
        else:
            document = self._document(items, exit_code, data).encode("utf-8", "replace")
            sys.stdout.flush()
            sys.stdout.buffer.write(document)
        return exit_code

    def _document(self, items: list[Diagnostic], exit_code: int, data: Callable[[], Json]) -> str:
        from mcpgen.report import github, json_document, sarif

        match self.format:
            case "github":
                return github.render_github(items)
            case "sarif":
                return sarif.render_sarif(items, exit_code)
            case _:
                return json_document.render_json(self.command, items, exit_code, data())

    def is_coloured(self, stream: TextIO) -> bool:
        """Whether to colour what goes to a stream: the option, then NO_COLOR, then FORCE_COLOR, then a terminal."""
        if self.color != "auto":
            return self.color == "always"
        if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
            return False
        return os.environ.get("FORCE_COLOR", "") not in ("", "0") or stream.isatty()


def _write_text(stream: TextIO, text: str) -> None:
    """Write text, whatever the stream's encoding can say."""
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))


def _highlight_source(source: str, language: str) -> None:
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.syntax import Syntax

    system: Literal["auto", "256"] = "auto" if sys.stdout.isatty() else "256"
    console = Console(force_terminal=True, no_color=False, color_system=system, markup=False, emoji=False)
    if language == "markdown":
        console.print(Markdown(source, code_theme="ansi_dark"))
    else:
        painted = Syntax("", language, theme="ansi_dark").highlight(source)
        painted.right_crop(len(painted.plain) - len(painted.plain.rstrip("\n")))
        console.print(painted, soft_wrap=True, highlight=False)
