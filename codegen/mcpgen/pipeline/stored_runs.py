"""Runs in the cache: what each came to, and the texts of its files."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from mcpgen.cache.codec import MalformedValue, decode_value, encode_value
from mcpgen.cache.keys import make_key
from mcpgen.cache.store import CacheStore
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Diagnostic, Findings
from mcpgen.files.file_tracker import Observation
from mcpgen.pipeline.input_survey import InputSurvey, relativize
from mcpgen.pipeline.outcome import GeneratedFiles, Outcome
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


def load_run(store: CacheStore, key: str) -> StoredRun | None:
    """Return the run under a key; None if there is none or its entry is malformed."""
    try:
        run = decode_value(StoredRun, store.get("run", key))
        Findings().extend(run.findings)  # which refuses codes that are not in the catalogue
    except (MalformedValue, KeyError, RecursionError):
        return None
    return run if all(path == PACKAGE_MARKER or _SAFE_PATH.fullmatch(path) for path, _, _ in run.files) else None


def store_run(store: CacheStore, key: str, run: StoredRun) -> None:
    """Store a run under a key."""
    store.put("run", key, encode_value(run))


def make_stored_run(
    package: ConfiguredPackage,
    other_inputs: dict[str, Observation],
    generated: GeneratedFiles,
    findings: Findings,
    store: CacheStore,
) -> StoredRun:
    """Return the entry of a run; texts that are not in the cache yet are put there."""
    files: list[tuple[str, str, str]] = []
    for path, text in generated.texts.items():
        digest = hash_text(text)
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
    )


def make_recalled_outcome(
    package: ConfiguredPackage,
    run: StoredRun,
    survey: InputSurvey,
    store: CacheStore,
    generate: Callable[[], Outcome],
) -> Outcome:
    """Return the outcome of a stored run over the surveyed input; `generate` generates its texts if they are lost."""
    outcome = Outcome(package.out, Findings(), package=package)
    outcome.findings.extend(run.findings)
    outcome.observed = survey.digests | locate_inputs(run, package)
    outcome.generated = GeneratedFiles(
        texts=_StoredTexts(run, store, generate),
        digests={path: digest for path, digest, _ in run.files},
        is_whole=False,
        tool_count=run.tool_count,
        class_count=run.class_count,
    )
    return outcome


def locate_inputs(run: StoredRun, package: ConfiguredPackage) -> dict[str, Observation]:
    """Return what a run observed outside of the input folders, by path."""
    return {os.path.join(package.folder, path): observation for path, observation in run.other_inputs}


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


def hash_text(text: str) -> str:
    """Return the SHA-256 of a text, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def _has_digest(text: object, digest: str) -> bool:
    try:
        return isinstance(text, str) and hash_text(text) == digest
    except UnicodeEncodeError:
        return False
