"""What generated clients import for the official SDK, mcp 1.x."""

from __future__ import annotations

from . import REQUIREMENT

REQUIREMENT.check_version()

from ...mcp_1_client import *
