"""Find, read and merge settings."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from mcpgen import paths
from mcpgen.config.models import (
    Acknowledged,
    ConfiguredPackage,
    DiffSettings,
    Limits,
    ModelT,
    PackageSettings,
    Settings,
    ToolChoice,
)
from mcpgen.config.toml_positions import MAX_SETTINGS_SIZE, KeyPositions, read_settings_bytes
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.project_paths import find_project, is_within, resolve_path
from mcpgen.files.regular_files import read_input


def find_settings(start: Path) -> Path | None:
    """The settings file that holds for a folder: the nearest mcpgen.toml, or pyproject.toml with `[tool.mcpgen]`."""
    for folder in (start, *start.parents):
        if (own := folder / "mcpgen.toml").is_file():
            return own
        project = folder / "pyproject.toml"
        if project.is_file() and _mentions_mcpgen(read_settings_bytes(project)):
            return project
        if project.is_file() or (folder / ".git").exists():
            return None
    return None


def load_packages(file: Path | None, start: Path, findings: Findings) -> list[ConfiguredPackage]:
    """The packages that a settings file asks for; without one, a single package of defaults at `start`."""
    if file is None:
        return [
            ConfiguredPackage(settings=PackageSettings.model_validate({}), folder=start, roots=(find_project(start),))
        ]
    name = paths.format_path(file)
    roots = (find_project(file.parent),)
    read = _read_settings(file, name, roots, findings)
    if read is None:
        return []
    text, table = read
    prefix: tuple[str, ...] = ()
    if file.name == "pyproject.toml":
        prefix = ("tool", "mcpgen")
        table = _get_table(_get_table(table, "tool"), "mcpgen")
    place = KeyPositions(name, text, prefix)
    keys = cast(dict[str, Any], table if isinstance(table, dict) else {})
    if not isinstance(table, dict):
        findings.error(
            "MG302", "the settings must be a table", place.locate(()), "write [tool.mcpgen] with keys below it"
        )
        return []
    settings = _validate_table(Settings, keys, place, (), findings)
    if settings is None:
        return []
    if not settings.package:
        plain = PackageSettings.model_validate(
            settings.model_dump(by_alias=True, exclude={"package"}, exclude_unset=True)
        )
        return [ConfiguredPackage(settings=plain, folder=file.parent, file=file, roots=roots)]
    shared = {key: value for key, value in keys.items() if key != "package"}
    packages: list[ConfiguredPackage] = []
    for index, own in enumerate(settings.package):
        one = _validate_table(PackageSettings, {**shared, **own}, place, ("package", index), findings)
        if one is not None:
            packages.append(ConfiguredPackage(settings=one, folder=file.parent, file=file, roots=roots))
    return packages


def _read_settings(file: Path, name: str, roots: tuple[Path, ...], findings: Findings) -> tuple[str, Any] | None:
    """The text of a settings file and what it says, None with a finding."""
    if file.is_symlink() and not is_within(file, roots):
        help = f"name the file itself: --config {resolve_path(file).as_posix()}"
        findings.error("MG304", "is a link out of the project", Span(name), help)
        return None
    text = ""
    try:
        text = read_input(file, MAX_SETTINGS_SIZE).decode("utf-8")
        return text, parse_toml(text)
    except OSError as error:
        findings.error("MG301", f"cannot be read: {error.strerror}", Span(name))
    except UnicodeDecodeError:
        findings.error("MG301", "not valid UTF-8", Span(name))
    except ValueError as error:
        at = re.search(r"line (\d+), column (\d+)", str(error))
        lines = text.rstrip("\n").split("\n")
        line, column = (int(at[1]), int(at[2])) if at else (len(lines), len(lines[-1]) + 1)
        known = resolve_path(file).suffix == ".toml"  # else it may be anything, which is not for a message to tell
        shown = text.split("\n")[line - 1] if known else ""
        message = str(error).split(" (at")[0]
        findings.error("MG301", f"not valid TOML: {message}", Span(name, line, column, "", shown))
    return None


_QUOTED_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'")


_DOTTED_KEY = re.compile(r"[\w. \t-]+")


MAX_KEY_PARTS = 100
"""Parts of one key; the time that the parser takes is quadratic in them."""


def parse_toml(text: str) -> dict[str, Any]:
    """What TOML text says.

    Raises:
        ValueError: it is not valid TOML, or nested so deeply that it means harm.
    """
    for line, said in enumerate(text.split("\n"), 1):
        if said.count(".") > MAX_KEY_PARTS:
            for found in _DOTTED_KEY.finditer(_QUOTED_STRING.sub("s", said)):
                if found[0].count(".") > MAX_KEY_PARTS:
                    raise ValueError(f"a key of more than {MAX_KEY_PARTS} parts (at line {line}, column 1)")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply (at line 1, column 1)") from None


MOST_ERRORS = 100
"""Errors that are told of one table of settings; each may quote a long line."""


def validate_options(
    model: type[ModelT], value: object, findings: Findings, place: Callable[[tuple[str | int, ...], bool], Span]
) -> ModelT | None:
    """An `x-mcpgen` object as a `model`, or None with the findings about it.

    `place` gives the place of a member's value, or of its name, by the way to it.
    """
    if not isinstance(value, dict):
        findings.error("MG006", "x-mcpgen must be an object", place((), False))
        return None
    try:
        return model.model_validate(value)
    except ValidationError as error:
        for one in error.errors():
            message, help = _explain_validation_error(one, model)
            findings.error("MG006", f"x-mcpgen: {message}", place(one["loc"], one["type"] == "extra_forbidden"), help)
        return None


def _get_table(table: Any, key: str) -> Any:
    """The table below a key, or what stands in its place."""
    return cast(dict[str, Any], table).get(key, {}) if isinstance(table, dict) else table


def locate_setting(package: ConfiguredPackage, path: tuple[str | int, ...]) -> Span | None:
    """Where the settings of a package say something, None when there is no settings file."""
    return None if package.places is None else package.places.locate(path)


def _validate_table(
    model: type[ModelT], table: object, place: KeyPositions, at: tuple[str | int, ...], findings: Findings
) -> ModelT | None:
    try:
        return model.model_validate(table)
    except ValidationError as error:
        errors = error.errors()
        for one in errors[:MOST_ERRORS]:
            message, help = _explain_validation_error(one, model)
            findings.error("MG302", message, place.locate((*at, *one["loc"])), help)
        if len(errors) > MOST_ERRORS:
            findings.error("MG302", f"{len(errors) - MOST_ERRORS} more settings are wrong", place.locate(at))
        return None


def _explain_validation_error(error: Any, model: type[BaseModel]) -> tuple[str, str]:
    path = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        inner: dict[str, type[BaseModel]] = {"tools": ToolChoice, "limits": Limits, "diff": DiffSettings}
        target = inner.get(str(error["loc"][0]), model) if len(error["loc"]) > 1 else model
        target = Acknowledged if error["loc"][:2] == ("diff", "acknowledged") else target
        known = [field.alias or name for name, field in target.model_fields.items()]
        close = difflib.get_close_matches(str(error["loc"][-1]), known, 1)
        help = f'did you mean "{close[0]}"?' if close else f"known here: {', '.join(sorted(known))}"
        return f'unknown key "{path}"', help
    kinds = {"dict_type": "a table", "model_type": "a table", "list_type": "a list"}
    if error["type"] in kinds:
        return f'"{path}" must be {kinds[error["type"]]}', "write [[tool.mcpgen.package]]" * (path == "package")
    said, help = str(error["msg"]), ""
    if error["type"] == "literal_error" and isinstance(error["input"], str):
        allowed = re.findall(r"'([^']*)'", error["ctx"]["expected"])
        close = difflib.get_close_matches(error["input"].lower(), allowed, 1)
        help = f'did you mean "{close[0]}"?' if close else ""
    return f'"{path}": {said[:1].lower()}{said[1:]}', help


def _mentions_mcpgen(data: bytes) -> bool:
    """Whether a pyproject.toml has a table for mcpgen; one that cannot be parsed but looks like it counts, too."""
    try:
        tool: Any = parse_toml(data.decode("utf-8")).get("tool", {})
    except ValueError:
        return re.search(rb"^[ \t]*\[+[ \t]*tool[ \t]*\.[ \t]*mcpgen\b", data, re.MULTILINE) is not None
    return isinstance(tool, dict) and "mcpgen" in tool


def override_settings(
    packages: list[ConfiguredPackage],
    paths: list[Path],
    given: dict[str, Any],
    findings: Findings,
    root: Path | None = None,
) -> list[ConfiguredPackage]:
    """The packages with what the command line says in the place of the settings.

    What it names is input wherever it lies, and so is what lies below `root`. What the settings name has to lie in the
    project; a package for which that is not so is left out, with findings.
    """
    named = [] if root is None else [Path.cwd() / root]
    for path in (Path.cwd() / one for one in paths):
        named += [path] if path.is_dir() else [path.parent, resolve_path(path).parent]
    if given.get("out"):
        named.append(Path.cwd() / given["out"])
    held = [one.model_copy(update={"roots": _add_roots(one.roots, named)}) for one in packages]
    return [one for one in _override_packages(held, paths, given, findings) if not _has_outside_path(one, findings)]


def _add_roots(roots: tuple[Path, ...] | None, named: list[Path]) -> tuple[Path, ...] | None:
    return None if roots is None else tuple(dict.fromkeys((*roots, *map(resolve_path, named))))


def _has_outside_path(package: ConfiguredPackage, findings: Findings) -> bool:
    """Whether the settings name a path outside of the project, which is recorded."""
    settings, roots = package.settings, package.roots
    named: list[tuple[tuple[str | int, ...], str | None]] = [
        (("out",), settings.out),
        (("mcp-schema",), settings.mcp_schema),
    ]
    named += [(("schemas", index), path) for index, path in enumerate(settings.schemas)]
    named += [(("ref-map", uri), path) for uri, path in settings.ref_map.items()]
    for name, choice in settings.tools.items():
        named.append((("tools", name, "outputSchema"), choice.output_schema))  # a template stays in the folder anyway
    found = False
    for at, path in named:
        if path is not None and roots is not None and not is_within(package.folder / path, roots):
            found = True
            help = "put it into the project, or name its folder on the command line: --root FOLDER"
            message = f'"{path}" leads out of the project {paths.format_path(roots[0])}'
            findings.error("MG304", message, locate_setting(package, at), help)
    return found


def _override_packages(
    packages: list[ConfiguredPackage], paths: list[Path], given: dict[str, Any], findings: Findings
) -> list[ConfiguredPackage]:
    changes = {key: str(Path.cwd() / value) if key == "out" else value for key, value in given.items() if value}
    if paths:
        changes["schemas"] = [str(Path.cwd() / path) for path in paths]
    if not changes:
        return packages
    if len(packages) > 1:
        help = "choose one with --config, or leave the settings to say it"
        findings.error("MG302", "options for one package, but the settings hold several", None, help)
        return []
    out: list[ConfiguredPackage] = []
    for package in packages:
        values = {**package.settings.model_dump(by_alias=True, exclude_unset=True), **changes}
        try:
            settings = PackageSettings.model_validate(values)
        except ValidationError as error:
            for one in error.errors():
                message, help = _explain_validation_error(one, PackageSettings)
                findings.error("MG302", f"--{message.removeprefix(chr(34)).replace(chr(34), '', 1)}", None, help)
            continue
        out.append(package.model_copy(update={"settings": settings}))
    return out
