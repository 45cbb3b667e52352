"""Cases in YAML files: a name, JSON values, and the text that a test recorded for them."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

WIDTH = 120
yaml: Any = import_module("yaml")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Case = dict[str, Any]


def load_cases(folder: Path) -> dict[str, Case]:
    """Return the cases of all files of a folder by name, each with its file as `path`."""
    cases: dict[str, Case] = {}
    for path in sorted(folder.glob("*.yaml")):
        for name, case in yaml.load(path.read_text("utf-8"), _LOADER).items():
            assert name not in cases, f"there are two cases {name}"
            cases[name] = {"path": path, **case}
    return cases


def record_text(path: Path, name: str, member: str, text: str) -> None:
    """Change a text of one case in its file."""
    cases = yaml.load(path.read_text("utf-8"), _LOADER)
    cases[name][member] = text
    path.write_text("\n".join(_format_case(*entry) for entry in cases.items()), "utf-8", newline="\n")


def _format_case(name: str, case: Case) -> str:
    members = ((member, value, isinstance(value, str) and "\n" in value) for member, value in case.items())
    return f"{name}:\n" + "".join(
        f"  {member}: " + (_format_lines(value) if is_long else format_compact(value, "  ", len(member) + 2)) + "\n"
        for member, value, is_long in members
    )


def _format_lines(text: str) -> str:
    lines = text.rstrip("\n").split("\n")
    return "|" + "".join(f"\n    {line}" if line else "\n" for line in lines)


def format_compact(value: Any, indent: str = "", used: int = 0) -> str:
    """Return JSON in which whatever fits into a line is on one, for reading."""
    text = json.dumps(value, ensure_ascii=False)
    if len(indent) + used + len(text) < WIDTH or not value or not isinstance(value, dict | list):
        return text
    inner = indent + "  "
    if isinstance(value, list):
        entries = [format_compact(entry, inner) for entry in value]
        return f"[\n{inner}" + f",\n{inner}".join(entries) + f"\n{indent}]"
    names = {name: json.dumps(name, ensure_ascii=False) for name in value}
    entries = [f"{names[name]}: {format_compact(value[name], inner, len(names[name]) + 2)}" for name in value]
    return f"{{\n{inner}" + f",\n{inner}".join(entries) + f"\n{indent}}}"
