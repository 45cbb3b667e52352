"""Render the lists of a package: `__init__.py`, which exports its names, and `index.py`, which has its tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mcpgen_runtime.package import EXPORTS, INTERFACE, SDK_EXPORTS

from mcpgen.ir.package import Package
from mcpgen.literals import make_literal
from mcpgen.names.identifiers import make_method_name
from mcpgen.names.package_names import PackageNames
from mcpgen.render.facade import get_facade
from mcpgen.render.imports import make_sort_key
from mcpgen.render.jobs import Job
from mcpgen.targets import get_default_protocol, get_sdk

INIT_PATH = "__init__.py"
INDEX_PATH = "index.py"
RESOURCE_INDEX_PATH = "resource_index.py"


@dataclass(frozen=True)
class InitView:
    """Variables of `package/init.py.j2`."""

    imports: list[str]
    """The statements that import what the package exports, as isort sorts them."""
    facade: str
    """The facade of the run-time library."""
    choices: str
    """The keyword arguments of the package's object."""


@dataclass(frozen=True)
class IndexEntry:
    """A tool or resource in a list of them."""

    module: str
    attribute: str
    """The attribute that clients and servers have for it."""


@dataclass(frozen=True)
class IndexView:
    """Variables of `package/index.py.j2`, and of the lists of resources."""

    tools: list[IndexEntry]
    """The tools or resources, sorted by module."""


def make_init_job(package: Package, names: PackageNames) -> Job:
    """Make the job that renders `__init__.py`. Of the package, only its settings count."""
    modules = {f"tools.{tool.module}" for tool in names.tools.values()}
    modules |= {f"resources.{resource.module}" for resource in names.resources.values()}
    modules |= {f"prompts.{prompt.module}" for prompt in names.prompts.values()}
    modules |= {f"types.{module}" for module in names.shared_modules.values()}
    facade = get_facade(package)
    imports = _render_exports(modules, facade, _list_sdk_exports(package, names))
    return Job(INIT_PATH, "package/init.py.j2", "", InitView(imports, facade, _render_choices(package)))


def _render_choices(package: Package) -> str:
    """Return the keyword arguments of a package's object: what is not as the library has it by default."""
    arguments = [f"interface={INTERFACE}"]
    if package.protocol not in (None, get_default_protocol(get_sdk(package.sdk))):
        arguments.append(f"protocol={make_literal(package.protocol)}")
    if package.limits:
        limits = ", ".join(f"{make_literal(name)}: {limit}" for name, limit in package.limits)
        arguments.append(f"limits={{{limits}}}")
    return ", ".join(arguments)


def _list_sdk_exports(package: Package, names: PackageNames) -> dict[str, str]:
    """Return the names that a package exports because it is for an SDK, and the module of each."""
    if get_sdk(package.sdk) is None:
        return {}
    missing = {"bind_resources"} if not names.resources else set[str]()
    missing |= {"bind_prompts"} if not names.prompts else set[str]()
    missing |= set[str]() if package.has_client else {"connect"}
    return {name: module for name, module in SDK_EXPORTS.items() if name not in missing}


def _render_exports(modules: Iterable[str], facade: str, sdk_exports: Mapping[str, str]) -> list[str]:
    """Return the statements that import what a package exports, and what its types need, as isort sorts them."""
    of_library = [(f"{facade}.types", make_sort_key(name), f"{name} as {name}") for name in EXPORTS]
    third_party = [("pydantic", make_sort_key("BaseModel"), "BaseModel as _BaseModel")]
    own = [(f".{module}", make_sort_key("*"), "*") for module in modules]
    own += [(f".{module}", make_sort_key(name), f"{name} as {name}") for name, module in sdk_exports.items()]
    (own if facade.startswith(".") else third_party).extend(of_library)
    first, second = (
        [f"from {module} import {name}" for module, _, name in sorted(group)] for group in (third_party, own)
    )
    return [*first, "", *second]


def make_index_job(names: PackageNames) -> Job:
    """Make the job that renders `index.py`."""
    modules = sorted(tool.module for tool in names.tools.values())
    view = IndexView([IndexEntry(module, make_method_name(module)) for module in modules])
    return Job(INDEX_PATH, "package/index.py.j2", "", view)


def make_resource_index_job(names: PackageNames) -> Job:
    """Make the job that renders `resource_index.py`."""
    modules = sorted(resource.module for resource in names.resources.values())
    view = IndexView([IndexEntry(module, make_method_name(module)) for module in modules])
    return Job(RESOURCE_INDEX_PATH, "package/resource_index.py.j2", "", view)
