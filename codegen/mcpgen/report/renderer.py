"""Interface of the renderers of diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from mcpgen.diagnostics import Diagnostic
from mcpgen.schema.values import Json


@dataclass(frozen=True)
class CommandRun:
    """Facts about a command's run that a renderer may add to the diagnostics."""

    command: str
    exit_code: int = 0
    make_data: Callable[[], Json] = lambda: None
    """Makes the command's data; called only by formats that have a place for it."""
    colored: bool = False


class Renderer(Protocol):
    """Function that renders diagnostics in one format."""

    def __call__(self, diagnostics: Sequence[Diagnostic], run: CommandRun) -> str:
        """Return the complete text, with a final line break unless it is empty."""
        ...
