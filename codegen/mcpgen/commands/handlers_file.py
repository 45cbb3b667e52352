"""The module that `mcpgen handlers` and `mcpgen init --handlers` write: its name, and what it needs."""

from __future__ import annotations

from mcpgen.targets import NO_SDK, SDK_NAMES

DEFAULT_FILE = "handlers.py"
NEEDS_SDK = "handlers are bound by packages for an SDK"
"""Message if a package is for no SDK."""
SDKS_OF_HANDLERS = tuple(name for name in SDK_NAMES if name != NO_SDK)
"""SDKs that bind handlers."""
