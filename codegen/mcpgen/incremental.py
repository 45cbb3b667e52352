"""Reuse of whole runs: if the input of an earlier run is unchanged, its result is recalled instead of generated."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from mcpgen.cache.codec import MalformedValue, decode_value, encode_value
from mcpgen.cache.memory import Memory, make_key
from mcpgen.cache.store import CacheStore
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Diagnostic, Findings
from mcpgen.files.file_digests import FileDigests
from mcpgen.files.file_tracker import Observation, is_still_same
from mcpgen.pipeline.input_survey import InputSurvey, find_other_inputs, relativize, survey_inputs
from mcpgen.pipeline.outcome import GeneratedFiles, Outcome
from mcpgen.pipeline.progress import Progress
from mcpgen.plan import PACKAGE_MARKER

_SAFE_PATH = re.compile(r"(?:[\w-][\w.-]*/)*[\w-][\w.-]*", re.ASCII)
"""A relative path inside of the output folder, none of whose parts starts with a dot."""


@dataclass(frozen=True)
class StoredRun:
    """Cache entry of a successful run."""

    other_inputs: tuple[tuple[str, str | bool], ...]
    """Observations outside of the input folders: path relative to the settings' folder, digest or existence."""
    files: tuple[tuple[str, str, str], ...]
    """Generated files: path, SHA-256 of the text in hex, cache key of the text."""
    findings: tuple[Diagnostic, ...]
    tool_count: int
    class_count: int
    default_content_count: int


def generate_incrementally(package: ConfiguredPackage, jobs_count: int, progress: Progress, memory: Memory) -> Outcome:
    """Return the outcome of `app.generate_package`, recalled without importing a heavy library if possible.

    With a warm memory the package is generated, which is faster then, and the caller calls `remember_run`.
    """
    store = memory.store
    if store is None or memory.warm:
        return _generate_anew(package, jobs_count, progress, memory)
    file_digests = _recall_file_digests(package, store)
    survey = survey_inputs(package, file_digests)
    outcome = _recall_run(package, survey, store, jobs_count, progress) if survey is not None else None
    if outcome is None:
        outcome = _generate_anew(package, jobs_count, progress, memory)
        outcome.file_digests = file_digests
        remember_run(package, outcome, store)
    outcome.file_digests = file_digests
    return outcome


def remember_run(package: ConfiguredPackage, outcome: Outcome, store: CacheStore) -> None:
    """Store the outcome of a run if it succeeded and its input has not changed since."""
    if outcome.generated is None or outcome.findings.failed:
        return
    survey = survey_inputs(package, outcome.file_digests)
    if survey is not None:
        other_inputs = find_other_inputs(package, survey, outcome.observed, outcome.findings)
        if other_inputs is not None:
            run = _make_stored_run(package, other_inputs, outcome.generated, outcome.findings, store)
            store.put("run", survey.key, encode_value(run))
    store.prune()


def remember_file_digests(package: ConfiguredPackage, outcome: Outcome, store: CacheStore | None) -> None:
    """Store the digests of the input and of the output folder, so that the next run need not read these files."""
    if store is not None and outcome.file_digests.has_changed:
        store.put("files", _make_files_key(package), {**outcome.file_digests.entries})


def _recall_file_digests(package: ConfiguredPackage, store: CacheStore) -> FileDigests:
    entries = store.get("files", _make_files_key(package))
    if not isinstance(entries, dict):
        return FileDigests()
    return FileDigests({path: entry for path, entry in entries.items() if isinstance(entry, str)})


def _make_files_key(package: ConfiguredPackage) -> str:
    return make_key("files", os.path.realpath(package.folder), package.settings.out)


def _generate_anew(package: ConfiguredPackage, jobs_count: int, progress: Progress, memory: Memory) -> Outcome:
    from mcpgen import app

    return app.generate_package(package, jobs_count, progress, memory)


def _make_stored_run(
    package: ConfiguredPackage,
    other_inputs: dict[str, Observation],
    generated: GeneratedFiles,
    findings: Findings,
    store: CacheStore,
) -> StoredRun:
    """Return the entry of a run; texts that are not in the cache yet are put there."""
    files: list[tuple[str, str, str]] = []
    for path, text in generated.texts.items():
        digest = hashlib.sha256(text.encode()).hexdigest()
        key = generated.keys.get(path)
        if key is None:
            key = make_key("plain", digest)
            store.put("text", key, text)
        files.append((path, digest, key))
    observations = tuple((relativize(path, package), observation) for path, observation in sorted(other_inputs.items()))
    return StoredRun(
        observations,
        tuple(files),
        tuple(findings),
        generated.tool_count,
        generated.class_count,
        generated.default_content_count,
    )


def _recall_run(
    package: ConfiguredPackage, survey: InputSurvey, store: CacheStore, jobs_count: int, progress: Progress
) -> Outcome | None:
    """Return the stored outcome of a run over the same input; None if there is none or its entry is malformed."""
    outcome = Outcome(package.folder / package.settings.out, Findings(), is_runtime=package.is_runtime)
    try:
        run = decode_value(StoredRun, store.get("run", survey.key))
        if not all(path == PACKAGE_MARKER or _SAFE_PATH.fullmatch(path) for path, _, _ in run.files):
            return None
        outcome.findings.extend(run.findings)
    except (MalformedValue, KeyError, RecursionError):
        return None
    other_inputs = {os.path.join(package.folder, path): observation for path, observation in run.other_inputs}
    if not all(is_still_same(path, observation) for path, observation in other_inputs.items()):
        return None
    outcome.observed = survey.digests | other_inputs
    outcome.generated = GeneratedFiles(
        texts=_StoredTexts(run, store, lambda: _generate_anew(package, jobs_count, progress, Memory(store))),
        digests={path: digest for path, digest, _ in run.files},
        tool_count=run.tool_count,
        class_count=run.class_count,
        default_content_count=run.default_content_count,
    )
    return outcome


class _StoredTexts(Mapping[str, str]):
    """Texts of a recalled run, each read from the store on access. If one is lost, all are generated again."""

    def __init__(self, run: StoredRun, store: CacheStore, generate: Callable[[], Outcome]) -> None:
        self._files = {path: (digest, key) for path, digest, key in run.files}
        self._store, self._generate = store, generate
        self._generated: Mapping[str, str] = {}

    def __getitem__(self, path: str) -> str:
        digest, key = self._files[path]
        text = self._generated.get(path) or self._store.get("text", key)
        if _has_digest(text, digest):
            return str(text)
        generated = self._generate().generated
        self._generated = generated.texts if generated is not None else {}
        if not _has_digest(self._generated.get(path), digest):
            raise OSError("the input changed while it was read; run this again")
        return self._generated[path]

    def __contains__(self, path: object) -> bool:
        return path in self._files

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


def _has_digest(text: object, digest: str) -> bool:
    try:
        return isinstance(text, str) and hashlib.sha256(text.encode()).hexdigest() == digest
    except UnicodeEncodeError:
        return False
