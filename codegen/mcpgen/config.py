"""The settings: `[tool.mcpgen]` in pyproject.toml, or mcpgen.toml, strict and with the places of what is wrong."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import PydanticCustomError

from mcpgen import paths
from mcpgen.diagnostics import Findings, Span
from mcpgen.read.disk import FILE_SIZE
from mcpgen.read.files import SETTINGS_SIZE, lies_in, project_of, read_bytes, real

PROTOCOLS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
"""The protocol versions, oldest first."""
ProtocolName = Literal["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
Sdk = Literal["none", "mcp", "mcp1", "fastmcp", "dedalus"]
GENERATIONS: dict[str, Literal["mcp", "mcp1"] | None] = {
    "none": None,
    "mcp": "mcp",
    "mcp1": "mcp1",
    "fastmcp": "mcp",
    "dedalus": "mcp1",
}
"""Whose types an SDK's results have: those of mcp 2.x or of mcp 1.x."""
Wrap = Literal["legacy", "always"]
Content = Literal["json", "template", "items", "binary", "sdk", "none"]
Formats = Literal["annotation", "native"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


_M = TypeVar("_M", bound=_Strict)


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise PydanticCustomError("path", "holds a NUL character, which no path can")
    return text


PathText = Annotated[str, AfterValidator(_without_nul)]
"""A path as the settings say it."""


class Choice(_Strict):
    """What is chosen for one tool: the members of `x-mcpgen` and of `[tool.mcpgen.tools."name"]`."""

    name: str | None = Field(None, description="the Python name, in place of the one made from the wire name")
    content: Content | None = Field(None, description="the text that the model reads")
    template: PathText | None = Field(None, description="path of a content template; by default <tool name>.content.j2")
    audience: list[Literal["user", "assistant"]] | None = Field(None, description="annotation of the blocks")
    priority: float | None = Field(None, ge=0, le=1, description="annotation of the blocks, 0 to 1")
    wrap: Wrap | None = Field(None, description="when a root that is no object is wrapped in {result: …}")


def _schema_or_reference(value: object, handler: ValidatorFunctionWrapHandler) -> Any:
    if not isinstance(value, dict | bool | str):
        raise PydanticCustomError("schema", "must be a schema, or a reference to one")
    return handler(value)


class ResourceChoice(_Strict):
    """What is chosen for one resource: the members of its `x-mcpgen`."""

    name: str | None = Field(None, description="the Python name, in place of the one made from the wire name")
    payload: Annotated[dict[str, Any] | bool | str | None, WrapValidator(_schema_or_reference)] = Field(
        None, alias="schema", description="the schema of its JSON text, or a reference to one"
    )
    ttl_ms: int | None = Field(None, alias="ttlMs", ge=0, description="how long a read stays fresh, in milliseconds")
    cache_scope: Literal["public", "private"] | None = Field(
        None, alias="cacheScope", description="whether shared caches may keep a read"
    )


class ToolChoice(Choice):
    """A tool's choices in the settings, which can also give a schema to a tool that declares none."""

    output_schema: PathText | None = Field(None, alias="outputSchema", description="path of an outputSchema")


class Limits(_Strict):
    """Bounds for input from elsewhere; what goes beyond is an error, or a note where types can be left out."""

    file_size: int = Field(
        FILE_SIZE, alias="file-size", gt=0, le=2**30, description="bytes in one input file, at most 1 GiB"
    )
    total_size: int = Field(
        64 * 2**20, alias="total-size", gt=0, le=2**34, description="bytes in all input files, at most 16 GiB"
    )
    files: int = Field(50_000, gt=0, le=10**7, description="input files")
    depth: int = Field(256, gt=0, le=500, description="levels of nesting in a file, at most 500")
    values: int = Field(2_000_000, gt=0, le=10**9, description="values in a file, YAML aliases unfolded")
    aliases: int = Field(20_000, gt=0, le=10**9, description="values in a file that YAML aliases stand for")
    subschemas: int = Field(200_000, gt=0, le=10**9, description="subschemas in one schema, references bundled")
    repeats: int = Field(
        10_000, gt=0, le=10**9, description="times that the check of a value may look at one part of it"
    )
    check_depth: int = Field(
        16_384, alias="check-depth", gt=0, le=32_768, description="subschemas that the check of a value may nest"
    )
    classes: int = Field(20_000, gt=0, le=10**9, description="classes that one schema unfolds into")
    members: int = Field(
        1_000,
        gt=0,
        le=10**6,
        description="values of an enum, members of a union or tuple, properties of an object as types",
    )
    unfolding: int = Field(
        20, gt=0, le=10**6, description="types that a schema may unfold into for each of its subschemas"
    )
    seconds: float = Field(
        120, gt=0, le=86_400, description="seconds of the type generator for one tool, at most a day"
    )
    value_depth: int = Field(
        400, alias="value-depth", gt=0, le=1000, description="levels of nesting in a value that generated code reads"
    )
    pattern_length: int = Field(
        2_000,
        alias="pattern-length",
        gt=0,
        description="characters of a string that is matched against a pattern with look-around or back-references",
    )
    pattern_steps: int = Field(
        20_000, alias="pattern-steps", gt=0, description="steps back that a match against such a pattern may take"
    )
    transfer_size: int = Field(
        16 * 2**20, alias="transfer-size", gt=0, description="bytes that a running server sends in all, as transferred"
    )
    response_size: int = Field(
        8 * 2**20, alias="response-size", gt=0, description="bytes of a running server's answers, decompressed"
    )
    response_values: int = Field(
        500_000, alias="response-values", gt=0, description="members and elements in a running server's answers"
    )
    pages: int = Field(1_000, gt=0, description="pages of one list of a running server")
    definitions: int = Field(10_000, gt=0, description="definitions that a running server advertises")
    pull_seconds: float = Field(
        120, alias="pull-seconds", gt=0, le=86_400, description="seconds that asking a running server may take"
    )


class Acknowledged(_Strict):
    """A change that breaks somebody and is meant to."""

    rule: str = Field(description="the rule's id")
    tool: str | None = Field(None, description="the tool's exact name; by default any")
    resource: str | None = Field(None, description="the resource's exact name; by default any")
    pointer: str | None = Field(None, description="JSON pointer in the definition; by default any")
    reason: str = Field(min_length=1, description="why it may be")


class DiffSettings(_Strict):
    """What `mcpgen diff` looks for, and what it lets pass."""

    off: list[str] = Field([], description="categories and rules that are not asked")
    acknowledged: list[Acknowledged] = Field([], description="changes that are meant")


class PackageSettings(_Strict):
    """One package to generate. Paths are relative to the settings file."""

    schemas: list[PathText] = Field(["schemas"], description="files and folders that hold the definitions")
    out: PathText = Field("generated", description="folder of the generated package")
    sdk: Sdk = Field("none", description="whose CallToolResult the package returns")
    protocol: ProtocolName | None = Field(None, description="the protocol version when a call names none")
    formats: Formats = Field("annotation", description="whether known formats become Python types (`native`)")
    wrap: Wrap = Field("legacy", description="when a root that is no object is wrapped in {result: …}")
    azure: bool = Field(False, description="whether to make `azure.py`, results for Azure Functions")
    ref_map: dict[str, PathText] = Field({}, alias="ref-map", description="URI prefix → local folder, for $ref")
    mcp_schema: PathText | None = Field(None, alias="mcp-schema", description="path of an official MCP schema.json")
    limits: Limits = Field(Limits.model_validate({}), description="bounds for hostile input")
    tools: dict[str, ToolChoice] = Field({}, description="choices by the tool's exact name")
    diff: DiffSettings = Field(DiffSettings.model_validate({}), description="breaking changes")


class Settings(PackageSettings):
    """The whole table: one package's settings, or the defaults for several."""

    package: list[dict[str, Any]] = Field([], description="[[tool.mcpgen.package]]: several packages")


class Package(_Strict):
    """A package's settings with the folder that its paths are relative to."""

    settings: PackageSettings
    folder: Path
    file: Path | None = None
    roots: tuple[Path, ...] | None = None
    """The folders that input may come from, without links; None: any."""

    @cached_property
    def places(self) -> _Places | None:
        """Where the settings file says what, None when there is none; it is read once."""
        if self.file is None:
            return None
        prefix = ("tool", "mcpgen") if self.file.name == "pyproject.toml" else ()
        return _Places(paths.shown(self.file), _bytes(self.file).decode("utf-8", "replace"), prefix)


def find(start: Path) -> Path | None:
    """The settings file that holds for a folder: the nearest mcpgen.toml, or pyproject.toml with `[tool.mcpgen]`."""
    for folder in (start, *start.parents):
        if (own := folder / "mcpgen.toml").is_file():
            return own
        project = folder / "pyproject.toml"
        if project.is_file() and _speaks_of_mcpgen(_bytes(project)):
            return project
        if project.is_file() or (folder / ".git").exists():
            return None
    return None


def load(file: Path | None, start: Path, findings: Findings) -> list[Package]:
    """The packages that a settings file asks for; without one, a single package of defaults at `start`."""
    if file is None:
        return [Package(settings=PackageSettings.model_validate({}), folder=start, roots=(project_of(start),))]
    name = paths.shown(file)
    roots = (project_of(file.parent),)
    read = _read(file, name, roots, findings)
    if read is None:
        return []
    text, table = read
    prefix: tuple[str, ...] = ()
    if file.name == "pyproject.toml":
        prefix = ("tool", "mcpgen")
        table = _inner(_inner(table, "tool"), "mcpgen")
    place = _Places(name, text, prefix)
    keys = cast(dict[str, Any], table if isinstance(table, dict) else {})
    if not isinstance(table, dict):
        findings.error("MG302", "the settings must be a table", place.of(()), "write [tool.mcpgen] with keys below it")
        return []
    settings = _validated(Settings, keys, place, (), findings)
    if settings is None:
        return []
    if not settings.package:
        plain = PackageSettings.model_validate(
            settings.model_dump(by_alias=True, exclude={"package"}, exclude_unset=True)
        )
        return [Package(settings=plain, folder=file.parent, file=file, roots=roots)]
    shared = {key: value for key, value in keys.items() if key != "package"}
    packages: list[Package] = []
    for index, own in enumerate(settings.package):
        one = _validated(PackageSettings, {**shared, **own}, place, ("package", index), findings)
        if one is not None:
            packages.append(Package(settings=one, folder=file.parent, file=file, roots=roots))
    return packages


def _read(file: Path, name: str, roots: tuple[Path, ...], findings: Findings) -> tuple[str, Any] | None:
    """The text of a settings file and what it says, None with a finding."""
    if file.is_symlink() and not lies_in(file, roots):
        help = f"name the file itself: --config {real(file).as_posix()}"
        findings.error("MG304", "is a link out of the project", Span(name), help)
        return None
    text = ""
    try:
        text = read_bytes(file, SETTINGS_SIZE).decode("utf-8")
        return text, toml(text)
    except OSError as error:
        findings.error("MG301", f"cannot be read: {error.strerror}", Span(name))
    except UnicodeDecodeError:
        findings.error("MG301", "not valid UTF-8", Span(name))
    except ValueError as error:
        at = re.search(r"line (\d+), column (\d+)", str(error))
        lines = text.rstrip("\n").split("\n")
        line, column = (int(at[1]), int(at[2])) if at else (len(lines), len(lines[-1]) + 1)
        known = real(file).suffix == ".toml"  # else it may be anything, which is not for a message to tell
        shown = text.split("\n")[line - 1] if known else ""
        message = str(error).split(" (at")[0]
        findings.error("MG301", f"not valid TOML: {message}", Span(name, line, column, "", shown))
    return None


_QUOTED = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'")
_DOTTED = re.compile(r"[\w. \t-]+")
MOST_PARTS = 100
"""Parts of one key; the time that the parser takes is quadratic in them."""


def toml(text: str) -> dict[str, Any]:
    """What TOML text says.

    Raises:
        ValueError: it is not valid TOML, or nested so deeply that it means harm.
    """
    for line, said in enumerate(text.split("\n"), 1):
        if said.count(".") > MOST_PARTS:
            for found in _DOTTED.finditer(_QUOTED.sub("s", said)):
                if found[0].count(".") > MOST_PARTS:
                    raise ValueError(f"a key of more than {MOST_PARTS} parts (at line {line}, column 1)")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply (at line 1, column 1)") from None


MOST_ERRORS = 100
"""Errors that are told of one table of settings; each may quote a long line."""


def check_choice(
    model: type[_M], value: object, findings: Findings, place: Callable[[tuple[str | int, ...], bool], Span]
) -> _M | None:
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
            message, help = _explain(one, model)
            findings.error("MG006", f"x-mcpgen: {message}", place(one["loc"], one["type"] == "extra_forbidden"), help)
        return None


def _inner(table: Any, key: str) -> Any:
    """The table below a key, or what stands in its place."""
    return cast(dict[str, Any], table).get(key, {}) if isinstance(table, dict) else table


def place_of(package: Package, path: tuple[str | int, ...]) -> Span | None:
    """Where the settings of a package say something, None when there is no settings file."""
    return None if package.places is None else package.places.of(path)


def _validated(
    model: type[_M], table: object, place: _Places, at: tuple[str | int, ...], findings: Findings
) -> _M | None:
    try:
        return model.model_validate(table)
    except ValidationError as error:
        errors = error.errors()
        for one in errors[:MOST_ERRORS]:
            message, help = _explain(one, model)
            findings.error("MG302", message, place.of((*at, *one["loc"])), help)
        if len(errors) > MOST_ERRORS:
            findings.error("MG302", f"{len(errors) - MOST_ERRORS} more settings are wrong", place.of(at))
        return None


def _explain(error: Any, model: type[BaseModel]) -> tuple[str, str]:
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


def _speaks_of_mcpgen(data: bytes) -> bool:
    """Whether a pyproject.toml has a table for mcpgen; one that cannot be parsed but looks like it counts, too."""
    try:
        tool: Any = toml(data.decode("utf-8")).get("tool", {})
    except ValueError:
        return re.search(rb"^[ \t]*\[+[ \t]*tool[ \t]*\.[ \t]*mcpgen\b", data, re.MULTILINE) is not None
    return isinstance(tool, dict) and "mcpgen" in tool


_HEADER = re.compile(r"^\s*\[(\[?)([^\[\]]+)\]")
_KEY = re.compile(r"^\s*((?:[\w-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[\w-]+|\"[^\"]*\"|'[^']*'))*)\s*=")


class _Places:
    """Where keys stand in a TOML text, table by table (tomllib keeps no positions)."""

    def __init__(self, name: str, text: str, prefix: tuple[str, ...]) -> None:
        self._name, self._lines, self._prefix = name, text.split("\n"), prefix
        self._found: dict[tuple[str | int, ...], tuple[int, int]] = {}
        table: tuple[str | int, ...] = ()
        counts: dict[tuple[str | int, ...], int] = {}
        for number, line in enumerate(self._lines, 1):
            if header := _HEADER.match(line):
                table = ()
                for part in _split(header[2]):  # what is below an element of a list of tables belongs to the last one
                    table = (*table, counts[table], part) if table in counts else (*table, part)
                if header[1]:
                    counts[table] = counts.get(table, -1) + 1
                    table = (*table, counts[table])
                self._found.setdefault(table, (number, header.start(2) + 1))
            elif key := _KEY.match(line):
                self._found.setdefault((*table, *_split(key[1])), (number, key.start(1) + 1))

    def of(self, path: tuple[str | int, ...]) -> Span:
        """The place of a key, or of the nearest table or key around it."""
        wanted = (*self._prefix, *path)
        pointer = ".".join(map(str, path))
        known = next((count for count in range(len(wanted), 0, -1) if wanted[:count] in self._found), 0)
        if not known:
            return Span(self._name, 0, 0, pointer)
        number, column = self._found[wanted[:known]]
        line = self._lines[number - 1]
        for part in wanted[known:]:  # the rest stands in an inline table
            if inner := re.compile(rf"(?<=[{{,.\s\"'])({re.escape(str(part))})[\"']?\s*[=.]").search(line, column - 1):
                column = inner.start(1) + 1
        return Span(self._name, number, column, pointer, line)


def _split(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in re.findall(r"[\w-]+|\"[^\"]*\"|'[^']*'", dotted)]


def _bytes(file: Path) -> bytes:
    try:
        return read_bytes(file, SETTINGS_SIZE)
    except OSError:
        return b""


def overridden(
    packages: list[Package],
    paths: list[Path],
    given: dict[str, Any],
    findings: Findings,
    root: Path | None = None,
) -> list[Package]:
    """The packages with what the command line says in the place of the settings.

    What it names is input wherever it lies, and so is what lies below `root`. What the settings name has to lie in the
    project; a package for which that is not so is left out, with findings.
    """
    named = [] if root is None else [Path.cwd() / root]
    for path in (Path.cwd() / one for one in paths):
        named += [path] if path.is_dir() else [path.parent, real(path).parent]
    if given.get("out"):
        named.append(Path.cwd() / given["out"])
    held = [one.model_copy(update={"roots": _with(one.roots, named)}) for one in packages]
    return [one for one in _overridden(held, paths, given, findings) if not _leaves(one, findings)]


def _with(roots: tuple[Path, ...] | None, named: list[Path]) -> tuple[Path, ...] | None:
    return None if roots is None else tuple(dict.fromkeys((*roots, *map(real, named))))


def _leaves(package: Package, findings: Findings) -> bool:
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
        if path is not None and roots is not None and not lies_in(package.folder / path, roots):
            found = True
            help = "put it into the project, or name its folder on the command line: --root FOLDER"
            message = f'"{path}" leads out of the project {paths.shown(roots[0])}'
            findings.error("MG304", message, place_of(package, at), help)
    return found


def _overridden(packages: list[Package], paths: list[Path], given: dict[str, Any], findings: Findings) -> list[Package]:
    changes = {key: str(Path.cwd() / value) if key == "out" else value for key, value in given.items() if value}
    if paths:
        changes["schemas"] = [str(Path.cwd() / path) for path in paths]
    if not changes:
        return packages
    if len(packages) > 1:
        help = "choose one with --config, or leave the settings to say it"
        findings.error("MG302", "options for one package, but the settings hold several", None, help)
        return []
    out: list[Package] = []
    for package in packages:
        values = {**package.settings.model_dump(by_alias=True, exclude_unset=True), **changes}
        try:
            settings = PackageSettings.model_validate(values)
        except ValidationError as error:
            for one in error.errors():
                message, help = _explain(one, PackageSettings)
                findings.error("MG302", f"--{message.removeprefix(chr(34)).replace(chr(34), '', 1)}", None, help)
            continue
        out.append(package.model_copy(update={"settings": settings}))
    return out
