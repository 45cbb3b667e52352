"""`mcpgen watch`: builds again when something changes that a build reads, or would read if it was there."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from watchfiles import watch as changes_of

from mcpgen import incremental
from mcpgen.cache.memory import Memory
from mcpgen.commands.build import BuildSession
from mcpgen.config.load import LoadedPackages
from mcpgen.config.models import ConfiguredPackage
from mcpgen.files.definition_files import DEFINITION_SUFFIXES, TEMPLATE_SUFFIX
from mcpgen.files.file_tracker import is_still_same
from mcpgen.files.journal import is_staging_name
from mcpgen.pipeline.outcome import Outcome
from mcpgen.report.output import CommandOutput

QUIET_MILLISECONDS, MAX_BURST_MILLISECONDS = 10, 200
"""Milliseconds without a change after which a burst of saves is over, and those after which it is built anyway."""
POLL_SECONDS, POLL_COST_FACTOR = 0.5, 50
"""Seconds between looks at the input while nothing is told, and how many times as long as a look they are at least."""
SETTINGS_FILES = ("mcpgen.toml", "pyproject.toml")

FileIdentity = tuple[int, int, int, int, int] | None
"""What tells the file at a path from any other that is or was there, None where there is none."""
CHANGED_IDENTITY: FileIdentity = (0, 0, 0, 0, 0)
"""The identity of no file: what is there is another than was read."""


class Watcher:
    """Builds, and what the last one read. `load` reads the settings."""

    def __init__(
        self, load: Callable[[], LoadedPackages], memory: Memory, jobs: int | None, output: CommandOutput
    ) -> None:
        self._load, self._jobs, self._output = load, jobs, output
        self._cold, self._memory = memory, Memory(memory.store, warm=True)
        self._packages: list[ConfiguredPackage] = []
        self._outcomes: list[Outcome] = []
        self._watched: set[str] = set()
        self._first: object = None
        self._known: dict[str, FileIdentity] = {}

    def run(self) -> int:
        """Build until the user, or whoever started it, ends it; the exit code."""
        try:
            with _treat_sigterm_as_interrupt():
                self._first = self._state()
                self._build(self._cold)
                self._warm_up()
                self._say("watching; Ctrl-C ends it")
                while True:
                    self._watch()
        except KeyboardInterrupt:
            return 0

    def _watch(self) -> None:
        """Build at every change, until there are other folders to watch."""
        folders = self._folders()
        self._watched = {folder for folder, _ in folders}
        found = changes_of(
            *(folder for folder, _ in folders),
            watch_filter=None,
            debounce=MAX_BURST_MILLISECONDS,
            step=QUIET_MILLISECONDS,
            rust_timeout=50,
            yield_on_timeout=True,
            recursive=False,
            ignore_permission_denied=True,
        )
        next(found)  # from here on no change is missed, so what changed before is built now
        if not self._is_current():
            self._build(self._memory)
        self._first = None
        while self._folders() == folders:
            look_at = time.monotonic()  # what changed during the build is known by looking, not by what is told
            while not ((changes := next(found)) and self._matter({path for _, path in changes})):
                if (start := time.monotonic()) < look_at:
                    continue
                if self._identities() != self._known or self._folders() != folders:
                    break
                look_at = time.monotonic() + max(POLL_SECONDS, POLL_COST_FACTOR * (time.monotonic() - start))
            self._build(self._memory)
        found.close()

    # --- building -----------------------------------------------------------------------------------------------
    def _build(self, memory: Memory) -> None:
        """Build, and go on whatever comes of it; broken input leaves the last good output as it is."""
        session = BuildSession(self._output, memory)
        before = self._identities()
        try:
            packages = self._load()
            session.build(packages, self._jobs, False)
            self._packages = packages[0] or self._packages
            self._outcomes = session.outcomes or self._outcomes
            memory.forget()
            self._remember(packages[0], session.outcomes)
        except Exception:
            traceback.print_exc()
        self._know(before)
        sys.stdout.flush()
        sys.stderr.flush()

    def _state(self) -> object:
        """The settings and the input folders as they are, None where they cannot be read."""
        packages, findings = self._load()
        within = [incremental.survey_inputs(package) for package in packages]
        return None if None in within else (repr(packages), repr([*findings]), within)

    def _is_current(self) -> bool:
        """Whether the last build was of what there is now; before the first one, nothing was known."""
        if self._first is None:
            return self._identities() == self._known
        seen = [one for outcome in self._outcomes for one in outcome.seen.items()]
        return self._state() == self._first and all(is_still_same(path, sight) for path, sight in seen)

    def _remember(self, packages: list[ConfiguredPackage], outcomes: list[Outcome]) -> None:
        """Let the next build or check, in another process, recall this one."""
        store = self._memory.store
        if store is not None:
            for package, outcome in zip(packages, outcomes, strict=False):
                if outcome.keys:
                    incremental.remember_run(package, outcome, store)

    def _warm_up(self) -> None:
        """Have the heavy libraries and all that is remembered at hand, before the first change asks for them."""
        from mcpgen import app
        from mcpgen.lower.assemble import LoweringRequest, lower_schemas
        from mcpgen.render.formatter import format_source
        from mcpgen.schema.document import Schema
        from mcpgen.schema.keywords import DRAFT_2020_12

        lower_schemas([LoweringRequest("output", Schema({"type": "object"}, DRAFT_2020_12))])
        format_source("x = 1\n")
        for package in self._packages:
            app.generate_package(package, self._jobs or os.cpu_count() or 1, _ignore_progress, self._memory)
        self._memory.forget()
        gc.freeze()  # what is remembered stays, so that no collection has to look through it

    def _say(self, text: str) -> None:
        self._output.say(f"{text}\n")
        sys.stderr.flush()

    def _identities(self) -> dict[str, FileIdentity]:
        """Each file that was read or looked for, or would be read, with what tells it from another.

        What the system tells of changes is not all of them: a file that is moved into the place of another while the
        last changes are taken is missed, and so is what happens behind a link or on another machine's disk.
        """
        paths = self._read() | {os.path.abspath(name) for name in SETTINGS_FILES}
        for root in self._roots():
            for folder, inner, names in os.walk(root):
                inner[:] = [name for name in inner if not name.startswith(".")]
                held = (
                    name
                    for name in names
                    if name.endswith((*DEFINITION_SUFFIXES, TEMPLATE_SUFFIX)) and not name.startswith(".")
                )
                paths.update(path for name in held if not self._is_output(path := os.path.join(folder, name)))
        return {path: _get_identity(path) for path in paths}

    def _know(self, before: dict[str, FileIdentity]) -> None:
        """Keep what was there when the build began; what has changed since then is to be built again."""
        first, seen = not self._known, {os.path.abspath(one) for outcome in self._outcomes for one in outcome.seen}
        self._known = {path: before.get(path, now) for path, now in self._identities().items()}
        for outcome in self._outcomes:
            for path, sight in outcome.seen.items():
                if os.path.abspath(path) not in before and not is_still_same(path, sight):
                    self._known[os.path.abspath(path)] = CHANGED_IDENTITY
        if not first:
            self._known |= {path: CHANGED_IDENTITY for path in self._known if path not in before and path not in seen}

    # --- what to watch ------------------------------------------------------------------------------------------
    def _folders(self) -> frozenset[tuple[str, int]]:
        """The folders that hold what is read, each with what tells it from another one of its name."""
        found = {os.getcwd(), *(_find_existing_folder(os.path.dirname(path)) for path in self._read())}
        for root in self._roots():
            found.add(_find_existing_folder(os.path.dirname(root)))
            for folder, inner, _ in os.walk(root):
                inner[:] = [name for name in inner if not name.startswith(".")]
                found.add(folder)
        held: set[tuple[str, int]] = set()
        for folder in found:
            try:
                held.add((folder, os.stat(folder).st_ino))
            except OSError:
                continue  # it went in the meantime, which its parent tells
        return frozenset(held)

    def _matter(self, changes: Iterable[str]) -> bool:
        """Whether a build may come to something else after these changes."""
        read, roots = self._read(), self._roots()
        return any(self._matters(path, read, roots) for path in changes)

    def _matters(self, path: str, read: set[str], roots: list[str]) -> bool:
        name = os.path.basename(path)
        if path in read or any(_contains_path(path, other) for other in (*roots, *read)):
            return True
        if name in SETTINGS_FILES:
            return os.path.dirname(path) == os.getcwd()
        if name.startswith(".") or self._is_output(path) or not any(_contains_path(root, path) for root in roots):
            return False
        return name.endswith((*DEFINITION_SUFFIXES, TEMPLATE_SUFFIX)) or path in self._watched or os.path.isdir(path)

    def _is_output(self, path: str) -> bool:
        for outcome in self._outcomes:
            out = os.path.abspath(outcome.out)
            inner = Path(os.path.relpath(path, out)).as_posix()
            if _contains_path(out, path) and (
                is_staging_name(inner.partition("/")[0]) or inner in (outcome.wanted or {})
            ):
                return True
        return False

    def _roots(self) -> list[str]:
        return [os.path.abspath(one.folder / given) for one in self._packages for given in one.settings.schemas]

    def _read(self) -> set[str]:
        """Every file that was read or looked for, the settings' among them."""
        files = {os.path.abspath(path) for outcome in self._outcomes for path in outcome.seen}
        return files | {os.path.abspath(one.file) for one in self._packages if one.file is not None}


@contextmanager
def _treat_sigterm_as_interrupt() -> Generator[None]:
    """Take SIGTERM for Ctrl-C: whoever starts this in the background has Ctrl-C ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _get_identity(path: str) -> FileIdentity:
    with contextlib.suppress(OSError, ValueError):
        found = os.stat(path)
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
    return None


def _ignore_progress(name: str, done: int, total: int) -> None:
    """There is no progress to show."""


def _contains_path(outer: str, path: str) -> bool:
    """Whether a path is another one or lies in it."""
    return path == outer or path.startswith(outer.rstrip(os.sep) + os.sep)


def _find_existing_folder(folder: str) -> str:
    """A folder, or the nearest one around it that is there."""
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return folder
