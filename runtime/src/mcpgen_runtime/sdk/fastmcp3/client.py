"""What generated clients import for fastmcp 2.13 to 3.x."""

from __future__ import annotations

from . import REQUIREMENT

REQUIREMENT.check_version()

from ...mcp_1_client import *
