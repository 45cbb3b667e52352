"""Find the files below an input folder that can be definitions or content templates, by their names."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from mcpgen.files import looks

DEFINITION_SUFFIXES = (".json", ".yaml", ".yml")
"""Ends of the names of definition files."""
TEMPLATE_SUFFIX = ".content.j2"
"""End of the name of a content template."""
PULLED_FOLDER = "pulled"
"""Folder of an input folder that belongs to `mcpgen pull`."""
LEARNED_FOLDER = "learned"
"""Folder with what `mcpgen learn` has proposed: schemas that only the settings name."""
_ENDINGS = re.compile(r"(\.(schema|output|defs))?\.(json|ya?ml)$")


def get_stem(name: str) -> str:
    """Return the name of a definition file without what says that it is one: `bom-1.6` for `bom-1.6.schema.json`."""
    return _ENDINGS.sub("", name)


def find_candidates(root: Path, out: Path, failed: Callable[[OSError], None] | None = None) -> Iterator[looks.Entry]:
    """Yield what is below a folder and has a name that ends like those of definitions or content templates.

    Args:
        root: The input folder.
        out: The folder of the generated package, which is skipped when it is inside `root`.
        failed: Called with the error about each folder that cannot be listed.
    """
    for _, candidates in walk_input_folders(root, out, failed):
        yield from candidates


def _is_candidate(entry: looks.Entry) -> bool:
    """Check whether a file may be a definition or a template, by its name. A link to a folder is neither."""
    is_named = entry.name.endswith((*DEFINITION_SUFFIXES, TEMPLATE_SUFFIX))
    return is_named and (entry.kind != "link" or not looks.is_folder(entry.path))


def walk_input_folders(
    root: Path, out: Path, failed: Callable[[OSError], None] | None = None
) -> Iterator[tuple[str, list[looks.Entry]]]:
    """Yield a folder and each folder below it, with what `find_candidates` yields of it.

    Hidden files and folders are skipped, and links to folders aren't followed. This doesn't recurse, however deeply the
    folders are nested.
    """
    generated = os.path.abspath(out)
    pending = [os.fspath(root)]
    while pending:
        folder = pending.pop()
        subfolders: list[str] = []
        candidates: list[looks.Entry] = []
        try:
            for entry in looks.list_folder(folder):
                if entry.name.startswith("."):
                    continue
                if entry.kind == "folder":
                    subfolders.append(entry.path)
                elif _is_candidate(entry):
                    candidates.append(entry)
        except OSError as error:
            if failed is not None:
                failed(error)
        yield folder, candidates
        pending += [path for path in sorted(subfolders, reverse=True) if os.path.abspath(path) != generated]
