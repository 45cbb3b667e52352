"""Ownership of files: mcpgen owns a file by the header in its first lines, and by nothing else in it."""

from __future__ import annotations

import hashlib
import json
import re
from enum import Enum
from typing import Any, Literal, cast

Maker = Literal["build", "pull"]
"""The command that writes a file. A file written by one is foreign to the other."""
HASH_LABEL = "mcpgen-sha256"
MAX_HEADER_LENGTH = 64 * 1024
"""Bytes from the start of a file that contain its whole header, merge conflicts in it included."""
_BUILT = "(?:Code g|G)enerated by mcpgen"
"""How a header of this version begins, or of one before it."""
_GENERATED_HEADER = re.compile(
    rf"\A# {_BUILT}[^\n]*\n# {HASH_LABEL}: ([0-9a-f]{{64}})\n(# fmt: off\n# ruff: noqa[^\n]*\n)?"
)
_JSON_STRING_PATTERN = r'"(?:[^"\\]|\\.)*"'
MADE_BY_PULL = "mcpgen pull"
_MAKER_MARKERS: dict[Maker, str] = {"build": _BUILT, "pull": MADE_BY_PULL}
_JSON_HEADER_START = re.compile(r'\A\{\s*"generated"\s*:\s*')
_JSON_HEADER: dict[Maker, re.Pattern[str]] = {
    maker: re.compile(
        rf'{_JSON_HEADER_START.pattern}\{{\s*"by"\s*:\s*"{by}(?:[^"\\]|\\.)*"\s*,\s*'
        rf'(?:{_JSON_STRING_PATTERN}\s*:\s*{_JSON_STRING_PATTERN}\s*,\s*)*?"{HASH_LABEL}"\s*:\s*"[0-9a-f]{{64}}"'
    )
    for maker, by in _MAKER_MARKERS.items()
}


LIST_FILES = frozenset(["__init__.py", "index.py", "prompt_index.py", "resource_index.py", "testing.py"])
"""Files at the top of a package with a list of its modules, one line each; two in `testing.py`."""
_LIST_LINE = re.compile(
    r" +from \.(?:prompts|resources|tools|types)\.\w+ import (?:\*|(?:tool|entry|Any\w+Handler) as \w+)"
    r"|        \w+: \w+Handler",
    re.ASCII,
)


class Owner(Enum):
    """Owner of a file on disk, by its header."""

    MCPGEN = "mcpgen"
    EDITED = "edited"
    FOREIGN = "foreign"


def detect_owner(path: str, text: str, maker: Maker = "build") -> Owner:
    """Return the owner of a file with this text.

    It is mcpgen's if its body matches its header, or if a merge left conflicts in a file with a header.
    """
    if HASH_LABEL not in text:
        return Owner.FOREIGN
    plain = text.replace("\r\n", "\n")
    header = _JSON_HEADER[maker] if path.endswith(".json") else _GENERATED_HEADER
    if (sides := _split_conflict(plain)) is not None:
        return Owner.MCPGEN if all(header.match(side) for side in sides) else Owner.FOREIGN
    return _detect_json_owner(plain, maker) if path.endswith(".json") else _detect_text_owner(path, plain)


def remove_list_lines(path: str, body: str) -> str:
    """Return the body of a file without the lines of its list of modules, which no hash covers.

    So git merges two branches that each add a tool, and the merged file is still mcpgen's.

    Args:
        path: the path in the package; only some files have a list.
        body: the file after its header, with `\\n` as line endings.
    """
    if path not in LIST_FILES:
        return body
    return "\n".join(line for line in body.split("\n") if not _LIST_LINE.fullmatch(line))


def _detect_text_owner(path: str, plain: str) -> Owner:
    header = _GENERATED_HEADER.match(plain)
    if header is None:
        return Owner.FOREIGN
    body = remove_list_lines(path, plain[header.end() :])
    digest = hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()
    return Owner.MCPGEN if digest == header[1] else Owner.EDITED


def _detect_json_owner(plain: str, maker: Maker) -> Owner:
    """Detect the owner by the `generated` member. Invalid JSON counts as edited if the file begins with a header."""
    try:
        document: Any = json.loads(plain)
        generated = document.pop("generated")
        by, recorded_digest = generated["by"], generated[HASH_LABEL]
        body = json.dumps(document, sort_keys=True, separators=(",", ":"))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Owner.EDITED if _JSON_HEADER[maker].match(plain) else Owner.FOREIGN
    if not _is_made_by(by, maker):
        return Owner.FOREIGN
    return Owner.MCPGEN if hashlib.sha256(body.encode()).hexdigest() == recorded_digest else Owner.EDITED


def read_json_header(start: str, maker: Maker) -> dict[str, Any] | None:
    """Return the `generated` member with which a JSON file of a command begins; None if it has none of that command.

    Args:
        start: the first `MAX_HEADER_LENGTH` bytes of the file, or more; the rest need not be JSON.
        maker: the command.
    """
    header = _JSON_HEADER_START.match(start)
    try:
        generated: Any = json.JSONDecoder().raw_decode(start, header.end())[0] if header else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(generated, dict):
        return None
    members = cast(dict[str, Any], generated)
    return members if _is_made_by(members.get("by"), maker) else None


def _is_made_by(by: object, maker: Maker) -> bool:
    return isinstance(by, str) and re.match(_MAKER_MARKERS[maker], by) is not None


def _split_conflict(text: str) -> tuple[str, str] | None:
    """Return both sides of a file with git's conflict markers, None if the markers are not complete and in order."""
    ours: list[str] = []
    theirs: list[str] = []
    section, conflicts = "both", 0
    for line in text.split("\n"):
        marker = line[:7] if line[7:8] in ("", " ") else ""
        if marker == "<<<<<<<":
            if section != "both":
                return None
            section = "ours"
        elif marker == "|||||||" and section == "ours":
            section = "base"
        elif line == "=======" and section in ("ours", "base"):
            section = "theirs"
        elif marker == ">>>>>>>":
            if section != "theirs":
                return None
            section, conflicts = "both", conflicts + 1
        else:
            if section in ("both", "ours"):
                ours.append(line)
            if section in ("both", "theirs"):
                theirs.append(line)
    return ("\n".join(ours), "\n".join(theirs)) if conflicts and section == "both" else None
