"""Find the settings file, read it, apply the options of the command line, and return the packages that it describes."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from mcpgen import paths
from mcpgen.config.models import ConfiguredPackage, PackageSettings, Settings, StrictModel
from mcpgen.config.toml import (
    MAX_SETTINGS_SIZE,
    InvalidToml,
    KeyPositions,
    get_settings_path,
    parse_toml,
    read_settings_bytes,
)
from mcpgen.config.validation import explain_validation_error, validate_table
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.looks import exists, is_file, is_folder, is_link
from mcpgen.files.project_paths import find_project, is_in_repository_data, is_within, resolve_path
from mcpgen.files.regular_files import read_input
from mcpgen.files.text_problems import CONFLICT_HELP, explain_encoding, find_merge_conflict
from mcpgen.targets import SDKS

SETTINGS_FILES = ("mcpgen.toml", "pyproject.toml")
"""Names of settings files; the first one wins."""


def find_settings(start: Path) -> Path | None:
    """Return the settings file of a folder: the nearest mcpgen.toml, or pyproject.toml with `[tool.mcpgen]`.

    The search ends at the top of a project: a folder with pyproject.toml or `.git`.
    """
    for folder in (start, *start.parents):
        if is_file(settings := folder / "mcpgen.toml"):
            return settings
        project = folder / "pyproject.toml"
        if is_file(project) and _mentions_mcpgen(read_settings_bytes(project)):
            return project
        if is_file(project) or exists(folder / ".git"):
            return None
    return None


def warn_about_unread_table(file: Path | None, start: Path, findings: Findings) -> None:
    """Warn about the first table in pyproject.toml that looks like settings and is not read, also beside mcpgen.toml.

    Without a settings file, the nearest pyproject.toml is searched, from `start` on.
    """
    folders = (start, *start.parents)
    project = file or next((path for folder in folders if is_file(path := folder / "pyproject.toml")), None)
    if project is not None and project.name == "mcpgen.toml":
        project = project.parent / "pyproject.toml"
    if project is None or project.name != "pyproject.toml" or not is_file(project):
        return
    text = read_settings_bytes(project).decode("utf-8", "replace")
    if file is not None and file.name != project.name:
        if (own := _OWN_TABLE.search(text)) is not None:
            span = Span(paths.format_path(project), text.count("\n", 0, own.start()) + 1, 1, "", own[0])
            message = f"[tool.mcpgen] is not read, since there is {file.name}"
            findings.warn("MG302", message, span, "move the settings into one file")
        return
    for number, line in enumerate(text.split("\n"), 1):
        if (header := _MISNAMED_TABLE.match(line)) is not None:
            default = ", so the defaults apply" if file is None else ""
            help = "write the settings in [tool.mcpgen]"
        elif (header := _MISPLACED_TABLE.match(line)) is not None:
            default, help = "", f"in pyproject.toml, it is {header[1]}tool.mcpgen.{header[2]}{header[3]}"
        else:
            continue
        span = Span(paths.format_path(project), number, header.start(2) + 1, "", line)
        findings.warn("MG302", f"the table {header[1]}{header[2]}{header[3]} is not read{default}", span, help)
        return


_OWN_TABLE = re.compile(r"^\[+[ \t]*tool\.mcpgen\b.*$", re.MULTILINE)
_MISNAMED_TABLE = re.compile(r"^\s*(\[)((?:mcpgen|mcp-gen|mcp_gen)|tool\.(?:mcp-gen|mcp_gen|MCPGen|Mcpgen))(\])")
_TABLES = ["package"] + [
    field.alias or key
    for key, field in PackageSettings.model_fields.items()
    if isinstance(field.get_default(), dict | StrictModel)
]
_MISPLACED_TABLE = re.compile(rf"^\s*(\[\[?)((?:{'|'.join(_TABLES)})(?:\.[^\[\]]+)?)(\]\]?)")
"""A table as in mcpgen.toml: at the top of pyproject.toml, there are no tables of these names."""


def load_packages(file: Path | None, start: Path, findings: Findings) -> list[ConfiguredPackage]:
    """Return the packages of a settings file, without wrong ones; without a file, one in `start` with the defaults."""
    if file is None:
        defaults = PackageSettings.model_validate({})
        return [ConfiguredPackage(settings=defaults, folder=start, roots=(find_project(start),))]
    name, roots = paths.format_path(file), (find_project(file.parent),)
    text = _read_text(file, name, roots, findings)
    table: Any = None if text is None else _parse_text(text, file, name, findings)
    if text is None or table is None:
        return []
    path = get_settings_path(file)
    positions = KeyPositions(name, text, path)
    for key in path:
        table = cast(dict[str, Any], table).get(key, {}) if isinstance(table, dict) else table
    if not isinstance(table, dict):
        help = "write [tool.mcpgen] with keys below it"
        findings.error("MG302", "the settings must be a table", positions.locate(()), help)
        return []
    make_package = partial(ConfiguredPackage, folder=file.parent, file=file, roots=roots)
    return _validate_packages(cast(dict[str, Any], table), positions, make_package, findings)


def locate_setting(package: ConfiguredPackage, path: tuple[str | int, ...]) -> Span | None:
    """Return the span of a package's key, in its `[[package]]` table or before the first; None without a file."""
    if package.positions is None:
        return None
    is_shared = not package.shared.isdisjoint(path[:1])
    return package.positions.locate(path if is_shared else (*package.table, *path))


def _validate_packages(
    table: dict[str, Any], positions: KeyPositions, make_package: Callable[..., ConfiguredPackage], findings: Findings
) -> list[ConfiguredPackage]:
    settings = validate_table(Settings, table, positions, (), findings)
    if settings is None:
        return []
    if not settings.package:
        explicit = settings.model_dump(by_alias=True, exclude={"package"}, exclude_unset=True)
        return [make_package(settings=PackageSettings.model_validate(explicit))]
    defaults = {key: value for key, value in table.items() if key != "package"}
    packages: list[ConfiguredPackage] = []
    for index, own in enumerate(settings.package):
        path, shared = ("package", index), frozenset(defaults.keys() - own.keys())
        own_settings = validate_table(PackageSettings, {**defaults, **own}, positions, path, findings)
        if own_settings is not None:
            packages.append(make_package(settings=own_settings, table=path, shared=shared))
    return packages


def _read_text(file: Path, name: str, roots: tuple[Path, ...], findings: Findings) -> str | None:
    if is_link(file) and not is_within(file, roots):
        help = f"name the file itself: --config {resolve_path(file).as_posix()}"
        findings.error("MG304", "is a link out of the project", Span(name), help)
        return None
    try:
        return read_input(file, MAX_SETTINGS_SIZE).decode("utf-8-sig")  # some editors on Windows write a BOM
    except OSError as error:
        help = "" if exists(file) else "correct the path after --config, or leave it out; `mcpgen init` writes settings"
        findings.error("MG301", f"cannot be read: {error.strerror}", Span(name), help)
    except UnicodeDecodeError as error:
        message, help = explain_encoding(error.object)
        findings.error("MG301", message, Span(name), help)
    return None


def _parse_text(text: str, file: Path, name: str, findings: Findings) -> dict[str, Any] | None:
    try:
        return parse_toml(text)
    except InvalidToml as error:
        may_quote = resolve_path(file).suffix == ".toml"  # a link can lead to any file, which no message may quote
        lines = text.split("\n") if may_quote else []
        if (conflict := find_merge_conflict(text)) is not None:
            span = Span(name, conflict.first_line, 1, "", "".join(lines[conflict.first_line - 1 : conflict.first_line]))
            findings.error("MG301", str(conflict), span, CONFLICT_HELP)
            return None
        line = "".join(lines[error.line - 1 : error.line])
        help = _suggest_toml_fix(line[error.column - 1 :])
        span = Span(name, error.line, error.column, "", line)
        findings.error("MG301", f"not valid TOML: {error.message}", span, help)
    return None


def _suggest_toml_fix(rest: str) -> str:
    if re.match(r"(True|False)\b", rest):
        return f"write {rest[:5].strip().lower()}"
    if re.match(r"(none|None|null)\b", rest):
        return "TOML has no null: leave the key out"
    if re.match(r"[A-Za-z_./]", rest):
        return 'put a text into quotes: out = "generated"'
    return ""


def _mentions_mcpgen(data: bytes) -> bool:
    try:
        tool: Any = parse_toml(data.decode("utf-8-sig")).get("tool", {})
    except ValueError:
        return re.search(rb"^[ \t]*\[+[ \t]*tool[ \t]*\.[ \t]*mcpgen\b", data, re.MULTILINE) is not None
    return isinstance(tool, dict) and "mcpgen" in tool


# --- options of the command line --------------------------------------------------------------------------------------
_REQUIRED_MODULES = {
    "annotated_types": "pydantic",
    "anyio": "the SDKs",
    "jsonschema_rs": "generated code",
    "mcpgen_runtime": "generated code",
    "orjson": "generated code",
    "pydantic": "generated code",
    "pydantic_core": "pydantic",
    "pytest": "`mcpgen_runtime.testing`",
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
        if name in {module.partition(".")[0] for module in (sdk.server_module, generation.types_module)}:
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
    changes = {key: str(Path.cwd() / value) if key == "out" else value for key, value in options.items() if value}
    if inputs:
        changes["schemas"] = [str(Path.cwd() / path) for path in inputs]
    if changes and len(packages) > 1:
        help = "choose one with --config, or leave the settings to say it"
        findings.error("MG302", "options for one package, but the settings hold several", None, help)
        return []
    changed = _replace_settings(widened, changes, findings) if changes else widened
    return _keep_usable_packages(changed, findings)


def check_new_settings(folder: Path, settings: dict[str, Any], findings: Findings) -> None:
    """Report what a build would refuse in settings that are not written yet, which messages name as options."""
    defaults = PackageSettings.model_validate({})
    package = ConfiguredPackage(settings=defaults, folder=folder, roots=(find_project(folder),))
    _keep_usable_packages(_replace_settings([package], settings, findings), findings)


def _keep_usable_packages(packages: list[ConfiguredPackage], findings: Findings) -> list[ConfiguredPackage]:
    inside = [package for package in packages if not _has_outside_path(package, findings)]
    return [
        package
        for package in inside
        if not _has_wrong_name(package, findings) and not _shares_file(package, inside, findings)
    ]


def _shares_file(package: ConfiguredPackage, packages: list[ConfiguredPackage], findings: Findings) -> bool:
    """Tell whether a package writes its TypeScript types where one before it does, and report it."""
    if (path := package.settings.app_types) is None:
        return False
    others = ((it.folder, it.settings.app_types) for it in packages[: packages.index(package)])
    taken = {resolve_path(folder / other) for folder, other in others if other is not None}
    if resolve_path(package.folder / path) not in taken:
        return False
    message, help = f'"{path}" is the file of two packages', "give each package a file of its own, in its [[package]]"
    findings.error("MG302", message, locate_setting(package, ("app-types",)), help)
    return True


def _has_outside_path(package: ConfiguredPackage, findings: Findings) -> bool:
    settings, roots = package.settings, package.roots
    named_paths: list[tuple[tuple[str | int, ...], str | None]] = [(("out",), settings.out)]
    named_paths.append((("app-types",), settings.app_types))
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


def _replace_settings(
    packages: list[ConfiguredPackage], changes: dict[str, Any], findings: Findings
) -> list[ConfiguredPackage]:
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
