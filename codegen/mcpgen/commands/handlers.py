"""`mcpgen handlers`: write a first version of the handlers of tools, which answer that they are not implemented."""

from __future__ import annotations

import keyword
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mcpgen import write
from mcpgen.commands.generated_package import explain_unknown_tool
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.config.load import locate_setting
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.project_paths import find_import_name, is_within, resolve_path
from mcpgen.paths import format_path
from mcpgen.pipeline.checks import check_definitions, report_early_clashes
from mcpgen.pipeline.preview import lower_and_name
from mcpgen.read.loader import read_definitions
from mcpgen.render.handlers import StubModule, render_stubs
from mcpgen.render.library import name_facade
from mcpgen.report.exit_codes import INVALID_INPUT, SUCCESS, WRITE_REFUSED
from mcpgen.report.output import CommandOutput
from mcpgen.report.visible import split_text_lines
from mcpgen.targets import NO_SDK, SDK_NAMES, get_sdk

DEFAULT_FILE = "handlers.py"
NEEDS_SDK = "handlers are bound by packages for an SDK"
"""Message if a package is for no SDK."""
SDKS_OF_HANDLERS = tuple(name for name in SDK_NAMES if name != NO_SDK)
CHOOSE_SDK = f"choose one of {', '.join(SDKS_OF_HANDLERS)}"


@dataclass(frozen=True)
class HandlersRequest:
    """Which handlers to write, and where."""

    tools: Sequence[str]
    """The tools' exact names; none: all."""
    file: Path | None = None
    """None: `handlers.py` beside the generated package."""
    prints: bool = False
    """Write to standard output instead."""


HandlersFile = tuple[Path, str]


def run_handlers(loaded: LoadedPackages, request: HandlersRequest, output: CommandOutput) -> int:
    """Write the handlers of tools and return the exit code; no file is overwritten."""
    findings = loaded.findings
    files = [] if findings.failed else _plan_files(loaded.packages, request, findings)
    if findings.failed:
        return output.finish(findings, INVALID_INPUT)
    if request.prints:
        for _, text in files:
            output.print_data(split_text_lines(text), "python")
    elif not create_handlers(files, findings):
        return output.finish(findings, WRITE_REFUSED)
    paths = [format_path(path) for path, _ in files]
    code = output.finish(findings, SUCCESS, lambda: {"written": [] if request.prints else [*paths]})
    if not request.prints:
        output.print_remark(*(f"wrote {path}; bind them: `bind_handlers(bind(server))`" for path in paths))
    return code


def create_handlers(files: Sequence[HandlersFile], findings: Findings) -> bool:
    """Write modules of handlers unless one of them is there already, which is reported."""
    for path, _ in files:
        if os.path.lexists(path):
            help = "nothing was written; name another file with --to, or print the handlers with --print"
            findings.error("MG303", "is there already", Span(format_path(path)), help)
    if findings.failed:
        return False
    try:
        write.create_files(dict(files))
    except OSError as error:
        write.report_failure(error, Path(error.filename or files[0][0]), findings)
    return not findings.failed


def _plan_files(
    packages: Sequence[ConfiguredPackage], request: HandlersRequest, findings: Findings
) -> list[HandlersFile]:
    planned = [plan_handlers(package, request, findings) for package in packages]
    if findings.failed:
        return []
    kinds = {name: kind for _, known in planned for name, kind in known.items()}
    for name in request.tools:
        if kinds.get(name) != "tool":
            findings.error("MG602", f'no definition has a tool "{name}"', None, explain_unknown_tool(name, kinds))
    files = [file for file, _ in planned if file is not None]
    if request.file is not None and len(files) > 1:
        help = "leave out --to, or name tools of one package"
        findings.error("MG302", "several packages have such tools", None, help)
        return files
    for path, count in Counter(resolve_path(path) for path, _ in files).items():
        if count > 1 and not request.prints:  # packages in one folder
            message = f"{count} packages would have their handlers in this file"
            help = "nothing was written; name tools of one package, and a file: mcpgen handlers TOOL --to FILE"
            findings.error("MG302", message, Span(format_path(path)), help)
    return files


def plan_handlers(
    package: ConfiguredPackage, request: HandlersRequest, findings: Findings
) -> tuple[HandlersFile | None, dict[str, str]]:
    """Return the module of a package's handlers, None if it has none, and the kinds of its definitions by name."""
    settings = package.settings
    if settings.sdk == NO_SDK:
        findings.error("MG302", NEEDS_SDK, locate_setting(package, ("sdk",)), CHOOSE_SDK)
        return None, {}
    lint_findings = Findings()
    definitions = read_definitions(package, lint_findings)
    check_definitions(definitions, package, lint_findings)
    if not lint_findings.failed:
        report_early_clashes(definitions, lint_findings)
    findings.extend(lint_findings.errors)
    if lint_findings.failed:
        return None, {}
    preview = lower_and_name(definitions, settings, 1)
    tools = [tool for tool in preview.package.tools if not request.tools or tool.wire in request.tools]
    known = {prompt.name: "prompt" for prompt in definitions.prompts}
    known |= {resource.name: "resource" for resource in definitions.resources}
    known |= {tool.wire: "tool" for tool in preview.package.tools}
    if not tools:
        return None, known
    out, where = package.out, locate_setting(package, ("out",))
    if request.file is None and not request.prints and package.roots and not is_within(out.parent, package.roots):
        help = "name a file with --to, or print the handlers with --print"
        findings.error("MG304", "handlers next to the package would be outside the project", where, help)
        return None, known
    path = request.file or out.parent / DEFAULT_FILE
    module = _find_imports(out, path, settings)
    names = filter(None, module.package.split("."))
    unusable = next((name for name in names if not name.isidentifier() or keyword.iskeyword(name)), None)
    if unusable is not None:
        message = f'"{unusable}" is not a name that Python can import, as a module of handlers has to'
        findings.error("MG302", message, where, "choose another `out`, such as generated")
        return None, known
    return (path, render_stubs(tools, preview.names, module)), known


def _find_imports(out: Path, path: Path, settings: PackageSettings) -> StubModule:
    """Return what a module of handlers imports from: relative to it in a package, else by an absolute name."""
    folder = out.parent
    is_beside = os.path.abspath(path.parent) == os.path.abspath(folder)
    package = f".{out.name}" if is_beside and (folder / "__init__.py").exists() else find_import_name(out)
    return StubModule(package, name_facade(settings.sdk, settings.runtime, f"{package}."))


def write_server_lines(sdk_name: str, out: Path) -> list[str]:
    """Return the lines of a server that binds the handlers beside a package."""
    sdk = get_sdk(sdk_name)
    assert sdk is not None
    coroutine = sdk.run_coroutine
    return [
        *(["import asyncio"] if coroutine is not None else []),
        f"from {sdk.server_module} import {sdk.server_class}",
        f"from {find_import_name(out)} import bind",
        f"from {find_import_name((out.parent / DEFAULT_FILE).with_suffix(''))} import bind_handlers",
        f'server = {sdk.server_class}("my-server")',
        "bind_handlers(bind(server))",
        "server.run()" if coroutine is None else f"asyncio.run(server.{coroutine}())",
    ]
