"""Rules for Make, Ninja and other build systems that say which files a build read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from mcpgen.config.models import ConfiguredPackage
from mcpgen.files.definition_files import walk_input_folders
from mcpgen.paths import format_relative_path
from mcpgen.pipeline.outcome import Outcome

_UNQUOTABLE = re.compile(r"[\x00-\x1f\x7f:;=|]|\A\.[A-Z_]+\Z")
"""What Make gives a meaning that nothing takes from it: such a file name could set variables and run commands."""


def render_rules(outcomes: Iterable[tuple[Outcome, ConfiguredPackage]]) -> str:
    """Render a rule per package: its `__init__.py` depends on the files that were read and on its settings file.

    It depends on the folders of definitions, too, because a new file changes a folder's time. Each of these paths also
    gets an empty rule, so that Make does not fail if one is removed.
    """
    text, prerequisites = "", dict[str, None]()
    for outcome, package in outcomes:
        read = _list_prerequisites(outcome, package)
        text += " \\\n  ".join([f"{escape_make_path(_format_target(outcome))}:", *map(escape_make_path, read)]) + "\n"
        prerequisites |= dict.fromkeys(read)
    return text + "".join(f"\n{escape_make_path(path)}:\n" for path in prerequisites)


def find_unquotable_path(outcomes: Iterable[tuple[Outcome, ConfiguredPackage]]) -> str | None:
    """Return a path that no rule for Make can name, None if there is none."""
    for outcome, package in outcomes:
        for path in (_format_target(outcome), *_list_prerequisites(outcome, package)):
            if _UNQUOTABLE.search(path):
                return path
    return None


def _list_prerequisites(outcome: Outcome, package: ConfiguredPackage) -> list[str]:
    """Return the paths of the files that were read, and of the folders of definitions that Make can name."""
    files = {path for path, observation in outcome.observed.items() if isinstance(observation, str)}
    if package.file is not None:
        files.add(os.fspath(package.file))
    walks = (walk_input_folders(path, outcome.out) for path in package.inputs if path.is_dir())
    folders = {_format_make_path(folder) for walk in walks for folder, _ in walk}
    return sorted({*map(_format_make_path, files), *(folder for folder in folders if not _UNQUOTABLE.search(folder))})


def _format_target(outcome: Outcome) -> str:
    return _format_make_path(outcome.out / "__init__.py")


def escape_make_path(path: str) -> str:
    """Escape a path for Make: `$` is doubled; spaces, tabs, `#` and the backslashes before them get a backslash."""
    return re.sub(r"(\\*)([ \t#])", r"\1\1\\\2", path).replace("$", "$$")


def _format_make_path(path: str | Path) -> str:
    return format_relative_path(path)
