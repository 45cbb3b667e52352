"""Write the protocol's types of packages without an SDK: `runtime/src/mcpgen_runtime/sdk/none/protocol.py`."""

from __future__ import annotations

from pathlib import Path

import black
from black.mode import TargetVersion
from mcpgen.read.validation import load_builtin_protocols
from mcpgen.render.protocol_types import render_protocol_types

PATH = Path(__file__).resolve().parent.parent / "runtime/src/mcpgen_runtime/sdk/none/protocol.py"


def make_module() -> str:
    """Return the module as it has to be."""
    text = render_protocol_types(load_builtin_protocols())
    return black.format_str(text, mode=black.Mode(line_length=120, target_versions={TargetVersion.PY311}))


if __name__ == "__main__":
    PATH.write_text(make_module(), "utf-8")
