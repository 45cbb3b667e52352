"""The libraries that shape generated text, and the newest versions that the tests have run on.

`pyproject.toml` has the oldest ones. Newer versions than these may be installed: nothing refuses them, but nobody has
compared their output yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from types import MappingProxyType

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
        if _parse_version(installed) > _parse_version(tested):
            sentences.append(
                f"{name} {installed} is newer than {tested}, the newest that mcpgen was tested with: if generated "
                f"files differ from those of other machines, install {name}<={tested}"
            )
    return sentences


def _parse_version(text: str) -> tuple[int, ...]:
    """Return the numbers of a version, without what follows them, such as `rc1`."""
    numbers: list[int] = []
    for part in text.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
    return tuple(numbers)
