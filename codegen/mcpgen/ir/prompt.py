"""Modules of prompts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PromptArgument:
    """Argument of a prompt: a string, or one of the values that the user has declared."""

    wire: str
    required: bool
    values: tuple[str, ...] = ()
    """The values that it may have; none: any string."""


@dataclass(frozen=True)
class PromptModule:
    """Prompt."""

    wire: str
    origin: str
    description: str
    """Its description, empty if it has none."""
    arguments: tuple[PromptArgument, ...] = ()
    python: str | None = None
    """Python name from the settings, None for a derived one."""
