"""What generated clients import for the official SDK, mcp 2.x."""

from __future__ import annotations

from . import REQUIREMENT

REQUIREMENT.check_version()

from ...mcp_2_client import *
