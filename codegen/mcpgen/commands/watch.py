"""`mcpgen watch`: build again whenever something changes that a build reads, or would read if it existed."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType

import typer
from watchfiles import Change
from watchfiles import watch as iterate_changes

from mcpgen.cache.store import Store
from mcpgen.commands.build import BuildRequest, build_packages
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.config.load import SETTINGS_FILES
from mcpgen.config.models import ConfiguredPackage
from mcpgen.files.definition_files import DEFINITION_SUFFIXES, TEMPLATE_SUFFIX
from mcpgen.files.file_tracker import is_still_same
from mcpgen.files.journal import is_staging_name
from mcpgen.paths import format_relative_path
from mcpgen.pipeline.outcome import Outcome
from mcpgen.report.exit_codes import SUCCESS
from mcpgen.report.output import CommandOutput

FileIdentity = str | None
"""What of a file's status changes whenever its contents do; None if there is none at its path."""
CHANGED_IDENTITY: FileIdentity = ""
"""Identity that differs from that of every file."""


@dataclass(frozen=True)
class WatchedInput:
    """Input of the last build: the packages with their settings, and what their outcomes observed."""

    packages: Sequence[ConfiguredPackage] = ()
    outcomes: Sequence[Outcome] = ()

    def get_identities(self) -> dict[str, FileIdentity]:
        """Return the identity of every file that was read or looked for, or that the next build would read, by path.

        The system does not report every change: it misses a file that replaces another one while the last changes are
        fetched, files behind links, and files on another machine's disk.
        """
        paths = self.list_read_files() | {os.path.abspath(name) for name in SETTINGS_FILES}
        for folder, names in self._walk_roots():
            candidates = [os.path.join(folder, name) for name in names if _is_input_name(name)]
            paths.update(path for path in candidates if not self._is_output(path))
        return {path: get_identity(path) for path in paths}

    def get_built_identities(self, before: dict[str, FileIdentity]) -> dict[str, FileIdentity]:
        """Return the identities of the files as the last build read them; `before` are those from before that build.

        A file that has changed since the build read it gets an identity that differs from its present one.
        """
        identities = {path: before.get(path, now) for path, now in self.get_identities().items()}
        for outcome in self.outcomes:
            for path, observation in outcome.observed.items():
                if os.path.abspath(path) not in before and not is_still_same(path, observation):
                    identities[os.path.abspath(path)] = CHANGED_IDENTITY
        return identities

    def find_folders(self) -> frozenset[tuple[str, int]]:
        """Return the folders to watch, each with its inode, which tells a folder from a later one of the same name."""
        folders = {os.getcwd(), *(_find_existing_folder(os.path.dirname(path)) for path in self.list_read_files())}
        folders.update(_find_existing_folder(os.path.dirname(root)) for root in self._list_roots())
        folders.update(folder for folder, _ in self._walk_roots())
        existing: set[tuple[str, int]] = set()
        for folder in folders:
            with suppress(OSError):  # it was removed in between, which a change of its parent reports
                existing.add((folder, os.stat(folder).st_ino))
        return frozenset(existing)

    def is_any_relevant(self, changed_paths: Iterable[str], watched_folders: Collection[str]) -> bool:
        """Check whether a build after these changes may have another result."""
        read_files, roots = self.list_read_files(), self._list_roots()
        return any(self._is_relevant(path, watched_folders, read_files, roots) for path in changed_paths)

    def _is_relevant(self, path: str, watched_folders: Collection[str], read_files: set[str], roots: list[str]) -> bool:
        name = os.path.basename(path)
        if path in read_files or any(_contains_path(path, dependency) for dependency in (*roots, *read_files)):
            return True
        if name in SETTINGS_FILES:
            return os.path.dirname(path) == os.getcwd()
        if name.startswith(".") or self._is_output(path) or not any(_contains_path(root, path) for root in roots):
            return False
        return _is_input_name(name) or path in watched_folders or os.path.isdir(path)

    def _is_output(self, path: str) -> bool:
        for outcome in self.outcomes:
            out = os.path.abspath(outcome.out)
            if not _contains_path(out, path):
                continue
            relative = format_relative_path(path, out)
            texts: Collection[str] = outcome.generated.texts if outcome.generated is not None else ()
            if is_staging_name(relative.partition("/")[0]) or relative in texts:
                return True
        return False

    def _list_roots(self) -> list[str]:
        return [os.path.abspath(path) for package in self.packages for path in package.inputs]

    def _walk_roots(self) -> Iterator[tuple[str, list[str]]]:
        for root in self._list_roots():
            for folder, subfolders, names in os.walk(root):
                subfolders[:] = [name for name in subfolders if not name.startswith(".")]
                yield folder, names

    def list_read_files(self) -> set[str]:
        """Return the absolute path of every file that was read or looked for, with the settings files."""
        files = self.list_observed_files()
        return files | {os.path.abspath(package.file) for package in self.packages if package.file is not None}

    def list_observed_files(self) -> set[str]:
        """Return the absolute path of every file that was read or looked for."""
        return {os.path.abspath(path) for outcome in self.outcomes for path in outcome.observed}

    def is_unchanged(self) -> bool:
        """Check that everything that the build observed is still the same."""
        return all(is_still_same(*item) for outcome in self.outcomes for item in outcome.observed.items())


def _is_input_name(name: str) -> bool:
    return name.endswith((*DEFINITION_SUFFIXES, TEMPLATE_SUFFIX)) and not name.startswith(".")


def get_identity(path: str) -> FileIdentity:
    """Return the identity of the file at a path."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    place, times = (status.st_dev, status.st_ino), (status.st_mtime_ns, status.st_ctime_ns)
    return " ".join(map(str, (*place, status.st_mode, status.st_uid, status.st_size, *times)))


def _contains_path(outer: str, path: str) -> bool:
    return path == outer or path.startswith(outer.rstrip(os.sep) + os.sep)


def _find_existing_folder(folder: str) -> str:
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return folder


QUIET_MILLISECONDS, MAX_BURST_MILLISECONDS = 10, 200
"""A burst of saves ends after so many milliseconds without a change, and is built after so many in any case."""
POLL_SECONDS, POLL_COST_FACTOR = 0.5, 50
"""Least seconds between two polls of the input, and least ratio of that interval to the duration of a poll."""


def run_watch(
    load_packages: Callable[[], LoadedPackages], store: Store, output: CommandOutput, jobs: int | None
) -> int:
    """Build until the process is interrupted; return the exit code. The settings are loaded before each build."""
    with suppress(KeyboardInterrupt), _treat_sigterm_as_interrupt():
        Watcher(load_packages, store, output, jobs).run()
    return SUCCESS


class Watcher:
    """Loop of builds. It knows what the last build read."""

    def __init__(
        self, load_packages: Callable[[], LoadedPackages], store: Store, output: CommandOutput, jobs: int | None
    ) -> None:
        self._load_packages, self._output, self._jobs = load_packages, output, jobs
        self._store = Store(store.folder, is_warm=True)
        self._input, self._packages = WatchedInput(), list[ConfiguredPackage]()
        self._identities: dict[str, FileIdentity] = {}
        self._screen = WatchScreen(output)

    def run(self) -> None:
        """Build until the process is interrupted."""
        self._build()
        self._warm_up()
        if not self._screen.is_cleared:
            self._output.print_remark("watching; Ctrl-C ends it\n")
        sys.stderr.flush()
        while True:
            self._watch_folders()

    def _watch_folders(self) -> None:
        folders = self._input.find_folders()
        names = [name for name, _ in folders]
        unicode_names = [name for name in names if name.encode(errors="ignore").decode() == name]
        events = _iterate_events(unicode_names)
        next(events)  # from now on the system reports changes; earlier ones are found by comparison
        if not self._is_current():
            self._build()
        while self._input.find_folders() == folders:
            poll_at = time.monotonic()  # the first poll finds what changed during the build
            while not ((changes := next(events)) and self._input.is_any_relevant({path for _, path in changes}, names)):
                if (start := time.monotonic()) < poll_at:
                    continue
                if self._input.get_identities() != self._identities or self._input.find_folders() != folders:
                    break
                poll_at = time.monotonic() + max(POLL_SECONDS, POLL_COST_FACTOR * (time.monotonic() - start))
            self._build()
        events.close()

    def _build(self) -> None:
        """Build, and continue after any error. If the input is wrong, the last good output stays."""
        built_identities = self._input.get_identities()
        self._screen.begin_build()
        try:
            loaded = self._load_packages()
            self._packages = [*loaded.packages]
            request = BuildRequest(self._jobs, fail_on="error")  # warnings are shown; they stop nobody's work
            result = build_packages(loaded, request, self._store, self._output)
            outcomes = result.outcomes
            self._input = WatchedInput(loaded.packages or self._input.packages, outcomes or self._input.outcomes)
            if outcomes and all(outcome.generated is not None for outcome in outcomes):
                self._store.end_run()  # one with mistakes uses only a part of what the next one needs
            watched = [path for package in self._input.packages for path in package.settings.schemas]
            self._screen.end_build(result.exit_code, ", ".join(watched) or "the settings")
        except Exception:
            traceback.print_exc()
        is_first = not self._identities
        self._identities = self._input.get_built_identities(built_identities)
        if not is_first:
            observed = self._input.list_observed_files()
            appeared = [path for path in self._identities if path not in built_identities and path not in observed]
            self._identities |= dict.fromkeys(appeared, CHANGED_IDENTITY)
        sys.stdout.flush()
        sys.stderr.flush()

    def _is_current(self) -> bool:
        is_same = self._input.get_identities() == self._identities and self._input.is_unchanged()
        return is_same and [*self._load_packages().packages] == self._packages

    def _warm_up(self) -> None:
        from mcpgen.lower.assemble import lower_schemas
        from mcpgen.lower.request import LoweringRequest
        from mcpgen.render.formatter import format_source
        from mcpgen.schema.document import Schema
        from mcpgen.schema.keywords import DRAFT_2020_12

        lower_schemas([LoweringRequest("output", Schema({"type": "object"}, DRAFT_2020_12))])
        format_source("x = 1\n")
        gc.freeze()  # what is kept stays, so the garbage collector need not look through it


def _iterate_events(names: Sequence[str]) -> Generator[set[tuple[Change, str]]]:
    """Yield the changes in folders as the system reports them, and nothing now and then."""
    while not names:  # only the polls find changes
        time.sleep(0.05)
        yield set()
    yield from iterate_changes(
        *names,
        watch_filter=None,
        debounce=MAX_BURST_MILLISECONDS,
        step=QUIET_MILLISECONDS,
        rust_timeout=50,
        yield_on_timeout=True,
        recursive=False,
        ignore_permission_denied=True,
    )


@contextmanager
def _treat_sigterm_as_interrupt() -> Generator[None]:
    """Handle SIGTERM like Ctrl-C, which is ignored in processes that a shell starts in the background."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    previous_handler = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous_handler)


# --- screen ----------------------------------------------------------------------------------------------------------
_CLEAR = "\x1b[2J\x1b[3J\x1b[H"
"""Clear the screen and what has scrolled out of it, and go to its top."""


class WatchScreen:
    """Screen for one build after the other. Where output is no terminal, builds are written one below the other."""

    def __init__(self, output: CommandOutput) -> None:
        self._output = output
        is_terminal = sys.stderr.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        self.is_cleared = is_terminal and output.format == "text" and not output.quiet
        """Whether the screen is cleared before each build."""
        self._start = 0.0

    def begin_build(self) -> None:
        """Clear the screen, before a build."""
        self._start = time.monotonic()
        if self.is_cleared:
            sys.stdout.flush()
            sys.stderr.write(_CLEAR)
            sys.stderr.flush()

    def end_build(self, exit_code: int, watched: str) -> None:
        """Say how a build ended, and what is watched now."""
        if not self.is_cleared:
            return
        seconds = time.monotonic() - self._start
        verdict, color = ("built", "green") if exit_code == SUCCESS else ("not built", "red")
        if self._output.is_colored(sys.stderr):
            verdict = typer.style(verdict, fg=color, bold=True)
        sys.stdout.flush()
        sys.stderr.write(f"\n{verdict} at {time.strftime('%H:%M:%S')} in {seconds:.1f} s\n")
        self._output.print_remark(f"watching {watched}; Ctrl-C ends it")
        sys.stderr.flush()
