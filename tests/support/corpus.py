"""Building the real tool definitions of ../shared, and holding the result against its instances."""

from __future__ import annotations

import hashlib
import importlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcpgen.names.identifiers import make_module_name
from support.packages import mcpgen
from support.repository import SHARED

CORPUS = SHARED / "corpus"
SOURCES = sorted(path.stem for path in (CORPUS / "tools").glob("*.json")) if CORPUS.is_dir() else []


@dataclass
class Counts:
    """What became of one source's instances."""

    tools: int = 0
    valid: int = 0
    format_only: int = 0
    invalid: int = 0
    problems: list[str] = field(default_factory=list[str])


def tools_of(source: str) -> list[dict[str, Any]]:
    """Return the Tools of one file of the corpus."""
    document: dict[str, Any] = json.loads((CORPUS / "tools" / f"{source}.json").read_text("utf-8"))
    tools: list[dict[str, Any]] = document["tools"]
    return tools


def build(
    source: str, folder: Path, sdk: str = "none", jobs: int = 2, settings: str = "", out: str = ""
) -> subprocess.CompletedProcess[str]:
    """Build one file into a package in `folder`; tools whose names fall together get names in its settings.

    `settings` are others, as lines of TOML. Without `out`, the package has a name unlike any other in this process.
    """
    (folder / "mcpgen.toml").write_text("".join([settings, *_renamed(source)]), "utf-8")
    options = ["--out", out or package_name(folder), "--sdk", sdk, "--jobs", str(jobs)]
    return mcpgen("build", str(CORPUS / "tools" / f"{source}.json"), *options, cwd=folder)


def _renamed(source: str) -> Iterator[str]:
    names = [str(tool["name"]) for tool in tools_of(source)]
    counter = Counter(make_module_name(name, None) for name in names)
    for index, name in enumerate(names):
        if counter[make_module_name(name, None)] > 1:
            yield f"[tools.{json.dumps(name)}]\nname = {json.dumps(f'{make_module_name(name, None)}_{index}')}\n"


def package_name(folder: Path) -> str:
    """Return the name of the package in a folder, unlike any other in this process."""
    return f"package_{hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:12]}"


def load(folder: Path) -> Any:
    """Import the package in a folder."""
    sys.path.insert(0, str(folder))
    try:
        importlib.invalidate_caches()
        return importlib.import_module(package_name(folder))
    finally:
        sys.path.remove(str(folder))


def hold(source: str, generated: Any) -> Counts:
    """Read, write and refuse the instances of one file through its generated classes."""
    from pydantic import ValidationError

    counts = Counts()
    names = {str(tool["name"]) for tool in tools_of(source)}
    counts.tools = len(names)
    if set(generated.RESULT_TYPES) != names:
        counts.problems.append(f"RESULT_TYPES has {sorted(generated.RESULT_TYPES)}")
    path = CORPUS / "instances" / f"{source}.json"
    instances: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    for name in sorted(names):
        result_type = generated.RESULT_TYPES[name]
        data = instances.get(name, {})
        for kind in ("valid", "format_only_invalid"):
            for value in data.get(kind, []):
                counts.valid += kind == "valid"
                counts.format_only += kind != "valid"
                try:
                    round_trip(result_type, value)
                except Exception as error:  # the report names them all
                    text = f"{type(error).__name__}: {error}"
                    counts.problems.append(f"{name}: {json.dumps(value)[:200]}: {text[:300]}")
        for value in data.get("invalid", []):
            counts.invalid += 1
            try:
                result_type.from_structured_content(value)
            except ValidationError:
                continue
            counts.problems.append(f"{name}: accepted {json.dumps(value)[:300]}")
    return counts


def round_trip(result_type: Any, value: Any, own_text: bool = False) -> None:
    """A valid value through every way in and out, for every protocol version.

    `own_text`: the content is not the value, so that it cannot be read where there is nothing else.

    Raises:
        AssertionError: it came back different.
    """
    result = result_type.from_structured_content(value)
    assert equal(result.to_structured_content(), value)
    for dumped in (
        result.model_dump(exclude_unset=True),
        result.model_dump(mode="json", exclude_unset=True),
        result.model_dump(mode="json", by_alias=True),
        json.loads(result.model_dump_json(by_alias=True)),
    ):
        assert equal(dumped, value), dumped
    assert result_type.from_call_tool_result(result.to_call_tool_result()) == result
    for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"):
        wire = result.to_wire(protocol=version)
        assert equal(json.loads(result.to_wire_json(protocol=version)), wire)
        if version >= "2025-06-18":
            structured = wire["structuredContent"]
            assert equal(structured, value) or equal(structured, {"result": value})
        else:
            assert "structuredContent" not in wire
        if version >= "2025-06-18" or not own_text:
            assert result_type.from_call_tool_result(wire, protocol=version) == result


def equal(a: Any, b: Any) -> bool:
    """JSON equality: 1 and 1.0 are equal, 1 and true are not."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, int | float) and isinstance(b, int | float):
        return a == b
    if type(a) is not type(b):
        return False
    if isinstance(a, list):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    return bool(a == b)


# pyright would look for libraries in the PATH's interpreter, not in the one that runs it.
PYRIGHT = [sys.executable, "-m", "pyright", "-p", ".", "--pythonpath", sys.executable]


def checked(folder: Path, name: str | None = None) -> list[str]:
    """Return what mypy (strict) and pyright (strict) say against the package in a folder."""
    name = name or package_name(folder)
    (folder / "pyrightconfig.json").write_text(json.dumps({"include": [name], "typeCheckingMode": "strict"}), "utf-8")
    mypy = [sys.executable, "-m", "mypy", "--strict", name]
    problems: list[str] = []
    for command in (mypy, PYRIGHT):
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if run.returncode:
            problems.append(run.stdout[-3000:] + run.stderr[-1000:])
    return problems
