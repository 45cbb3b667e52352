"""`mcpgen watch`: build again whenever something changes that a build reads, or would read if it existed."""

from __future__ import annotations

import gc
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from types import FrameType

from watchfiles import Change
from watchfiles import watch as iterate_changes

from mcpgen.cache.store import Store
from mcpgen.commands.build import BuildRequest, build_packages
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.commands.watched_input import CHANGED_IDENTITY, FileIdentity, WatchedInput
from mcpgen.config.models import ConfiguredPackage
from mcpgen.report.exit_codes import SUCCESS
from mcpgen.report.output import CommandOutput
from mcpgen.report.watch_screen import WatchScreen

QUIET_MILLISECONDS, MAX_BURST_MILLISECONDS = 10, 200
"""A burst of saves ends after so many milliseconds without a change, and is built after so many in any case."""
POLL_SECONDS, POLL_COST_FACTOR = 0.5, 50
"""Least seconds between two polls of the input, and least ratio of that interval to the duration of a poll."""


def run_watch(
    load_packages: Callable[[], LoadedPackages], store: Store, output: CommandOutput, jobs: int | None
) -> int:
    """Build until the process is interrupted; return the exit code. The settings are loaded before each build."""
    try:
        with _treat_sigterm_as_interrupt():
            Watcher(load_packages, store, output, jobs).run()
    except KeyboardInterrupt:
        pass
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
        """Build at every change, until there are other folders to watch."""
        folders = self._input.find_folders()
        names = [name for name, _ in folders]
        events = _iterate_events([name for name in names if _is_unicode(name)])
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
                self._store.end_run()  # a run over wrong input uses little of what is kept
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
        """Check whether the last build was of the present settings and input."""
        is_same = self._input.get_identities() == self._identities and self._input.is_unchanged()
        return is_same and [*self._load_packages().packages] == self._packages

    def _warm_up(self) -> None:
        """Import the heavy libraries before the first change."""
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


def _is_unicode(name: str) -> bool:
    """Return whether a file's name is text, as `watchfiles` needs it."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


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
