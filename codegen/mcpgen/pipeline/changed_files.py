"""Find the input files that were edited, added and removed since the last run, and those that depend on them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from mcpgen.cache.codec import MalformedValue, decode_value
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings
from mcpgen.files.definition_files import TEMPLATE_SUFFIX
from mcpgen.files.file_tracker import FileTracker, Observation, is_still_same
from mcpgen.pipeline.input_survey import InputSurvey, relativize
from mcpgen.pipeline.package_outline import PackageOutline
from mcpgen.read.content_templates import TemplateCatalog
from mcpgen.read.input_files import InputFile, InputFileFinder
from mcpgen.schema.values import Json


@dataclass(frozen=True)
class ChangedFiles:
    """Input files that a run has to read again, by their paths as in the outline."""

    edited: tuple[str, ...]
    """Files whose content changed, or that depend on something that changed."""
    added: tuple[InputFile, ...] = ()
    removed: tuple[str, ...] = ()
    added_templates: tuple[str, ...] = ()
    """Content templates that were not there before."""


def find_changed_files(
    package: ConfiguredPackage,
    outline: PackageOutline,
    survey: InputSurvey,
    old_links: Mapping[str, Json],
    other_inputs: Mapping[str, Observation],
) -> ChangedFiles | None:
    """Return what has changed since the run of an outline.

    Args:
        package: its settings.
        outline: the outline of the last run.
        survey: the input as it is now.
        old_links: `InputSurvey.links` of the last run.
        other_inputs: what the last run observed in addition to the files of its survey.

    Returns:
        None if something else has changed that the last run depends on.
    """
    digests = {relativize(path, package): digest for path, digest in survey.digests.items()}

    def is_same(path: str, observation: Observation) -> bool:
        if path in digests:
            return observation in (True, digests[path])
        return is_still_same(os.path.join(package.folder, path), observation)

    dependants: dict[tuple[str, Observation], list[str]] = {}
    for file, encoded in outline.inputs.items():
        for path, observation in decode_value(cast(Any, tuple[tuple[str, str | bool], ...]), encoded):
            dependants.setdefault((path, observation), []).append(file)
    edited = {file for pair, files in dependants.items() if not is_same(*pair) for file in files}
    if not all(pair in dependants or is_same(*pair) for pair in other_inputs.items()):
        return None
    for path, encoded in outline.files.items():
        if path in digests and _get_digest(encoded) != digests[path]:
            edited.add(path)
    if old_links == survey.links:
        return ChangedFiles(tuple(sorted(edited)))
    return _compare_listings(package, outline, survey, old_links, edited)


def _get_digest(encoded: Json) -> Json:
    """Return the digest of an encoded `FileOutline`, which need not be decoded for that."""
    return encoded[1] if isinstance(encoded, list) and len(encoded) > 1 else None


def _compare_listings(
    package: ConfiguredPackage,
    outline: PackageOutline,
    survey: InputSurvey,
    old_links: Mapping[str, Json],
    edited: set[str],
) -> ChangedFiles | None:
    """Return the edited files and those that were added and removed; None if there are links among these."""
    new_links = survey.links
    added = {path for path in new_links if path not in old_links}
    removed = {path for path in old_links if path not in new_links}
    if any(old_links.get(path) != new_links.get(path) for path in old_links.keys() & new_links.keys()):
        return None
    if any(new_links[path] for path in added) or any(old_links[path] for path in removed):
        return None
    added_templates = {path for path in added if path.endswith(TEMPLATE_SUFFIX)}
    users = {Path(path).name.removesuffix(TEMPLATE_SUFFIX) for path in added_templates}
    if users:
        for path, encoded in outline.files.items():
            if not users.isdisjoint(_get_tools(encoded)):
                edited.add(path)
    added_files = _find_input_files(package, added - added_templates)
    removed_files = {path for path in removed if not path.endswith(TEMPLATE_SUFFIX)}
    if added_files is None or not removed_files <= outline.files.keys():
        return None
    return ChangedFiles(
        tuple(sorted(edited - removed_files)), added_files, tuple(sorted(removed_files)), tuple(sorted(added_templates))
    )


def _get_tools(encoded: Json) -> list[str]:
    """Return the tools of an encoded `FileOutline`.

    Raises:
        MalformedValue: it encodes none.
    """
    match encoded:
        case [_, _, _, _, [*tools], *_]:
            return [str(tool) for tool in tools]
        case _:
            raise MalformedValue("no file")


def _find_input_files(package: ConfiguredPackage, paths: set[str]) -> tuple[InputFile, ...] | None:
    """Return some files of a survey as a run finds them; None if it does not find all of them."""
    if not paths:
        return ()
    settings, findings = package.settings, Findings()
    disk = FileTracker(package.roots, settings.limits.file_size)
    catalog = TemplateCatalog(package.folder, settings.limits, findings, disk)
    found = InputFileFinder(package, findings, disk, catalog).find_files()
    files = tuple(file for file in found if relativize(str(file.path), package) in paths)
    return files if len(files) == len(paths) and not findings.failed else None
