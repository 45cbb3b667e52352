"""Render `testing.py`, which has handlers' types of all definitions, and the example of each tool."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from mcpgen.ir.package import Package, ToolModule
from mcpgen.names.allocator import make_any_handler_name
from mcpgen.names.identifiers import make_method_name
from mcpgen.names.package_names import PackageNames, ToolNames
from mcpgen.render import header
from mcpgen.render.facade import get_facade
from mcpgen.render.jobs import Job
from mcpgen.render.json_writer import render_json_value

TESTING_PATH = "testing.py"


@dataclass(frozen=True)
class HandlerEntry:
    """A tool, resource or prompt in `testing.py`."""

    module: str
    attribute: str
    """The attribute that clients and servers have for it."""
    handler: str
    """The type of its handlers in its module."""
    type: str
    """The same in `testing.py`, where a tool and a resource may have the same name."""


@dataclass(frozen=True)
class TestingView:
    """Variables of `package/testing.py.j2`; each list is sorted by module."""

    facade: str
    """The facade of the run-time library."""
    tools: list[HandlerEntry]
    resources: list[HandlerEntry]
    prompts: list[HandlerEntry]


def make_testing_job(package: Package, names: PackageNames) -> Job:
    """Make the job that renders `testing.py`. Of the package, only its settings count."""
    facade = get_facade(package)
    tools = ((tool.module, tool.result.removesuffix("Result")) for tool in names.tools.values())
    resources = ((resource.module, resource.name) for resource in names.resources.values())
    prompts = ((prompt.module, prompt.name) for prompt in names.prompts.values())
    view = TestingView(
        facade=facade,
        tools=_make_entries(tools, "Tool"),
        resources=_make_entries(resources, "Resource"),
        prompts=_make_entries(prompts, ""),
    )
    return Job(TESTING_PATH, "package/testing.py.j2", "", view)


def _make_entries(modules: Iterable[tuple[str, str]], kind: str) -> list[HandlerEntry]:
    """Return the entries of some definitions, given the module and the start of the class names of each.

    `kind` tells the types of tools from those of resources, as the classes of prompts end in `Prompt` anyway.
    """
    return [
        HandlerEntry(module, make_method_name(module), make_any_handler_name(stem), f"{stem}{kind}Handler")
        for module, stem in sorted(modules)
    ]


def get_example_path(names: ToolNames) -> str:
    """Return the path of the example of a tool."""
    return f"examples/{names.module}.json"


def render_example(tool: ToolModule) -> str:
    """Return the JSON file with the example of a tool: what was found of its arguments and its result."""
    roots = {"arguments": tool.input, "result": tool.output}
    content = {
        part: render_json_value(json.loads(root.example))
        for part, root in roots.items()
        if root is not None and root.example
    }
    return header.add_json_header(content, tool.origin)
