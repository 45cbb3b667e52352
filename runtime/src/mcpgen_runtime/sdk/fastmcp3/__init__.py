"""What generated packages import for fastmcp 2.13 to 3: the package itself here, all else in the modules."""

from __future__ import annotations

from ...package import Package as _Package
from .. import SdkRequirement

REQUIREMENT = SdkRequirement(sdk="fastmcp3", distributions=("fastmcp", "fastmcp-slim"), oldest="2.13", below="4")


class Package(_Package):
    """A generated package for fastmcp 2.13 to 3."""

    facade = __name__
    default_protocol = "2025-11-25"
