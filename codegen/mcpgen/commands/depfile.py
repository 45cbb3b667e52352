"""Which files a build read, as a rule for Make, Ninja and build systems that read such rules."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from mcpgen.pipeline.outcome import Outcome


def rules(outcomes: Iterable[tuple[Outcome, Path | None]]) -> str:
    """A rule for each package: its `__init__.py`, and the files that were read, the settings' among them.

    Each of these files also gets a rule without anything in it, so that Make goes on when one is removed.
    """
    text, mentioned = "", dict[str, None]()
    for outcome, settings in outcomes:
        read = {_shown(path) for path, sight in outcome.seen.items() if isinstance(sight, str)}
        inputs = sorted(read | ({_shown(settings)} if settings is not None else set()))
        text += " \\\n  ".join([f"{escaped(_shown(outcome.out / '__init__.py'))}:", *map(escaped, inputs)]) + "\n"
        mentioned |= dict.fromkeys(inputs)
    return text + "".join(f"\n{escaped(path)}:\n" for path in mentioned)


def escaped(path: str) -> str:
    """A path as Make reads it: `$` is doubled; spaces, tabs, `#`, and the backslashes right before them are escaped."""
    return re.sub(r"(\\*)([ \t#])", r"\1\1\\\2", path).replace("$", "$$")


def _shown(path: str | Path) -> str:
    return Path(os.path.relpath(path)).as_posix()
