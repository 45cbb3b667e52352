"""The libraries that shape generated text, and the newest versions that the tests have run on.

`pyproject.toml` has the oldest ones. Newer versions than these may be installed: nothing refuses them, but nobody has
compared their output yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packaging.version import Version

NEWEST_TESTED: Mapping[str, str] = MappingProxyType({"black": "26.10.1", "datamodel-code-generator": "0.89.0"})
"""Name on the package index → the newest version for which all output was compared."""


def list_untested() -> list[str]:
    """Return a sentence for each installed library that is newer than what was tested."""
    sentences: list[str] = []
    for name, tested in NEWEST_TESTED.items():
        try:
            installed = version(name)
        except PackageNotFoundError:
            continue
        release, newest = _read_release(installed), _read_release(tested)
        if release is not None and newest is not None and release > newest:
            sentences.append(
                f"{name} {installed} is newer than {tested}, the newest that mcpgen was tested with: if generated "
                f"files differ from those of other machines, install {name}<={tested}"
            )
    return sentences


def is_release_between(version: str, oldest: str, below: str) -> bool:
    """Return whether a version is one of the releases from one version up to another, which is not included.

    Generated packages check their SDK in the same way, so what follows the release, such as `rc1` or `.post1`, does
    not count. A text that is not a version is none of them.
    """
    release = _read_release(version)
    first, end = _read_release(oldest), _read_release(below)
    return release is not None and first is not None and end is not None and first <= release < end


def _read_release(text: str) -> Version | None:
    """Return a version without what follows its release, such as `rc1`; None if the text is not a version."""
    from packaging.version import InvalidVersion, Version

    try:
        return Version(Version(text).base_version)
    except InvalidVersion:
        return None
