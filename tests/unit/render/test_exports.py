"""The lists of a package: `__init__.py` and `index.py`."""

from __future__ import annotations

from dataclasses import replace

import pytest
from mcpgen.ir.package import Package, ResourceModule, SchemaRoot, ToolModule
from mcpgen.ir.prompt import PromptModule
from mcpgen.ir.types import ANY, Alias, Array, Node, ObjectClass, Ref
from mcpgen.ir.uri_template import UriExpression
from mcpgen.names.allocator import allocate_names
from mcpgen.render.exports import IndexView, InitView, make_index_job, make_init_job
from mcpgen.render.jobs import Job, render_job
from mcpgen.render.runtime_package import make_own_runtime_jobs

RESULT = ObjectClass("output:#", "", (), (), None)
TOOL = ToolModule("get-tide", "a.json", "", SchemaRoot(Ref(RESULT.id), (RESULT,), ()), SchemaRoot(ANY, (), ()), "json")
BERTH = ResourceModule("berth", "a.json", "", None, "x://{id}", ("x://", UriExpression("", ("id",))), None)
SHARED: tuple[Node, ...] = (
    ObjectClass("shared:wind", "", (("wind",),), (), None),
    Alias("shared:list", "", (("list",),), Array(ANY)),
)


def make_view(sdk: str) -> InitView:
    package = Package((TOOL,), (BERTH,), SHARED, sdk, None, prompts=(PromptModule("greet", "a.json", ""),))
    view = make_init_job(package, allocate_names(package)[0]).view
    assert isinstance(view, InitView)
    return view


def test_the_names_of_every_module_are_exported() -> None:
    imports = make_view("none").imports
    assert [line for line in imports if line.endswith("*")] == [
        "from .prompts.greet import *",
        "from .resources.berth import *",
        "from .tools.get_tide import *",
        "from .types.list import *",
        "from .types.wind import *",
    ]
    assert imports == sorted(imports)
    assert "from .runtime.exact_types import ABSENT as ABSENT" in imports


def test_only_a_package_for_an_sdk_binds_and_connects() -> None:
    of_sdk = {"from .client import connect as connect", "from .server import bind as bind"}
    assert not of_sdk & {*make_view("none").imports}
    assert of_sdk <= {*make_view("dedalus").imports}


@pytest.mark.parametrize("sdk", ["none", "mcp"])
def test_the_names_that_are_declared_are_those_found_at_run_time(sdk: str) -> None:
    """`__init__.py` imports them for type checkers only; `runtime/package.py` finds them by `runtime/exports.py`."""
    jobs = make_own_runtime_jobs(Package((), (), (), sdk, None), lambda: Job("runtime/protocol.py", "protocol.j2", ""))
    actual: dict[str, dict[str, str]] = {}
    exec(render_job(jobs["runtime/exports.py"]()), actual)
    lines = {f"from .runtime.{module} import {name} as {name}" for name, module in actual["RUNTIME_EXPORTS"].items()}
    if sdk != "none":
        lines |= {f"from .{module} import {name} as {name}" for name, module in actual["SDK_EXPORTS"].items()}
    assert {line for line in make_view(sdk).imports if not line.endswith("*")} == lines


def test_only_a_package_with_resources_or_prompts_binds_them() -> None:
    package = Package((TOOL,), (), (), "mcp", None)
    view = make_init_job(package, allocate_names(package)[0]).view
    assert isinstance(view, InitView)
    assert not [line for line in view.imports if "bind_" in line]


def test_the_index_has_the_attribute_of_each_tool() -> None:
    other = replace(TOOL, wire="list", output=None)
    view = make_index_job(allocate_names(Package((TOOL, other), (), (), "mcp", None))[0]).view
    assert isinstance(view, IndexView)
    assert [(tool.module, tool.attribute) for tool in view.tools] == [("get_tide", "get_tide"), ("list", "list_")]
