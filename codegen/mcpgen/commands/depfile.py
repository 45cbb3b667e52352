"""Rules for Make, Ninja and other build systems that say which files a build read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from mcpgen.pipeline.outcome import Outcome

_UNQUOTABLE = re.compile(r"[\x00-\x1f\x7f:;=|]|\A\.[A-Z_]+\Z")
"""What Make gives a meaning that nothing takes from it: such a file name could set variables and run commands."""


def render_rules(outcomes: Iterable[tuple[Outcome, Path | None]]) -> str:
    """Render a rule per package: its `__init__.py` depends on the files that were read and on its settings file.

    Each of these files also gets an empty rule, so that Make does not fail if one is removed.
    """
    text, prerequisites = "", dict[str, None]()
    for outcome, settings_file in outcomes:
        read = _list_prerequisites(outcome, settings_file)
        text += " \\\n  ".join([f"{escape_make_path(_format_target(outcome))}:", *map(escape_make_path, read)]) + "\n"
        prerequisites |= dict.fromkeys(read)
    return text + "".join(f"\n{escape_make_path(path)}:\n" for path in prerequisites)


def find_unquotable_path(outcomes: Iterable[tuple[Outcome, Path | None]]) -> str | None:
    """Return a path that no rule for Make can name, None if there is none."""
    for outcome, settings_file in outcomes:
        for path in (_format_target(outcome), *_list_prerequisites(outcome, settings_file)):
            if _UNQUOTABLE.search(path):
                return path
    return None


def _list_prerequisites(outcome: Outcome, settings_file: Path | None) -> list[str]:
    read = {_format_make_path(path) for path, observation in outcome.observed.items() if isinstance(observation, str)}
    if settings_file is not None:
        read.add(_format_make_path(settings_file))
    return sorted(read)


def _format_target(outcome: Outcome) -> str:
    return _format_make_path(outcome.out / "__init__.py")


def escape_make_path(path: str) -> str:
    """Escape a path for Make: `$` is doubled; spaces, tabs, `#` and the backslashes before them get a backslash."""
    return re.sub(r"(\\*)([ \t#])", r"\1\1\\\2", path).replace("$", "$$")


def _format_make_path(path: str | Path) -> str:
    return Path(os.path.relpath(path)).as_posix()
