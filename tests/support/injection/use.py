"""Imports generated packages and uses what is in them, with an ear on what the interpreter does; run as a script."""

from __future__ import annotations

import ast
import contextlib
import importlib
import inspect
import json
import os
import sys
from pathlib import Path
from types import CodeType
from typing import Any

from mcpgen_runtime.package import Package

SUSPECT = frozenset("__import__ eval exec compile open system popen pwned __globals__ __builtins__".split())
"""Names that no code of a package, nor of an annotation in it, speaks of."""
FORBIDDEN = ("os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.startfile", "subprocess.", "socket.")
CHANGES = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.symlink", "os.link", "os.chmod", "shutil.")
FOREIGN = frozenset({"pwned", "pip", "ctypes", "subprocess", "socket"})
"""Modules that nothing here has a reason to import once the libraries are there."""

LIBRARIES = ("jsonschema_rs", "pydantic.json_schema", "mcp_types", "mcp.server.mcpserver", "mcp.client.session")


class Listener:
    """An audit hook (PEP 578); `heard` is what should not have happened."""

    def __init__(self, folder: Path) -> None:
        self._folder = f"{folder}{os.sep}"
        self.heard: list[str] = []
        self.listening = False

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.listening:
            return
        if event.startswith((*FORBIDDEN, *CHANGES)):
            self.heard.append(f"{event} {args!r}"[:200])
        elif event == "open" and _writes(args):
            self.heard.append(f"open {args!r}"[:200])
        elif event == "import" and str(args[0]).partition(".")[0] in FOREIGN:
            self.heard.append(f"import {args[0]}")
        elif event == "exec" and isinstance(args[0], CodeType):
            code = args[0]
            is_own_code = code.co_filename.startswith(("<", self._folder)) and not code.co_filename.startswith(
                "<frozen"
            )
            if is_own_code and (names := _names(code) & SUSPECT):
                self.heard.append(f"exec of {code.co_filename} with {sorted(names)}")


def _writes(args: tuple[Any, ...]) -> bool:
    _, mode, flags = args
    if isinstance(mode, str):
        return any(char in mode for char in "wax+")
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND))


def _names(code: CodeType) -> set[str]:
    inner = [item for item in code.co_consts if isinstance(item, CodeType)]
    return set(code.co_names).union(*map(_names, inner))


def use(folder: Path, name: str, entries: list[dict[str, Any]]) -> list[str]:
    """Import every module of a package and use what its tools offer; what went wrong is the answer."""
    problems: list[str] = []
    generated = importlib.import_module(name)
    for path in sorted((folder / name).rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        importlib.import_module(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    for exported in generated.__all__:
        getattr(generated, exported)
    for mapping in (generated.RESULT_TYPES, generated.ARGUMENT_TYPES, generated.RESOURCE_TYPES):
        repr(mapping)
        for wire in mapping:
            repr(mapping[wire])
    for version in (None, "2024-11-05", "2025-06-18", "2026-07-28"):
        assert len(generated.list_tools(version)) == len(generated.TOOLS)
        fixed, templates = generated.list_resources(version), generated.list_resource_templates(version)
        assert len(fixed) + len(templates) == len(generated.RESOURCES)
    for wire, declared in generated.RESOURCES.items():
        resource = generated.RESOURCE_TYPES[wire]
        assert (resource.resource.uri, resource.resource.uri_template) == (
            declared.get("uri"),
            declared.get("uriTemplate"),
        )
        variables = dict.fromkeys(inspect.signature(resource.uri).parameters, "a b")
        assert resource.match(resource.uri(**variables)) is not None
    if hasattr(generated, "bind"):
        problems += _bind(generated, name)
    for entry in entries:
        try:
            _use_tool(generated, entry)
        except Exception as error:  # the report names them all
            problems.append(f"{name}: {entry['position']}: {entry['tool']!r}: {type(error).__name__}: {error}"[:600])
    return problems


def _bind(generated: Any, name: str) -> list[str]:
    """Bind every tool under the name that it has on the bound server."""
    mcpserver = importlib.import_module("mcp.server.mcpserver").MCPServer("test")
    tools, problems = generated.bind(mcpserver), list[str]()
    package = Package.of(f"{name}.server")
    if list(package.tool_attributes) != sorted(generated.TOOLS):
        problems.append(f"{name}: other tools are bound than declared")
    index = Path(generated.__file__).with_name("index.py").read_text("utf-8")
    for wire, attribute in package.tool_attributes.items():
        if f" import tool as {attribute}\n" not in index:
            problems.append(f"{name}: the index has no {attribute}")
        if package.find_tool(attribute).name != wire:
            problems.append(f"{name}: {attribute} is not {wire}")
        getattr(tools, attribute)(lambda **_: None)
    tools.complete()
    stubs = importlib.import_module(f"{name}.stubs")
    functions = [line.partition(":")[0] for line in stubs.search_tools("", len(generated.TOOLS))]
    if len(functions) != len(generated.TOOLS):
        problems.append(f"{name}: the index of stubs has other tools than declared")
    for function in functions:
        if stubs.read_definition(function) != generated.TOOLS[stubs.read_definition(function)["name"]]:
            problems.append(f"{name}: {function} has another definition")
        ast.parse(str(getattr(stubs, function).__doc__))
    return problems


def _use_tool(generated: Any, entry: dict[str, Any]) -> None:
    from pydantic import ValidationError

    wire, value = entry["tool"], entry["value"]
    result_type, argument_type = generated.RESULT_TYPES[wire], generated.ARGUMENT_TYPES[wire]
    assert generated.TOOLS[wire] == entry["declared"]
    assert result_type.model_json_schema() == entry["declared"]["outputSchema"]
    assert result_type._tool.name == wire
    arguments = argument_type.model_validate(entry["arguments"])
    assert getattr(arguments, "to_structured_content", lambda: entry["arguments"])() == entry["arguments"]
    if entry["deaf"]:
        try:
            result_type.from_structured_content(value)
        except ValidationError:
            return
        raise AssertionError("the validator cannot read the schema, and yet it accepts a value")
    result = result_type.from_structured_content(value)
    assert repr(result)
    assert str(result) is not None
    assert result.to_structured_content() == value
    assert result.model_dump(mode="json", exclude_unset=True) == value
    for version in ("2024-11-05", "2025-11-25", "2026-07-28"):
        assert json.loads(result.to_wire_json(protocol=version)) == result.to_wire(protocol=version)
    assert result_type.from_call_tool_result(result.to_call_tool_result()) == result


def main(folder: Path, specification: Path) -> int:
    """Use the packages that a JSON file names; the report goes to standard output."""
    for library in LIBRARIES:  # what they import and open is their affair
        with contextlib.suppress(ImportError):
            importlib.import_module(library)
    packages: dict[str, Any] = json.loads(specification.read_text("utf-8"))
    listener = Listener(folder)
    sys.addaudithook(listener)
    problems: list[str] = []
    for name, texts in packages.items():
        where = folder / texts["folder"]
        sys.path.insert(0, str(where))
        listener.listening = True
        try:
            problems += use(where, name, texts["tools"])
        finally:
            listener.listening = False
            sys.path.remove(str(where))
    import builtins

    ran = hasattr(builtins, "mcpgen_injected") or "pwned" in sys.modules
    print(json.dumps({"problems": problems, "heard": listener.heard, "ran": ran}))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
