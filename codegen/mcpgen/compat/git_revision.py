"""The definitions and settings of a git revision, laid out in a folder; the checkout is not touched."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from mcpgen.files.project_paths import resolve_path

REVISION_SUFFIXES = (".json", ".yaml", ".yml", ".j2", ".toml")
"""Files that definitions and settings are made of."""
GIT_TIMEOUT_SECONDS = 120
MOST_FILES = 100_000
MOST_BYTES = 256 * 2**20
"""Of a revision: how many of those files it may hold, and how many bytes in them."""


class RevisionError(Exception):
    """A revision that cannot be read; the message says why, the help what to do."""

    def __init__(self, message: str, help: str = "") -> None:
        super().__init__(message)
        self.help = help


@dataclass(frozen=True)
class Revision:
    """A revision's files, below `folder` as they lie below `top`."""

    top: Path
    folder: Path

    def locate(self, now: Path) -> Path:
        """Where a path of the working tree is in the revision.

        Raises:
            NoRevision: the path lies outside of the repository.
        """
        try:
            return self.folder / resolve_path(now).relative_to(self.top)
        except ValueError:
            raise RevisionError(f"{now} lies outside of the git repository {self.top.name}") from None


def export_revision(revision: str, start: Path, folder: Path) -> Revision:
    """Write a revision's definitions and settings into an empty folder.

    Raises:
        NoRevision: there is no git, no repository or no such revision.
    """
    if not revision:
        raise RevisionError("no revision is named", "name a branch, a tag or a commit")
    top = resolve_path(_run_git(start, "rev-parse", "--show-toplevel").decode("utf-8", "surrogateescape").rstrip("\n"))
    tree = _run_git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{tree}}", of=revision)
    wanted = _list_files(_run_git(top, "ls-tree", "-r", "-l", "-z", "--full-tree", tree.decode().strip()))
    asked = "".join(f"{blob}\n" for blob, _ in wanted).encode()
    held = memoryview(_run_git(top, "cat-file", "--batch", given=asked))
    for _, name in wanted:
        end = bytes(held).index(b"\n") if len(held) < 4096 else bytes(held[:4096]).index(b"\n")
        size = int(bytes(held[:end]).split()[-1])
        target = folder / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(held[end + 1 : end + 1 + size])
        except OSError as error:
            raise RevisionError(f'"{name}" of the revision cannot be written: {error.strerror}') from None
        held = held[end + 1 + size + 1 :]
    return Revision(top, resolve_path(folder))


def _list_files(listing: bytes) -> list[tuple[str, str]]:
    """The blob and name of each regular file that may matter.

    Raises:
        NoRevision: there are too many, or one has a name that leads elsewhere, which git itself never writes.
    """
    found: list[tuple[str, str]] = []
    total = 0
    for entry in listing.split(b"\0"):
        about, _, name = entry.partition(b"\t")
        words = about.decode().split()
        text = name.decode("utf-8", "surrogateescape")
        if len(words) == 4 and words[0] in ("100644", "100755") and text.endswith(REVISION_SUFFIXES):
            if any(part in ("", ".", "..") for part in text.split("/")) or ("\\" in text and os.sep == "\\"):
                raise RevisionError(f'the revision holds a file called "{text}"', "check the repository: git fsck")
            total += int(words[3])
            found.append((words[2], text))
        if len(found) > MOST_FILES or total > MOST_BYTES:
            message = f"the revision holds more than {MOST_FILES} such files, or more than {MOST_BYTES} bytes in them"
            raise RevisionError(message, "compare folders instead: mcpgen diff OLD NEW")
    return found


def _run_git(where: Path, *arguments: str, given: bytes = b"", of: str = "") -> bytes:
    command = ["git", "-C", str(where), *arguments]
    try:
        done = subprocess.run(command, input=given, capture_output=True, timeout=GIT_TIMEOUT_SECONDS)
    except FileNotFoundError:
        raise RevisionError("git is not installed", "name two folders instead: mcpgen diff OLD NEW") from None
    except subprocess.TimeoutExpired:
        raise RevisionError(f"git did not answer within {GIT_TIMEOUT_SECONDS} seconds") from None
    if done.returncode == 0:
        return done.stdout
    if of:
        help = "name a branch, a tag or a commit; a shallow clone has the last commit only"
        raise RevisionError(f'git knows no revision "{of}"', help)
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    if any("not a git repository" in line for line in said):
        raise RevisionError("this is no git repository", "name two folders instead: mcpgen diff OLD NEW")
    raise RevisionError(f"git failed: {said[0] if said else 'it said nothing'}")
