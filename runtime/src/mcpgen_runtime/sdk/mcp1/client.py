"""What generated clients import for the official SDK, mcp 1.x."""

# ruff: noqa: F403
from __future__ import annotations

from .requirement import REQUIREMENT as REQUIREMENT  # says which SDK is needed, before that is imported

# isort: split
from ...mcp_1 import client
from ...mcp_1.client import *

__all__: list[str] = []
__all__ += client.__all__
