"""What generated packages import for the official SDK, mcp 1.x: the package itself here, all else in the modules."""

from __future__ import annotations

from typing import ClassVar

from ...package import Package as _Package


class Package(_Package):
    """A generated package for the official SDK, mcp 1.x."""

    facade: ClassVar[str] = __name__
    default_protocol = "2025-11-25"
