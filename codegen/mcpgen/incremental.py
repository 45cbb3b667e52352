"""A whole run that was done before: what it read is as it was, so what it wanted is known without generating it."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from mcpgen import paths
from mcpgen.cache.codec import MalformedValue, decode_value, encode_value
from mcpgen.cache.memory import Memory, make_key
from mcpgen.cache.store import CacheStore
from mcpgen.config.models import ConfiguredPackage
from mcpgen.config.settings_table import CachedResult
from mcpgen.diagnostics import Diagnostic, Findings
from mcpgen.files.definition_files import DEFINITION_SUFFIXES, TEMPLATE_SUFFIX, find_candidates
from mcpgen.files.file_tracker import Observation, hash_file, is_still_same
from mcpgen.files.project_paths import is_within
from mcpgen.pipeline.outcome import Outcome
from mcpgen.pipeline.progress import Progress
from mcpgen.plan import PACKAGE_MARKER

_SAFE_PATH = re.compile(r"(?:[\w-][\w.-]*/)*[\w-][\w.-]*", re.ASCII)
"""A path inside of the output folder: no part of it begins with a dot, and it does not start at a root."""


@dataclass(frozen=True)
class StoredRun:
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
class InputSurvey:
    """The input as it is: the digest of every file that is called like one, and a key over that and the settings."""

    key: str
    seen: dict[str, str]


def generate_incrementally(package: ConfiguredPackage, jobs_count: int, progress: Progress, memory: Memory) -> Outcome:
    """`app.generate`, or what a run over the same input came to; then no heavy library is imported.

    A warm memory knows more than such a run says, so it is asked instead; `remember` is then left to the caller.
    """
    store = memory.store
    if store is None or memory.warm:
        return _generate_anew(package, jobs_count, progress, memory)
    found = survey_inputs(package)
    recalled = _recall_run(package, found, store, jobs_count, progress) if found is not None else None
    if recalled is not None:
        return recalled
    outcome = _generate_anew(package, jobs_count, progress, memory)
    remember_run(package, outcome, store)
    return outcome


def remember_run(package: ConfiguredPackage, outcome: Outcome, store: CacheStore) -> None:
    """Keep what a run came to, if it went well and its input is still there as it was read."""
    if outcome.wanted is None or outcome.findings.failed:
        return
    found = survey_inputs(package)
    beyond = _find_other_inputs(package, found, outcome) if found is not None else None
    if found is not None and beyond is not None:
        _store_run(package, found, beyond, outcome, store)
    store.prune()


def _generate_anew(package: ConfiguredPackage, jobs_count: int, progress: Progress, memory: Memory) -> Outcome:
    from mcpgen import app

    return app.generate_package(package, jobs_count, progress, memory)


# --- the input -------------------------------------------------------------------------------------------------------
def survey_inputs(package: ConfiguredPackage) -> InputSurvey | None:
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
            listed.append(["root", paths.format_path(root), name, _make_relative(os.path.realpath(root), package)])
            for path in sorted(find_candidates(root, out)) if root.is_dir() else [str(root)]:
                if len(seen) == package.settings.limits.files or (roots is not None and not is_within(path, roots)):
                    return None
                seen[path] = hash_file(path, package.settings.limits.file_size)
                link = _make_relative(os.path.realpath(path), package) if os.path.islink(path) else ""
                listed.append([_make_relative(path, package), link, seen[path]])
    except OSError:
        return None
    settings = package.settings.select(*CachedResult)
    key = make_key("run", paths.format_path(package.folder), json.dumps(settings), json.dumps(listed))
    return InputSurvey(key, seen)


def _make_relative(path: str, package: ConfiguredPackage) -> str:
    """A path relative to the settings' folder, so that it is the same on another machine."""
    return os.path.relpath(path, package.folder)


def _find_other_inputs(
    package: ConfiguredPackage, found: InputSurvey, outcome: Outcome
) -> dict[str, Observation] | None:
    """What a run saw that the survey does not speak of; None when it saw another input than the survey did."""
    real_paths = paths.RealPathCache()
    surveyed = {real_paths.resolve_path(path): digest for path, digest in found.seen.items()}
    roots = [os.path.realpath(package.folder / given) for given in package.settings.schemas]
    met: set[str] = set()
    others: dict[str, Observation] = {}
    for path, sight in outcome.seen.items():
        real = real_paths.resolve_path(path)
        if real in surveyed:
            met.add(real)
            if sight not in (True, surveyed[real]):
                return None
        elif not any(_is_candidate(real, root) for root in roots):
            others[path] = sight
        elif sight is not False:
            return None
    settings = package.file
    if settings is not None and any(
        one.span and one.span.file == paths.format_path(settings) for one in outcome.findings
    ):
        others[str(settings)] = hash_file(str(settings))
    return others if len(met) == len(surveyed) else None


def _is_candidate(path: str, root: str) -> bool:
    """Whether a file would be among those of an input folder, if there was one at that path."""
    if not path.startswith(root + os.sep) or not path.endswith((*DEFINITION_SUFFIXES, TEMPLATE_SUFFIX)):
        return False
    return not any(part.startswith(".") for part in path[len(root) + 1 :].split(os.sep))


# --- what is kept ----------------------------------------------------------------------------------------------------
def _store_run(
    package: ConfiguredPackage, found: InputSurvey, beyond: dict[str, Observation], outcome: Outcome, store: CacheStore
) -> None:
    files: list[tuple[str, str, str]] = []
    for path, text in (outcome.wanted or {}).items():
        digest = hashlib.sha256(text.encode()).hexdigest()
        key = outcome.keys.get(path)
        if key is None:
            key = make_key("plain", digest)
            store.put("text", key, text)
        files.append((path, digest, key))
    seen = tuple((_make_relative(path, package), sight) for path, sight in sorted(beyond.items()))
    run = StoredRun(seen, tuple(files), tuple(outcome.findings), outcome.tools, outcome.classes, outcome.unchosen)
    store.put("run", found.key, encode_value(run))


def _recall_run(
    package: ConfiguredPackage, found: InputSurvey, store: CacheStore, jobs_count: int, progress: Progress
) -> Outcome | None:
    try:
        run = decode_value(StoredRun, store.get("run", found.key))
        if not all(path == PACKAGE_MARKER or _SAFE_PATH.fullmatch(path) for path, _, _ in run.files):
            return None
        outcome = Outcome(package.folder / package.settings.out, Findings())
        outcome.findings.extend(run.findings)
    except (MalformedValue, KeyError, RecursionError):
        return None
    beyond = {os.path.join(package.folder, path): sight for path, sight in run.beyond}
    if not all(is_still_same(path, sight) for path, sight in beyond.items()):
        return None
    outcome.seen = found.seen | beyond
    outcome.digests = {path: digest for path, digest, _ in run.files}
    outcome.wanted = _StoredTexts(run, store, lambda: _generate_anew(package, jobs_count, progress, Memory(store)))
    outcome.tools, outcome.classes, outcome.unchosen = run.tools, run.classes, run.unchosen
    return outcome


class _StoredTexts(Mapping[str, str]):
    """The texts of a recalled run, each taken from the store when it is asked for; where one is lost, all are made."""

    def __init__(self, run: StoredRun, store: CacheStore, again: Callable[[], Outcome]) -> None:
        self._files = {path: (digest, key) for path, digest, key in run.files}
        self._store, self._again = store, again
        self._made: Mapping[str, str] = {}

    def __getitem__(self, path: str) -> str:
        digest, key = self._files[path]
        held = self._made.get(path) or self._store.get("text", key)
        if _has_digest(held, digest):
            return str(held)
        self._made = self._again().wanted or {}
        if not _has_digest(self._made.get(path), digest):
            raise OSError("the input changed while it was read; run this again")
        return self._made[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


def _has_digest(text: object, digest: str) -> bool:
    try:
        return isinstance(text, str) and hashlib.sha256(text.encode()).hexdigest() == digest
    except UnicodeEncodeError:
        return False
