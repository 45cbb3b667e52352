"""Apply the options of the command line to the settings, and keep the paths in these inside the project."""

from __future__ import annotations

import keyword
import re
import sys
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from mcpgen import paths
from mcpgen.config.load import locate_setting
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.config.validation import explain_validation_error
from mcpgen.diagnostics import Findings
from mcpgen.files.looks import exists, is_folder
from mcpgen.files.project_paths import find_project, is_in_repository_data, is_within, resolve_path
from mcpgen.targets import SDKS

_REQUIRED_MODULES = {
    "annotated_types": "pydantic",
    "anyio": "the SDKs",
    "jsonschema_rs": "generated code",
    "mcpgen_runtime": "generated code",
    "orjson": "generated code",
    "pydantic": "generated code",
    "pydantic_core": "pydantic",
    "typing_extensions": "pydantic",
    "typing_inspection": "pydantic",
}
"""Modules without which a generated package cannot be imported, and who needs them."""


def make_importable(name: str) -> str:
    """Return the name that is most like a folder's and that an `import` can have: the same if it can have that one."""
    identifier = re.sub(r"\W", "_", name) or "generated"
    if keyword.iskeyword(identifier):
        return f"{identifier}_"
    return identifier if identifier.isidentifier() else f"_{identifier}"


def describe_module(name: str) -> str | None:
    """Return what a top-level module is, if Python or generated code imports one of this name; None for other names."""
    if name in sys.stdlib_module_names:
        return "a module of Python itself"
    if name in _REQUIRED_MODULES:
        return f"a module that {_REQUIRED_MODULES[name]} needs"
    for sdk in SDKS:
        generation = sdk.generation
        modules = (sdk.server_module, *sdk.session_modules, generation.types_module)
        if name in {module.partition(".")[0] for module in modules}:
            return "a module of an MCP SDK"
        if name == generation.http_client:
            return "a module that the MCP SDKs need"
    return None


def is_imported_by_its_own_name(package: ConfiguredPackage) -> bool:
    """Return whether programs import a package as `import NAME`, because its folder is in one that Python searches.

    These are the folders that programs are started in: that of the settings, the top of the project and, for `--out`,
    the working folder; and `src`, whose contents are installed. A folder with `__init__.py` is part of a package.
    """
    folder = resolve_path(package.out).parent
    if exists(folder / "__init__.py"):
        return False
    tops = {resolve_path(package.folder), resolve_path(find_project(package.folder))}
    if "out" in package.overridden:
        tops.add(resolve_path(Path()))
    return folder in tops or folder.name == "src"


def override_settings(
    packages: list[ConfiguredPackage],
    inputs: list[Path],
    options: dict[str, Any],
    findings: Findings,
    root: Path | None = None,
) -> list[ConfiguredPackage]:
    """Return the packages with the options of the command line in place of the settings; empty values are ignored.

    Paths from the command line may lead anywhere. Those from the settings must be in the project or below `root`;
    packages with other paths are left out, and that is reported. Without `inputs`, `schemas` of the settings holds.
    """
    named = [] if root is None else [Path.cwd() / root]
    for path in (Path.cwd() / input_path for input_path in inputs):
        named += [path] if is_folder(path) else [path.parent, resolve_path(path).parent]
    named += [Path.cwd() / options["out"]] if options.get("out") else []
    added, widened = [*map(resolve_path, named)], list[ConfiguredPackage]()
    for package in packages:
        roots = None if package.roots is None else tuple(dict.fromkeys((*package.roots, *added)))
        widened.append(package.model_copy(update={"roots": roots}))
    return _keep_usable_packages(_override_packages(widened, inputs, options, findings), findings)


def check_new_settings(folder: Path, settings: dict[str, Any], findings: Findings) -> None:
    """Report what a build would refuse in settings that are not written yet, which messages name as options."""
    defaults = PackageSettings.model_validate({})
    package = ConfiguredPackage(settings=defaults, folder=folder, roots=(find_project(folder),))
    _keep_usable_packages(_replace_settings([package], settings, findings), findings)


def _keep_usable_packages(packages: list[ConfiguredPackage], findings: Findings) -> list[ConfiguredPackage]:
    inside = [package for package in packages if not _has_outside_path(package, findings)]
    return [package for package in inside if not _has_wrong_name(package, findings)]


def _has_outside_path(package: ConfiguredPackage, findings: Findings) -> bool:
    settings, roots = package.settings, package.roots
    named_paths: list[tuple[tuple[str | int, ...], str | None]] = [(("out",), settings.out)]
    named_paths += [(("schemas", index), path) for index, path in enumerate(settings.schemas)]
    named_paths += [(("ref-map", prefix), path) for prefix, path in settings.ref_map.items()]
    for name, choice in settings.tools.items():  # templates are checked when they are read
        named_paths.append((("tools", name, "outputSchema"), choice.output_schema))
    has_outside_path = False
    for key, path in named_paths:
        if path is None or roots is None:
            continue
        if not is_within(package.folder / path, roots):
            message = f'"{path}" is outside the project {paths.format_path(roots[0])}'
            help = "put it into the project"
            if package.file is not None:
                help += ", or name its folder on the command line: --root FOLDER"
        elif is_in_repository_data(package.folder / path, roots):
            message, help = f'"{path}" leads into the data of the version control', "put it into a folder of its own"
        else:
            continue
        has_outside_path = True
        option = f"--{key[0]}: " if key[0] in package.overridden else ""
        findings.error("MG304", option + message, locate_setting(package, key), help)
    return has_outside_path


def _has_wrong_name(package: ConfiguredPackage, findings: Findings) -> bool:
    """Return whether no `import` could name the folder of a package, or it would hide another module, and report it."""
    name = resolve_path(package.out).name
    meant, module = make_importable(name), describe_module(name)
    if name != meant:
        reason = "is a keyword of Python" if keyword.iskeyword(name) else "is not a Python identifier"
        message = f'the folder\'s name, "{name}", {reason}, so no program could import the package'
        _report_name(package, "MG302", message, meant, findings)
        return True
    if module is None or not is_imported_by_its_own_name(package):
        return False
    message = f'a package named "{name}" would hide `{name}`, {module}'
    src = "src/" if package.settings.out.startswith("src/") else ""
    _report_name(package, "MG307", message, f"{name}_gen", findings, f", or put it into a package: {src}acme/{name}")
    return True


def _report_name(
    package: ConfiguredPackage, code: str, message: str, meant: str, findings: Findings, otherwise: str = ""
) -> None:
    folder = package.settings.out.rstrip("/").rpartition("/")[0]
    if "out" in package.overridden:
        findings.error(code, f"--out: {message}", None, f'choose a name such as "{meant}"{otherwise}')
        return
    written = f'out = "{folder}/{meant}"' if folder and not folder.startswith("/") else f'a folder named "{meant}"'
    help = f"write {written}" if folder else f'write out = "{meant}"'
    findings.error(code, f'"out": {message}', locate_setting(package, ("out",)), f"{help}{otherwise}")


def _override_packages(
    packages: list[ConfiguredPackage], inputs: list[Path], options: dict[str, Any], findings: Findings
) -> list[ConfiguredPackage]:
    changes = {key: str(Path.cwd() / value) if key == "out" else value for key, value in options.items() if value}
    if inputs:
        changes["schemas"] = [str(Path.cwd() / path) for path in inputs]
    if not changes:
        return packages
    if len(packages) > 1:
        help = "choose one with --config, or leave the settings to say it"
        findings.error("MG302", "options for one package, but the settings hold several", None, help)
        return []
    return _replace_settings(packages, changes, findings)


def _replace_settings(
    packages: list[ConfiguredPackage], changes: dict[str, Any], findings: Findings
) -> list[ConfiguredPackage]:
    """Return the packages with other values of some settings; values that are wrong are reported as options."""
    overridden: list[ConfiguredPackage] = []
    for package in packages:
        values = {**package.settings.model_dump(by_alias=True, exclude_unset=True), **changes}
        try:
            settings = PackageSettings.model_validate(values)
        except ValidationError as validation_error:
            for error in validation_error.errors():
                message, help = explain_validation_error(error, PackageSettings)
                findings.error("MG302", f"--{message.removeprefix(chr(34)).replace(chr(34), '', 1)}", None, help)
            continue
        overridden.append(package.model_copy(update={"settings": settings, "overridden": frozenset(changes)}))
    return overridden
