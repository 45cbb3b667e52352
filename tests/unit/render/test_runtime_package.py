"""Run-time modules of a package and of a shared run-time package, and the version of what they offer."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcpgen import paths
from mcpgen.ir.package import Package
from mcpgen.names.reserved import RUNTIME_IMPORTS
from mcpgen.render.jobs import Job, render_job
from mcpgen.render.runtime_package import (
    INTERFACE,
    OLDEST_INTERFACE,
    make_own_runtime_jobs,
    make_shared_runtime_jobs,
    render_requirement,
)
from mcpgen.targets import SDK_NAMES

RECORD = Path(__file__).with_name("runtime_interface.json")
FRAME_MODULES = tuple(
    (
        "package server_adapter server_binding server_instructions tool_overrides client_base session errors "
        "call_tool_results resource resource_adapter resource_reader prompt_adapter prompt_reader prompt_result "
        "protocol_versions testing tool_functions"
    ).split()
)
"""Modules that the fixed modules and integrations of a package import from, besides those in `RUNTIME_IMPORTS`."""
PACKAGE = Package((), (), (), "mcp", None, runtime="acme.runtime")


def make_protocol_job() -> Job:
    return Job("runtime/protocol.py", "protocol.j2", "")


@pytest.mark.parametrize("sdk", SDK_NAMES)
def test_a_shared_package_has_whatever_a_package_may_need(sdk: str) -> None:
    package = replace(PACKAGE, sdk=sdk)
    own_value = {path.removeprefix("runtime/") for path in make_own_runtime_jobs(package, make_protocol_job)}
    shared = make_shared_runtime_jobs(package, make_protocol_job)
    texts = set() if sdk == "none" else {"sdk_text.py", "in_memory.py", "testing.py", "tool_functions.py"}
    assert shared.keys() - own_value == {"interface.py", "table_cells.py", "template_filters.py"} | texts
    assert own_value <= shared.keys()
    assert {path: make_job().path for path, make_job in shared.items()} == {path: path for path in shared}


def test_each_template_of_a_run_time_module_is_used() -> None:
    modules = [make_shared_runtime_jobs(replace(PACKAGE, sdk=sdk), make_protocol_job) for sdk in SDK_NAMES]
    templates = {make_job().template for jobs in modules for make_job in jobs.values()}
    folder = paths.find_shipped_folder("templates")
    files = {path.relative_to(folder).as_posix() for path in (folder / "runtime").glob("*.*") if path.is_file()}
    unused = files - templates
    assert unused == set(), "see `RUNTIME_MODULES` and `SDK_MODULES` in render/runtime_package.py"


def test_the_interface_module_names_what_it_was_built_for() -> None:
    package = replace(PACKAGE, protocol="2025-06-18", sdk="fastmcp")
    text = render_job(make_shared_runtime_jobs(package, make_protocol_job)["interface.py"]())
    constants = {
        node.targets[0].id: node.value.value
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
    }
    assert constants == {"INTERFACE": INTERFACE, "OLDEST_INTERFACE": OLDEST_INTERFACE, "SDK": "fastmcp"}
    assert '"protocol": "2025-06-18"' in text


def test_a_requirement_names_what_the_user_chose() -> None:
    assert render_requirement(replace(PACKAGE, runtime=None)) is None
    assert render_requirement(PACKAGE) == f'{INTERFACE}, "mcp"'
    chosen = replace(PACKAGE, chosen_values=(("protocol", "2025-06-18"), ("limits.value-depth", 9)))
    assert render_requirement(chosen) == (f'{INTERFACE}, "mcp", {{"protocol": "2025-06-18", "limits.value-depth": 9}}')


def test_messages_about_servers_know_every_sdk() -> None:
    text = render_job(make_own_runtime_jobs(PACKAGE, make_protocol_job)["runtime/sdk_servers.py"]())
    constants = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    assert constants["SERVERS"] == {
        "dedalus_mcp": '"dedalus"',
        "fastmcp": '"fastmcp" (fastmcp 4) or "fastmcp3" (fastmcp 2.13 to 3)',
        "mcp.server.fastmcp": '"mcp1"',
        "mcp.server.mcpserver": '"mcp"',
    }
    assert {name for settings in constants["SERVERS"].values() for name in SDK_NAMES if f'"{name}"' in settings} == {
        *SDK_NAMES
    } - {"none"}
    assert set(constants["SESSION_MODULES"]) == {
        "mcp.client",
        "mcp.server.session",
        "fastmcp.client",
        "dedalus_mcp.client",
    }


# --- the version of the interface ------------------------------------------------------------------------------------
def test_the_version_is_raised_when_the_interface_changes(request: pytest.FixtureRequest) -> None:
    """A package works with the run-time modules of another version of mcpgen as long as this record stays the same.

    When it fails: raise `INTERFACE` of `render/runtime_package.py` (once between two releases), and `OLDEST_INTERFACE`
    if packages that were generated before no longer work; then record the interface with `--regenerate`.
    """
    current = {"interface": INTERFACE, "oldest": OLDEST_INTERFACE, "modules": dict(_describe_interface())}
    if request.config.getoption("--regenerate", default=False):
        RECORD.write_text(_format_record(current), "utf-8")
    assert current == json.loads(RECORD.read_text("utf-8"))


def _format_record(record: dict[str, Any]) -> str:
    """Return the record as JSON, with a line for each module."""
    entries = {name: json.dumps(value) for name, value in record.items()}
    modules = sorted(record["modules"].items())
    entries["modules"] = "{\n  " + ",\n  ".join(f"{json.dumps(path)}: {json.dumps(names)}" for path, names in modules)
    return "{\n " + ",\n ".join(f'"{name}": {text}' for name, text in entries.items()) + "\n }\n}\n"


def _describe_interface() -> Iterator[tuple[str, list[str]]]:
    """Yield each run-time module that generated modules depend on, and its public signatures.

    Those are the modules that they import from, and the modules of the base classes of what they import.
    """
    templates = paths.find_shipped_folder("templates")
    pending = sorted({*filter(None, RUNTIME_IMPORTS), *FRAME_MODULES, "uri_templates"})
    seen = set(pending)
    while pending:
        name = pending.pop()
        for path in sorted(templates.glob(f"runtime/{name}.py")) + sorted(templates.glob(f"sdk/*/{name}.py")):
            tree = ast.parse(path.read_text("utf-8"))
            yield path.relative_to(templates).as_posix(), [*_list_signatures(tree)]
            modules = _list_modules_of_bases(tree) - seen
            seen |= modules
            pending += sorted(modules)


def _list_modules_of_bases(tree: ast.Module) -> set[str]:
    """Return the run-time modules from which a module imports base classes of its classes."""
    sources = {
        alias.asname or alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module
        for alias in node.names
    }
    bases = [base for node in tree.body if isinstance(node, ast.ClassDef) for base in node.bases]
    names = {part.id for base in bases for part in ast.walk(base) if isinstance(part, ast.Name)}
    return {sources[name] for name in names & sources.keys()}


def test_the_recorded_interface_includes_inherited_classes() -> None:
    recorded = dict(_describe_interface())
    assert "ResultWriter.to_structured_content(self)" in recorded["runtime/result_writer.py"]


def _is_offered(name: str, prefix: str) -> bool:
    """Check for a name that generated modules may use: those with `_` only if they inherit them."""
    return not name.startswith("__" if prefix else "_")


def _list_signatures(tree: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[str]:
    """Yield the signature of each function, class and variable, and of the methods of the classes."""
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if _is_offered(name, prefix):
                yield f"{prefix}{name}({ast.unparse(node.args)})"
            case ast.ClassDef(name=name) if _is_offered(name, prefix):
                yield f"{prefix}{name}({', '.join(map(ast.unparse, node.bases))})"
                yield from _list_signatures(node, f"{prefix}{name}.")
            case ast.AnnAssign(target=ast.Name(id=name)) if _is_offered(name, prefix):
                yield f"{prefix}{name}: {ast.unparse(node.annotation)}"
            case ast.Assign(targets=[ast.Name(id=name)]) if _is_offered(name, prefix):
                yield f"{prefix}{name}"
            case _:
                pass
