"""The files of a package, and the templates that they come from."""

from __future__ import annotations

import pytest
from mcpgen import paths
from mcpgen.ir.content_strategies import ContentStrategy
from mcpgen.ir.package import Package, ResourceModule, SchemaRoot, ToolModule
from mcpgen.ir.template import Template
from mcpgen.ir.types import ANY, Node, ObjectClass
from mcpgen.names.allocator import allocate_names
from mcpgen.render.jobs import Job
from mcpgen.render.package import make_package_jobs, render_other_files
from mcpgen.render.runtime_package import RUNTIME_MODULES

ROOT = SchemaRoot(ANY, (), ())
WIND: Node = ObjectClass("shared:wind", "", (("wind",),), (), None)
CHART = ResourceModule("chart", "a.json", "", "x://chart", None, (), None)


def make_tool(content: ContentStrategy = "json", template: Template | None = None) -> ToolModule:
    return ToolModule("get-tide", "a.json", "", ROOT, ROOT, content, template=template)


def make_jobs(
    *tools: ToolModule, sdk: str = "none", resources: tuple[ResourceModule, ...] = (), shared: tuple[Node, ...] = ()
) -> dict[str, Job]:
    package = Package(tools, resources, shared, sdk, None, azure=True)
    protocol = Job("runtime/protocol.py", "protocol.j2", "")
    jobs = make_package_jobs(package, allocate_names(package)[0], lambda: protocol)
    return {path: make() for path, make in jobs.items()}


def test_files_of_an_empty_package() -> None:
    jobs = make_jobs()
    assert jobs.keys() == {
        *(f"runtime/{name}.py" for name in RUNTIME_MODULES),
        "azure.py",
        "runtime/__init__.py",
        "runtime/protocol.py",
        "runtime/exports.py",
        "runtime/limits.py",
        "runtime/schema_keywords.py",
        "runtime/tool.py",
        "__init__.py",
    }


def test_files_of_definitions() -> None:
    jobs = make_jobs(make_tool(template=Template("t.j2", ())), resources=(CHART,), shared=(WIND,))
    assert jobs.keys() - make_jobs().keys() == {
        "runtime/template_filters.py",
        "tools/__init__.py",
        "tools/get_tide.py",
        "resources/__init__.py",
        "resources/chart.py",
        "types/__init__.py",
        "types/wind.py",
    }
    assert {path: job.path for path, job in jobs.items()} == {path: path for path in jobs}


@pytest.mark.parametrize(
    ("sdk", "generation", "text"),
    [
        ("mcp", "mcp", "mcp"),
        ("mcp1", "mcp1", "mcp"),
        ("fastmcp", "mcp", "fastmcp"),
        ("fastmcp3", "mcp1", "fastmcp"),
        ("dedalus", "mcp1", "dedalus"),
    ],
)
def test_files_for_an_sdk(sdk: str, generation: str, text: str) -> None:
    jobs = make_jobs(make_tool("sdk"), sdk=sdk)
    assert jobs["runtime/tool.py"].template == "runtime/tool.py"
    assert {path: jobs[path].template for path in jobs.keys() - make_jobs(make_tool()).keys()} == {
        "index.py": "package/index.py.j2",
        "runtime/context_parameters.py": "runtime/context_parameters.py",
        "runtime/contract_changes.py": "runtime/contract_changes.py",
        "runtime/sdk_versions.py": "runtime/sdk_versions.py",
        "runtime/sdk_requirement.py": "runtime/sdk_requirement.py.j2",
        "runtime/sdk_servers.py": "runtime/sdk_servers.py.j2",
        **({"runtime/low_level.py": f"sdk/{sdk}/low_level.py"} if sdk in ("mcp", "mcp1") else {}),
        **({"runtime/sdk_internals.py": f"sdk/{sdk}/internals.py"} if sdk != "dedalus" else {}),
        "runtime/server_binding.py": "runtime/server_binding.py",
        "runtime/client_base.py": "runtime/client_base.py",
        "runtime/tool_contract.py": "runtime/tool_contract.py",
        "runtime/tool_wording.py": "runtime/tool_wording.py",
        **{
            f"runtime/{module}.py": f"runtime/{module}.py"
            for module in (
                "call_options handler_signature prompt prompt_binding prompt_reader resource resource_binding "
                "resource_reader server_instructions"
            ).split()
        },
        "runtime/handler_seam.py": f"sdk/{sdk}/handler_seam.py",
        "runtime/resource_adapter.py": f"sdk/{generation}/resource_adapter.py",
        "runtime/prompt_adapter.py": f"sdk/{generation}/prompt_adapter.py",
        "runtime/tool_handlers.py": "runtime/tool_handlers.py",
        "runtime/lenient_arguments.py": "runtime/lenient_arguments.py",
        "runtime/listed_definitions.py": "runtime/listed_definitions.py",
        "runtime/own_types.py": "runtime/own_types.py",
        "runtime/tool_overrides.py": "runtime/tool_overrides.py",
        "runtime/version_adapter.py": f"sdk/{generation}/version_adapter.py",
        "runtime/session.py": f"sdk/{generation}/session.py",
        "runtime/server_adapter.py": f"sdk/{sdk}/server_adapter.py",
        "runtime/sdk_text.py": f"sdk/{text}/text.py",
        "server.py": "package/server.py.j2",
        "client.py": "package/client.py.j2",
    }
    assert "runtime/sdk_text.py" not in make_jobs(make_tool(), sdk=sdk)


def test_every_template_exists() -> None:
    folder = paths.find_shipped_folder("templates")
    jobs = make_jobs(make_tool("sdk", Template("t.j2", ())), sdk="mcp", resources=(CHART,), shared=(WIND,))
    assert [job.template for job in jobs.values() if not (folder / job.template).is_file()] == ["protocol.j2"]


def test_other_files() -> None:
    files = render_other_files()
    assert files.keys() == {"py.typed", ".gitattributes"}
    assert files[".gitattributes"].endswith("\n* linguist-generated=true\n")
