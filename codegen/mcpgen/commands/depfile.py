"""Which files a build read, as a rule for Make, Ninja and build systems that read such rules."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from mcpgen.pipeline.outcome import Outcome


def render_rules(outcomes: Iterable[tuple[Outcome, Path | None]]) -> str:
    """A rule for each package: its `__init__.py`, and the files that were read, the settings' among them.

    Each of these files also gets a rule without anything in it, so that Make goes on when one is removed.
    """
    text, mentioned = "", dict[str, None]()
    for outcome, settings in outcomes:
        read = {_format_make_path(path) for path, sight in outcome.seen.items() if isinstance(sight, str)}
        inputs = sorted(read | ({_format_make_path(settings)} if settings is not None else set()))
        text += (
            " \\\n  ".join(
                [f"{escape_make_path(_format_make_path(outcome.out / '__init__.py'))}:", *map(escape_make_path, inputs)]
            )
            + "\n"
        )
        mentioned |= dict.fromkeys(inputs)
    return text + "".join(f"\n{escape_make_path(path)}:\n" for path in mentioned)


def escape_make_path(path: str) -> str:
    """A path as Make reads it: `$` is doubled; spaces, tabs, `#`, and the backslashes right before them are escaped."""
    return re.sub(r"(\\*)([ \t#])", r"\1\1\\\2", path).replace("$", "$$")


def _format_make_path(path: str | Path) -> str:
    return Path(os.path.relpath(path)).as_posix()
