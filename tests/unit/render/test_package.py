"""The files of a package, and the templates that they come from."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen import paths
from mcpgen.ir.code_settings import ContentStrategy
from mcpgen.ir.package import Package, ResourceModule, SchemaRoot, ToolModule
from mcpgen.ir.template import Template
from mcpgen.ir.types import ANY, Node, ObjectClass
from mcpgen.names.allocator import allocate_names
from mcpgen.render.jobs import Job
from mcpgen.render.package import make_package_jobs, render_other_files

ROOT = SchemaRoot(ANY, (), ())
WIND: Node = ObjectClass("shared:wind", "", (("wind",),), (), None)
CHART = ResourceModule("chart", "a.json", "", "x://chart", None, (), None)


def make_tool(content: ContentStrategy = "json", template: Template | None = None) -> ToolModule:
    return ToolModule("get-tide", "a.json", "", ROOT, ROOT, content, template=template)


def make_jobs(
    *tools: ToolModule,
    sdk: str = "none",
    resources: tuple[ResourceModule, ...] = (),
    shared: tuple[Node, ...] = (),
    **settings: Any,
) -> dict[str, Job]:
    package = Package(tools, resources, shared, sdk, None, **settings)
    jobs = make_package_jobs(package, allocate_names(package)[0])
    return {path: make() for path, make in jobs.items()}


def test_files_of_definitions() -> None:
    jobs = make_jobs(make_tool(template=Template("t.j2", ())), resources=(CHART,), shared=(WIND,))
    assert jobs.keys() - make_jobs().keys() == {
        "tools/__init__.py",
        "tools/get_tide.py",
        "resources/__init__.py",
        "resources/chart.py",
        "types/__init__.py",
        "types/wind.py",
    }
    assert {path: job.path for path, job in jobs.items()} == {path: path for path in jobs}


@pytest.mark.parametrize(
    ("sdk", "settings", "files"),
    [
        ("none", {}, []),
        ("none", {"azure": True, "testing": True}, ["azure.py"]),
        ("mcp", {}, ["client.py", "index.py", "server.py"]),
        ("dedalus", {"client": False}, ["index.py", "server.py"]),
        ("fastmcp", {"client": False, "testing": True}, ["client.py", "index.py", "server.py", "testing.py"]),
        ("mcp1", {"client": False, "stubs": True}, ["client.py", "index.py", "server.py"]),
    ],
)
def test_files_at_the_top_of_a_package(sdk: str, settings: dict[str, Any], files: list[str]) -> None:
    tool = make_tool()
    assert sorted(path for path in make_jobs(tool, sdk=sdk, **settings) if "/" not in path) == ["__init__.py", *files]
    prompts_and_resources = {"resource_index.py", "resource_server.py"} if sdk != "none" else set[str]()
    jobs = make_jobs(tool, sdk=sdk, resources=(CHART,), **settings)
    assert {path for path in jobs if "/" not in path} == {"__init__.py", *files} | prompts_and_resources


def test_every_template_exists() -> None:
    folder = paths.find_shipped_folder("templates")
    jobs = make_jobs(make_tool("sdk", Template("t.j2", ())), sdk="mcp", resources=(CHART,), shared=(WIND,))
    assert [job.template for job in jobs.values() if not (folder / job.template).is_file()] == []


def test_other_files() -> None:
    files = render_other_files()
    assert files.keys() == {"py.typed", ".gitattributes"}
    assert files[".gitattributes"].endswith("\n* linguist-generated=true\n")
