"""What generated packages import for fastmcp 4.x: the package itself here, all else in the modules."""

from __future__ import annotations

from typing import ClassVar

from ...package import Package as _Package


class Package(_Package):
    """A generated package for fastmcp 4.x."""

    facade: ClassVar[str] = __name__
    default_protocol = "2026-07-28"
