"""Jobs of the run-time modules: those of a package's own `runtime/`, or of a run-time package that several share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from mcpgen.ir.package import Package
from mcpgen.literals import Literal, make_docstring, make_literal
from mcpgen.render.jobs import Job
from mcpgen.render.protocol import PROTOCOL_PATH
from mcpgen.schema.runtime_keywords import RUNTIME_KEYWORD_SETS, KeywordSet
from mcpgen.targets import NO_SDK_TOOL_TEMPLATE, SDKS, Sdk, get_default_protocol, get_sdk

INTERFACE = 6
"""Version of what run-time modules offer to generated packages. Raise it when packages need something new of them."""
OLDEST_INTERFACE = 6
"""Oldest version that packages may have been generated for. Raise it when run-time modules lose or change something."""
RUNTIME_MODULES = (
    "call_tool_results checked_copies checked_result class_shapes content_blocks content_json content_result "
    "core_schemas custom_keywords deep_values definition_files dict_readers errors exact_numbers exact_types fast_json "
    "handler_values json_conversion json_errors json_objects json_pointers json_resource json_schema json_types "
    "lenient_parsing missing_names missing_values model_dumps native_formats object_attributes own_iterators "
    "package plain_classes plain_values prompt_result protocol_versions resource_contents resource_result "
    "result_reader result_writer returned_values root_arguments root_arrays schema_applicators schema_explanation "
    "schema_references schema_validation tool_definitions tool_result uri_templates validator_panics value_reader "
    "violations wire_json wire_results"
).split()
"""Run-time modules that are copied for every SDK. `exports`, `limits` and `schema_keywords` are rendered."""
TEMPLATE_MODULE, TABLE_MODULE = "template_filters", "table_cells"
"""The run-time module that only content templates use, and the one that only tables use."""
CONTENT_MODULES = (TEMPLATE_MODULE, TABLE_MODULE)
SDK_TEXT_MODULE = "sdk_text"
"""The run-time module that only tools with the content `sdk` use."""
STUBS_MODULE = "tool_functions"
"""The run-time module for tools as functions."""
SDK_MODULES = (
    "call_options client_base context_parameters contract_changes handler_signature lenient_arguments "
    "listed_definitions own_types "
    "prompt prompt_binding prompt_reader resource resource_binding resource_reader sdk_versions server_binding "
    "server_instructions tool tool_contract tool_handlers tool_overrides tool_wording"
).split()
"""Run-time modules for every SDK, which packages without an SDK don't have."""
TESTING_MODULE = "testing"
"""The run-time module for tests, which needs `in_memory`."""
PACKAGE_EXPORTS = {
    "ABSENT": "exact_types",
    "MissingValue": "missing_values",
    "ResourceResult": "resource_result",
    "ResultError": "errors",
    "ToolCallError": "errors",
    "ToolChangedError": "errors",
    "ToolResult": "tool_result",
    "UnsupportedProtocol": "errors",
    "assistant_message": "prompt_result",
    "model_content": "call_tool_results",
    "tool_error": "call_tool_results",
    "user_message": "prompt_result",
}
"""Names that every package exports from its run-time modules, and the module of each."""
SDK_EXPORTS = {
    "bind": "server",
    "bind_prompts": "prompt_server",
    "bind_resources": "resource_server",
    "connect": "client",
}
"""Names that packages for an SDK also export, the module of each; those of prompts and resources if there are some."""
_FOLDER = "runtime"
_EXPORTS_PATH = f"{_FOLDER}/exports.py"
_LIMITS_PATH = f"{_FOLDER}/limits.py"
_KEYWORDS_PATH = f"{_FOLDER}/schema_keywords.py"
_REQUIREMENT_PATH = f"{_FOLDER}/sdk_requirement.py"
_SERVERS_PATH = f"{_FOLDER}/sdk_servers.py"

JobMaker = Callable[[], Job]


@dataclass(frozen=True)
class FolderView:
    """Variable of `package/folder.py.j2`."""

    doc: Literal


@dataclass(frozen=True)
class ExportsView:
    """Variables of `runtime/exports.py.j2`: names, and the module of each."""

    of_runtime: tuple[tuple[str, str], ...] = tuple(PACKAGE_EXPORTS.items())
    of_sdk: tuple[tuple[str, str], ...] = tuple(SDK_EXPORTS.items())


@dataclass(frozen=True)
class KeywordsView:
    """Variable of `runtime/schema_keywords.py.j2`."""

    sets: tuple[KeywordSet, ...] = RUNTIME_KEYWORD_SETS


@dataclass(frozen=True)
class InterfaceView:
    """Variables of `package/interface.py.j2`."""

    interface: int
    oldest: int
    sdk: Literal
    protocol: Literal


@dataclass(frozen=True)
class RequirementView:
    """Variables of `runtime/sdk_requirement.py.j2`."""

    sdk: Literal
    distributions: list[Literal]
    oldest: Literal
    below: Literal


@dataclass(frozen=True)
class ServerView:
    """A module of servers, and the values of `sdk` for them as messages name these."""

    module: Literal
    settings: Literal


@dataclass(frozen=True)
class ServersView:
    """Variables of `runtime/sdk_servers.py.j2`."""

    servers: list[ServerView]
    session_modules: list[Literal]


def get_runtime(package: Package, depth: int = 0) -> str:
    """Return the package of the run-time modules as a module imports it that is `depth` folders below the package."""
    return package.runtime or f"{'.' * (depth + 1)}{_FOLDER}"


def get_runtime_path(module: str) -> str:
    """Return the path of a run-time module in a package that has its own."""
    return f"{_FOLDER}/{module}.py"


def make_folder_job(folder: str, doc: str) -> Job:
    """Make the job that renders the `__init__.py` of a folder, which is only a docstring."""
    return Job(f"{folder}/__init__.py", "package/folder.py.j2", "", FolderView(make_docstring(doc, 0)))


def render_requirement(package: Package) -> str | None:
    """Return the arguments of `check_interface` after the package's name; None where nothing needs to be checked."""
    if package.runtime is None:
        return None
    arguments = [str(INTERFACE), str(make_literal(package.sdk))]
    if package.chosen_values:
        pairs = ", ".join(f"{make_literal(key)}: {make_literal(value)}" for key, value in package.chosen_values)
        arguments.append(f"{{{pairs}}}")
    return ", ".join(arguments)


def make_own_runtime_jobs(package: Package, protocol: JobMaker) -> dict[str, JobMaker]:
    """Return the jobs of the modules in a package's own `runtime/`, by path: those that its tools need.

    Args:
        package: the package.
        protocol: makes the job of `runtime/protocol.py`.
    """
    has_templates = any(tool.template is not None and not tool.is_table for tool in package.tools)
    has_tables = any(tool.is_table for tool in package.tools)
    optional_modules = [
        module for module, needs in zip(CONTENT_MODULES, (has_templates, has_tables), strict=True) if needs
    ]
    has_sdk_text = any(tool.content == "sdk" and tool.output is not None for tool in package.tools)
    optional_modules += [STUBS_MODULE] if package.stubs else []
    return _make_jobs(package, protocol, optional_modules, has_sdk_text, package.testing)


def make_shared_runtime_jobs(package: Package, protocol: JobMaker) -> dict[str, JobMaker]:
    """Return the jobs of all modules of a run-time package, by path: whatever any package may need.

    Args:
        package: a package without tools; its settings count.
        protocol: makes the job of `runtime/protocol.py`.
    """
    optional = [*CONTENT_MODULES, STUBS_MODULE] if get_sdk(package.sdk) is not None else CONTENT_MODULES
    own_jobs = _make_jobs(package, protocol, optional, has_sdk_text=True, has_testing=True)
    prefix = f"{_FOLDER}/"
    moved: dict[str, JobMaker] = {
        path.removeprefix(prefix): partial(_move_job, make_job) for path, make_job in own_jobs.items()
    }
    moved["interface.py"] = partial(_make_interface_job, package)
    return moved


def _move_job(make_job: JobMaker) -> Job:
    job = make_job()
    return replace(job, path=job.path.removeprefix(f"{_FOLDER}/"))


def _make_jobs(
    package: Package, protocol: JobMaker, optional_modules: Sequence[str], has_sdk_text: bool, has_testing: bool
) -> dict[str, JobMaker]:
    init_path = f"{_FOLDER}/__init__.py"
    jobs: dict[str, JobMaker] = {
        f"{_FOLDER}/{module}.py": partial(_copy_template, module, template)
        for module, template in _list_templates(get_sdk(package.sdk), optional_modules, has_sdk_text, has_testing)
    }
    sdk = get_sdk(package.sdk)
    if sdk is not None:
        jobs[_REQUIREMENT_PATH] = partial(_make_requirement_job, sdk)
        jobs[_SERVERS_PATH] = _make_servers_job
    return jobs | {
        PROTOCOL_PATH: protocol,
        _EXPORTS_PATH: partial(Job, _EXPORTS_PATH, "runtime/exports.py.j2", "", ExportsView()),
        _LIMITS_PATH: partial(Job, _LIMITS_PATH, "runtime/limits.py.j2", "", package.limits),
        _KEYWORDS_PATH: partial(Job, _KEYWORDS_PATH, "runtime/schema_keywords.py.j2", "", KeywordsView()),
        init_path: partial(make_folder_job, _FOLDER, "Run-time code: the same in every package for the same SDK."),
    }


def _list_templates(
    sdk: Sdk | None, optional_modules: Sequence[str], has_sdk_text: bool, has_testing: bool
) -> Iterator[tuple[str, str]]:
    """Yield the modules that are copied, each with its template."""
    modules: Sequence[str] = [*RUNTIME_MODULES, *optional_modules]
    if sdk is None:
        yield "tool", NO_SDK_TOOL_TEMPLATE
    else:
        modules = [*modules, *SDK_MODULES]
        yield "version_adapter", sdk.generation.requests_template
        yield "session", sdk.generation.session_template
        yield "server_adapter", sdk.server_adapter
        if sdk.internals is not None:
            yield "sdk_internals", sdk.internals
        if sdk.low_level is not None:
            yield "low_level", sdk.low_level
        yield "handler_seam", sdk.handler_seam
        yield "resource_adapter", sdk.generation.resources_template
        yield "prompt_adapter", sdk.generation.prompts_template
        if has_sdk_text:
            yield SDK_TEXT_MODULE, sdk.text_template
        if has_testing:
            yield "in_memory", sdk.in_memory_template
            modules = [*modules, TESTING_MODULE]
    yield from ((module, f"{_FOLDER}/{module}.py") for module in modules)


def _copy_template(module: str, template: str) -> Job:
    return Job(f"{_FOLDER}/{module}.py", template, "")


def _make_requirement_job(sdk: Sdk) -> Job:
    # A project may depend on a distribution that brings the SDK along; the last one is the SDK itself.
    distributions = [make_literal(name) for name in (sdk.distributions[-1], *sdk.installed_as)]
    view = RequirementView(make_literal(sdk.name), distributions, make_literal(sdk.oldest), make_literal(sdk.below))
    return Job(_REQUIREMENT_PATH, "runtime/sdk_requirement.py.j2", "", view)


def _make_servers_job() -> Job:
    sdks_by_module: dict[str, list[Sdk]] = {}
    for sdk in SDKS:
        sdks_by_module.setdefault(sdk.server_module, []).append(sdk)
    # SDKs come before those that they build on
    servers = [
        ServerView(make_literal(module), make_literal(_list_settings(sdks)))
        for module, sdks in reversed(sdks_by_module.items())
    ]
    session_modules = dict.fromkeys(module for sdk in SDKS for module in sdk.session_modules)
    view = ServersView(servers, [make_literal(module) for module in session_modules])
    return Job(_SERVERS_PATH, "runtime/sdk_servers.py.j2", "", view)


def _list_settings(sdks: Sequence[Sdk]) -> str:
    """Return the values of `sdk` for messages: with the versions where there are several."""
    if len(sdks) == 1:
        return f'"{sdks[0].name}"'
    return " or ".join(f'"{sdk.name}" ({sdk.distributions[0]} {sdk.supported_versions})' for sdk in sdks)


def _make_interface_job(package: Package) -> Job:
    protocol = make_literal(package.protocol or get_default_protocol(get_sdk(package.sdk)))
    view = InterfaceView(INTERFACE, OLDEST_INTERFACE, make_literal(package.sdk), protocol)
    return Job("interface.py", "package/interface.py.j2", "", view)
