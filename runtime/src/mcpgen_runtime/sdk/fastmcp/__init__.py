"""What generated packages import for fastmcp 4.x: the package itself here, all else in the modules."""

from __future__ import annotations

from ...package import Package as _Package
from .. import SdkRequirement

REQUIREMENT = SdkRequirement(sdk="fastmcp", distributions=("fastmcp", "fastmcp-slim"), oldest="4.0", below="5")


class Package(_Package):
    """A generated package for fastmcp 4.x."""

    facade = __name__
    default_protocol = "2026-07-28"
