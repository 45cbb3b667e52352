"""Output of one run of a command: data, remarks and diagnostics, in the chosen format, each on its stream."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Literal, TextIO, TypeAlias

import typer

from mcpgen.diagnostics import Findings, Severity
from mcpgen.report import text
from mcpgen.report.exit_codes import LINT_FINDINGS, WARNINGS
from mcpgen.report.text import CommandRun, Renderer
from mcpgen.report.visible import escape_line, format_lines
from mcpgen.schema.values import Json

if TYPE_CHECKING:
    from rich.progress import Progress


BAR_DELAY = 1.0
"""Seconds after which a progress bar appears."""
MAX_NAME_LENGTH = 40
"""Characters of the name of what is worked on."""


class ProgressBar:
    """Progress bar on standard error. It appears after `BAR_DELAY`, and only on a terminal."""

    def __init__(
        self, quiet: bool, print_detail: Callable[[str], None] = lambda line: None, colored: bool = True
    ) -> None:
        self._on = sys.stderr.isatty() and not quiet
        self._print_detail, self._colored = print_detail, colored
        self._start = self._step_start = time.monotonic()
        self._bar: Progress | None = None

    def __enter__(self) -> ProgressBar:
        return self

    def show(self, step: str, done_count: int, total: int, item: str = "") -> None:
        """Show how many items of a step are done, and the name of the last one."""
        now = time.monotonic()
        if done_count == total:
            self._print_detail(f"{step}: {total} in {now - self._step_start:.2f} s")
            self._step_start = now
        if not self._on or now - self._start < BAR_DELAY:
            return
        if self._bar is None:
            self._bar = _make_bar(self._colored)
            self._bar.start()
        name = _shorten(item)
        for task in self._bar.tasks:
            if task.description == step:
                self._bar.update(task.id, completed=done_count, total=total, name=name)
                return
        self._bar.add_task(step, completed=done_count, total=total, name=name)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


def _make_bar(colored: bool) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    name = TextColumn("{task.fields[name]}", markup=False)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), name)
    return Progress(*columns, console=Console(stderr=True, no_color=not colored), transient=True)


def _shorten(item: str) -> str:
    name = escape_line(item)
    return name if len(name) <= MAX_NAME_LENGTH else "…" + name[1 - MAX_NAME_LENGTH :]


OutputFormat: TypeAlias = Literal["text", "json", "github", "sarif"]
ColorMode: TypeAlias = Literal["auto", "always", "never"]
_WARNINGS_FAIL = (LINT_FINDINGS, WARNINGS)
"""Exit codes of runs that fail because of warnings alone."""


@dataclass(frozen=True)
class CommandOutput:
    """Output channels of a command.

    With `quiet`, errors, warnings that fail and the summary of a failure are written; with `verbose`, also details.

    `text` and `github` are for people: data goes to standard output, remarks to standard error. The diagnostics go to
    standard error in `text`, to standard output in all other formats. In `json` and `sarif` standard output is a single
    document without remarks; the one of `json` contains the data.
    """

    command: str
    format: OutputFormat = "text"
    color: ColorMode = "auto"
    quiet: bool = False
    verbose: bool = False
    """Whether to write details, which nobody needs who only wants the result."""
    printed: list[tuple[bool, str]] = field(default_factory=list[tuple[bool, str]], compare=False)
    """The texts that were printed in the format `text`, each with whether it went to standard error."""

    def print_data(self, lines: Iterable[str], language: str = "text") -> None:
        """Print data for people, highlighted on a terminal; `language` is the name of a pygments lexer."""
        if self.format == "github":
            from mcpgen.report.documents import quote_lines

            _write_text(sys.stdout, quote_lines(lines))
        elif self.format == "text":
            source = format_lines(lines)
            if self.is_colored(sys.stdout):
                _highlight_source(source, language)
            else:
                self._print(False, source)

    def print_remark(self, *lines: str) -> None:
        """Print a remark for people."""
        if self.format in ("text", "github") and not self.quiet:
            self._print(True, format_lines(line.removesuffix("\n") for line in lines))

    def print_summary(self, *lines: str, failed: bool) -> None:
        """Print the last lines for people; those of a failure even if the command is quiet."""
        if self.format in ("text", "github") and (failed or not self.quiet):
            self._print(True, format_lines(lines))

    def print_detail(self, *lines: str) -> None:
        """Print a detail for people who ask for details."""
        if self.verbose:
            self.print_remark(*lines)

    def open_progress(self) -> ProgressBar:
        """Return a progress bar for a long run."""
        return ProgressBar(self.quiet, self.print_detail, self.is_colored(sys.stderr))

    def finish(self, findings: Findings, exit_code: int, make_data: Callable[[], Json] = lambda: None) -> int:
        """Write the diagnostics, in `json` also the data, and return the exit code."""
        diagnostics = [
            diagnostic
            for diagnostic in findings.sorted()
            if not self.quiet
            or diagnostic.severity is Severity.ERROR
            or (exit_code in _WARNINGS_FAIL and diagnostic.severity is Severity.WARNING)
        ]
        colored = self.format == "text" and self.is_colored(sys.stderr)
        rendered = self._load_renderer()(diagnostics, CommandRun(self.command, exit_code, make_data, colored))
        if self.format == "text":
            self.printed.append((True, rendered))
            typer.echo(rendered, nl=False, err=True, color=colored)
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(rendered.encode("utf-8", "replace"))
            sys.stdout.flush()
        return exit_code

    def _print(self, is_error: bool, content: str) -> None:
        self.printed.append((is_error, content))
        _write_text(sys.stderr if is_error else sys.stdout, content)

    def _load_renderer(self) -> Renderer:
        if self.format == "text":
            return text.render_text
        from mcpgen.report.documents import render_github, render_json, render_sarif

        return {"json": render_json, "github": render_github, "sarif": render_sarif}[self.format]

    def is_colored(self, stream: TextIO) -> bool:
        """Check whether to color a stream, by --color, NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, CLICOLOR, a terminal."""
        if self.color != "auto":
            return self.color == "always"
        if os.environ.get("NO_COLOR"):
            return False
        if any(os.environ.get(name, "") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
            return True
        if os.environ.get("CLICOLOR") == "0" or os.environ.get("TERM") == "dumb":
            return False
        return stream.isatty()


def _write_text(stream: TextIO, content: str) -> None:
    encoding = stream.encoding or "utf-8"
    stream.write(content.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()  # both streams may go to one log, which should have their texts in this order


def _highlight_source(source: str, language: str) -> None:
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.syntax import Syntax

    system: Literal["auto", "256"] = "auto" if sys.stdout.isatty() else "256"
    console = Console(force_terminal=True, no_color=False, color_system=system, markup=False, emoji=False)
    if language == "markdown":
        console.print(Markdown(source, code_theme="ansi_dark"))
    else:
        highlighted = Syntax("", language, theme="ansi_dark").highlight(source)
        highlighted.right_crop(len(highlighted.plain) - len(highlighted.plain.rstrip("\n")))
        console.print(highlighted, soft_wrap=True, highlight=False)
