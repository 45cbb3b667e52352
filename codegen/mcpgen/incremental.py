"""Reuse of earlier runs: one over the same input is recalled, of one over almost the same input a part is generated."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace

from mcpgen.cache.codec import MalformedValue
from mcpgen.cache.keys import make_key
from mcpgen.cache.memory import Memory
from mcpgen.cache.store import CacheStore
from mcpgen.config.models import ConfiguredPackage
from mcpgen.files.file_digests import FileDigests
from mcpgen.files.file_tracker import is_still_same
from mcpgen.pipeline.input_survey import InputSurvey, find_other_inputs, relativize, survey_inputs
from mcpgen.pipeline.outcome import Outcome
from mcpgen.pipeline.package_outline import PackageOutline, ToolUpdate, decode_outline, encode_outline
from mcpgen.pipeline.progress import Progress
from mcpgen.pipeline.stored_runs import (
    StoredRun,
    hash_text,
    load_run,
    locate_inputs,
    make_recalled_outcome,
    make_stored_run,
    store_run,
)
from mcpgen.schema.values import Json


def generate_incrementally(package: ConfiguredPackage, jobs_count: int, progress: Progress, memory: Memory) -> Outcome:
    """Return the outcome of `app.generate_package`, recalled without importing a heavy library if possible.

    With a warm memory, the caller calls `remember_run` if the whole package was generated.
    """
    store = memory.store
    if store is None:
        return _generate_anew(package, jobs_count, progress, memory)
    file_digests = _recall_file_digests(package, store)
    survey = survey_inputs(package, file_digests)
    run = None
    if survey is not None:
        run = _recall_run(package, survey, store)
        run = run or _update_run(package, survey, jobs_count, progress, memory)
    if survey is None or run is None:
        outcome = _generate_anew(package, jobs_count, progress, memory)
        outcome.file_digests = file_digests
        if not memory.warm:
            remember_run(package, outcome, store)
        return outcome

    def generate() -> Outcome:
        return _generate_anew(package, jobs_count, progress, Memory(store))

    outcome = make_recalled_outcome(package, run, survey, store, generate)
    outcome.file_digests = file_digests
    return outcome


def remember_run(package: ConfiguredPackage, outcome: Outcome, store: CacheStore) -> None:
    """Store the outcome of a run if it succeeded and its input has not changed since."""
    generated = outcome.generated
    if generated is None or outcome.findings.failed:
        return
    survey = survey_inputs(package, outcome.file_digests)
    if survey is not None:
        other_inputs = find_other_inputs(package, survey, outcome.observed, outcome.findings)
        if other_inputs is not None:
            run = make_stored_run(package, other_inputs, generated, outcome.findings, store)
            store_run(store, survey.key, run)
            if generated.outline is not None:
                shared_key = make_key("shared", json.dumps(generated.outline.shared))
                store.put("outline", shared_key, generated.outline.shared)
                _store_outline(generated.outline, survey, shared_key, store)
    store.prune()


def _generate_anew(package: ConfiguredPackage, jobs_count: int, progress: Progress, memory: Memory) -> Outcome:
    from mcpgen import app

    return app.generate_package(package, jobs_count, progress, memory)


def _recall_run(package: ConfiguredPackage, survey: InputSurvey, store: CacheStore) -> StoredRun | None:
    """Return the stored run over the same input, None if there is none."""
    run = load_run(store, survey.key)
    if run is None or not all(is_still_same(*item) for item in locate_inputs(run, package).items()):
        return None
    return run


# --- updates ---------------------------------------------------------------------------------------------------------
def _update_run(
    package: ConfiguredPackage,
    survey: InputSurvey,
    jobs_count: int,
    progress: Progress,
    memory: Memory,
) -> StoredRun | None:
    """Return the run over the input as it is now, made from the last one by generating the tools of changed files.

    Returns:
        None if the whole package has to be generated: there is no earlier run, something is wrong with the input, or
        other files of the package depend on what has changed.
    """
    store = memory.store
    found = None if store is None else _find_outline(survey, store)
    if store is None or found is None:
        return None
    from mcpgen.pipeline.changed_files import find_changed_files
    from mcpgen.pipeline.changed_tools import update_package

    try:
        entry, old_links = found
        outline, run_key, shared_key = decode_outline(entry, lambda key: store.get("outline", key))
        run = load_run(store, run_key)
        if run is None or _exceeds_total_size(package, survey, run):
            return None
        changed_files = find_changed_files(package, outline, survey, old_links, dict(run.other_inputs))
        if changed_files is None:
            return None
        update = update_package(package, outline, changed_files, jobs_count, progress, memory)
        if update is None or not _is_of(update, survey, package):
            return None
        updated = _apply_update(run, outline, update, package, survey)
    except (MalformedValue, RecursionError):
        return None
    store_run(store, survey.key, updated)
    _store_outline(update.outline, survey, shared_key, store)
    store.prune()
    return updated


def _find_outline(survey: InputSurvey, store: CacheStore) -> tuple[Json, Mapping[str, Json]] | None:
    """Return the outline of the last run over the same files, or of the last one with the same settings.

    Returns:
        The encoded outline, and the `links` of its survey; None if there is none.
    """
    entry = store.get("outline", survey.outline_key)
    if entry is not None:
        return entry, survey.links
    match store.get("outline", survey.latest_key):
        case {"outline": str(key), "links": dict() as links} if (entry := store.get("outline", key)) is not None:
            return entry, links
        case _:
            return None


def _store_outline(outline: PackageOutline, survey: InputSurvey, shared_key: str, store: CacheStore) -> None:
    store.put("outline", survey.outline_key, encode_outline(outline, survey.key, shared_key))
    store.put("outline", survey.latest_key, {"outline": survey.outline_key, "links": {**survey.links}})


def _exceeds_total_size(package: ConfiguredPackage, survey: InputSurvey, run: StoredRun) -> bool:
    """Check whether all files that a run may read hold more bytes than they may."""
    size = 0
    for path in (*survey.digests, *locate_inputs(run, package)):
        if os.path.isfile(path):
            size += os.path.getsize(path)
    return size > package.settings.limits.total_size


def _is_of(update: ToolUpdate, survey: InputSurvey, package: ConfiguredPackage) -> bool:
    """Check that an update has read the surveyed contents."""
    _, now = update.parts
    read = {**{path: file.digest for path, file in now.files.items()}, **update.inputs}
    surveyed = {relativize(path, package): digest for path, digest in survey.digests.items()}
    return all(path not in surveyed or observation in (True, surveyed[path]) for path, observation in read.items())


def _apply_update(
    run: StoredRun, outline: PackageOutline, update: ToolUpdate, package: ConfiguredPackage, survey: InputSurvey
) -> StoredRun:
    """Return a run with the new files and findings of some tools in place of their old ones.

    Raises:
        MalformedValue: the run is not that of the outline.
    """
    before, now = update.parts
    generated = {path: (path, digest, key) for path, digest, key in run.files}
    for path in (path for tool in before.tools.values() for path in tool.paths):
        generated.pop(path, None)
    generated |= {path: (path, hash_text(text), update.keys[path]) for path, text in update.texts.items()}
    findings = [*run.findings]
    for finding in (finding for file in before.files.values() for finding in file.findings):
        if finding not in findings:
            raise MalformedValue("a finding is missing")
        findings.remove(finding)
    findings += (finding for file in now.files.values() for finding in file.findings)
    old_tools, new_tools = before.tools.values(), now.tools.values()
    surveyed = {relativize(path, package) for path in survey.digests}
    of_files = _list_input_paths(outline.inputs.values())
    inputs = {path: observation for path, observation in run.other_inputs if path not in of_files}
    remaining = _list_input_paths(update.outline.inputs.values())
    inputs |= {path: observation for path, observation in run.other_inputs if path in remaining}
    inputs |= {path: observation for path, observation in update.inputs.items() if path not in surveyed}
    return replace(
        run,
        other_inputs=tuple(sorted(inputs.items())),
        files=tuple(generated.values()),
        findings=tuple(findings),
        tool_count=run.tool_count + len(now.tools) - len(before.tools),
        class_count=run.class_count
        + sum(tool.class_count for tool in new_tools)
        - sum(tool.class_count for tool in old_tools),
    )


def _list_input_paths(inputs: Iterable[Json]) -> set[str]:
    """Return the paths in some values of `PackageOutline.inputs`."""
    pairs = (pair for entries in inputs if isinstance(entries, list) for pair in entries)
    return {str(pair[0]) for pair in pairs if isinstance(pair, list) and pair}


# --- digests of files ------------------------------------------------------------------------------------------------
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
