"""A whole run that was done before: what it read is as it was, so what it wanted is known without generating it."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from mcpgen import paths
from mcpgen.cache.codec import Malformed, decoded, encoded
from mcpgen.cache.memory import Memory, key_of
from mcpgen.cache.store import Store
from mcpgen.config.models import Package
from mcpgen.diagnostics import Diagnostic, Findings
from mcpgen.files.file_access import SUFFIXES, TEMPLATE, Sight, candidates, digest_of, still
from mcpgen.files.input_files import lies_in
from mcpgen.pipeline.outcome import Outcome
from mcpgen.pipeline.progress import Progress
from mcpgen.plan import ROOT_ONLY

_PATH = re.compile(r"(?:[\w-][\w.-]*/)*[\w-][\w.-]*", re.ASCII)
"""A path inside of the output folder: no part of it begins with a dot, and it does not start at a root."""


@dataclass(frozen=True)
class Run:
    """What is kept of a run that went well."""

    beyond: tuple[tuple[str, str | bool], ...]
    """What it saw outside of the input folders: path relative to the settings' folder, and what there was."""
    files: tuple[tuple[str, str, str], ...]
    """Each wanted file: path, SHA-256 of its text, key of the text in the store."""
    findings: tuple[Diagnostic, ...]
    tools: int
    classes: int
    unchosen: int


@dataclass(frozen=True)
class Survey:
    """The input as it is: the digest of every file that is called like one, and a key over that and the settings."""

    key: str
    seen: dict[str, str]


def generate(package: Package, jobs_count: int, progress: Progress, memory: Memory) -> Outcome:
    """`app.generate`, or what a run over the same input came to; then no heavy library is imported.

    A warm memory knows more than such a run says, so it is asked instead; `remember` is then left to the caller.
    """
    store = memory.store
    if store is None or memory.warm:
        return _generated(package, jobs_count, progress, memory)
    found = survey(package)
    recalled = _recalled(package, found, store, jobs_count, progress) if found is not None else None
    if recalled is not None:
        return recalled
    outcome = _generated(package, jobs_count, progress, memory)
    remember(package, outcome, store)
    return outcome


def remember(package: Package, outcome: Outcome, store: Store) -> None:
    """Keep what a run came to, if it went well and its input is still there as it was read."""
    if outcome.wanted is None or outcome.findings.failed:
        return
    found = survey(package)
    beyond = _beyond(package, found, outcome) if found is not None else None
    if found is not None and beyond is not None:
        _keep(package, found, beyond, outcome, store)
    store.prune()


def _generated(package: Package, jobs_count: int, progress: Progress, memory: Memory) -> Outcome:
    from mcpgen import app

    return app.generate(package, jobs_count, progress, memory)


# --- the input -------------------------------------------------------------------------------------------------------
def survey(package: Package) -> Survey | None:
    """What a package's input folders and files hold; None when that cannot be read, or is too large to be."""
    seen: dict[str, str] = {}
    listed: list[list[str]] = []
    roots = package.roots
    try:
        for given in package.settings.schemas:
            root, out = package.folder / given, package.folder / package.settings.out
            if os.path.realpath(root) == os.path.realpath(out):
                return None  # which is an error
            name = os.path.basename(os.path.abspath(root))
            listed.append(["root", paths.shown(root), name, _inner(os.path.realpath(root), package)])
            for path in sorted(candidates(root, out)) if root.is_dir() else [str(root)]:
                if len(seen) == package.settings.limits.files or (roots is not None and not lies_in(path, roots)):
                    return None
                seen[path] = digest_of(path, package.settings.limits.file_size)
                link = _inner(os.path.realpath(path), package) if os.path.islink(path) else ""
                listed.append([_inner(path, package), link, seen[path]])
    except OSError:
        return None
    settings = package.settings.model_dump(mode="json", by_alias=True, exclude={"out", "schemas", "diff"})
    key = key_of("run", paths.shown(package.folder), json.dumps(settings), json.dumps(listed))
    return Survey(key, seen)


def _inner(path: str, package: Package) -> str:
    """A path relative to the settings' folder, so that it is the same on another machine."""
    return os.path.relpath(path, package.folder)


def _beyond(package: Package, found: Survey, outcome: Outcome) -> dict[str, Sight] | None:
    """What a run saw that the survey does not speak of; None when it saw another input than the survey did."""
    real_paths = paths.RealPaths()
    surveyed = {real_paths.resolve_path(path): digest for path, digest in found.seen.items()}
    roots = [os.path.realpath(package.folder / given) for given in package.settings.schemas]
    met: set[str] = set()
    others: dict[str, Sight] = {}
    for path, sight in outcome.seen.items():
        real = real_paths.resolve_path(path)
        if real in surveyed:
            met.add(real)
            if sight not in (True, surveyed[real]):
                return None
        elif not any(_listed(real, root) for root in roots):
            others[path] = sight
        elif sight is not False:
            return None
    settings = package.file
    if settings is not None and any(one.span and one.span.file == paths.shown(settings) for one in outcome.findings):
        others[str(settings)] = digest_of(str(settings))
    return others if len(met) == len(surveyed) else None


def _listed(path: str, root: str) -> bool:
    """Whether a file would be among those of an input folder, if there was one at that path."""
    if not path.startswith(root + os.sep) or not path.endswith((*SUFFIXES, TEMPLATE)):
        return False
    return not any(part.startswith(".") for part in path[len(root) + 1 :].split(os.sep))


# --- what is kept ----------------------------------------------------------------------------------------------------
def _keep(package: Package, found: Survey, beyond: dict[str, Sight], outcome: Outcome, store: Store) -> None:
    files: list[tuple[str, str, str]] = []
    for path, text in (outcome.wanted or {}).items():
        digest = hashlib.sha256(text.encode()).hexdigest()
        key = outcome.keys.get(path)
        if key is None:
            key = key_of("plain", digest)
            store.put("text", key, text)
        files.append((path, digest, key))
    seen = tuple((_inner(path, package), sight) for path, sight in sorted(beyond.items()))
    run = Run(seen, tuple(files), tuple(outcome.findings), outcome.tools, outcome.classes, outcome.unchosen)
    store.put("run", found.key, encoded(run))


def _recalled(package: Package, found: Survey, store: Store, jobs_count: int, progress: Progress) -> Outcome | None:
    try:
        run = decoded(Run, store.get("run", found.key))
        if not all(path == ROOT_ONLY or _PATH.fullmatch(path) for path, _, _ in run.files):
            return None
        outcome = Outcome(package.folder / package.settings.out, Findings())
        outcome.findings.extend(run.findings)
    except (Malformed, KeyError, RecursionError):
        return None
    beyond = {os.path.join(package.folder, path): sight for path, sight in run.beyond}
    if not all(still(path, sight) for path, sight in beyond.items()):
        return None
    outcome.seen = found.seen | beyond
    outcome.digests = {path: digest for path, digest, _ in run.files}
    outcome.wanted = _Texts(run, store, lambda: _generated(package, jobs_count, progress, Memory(store)))
    outcome.tools, outcome.classes, outcome.unchosen = run.tools, run.classes, run.unchosen
    return outcome


class _Texts(Mapping[str, str]):
    """The texts of a recalled run, each taken from the store when it is asked for; where one is lost, all are made."""

    def __init__(self, run: Run, store: Store, again: Callable[[], Outcome]) -> None:
        self._files = {path: (digest, key) for path, digest, key in run.files}
        self._store, self._again = store, again
        self._made: Mapping[str, str] = {}

    def __getitem__(self, path: str) -> str:
        digest, key = self._files[path]
        held = self._made.get(path) or self._store.get("text", key)
        if _is(held, digest):
            return str(held)
        self._made = self._again().wanted or {}
        if not _is(self._made.get(path), digest):
            raise OSError("the input changed while it was read; run this again")
        return self._made[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


def _is(text: object, digest: str) -> bool:
    try:
        return isinstance(text, str) and hashlib.sha256(text.encode()).hexdigest() == digest
    except UnicodeEncodeError:
        return False
