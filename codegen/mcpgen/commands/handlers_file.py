"""The module that `mcpgen handlers` and `mcpgen init --handlers` write: its name, what it needs, and who uses it."""

from __future__ import annotations

from pathlib import Path

from mcpgen.files.project_paths import find_import_name
from mcpgen.targets import NO_SDK, SDK_NAMES, get_sdk

DEFAULT_FILE = "handlers.py"
NEEDS_SDK = "handlers are bound by packages for an SDK"
"""Message if a package is for no SDK."""
SDKS_OF_HANDLERS = tuple(name for name in SDK_NAMES if name != NO_SDK)
"""SDKs that bind handlers."""


def write_server_lines(sdk_name: str, out: Path) -> list[str]:
    """Return the lines of a server that binds the handlers beside a package.

    Args:
        sdk_name: the SDK that the package is for.
        out: the folder of the package.
    """
    sdk = get_sdk(sdk_name)
    assert sdk is not None
    coroutine = sdk.run_coroutine
    return [
        *(["import asyncio"] if coroutine is not None else []),
        f"from {sdk.server_module} import {sdk.server_class}",
        f"from {find_import_name(out)} import bind",
        f"from {find_import_name((out.parent / DEFAULT_FILE).with_suffix(''))} import bind_handlers",
        f'server = {sdk.server_class}("my-server")',
        "bind_handlers(bind(server))",
        "server.run()" if coroutine is None else f"asyncio.run(server.{coroutine}())",
    ]
