"""Survey of a package's input: which files there are, and their digests, without parsing any of them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from mcpgen import paths
from mcpgen.cache.keys import make_key
from mcpgen.config.models import CachedResult, ConfiguredPackage
from mcpgen.diagnostics import Findings
from mcpgen.files.definition_files import DEFINITION_SUFFIXES, TEMPLATE_SUFFIX, find_candidates
from mcpgen.files.file_digests import FileDigests
from mcpgen.files.file_tracker import Observation, hash_file


@dataclass(frozen=True)
class InputSurvey:
    """Files in the input folders that have the name of a definition or template."""

    key: str
    """Cache key of a run: a digest of the settings and of every file's path and content."""
    outline_key: str
    """Cache key of the outline of the last run over the same files, whatever is in them."""
    latest_key: str
    """Cache key of what says which outline is the latest, whatever files there are."""
    links: dict[str, str]
    """Target of each file that is a link, and an empty text for each other file, by path relative to the settings."""
    digests: dict[str, str]
    """Digest of each file's content, by the path under which it was found."""


def survey_inputs(package: ConfiguredPackage, file_digests: FileDigests | None = None) -> InputSurvey | None:
    """Survey the input of a package; None if it cannot be read, exceeds a limit or leaves the project."""
    file_digests = file_digests or FileDigests()
    digests: dict[str, str] = {}
    roots: list[list[str]] = []
    links: dict[str, str] = {}
    real_paths = paths.RealPathCache()
    try:
        for root in package.inputs:
            if os.path.realpath(root) == os.path.realpath(package.out):
                return None  # which is an error
            name = os.path.basename(os.path.abspath(root))
            roots.append(["root", paths.format_path(root), name, relativize(os.path.realpath(root), package)])
            for path in sorted(find_candidates(root, package.out)) if root.is_dir() else [str(root)]:
                real_path = real_paths.resolve_path(path)
                if _is_outside(real_path, package.roots) or len(digests) == package.settings.limits.files:
                    return None
                digests[path] = file_digests.hash_file(path, package.settings.limits.file_size)
                link_target = relativize(real_path, package) if os.path.islink(path) else ""
                links[relativize(path, package)] = link_target
    except OSError:
        return None
    settings = package.settings.select(*CachedResult)
    common = [paths.format_path(package.folder), json.dumps(settings), json.dumps(roots)]
    listing = [*common, json.dumps([*links.items()])]
    return InputSurvey(
        key=make_key("run", *listing, *digests.values()),
        outline_key=make_key("outline", *listing),
        latest_key=make_key("latest outline", *common),
        links=links,
        digests=digests,
    )


def _is_outside(real_path: str, roots: tuple[Path, ...] | None) -> bool:
    """Check whether a path without links is outside of the folders that input may come from, if there are any."""
    return roots is not None and not any(real_path.startswith(os.path.join(root, "")) for root in roots)


def relativize(path: str, package: ConfiguredPackage) -> str:
    """Return a path relative to the settings' folder, so that it is the same on another machine."""
    prefix = os.path.join(package.folder, "")
    inner = path[len(prefix) :]
    if path.startswith(prefix) and os.path.normpath(inner) == inner and not inner.startswith(".."):
        return inner  # as `relpath` would, which is slow
    return os.path.relpath(path, package.folder)


def find_other_inputs(
    package: ConfiguredPackage, survey: InputSurvey, observed: Mapping[str, Observation], findings: Findings
) -> dict[str, Observation] | None:
    """Return what a run observed in addition to the surveyed files: references, the settings, files that are absent.

    Returns:
        None if the run observed other contents than the survey, because a file changed in between.
    """
    real_paths, is_surveyed = paths.RealPathCache(), make_survey_test(package)
    surveyed = {real_paths.resolve_path(path): digest for path, digest in survey.digests.items()}
    read: set[str] = set()
    others: dict[str, Observation] = {}
    for path, observation in observed.items():
        real_path = real_paths.resolve_path(path)
        if real_path in surveyed:
            read.add(real_path)
            if observation not in (True, surveyed[real_path]):
                return None
        elif not is_surveyed(real_path):
            others[path] = observation
        elif observation is not False:
            return None
    settings = package.file
    if settings is not None and any(
        finding.span and finding.span.file == paths.format_path(settings) for finding in findings
    ):
        others[str(settings)] = hash_file(str(settings))
    return others if len(read) == len(surveyed) else None


def make_survey_test(package: ConfiguredPackage) -> Callable[[str], bool]:
    """Return a function that tells whether a survey finds a file at a path, once it is there."""
    roots = [os.path.realpath(path) for path in package.inputs]
    return lambda path: any(_is_candidate(path, root) for root in roots)


def _is_candidate(path: str, root: str) -> bool:
    """Check whether a file at this path would belong to the survey of an input folder."""
    if not path.startswith(root + os.sep) or not path.endswith((*DEFINITION_SUFFIXES, TEMPLATE_SUFFIX)):
        return False
    return not any(part.startswith(".") for part in path[len(root) + 1 :].split(os.sep))
