"""Comparison of the generated files with the output folder: a plan, which `check` reports and `build` applies."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache, partial
from pathlib import Path, PurePosixPath

from mcpgen.diagnostics import Span
from mcpgen.files import looks
from mcpgen.files.journal import find_unfinished_run, is_staging_name
from mcpgen.files.ownership import (
    MAX_HEADER_LENGTH,
    Maker,
    Owner,
    RecordedCopies,
    detect_owner,
    get_record_path,
    may_have_header,
)
from mcpgen.files.regular_files import NotRegularFile, read_input, read_regular

OLD_JOURNAL = ".mcpgen-journal"
"""Former folder of mcpgen's journal, which is skipped."""
MAX_OUTPUT_FILE_SIZE = 256 * 2**20
"""Bytes of a file in the output folder, far more than mcpgen writes; larger files are not read."""
PACKAGE_MARKER = ".gitattributes"
"""File at the top of every generated package, and only there."""
OUTSIDE = "../"
"""How the path of a file begins that is not below the output folder."""
APP_TYPES_LABEL = "app-types"
_APP_TYPES_ENTRY = re.compile(rf"^# {APP_TYPES_LABEL}: ([^\n]+\.ts)\r?$", re.MULTILINE)
"""Line of the marker with the path of another file as in the settings, by which a later run removes that file."""
_FindOwner = Callable[[str, str], Owner]


class Action(Enum):
    """Action on a file; `EDITED` and `FOREIGN` files are refused, that is, left unchanged."""

    KEEP = "keep"
    CREATE = "create"
    UPDATE = "update"
    REMOVE = "remove"
    EDITED = "edited"
    FOREIGN = "foreign"


@dataclass(frozen=True)
class Step:
    """Planned action on one file."""

    path: str
    """Relative to the output folder, with slashes; see `find_place`."""
    action: Action
    text: str | None = None
    """Generated text; None for a file that is kept or removed."""
    current: str | None = None
    """Text of the file on disk; None if there is none, or it is kept."""
    current_digest: str | None = None
    """SHA-256, in hex, of the file that is replaced or removed; None if there is no file."""


@dataclass(frozen=True)
class Plan:
    """Steps for all files that are generated or were generated earlier, sorted by path."""

    out: Path
    steps: tuple[Step, ...]
    changes_kind: bool = False
    """It would make another kind of package, so it is refused as a whole."""

    @property
    def is_refused(self) -> bool:
        """Tell whether nothing may be written."""
        return self.changes_kind or bool(self.refused)

    @property
    def changes(self) -> list[Step]:
        """Steps for files that differ."""
        return [step for step in self.steps if step.action is not Action.KEEP]

    @property
    def refused(self) -> list[Step]:
        """Steps for edited and foreign files, which prevent the others from being executed."""
        return [step for step in self.steps if step.action in (Action.EDITED, Action.FOREIGN)]


def find_place(out: Path, path: str) -> Path:
    """Return where a generated file is. Where the output folder is a link, others are beside the link."""
    return Path(os.path.normpath(out / path)) if path.startswith(OUTSIDE) else out / path


def make_plan(
    out: Path,
    texts: Mapping[str, str],
    force: bool = False,
    maker: Maker = "build",
    former: Iterable[str] = (),
) -> Plan:
    """Compare the texts that the command `maker` generates, by path, with the folder; raise `OSError`.

    Of files outside, only those are found that are generated, or whose paths are among the `former` ones.
    """
    steps: list[Step] = []
    existing: set[str] = set()
    folders, copies = _list_folders(texts), RecordedCopies.read(out)

    @cache
    def list_written() -> frozenset[str]:
        """Return the digests of the files that a killed run has written, or would have."""
        killed = find_unfinished_run(out)
        return frozenset() if killed is None else frozenset(file.digest for file in killed.staged)

    def find_owner(path: str, text: str) -> Owner:
        if path in copies:
            return copies.detect_owner(path, text)
        record = get_record_path(path)
        owner = detect_owner(path, text, maker, "" if record is None else _read_text(out / record))
        is_written = owner is Owner.EDITED and _hash_bytes(text.encode("utf-8", "surrogatepass")) in list_written()
        return Owner.MCPGEN if is_written else owner

    managed = [*_find_managed_files(out, lambda path: path in texts or path in copies, folders)]
    for path, file in (*managed, *_find_outside_files(out, {**dict.fromkeys(former), **texts})):
        try:
            data = _read_whole(file)
        except FileNotFoundError:
            continue  # it was removed in between
        except OSError:
            if path in texts:
                raise
            continue
        if path in texts:
            existing.add(path)
            steps.append(_make_update_step(path, texts[path], data, force, find_owner))
        elif (step := _make_removal_step(path, data, force, find_owner)) is not None:
            steps.append(step)
    steps += [_make_creation_step(out, path, texts[path]) for path in texts if path not in existing]
    return Plan(out, tuple(sorted(steps, key=lambda step: step.path)))


def read_former_types(out: Path) -> list[str]:
    """Return the path of the TypeScript types that the last build wrote, as the settings had it, if it wrote some."""
    marker = _read_text(out / PACKAGE_MARKER)
    return _APP_TYPES_ENTRY.findall(marker) if detect_owner(PACKAGE_MARKER, marker) is Owner.MCPGEN else []


def _find_outside_files(out: Path, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    for path in (path for path in paths if path.startswith(OUTSIDE)):
        place = find_place(out, path)
        if looks.find_kind(place, follow=False) == "file" and not _is_path_blocked(out, path):
            yield path, str(place)


def _list_folders(paths: Iterable[str]) -> set[str]:
    folders = {path.rpartition("/")[0] for path in paths}
    return {str(parent) for folder in folders for parent in (PurePosixPath(folder), *PurePosixPath(folder).parents)}


def plan_file(out: Path, path: str, text: str, force: bool = False, maker: Maker = "build") -> Plan:
    """Compare a single file, which the command `maker` generates, like `make_plan`; others are ignored."""
    if looks.find_kind(out / path, follow=False) == "file" and not _is_path_blocked(out, path):
        find_owner = partial(detect_owner, maker=maker)
        return Plan(out, (_make_update_step(path, text, _read_whole(out / path), force, find_owner),))
    return Plan(out, (_make_creation_step(out, path, text),))


def is_as_planned(out: Path, step: Step) -> bool:
    """Check that a file is as it was planned, and no symbolic link leads to it; raise `OSError` if it is unreadable."""
    if _is_path_blocked(out, step.path):
        return False
    place = find_place(out, step.path)
    if step.current_digest is None:
        return not looks.is_taken(place)
    try:
        return _hash_bytes(_read_whole(place)) == step.current_digest
    except (FileNotFoundError, NotRegularFile):
        return False


def _is_path_blocked(out: Path, path: str) -> bool:
    """Check whether a parent of a file is not a real folder but a link, file or device; those of the folder may be."""
    for part in [*PurePosixPath(path).parents][-2::-1]:
        if part.name == "..":
            continue
        kind = looks.find_kind(find_place(out, str(part)), follow=False)
        if kind != "folder":
            return kind != ""
    return False


def _make_removal_step(path: str, data: bytes, force: bool, find_owner: _FindOwner) -> Step | None:
    current = _decode_text(data)
    owner = find_owner(path, current)
    action = Action.REMOVE if force or owner is Owner.MCPGEN else Action.EDITED
    return None if owner is Owner.FOREIGN else Step(path, action, None, current, _hash_bytes(data))


def _make_creation_step(out: Path, path: str, text: str) -> Step:
    """Return the step for a file that was not found; its path may still be taken by something else, such as a link."""
    blocked = looks.is_taken(find_place(out, path)) or _is_path_blocked(out, path)
    return Step(path, Action.FOREIGN if blocked else Action.CREATE, text)


def _make_update_step(path: str, text: str, data: bytes, force: bool, find_owner: _FindOwner) -> Step:
    current = _decode_text(data)
    if text == current or text == current.replace("\r\n", "\n"):  # git may have changed the line endings
        return Step(path, Action.KEEP)
    owner = find_owner(path, current)
    if owner is Owner.MCPGEN or force:
        return Step(path, Action.UPDATE, text, current, _hash_bytes(data))
    return Step(path, Action.EDITED if owner is Owner.EDITED else Action.FOREIGN, text, current)


def _hash_bytes(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def split_diff_lines(text: str | None) -> list[str]:
    """Split a text into lines as `diff` does: only at line feeds, unlike `str.splitlines`."""
    parts = (text or "").split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def find_first_difference(path: str, step: Step) -> Span:
    """Return the first line on which a file differs from the generated text, except for the line with its hash."""
    if step.current is None or step.text is None:
        return Span(path)
    old_lines, new_lines = split_diff_lines(step.current), split_diff_lines(step.text)
    pairs = enumerate(zip(old_lines, new_lines, strict=False), 1)
    differing = (number for number, (old, new) in pairs if old != new and "mcpgen-sha256" not in old)
    common_length = min(len(old_lines), len(new_lines))
    line = next(differing, min(common_length + 1, len(old_lines)))
    return Span(path, line, 1) if line else Span(path)


def _find_managed_files(
    out: Path, is_known: Callable[[str], bool], folders: Collection[str], prefix: str = ""
) -> Iterator[tuple[str, str]]:
    """Yield the path of each file that is known or has the header of a generated file, and its path on disk.

    Links are not followed, and only regular files are opened. Files that are not known and cannot be read are
    skipped, and so is another generated package within the output folder, unless it is in one of the `folders`.
    """
    if not prefix and not looks.is_folder(out):
        return
    for entry in _list_entries(out, prefix, folders):
        path = f"{prefix}{entry.name}"
        if entry.kind == "folder":
            skipped = entry.name == "__pycache__" or is_staging_name(entry.name) or path == OLD_JOURNAL
            if not skipped and (path in folders or not _is_package(Path(entry.path))):
                yield from _find_managed_files(out, is_known, folders, f"{path}/")
        elif entry.kind == "file" and (is_known(path) or _has_header(entry.path)):
            yield path, entry.path


def _has_header(file: str) -> bool:
    try:
        return may_have_header(read_regular(file, MAX_HEADER_LENGTH))
    except OSError:
        return False


def _list_entries(out: Path, prefix: str, folders: Collection[str]) -> list[looks.Entry]:
    """List a folder; one without generated files that cannot be read counts as empty."""
    try:
        return looks.list_folder(out / prefix)
    except OSError:
        if not prefix or prefix.removesuffix("/") in folders:
            raise
        return []


def _is_package(folder: Path) -> bool:
    try:
        header = _decode_text(read_regular(folder / PACKAGE_MARKER, MAX_HEADER_LENGTH))
    except OSError:
        return False
    return detect_owner(PACKAGE_MARKER, header) is not Owner.FOREIGN


def _read_whole(path: Path | str) -> bytes:
    return read_input(path, MAX_OUTPUT_FILE_SIZE, follow=False)


def _read_text(path: Path) -> str:
    try:
        return _decode_text(_read_whole(path))
    except OSError:
        return ""


def _decode_text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return "\0 no text"
