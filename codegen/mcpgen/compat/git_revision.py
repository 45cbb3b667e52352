"""Export of a git revision: its definitions and settings, written to a folder; the working tree stays untouched."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from mcpgen.files.definition_files import DEFINITION_SUFFIXES
from mcpgen.files.programs import resolve_program
from mcpgen.files.project_paths import resolve_path

REVISION_SUFFIXES = (*DEFINITION_SUFFIXES, ".j2", ".toml")
"""Files that definitions and settings consist of."""
GIT_TIMEOUT_SECONDS = 120
MOST_FILES = 100_000
MOST_BYTES = 256 * 2**20
_NAME_TWO_FOLDERS = "name two folders instead: mcpgen diff OLD NEW"


class RevisionError(Exception):
    """Revision that cannot be read; the message says why, the help what to do."""

    def __init__(self, message: str, help: str = "") -> None:
        super().__init__(message)
        self.help = help


class _Blob(NamedTuple):
    id: str
    path: str


@dataclass(frozen=True)
class Revision:
    """Files of a revision, below `folder` as they are below `top` in the working tree."""

    top: Path
    folder: Path

    def locate(self, path: Path) -> Path:
        """Return the exported path for one of the working tree; raise `RevisionError` outside of the repository."""
        try:
            return self.folder / resolve_path(path).relative_to(self.top)
        except ValueError:
            raise RevisionError(f"{path} is outside of the git repository {self.top.name}") from None


def export_revision(revision: str, start: Path, folder: Path) -> Revision:
    """Write the definitions and settings of a revision into an empty folder; raise `RevisionError`."""
    if not revision:
        raise RevisionError("no revision is named", "name a branch, a tag or a commit")
    top = _find_top(start)
    object_name = f"{revision}^{{tree}}"
    tree = _run_git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", object_name, revision=revision)
    blobs = _list_blobs(_run_git(top, "ls-tree", "-r", "-l", "-z", "--full-tree", tree.decode().strip()))
    request = "".join(f"{blob.id}\n" for blob in blobs).encode()
    contents = _split_batch(_run_git(top, "cat-file", "--batch", input=request))
    for blob, content in zip(blobs, contents, strict=True):
        target = folder / blob.path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        except OSError as error:
            raise RevisionError(f'"{blob.path}" of the revision cannot be written: {error.strerror}') from None
    return Revision(top, resolve_path(folder))


def _find_top(start: Path) -> Path:
    """Return the top of the working tree, if nobody else can have committed its configuration of git."""
    top = resolve_path(_run_git(start, "rev-parse", "--show-toplevel").decode("utf-8", "surrogateescape").rstrip("\n"))
    if not os.path.lexists(top / ".git") and not os.environ.get("GIT_DIR"):
        raise RevisionError(f"{top.name} has no .git, so its repository is not trusted", _NAME_TWO_FOLDERS)
    return top


def _split_batch(output: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(output):
        header_end = output.index(b"\n", start)
        size = _parse_size(output[start:header_end].split()[-1].decode())
        yield output[header_end + 1 : header_end + 1 + size]
        start = header_end + 1 + size + 1


def _list_blobs(listing: bytes) -> list[_Blob]:
    """Return the files of definitions and settings in `git ls-tree -r -l -z`, none of which leads out of it."""
    blobs: list[_Blob] = []
    total = 0
    for entry in listing.split(b"\0"):
        attributes, _, name = entry.partition(b"\t")
        fields = attributes.decode().split()  # mode, type, id, size
        path = name.decode("utf-8", "surrogateescape")
        if len(fields) == 4 and fields[0] in ("100644", "100755") and path.endswith(REVISION_SUFFIXES):
            if any(part in ("", ".", "..") for part in path.split("/")) or ("\\" in path and os.sep == "\\"):
                raise RevisionError(f'the revision holds a file called "{path}"', "check the repository: git fsck")
            total += _parse_size(fields[3])
            blobs.append(_Blob(fields[2], path))
        if len(blobs) > MOST_FILES or total > MOST_BYTES:
            message = f"the revision holds more than {MOST_FILES} such files, or more than {MOST_BYTES} bytes in them"
            raise RevisionError(message, "compare folders instead: mcpgen diff OLD NEW")
    return blobs


def _parse_size(text: str) -> int:
    if not text.isdecimal():
        raise RevisionError("an object of the revision is missing", "fetch it, or check the repository: git fsck")
    return int(text)


def _run_git(folder: Path, *arguments: str, input: bytes = b"", revision: str = "") -> bytes:
    """Run git and return what it prints; raise `RevisionError`, about the `revision` that a command looks up."""
    command = [resolve_program("git"), "-c", "safe.bareRepository=explicit", "-C", str(folder), *arguments]
    try:
        process = subprocess.run(command, input=input, capture_output=True, timeout=GIT_TIMEOUT_SECONDS)
    except FileNotFoundError:
        raise RevisionError("git is not installed", _NAME_TWO_FOLDERS) from None
    except subprocess.TimeoutExpired:
        raise RevisionError(f"git did not answer within {GIT_TIMEOUT_SECONDS} seconds") from None
    if process.returncode == 0:
        return process.stdout
    if revision:
        help = (
            "name a branch, a tag or a commit; a shallow clone has the last commit only: "
            "in GitHub Actions, give actions/checkout `fetch-depth: 0`"
        )
        raise RevisionError(f'git knows no revision "{revision}"', help)
    errors = process.stderr.decode("utf-8", "replace").strip().splitlines()
    if any("not a git repository" in line for line in errors):
        raise RevisionError("this is not a git repository", _NAME_TWO_FOLDERS)
    raise RevisionError(f"git failed: {errors[0] if errors else 'it said nothing'}")
