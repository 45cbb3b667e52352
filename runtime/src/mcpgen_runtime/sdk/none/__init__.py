"""What generated packages import for packages without an SDK: the package itself here, all else in the modules."""

from __future__ import annotations

from ...package import Package as _Package


class Package(_Package):
    """A generated package for packages without an SDK."""

    facade = __name__
    default_protocol = "2026-07-28"
