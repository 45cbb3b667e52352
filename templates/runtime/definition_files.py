"""Read the JSON files of definitions, each next to the module of its tool or resource."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, cast


@cache
def load_definition(module_file: str) -> dict[str, Any]:
    """Return the content of the JSON file next to a module.

    Args:
        module_file: the path of the module, its `__file__`.
    """
    return cast(dict[str, Any], json.loads(Path(module_file).with_suffix(".json").read_bytes()))


__all__ = ["load_definition"]
