"""Say what a reference that leads nowhere probably means."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

from mcpgen.files.definition_files import DEFINITION_SUFFIXES
from mcpgen.files.exact_names import find_other_case
from mcpgen.schema.values import Json, follow_pointer, parse_pointer
from mcpgen.words import NameGuesser

MAX_LISTED_FILES = 200
"""Files of a folder that a misspelt name is compared with."""


def suggest_definition(schema: Json, ref: str, uri: str, with_close_names: bool) -> str:
    """Return a help with the definition of a schema that an unresolvable reference probably means, "" if there is none.

    Args:
        schema: The schema that the reference is resolved in.
        ref: The reference, from its `#` on.
        uri: What stands before the `#`.
        with_close_names: Whether to compare the reference with names that only resemble it.
    """
    names: list[str] = []
    for keyword in ("$defs", "definitions"):
        definitions = schema.get(keyword) if isinstance(schema, dict) else None
        names += [f"#/{keyword}/{name}" for name in definitions] if isinstance(definitions, dict) else []
    last = ref.lstrip("#").rpartition("/")[2]
    same = [name for name in names if name.rpartition("/")[2] == last] if last else []
    close = same or (NameGuesser().list_similar(ref, names, 1, 0.5) if with_close_names else [])
    return f"did you mean {uri}{close[0]}?" if close else ""


def is_defined_outside(document: Json, ref: str) -> bool:
    """Return whether a `#` reference would resolve at the root of the document, around the schema that it stands in."""
    try:
        follow_pointer(document, parse_pointer(unquote(ref.removeprefix("#"))))
    except KeyError:
        return False
    return ref.startswith("#/")


def suggest_file(folder: Path, uri: str, schema: Json) -> str:
    """Return a help for a reference to a file that is not there."""
    if definition := suggest_definition(schema, f"#/$defs/{uri}", "", False):
        return f"{definition} A name without # is that of a file"
    if "\0" not in unquote(uri) and (other := find_other_case(folder, unquote(uri))):
        return f"did you mean {other}? Linux distinguishes upper and lower case"
    if close := find_close_file(folder, unquote(uri)):
        return f"did you mean {close}?"
    return "a reference to a file is relative to the file that holds it: correct the path, or add the file"


def find_close_file(folder: Path, path: str) -> str:
    """Return the relative path of a file of definitions that resembles one that is not there; empty if none does."""
    wanted = Path(path)
    try:
        names = [entry.name for entry in (folder / wanted.parent).iterdir()][:MAX_LISTED_FILES]
    except (OSError, ValueError):
        return ""
    candidates = [name for name in names if name.endswith(DEFINITION_SUFFIXES) and not name.startswith(".")]
    close = NameGuesser().guess(wanted.name[:100], candidates, 0.6)
    return (wanted.parent / close).as_posix() if close else ""
