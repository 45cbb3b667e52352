"""Models of the settings, `[tool.mcpgen]` in pyproject.toml or mcpgen.toml, and of `x-mcpgen` in definitions."""

from __future__ import annotations

import keyword
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from mcpgen_runtime.package import DEFAULT_LIMITS
from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from mcpgen import paths
from mcpgen.config.toml import KeyPositions, format_header, get_settings_path, read_settings_bytes
from mcpgen.diagnostics import CATALOGUE, is_lint_code
from mcpgen.files.file_tracker import MAX_FILE_SIZE
from mcpgen.files.project_paths import resolve_path
from mcpgen.ir.code_settings import ContentStrategy
from mcpgen.lint.clients import ClientName
from mcpgen.schema.formats import FormatName
from mcpgen.targets import NO_SDK, SDKS, ProtocolName, SdkName, WrapMode
from mcpgen.vocabularies import DEFAULT_VOCABULARY, VocabularyName


class StrictModel(BaseModel):
    """Immutable model that refuses unknown members and values of other types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


ModelT = TypeVar("ModelT", bound=StrictModel)


class CachedResult(Enum):
    """Result of a pass that is cached. Its key contains the settings that affect it."""

    DEFINITIONS = "the definitions that are read from a file"
    IR = "the IR that a schema is lowered to"
    TOOL_MODULES = "the modules of the tools"
    OTHER_FILES = "the other files of a package"


class Affects:
    """Declaration of a settings key, in its `Annotated`: the cached results that depend on its value.

    A result that depends on it only through another cached result is not listed: `wrap` affects the definitions; the
    modules of the tools are made from these.
    """

    def __init__(self, *results: CachedResult) -> None:
        self.results = frozenset(results)


class SettingsTable(StrictModel):
    """Table of settings. Each key declares what it affects, unless its value is a table, whose own keys do."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Check that each key declares what it affects; raise `TypeError` if one does not."""
        super().__pydantic_init_subclass__(**kwargs)
        for name, field in cls.model_fields.items():
            is_table = isinstance(field.annotation, type) and issubclass(field.annotation, SettingsTable)
            if not is_table and _find_declaration(field) is None:
                raise TypeError(f"{cls.__name__}.{name} does not declare what it affects: Annotated[…, Affects(…)]")

    def select(self, *results: CachedResult) -> dict[str, Any]:
        """Return the keys that are set and affect any of these results, with their JSON values, nested as in the file.

        Keys that are not set have the defaults of this version of mcpgen, which is in every cache key anyway. A key set
        to its default is kept: an explicit choice can have another effect, as `wrap` has for pulled tools.
        """
        values = self.model_dump(mode="json", by_alias=True, exclude_unset=True)
        selected: dict[str, Any] = {}
        for name, field in type(self).model_fields.items():
            key = field.alias or name
            if key not in values:
                continue
            value, declaration = getattr(self, name), _find_declaration(field)
            if isinstance(value, SettingsTable):
                if inner := value.select(*results):
                    selected[key] = inner
            elif declaration is not None and not declaration.results.isdisjoint(results):
                selected[key] = values[key]
        return selected


def _find_declaration(field: FieldInfo) -> Affects | None:
    return next((metadata for metadata in field.metadata if isinstance(metadata, Affects)), None)


def _reject_nul(text: str) -> str:
    if "\0" in text:
        raise PydanticCustomError("path", "holds a NUL character, which no path can")
    return text


PathText = Annotated[str, AfterValidator(_reject_nul)]
"""A path as written in the settings."""


def _check_typescript_name(text: str) -> str:
    if not text.endswith(".ts") or "\n" in text:
        raise PydanticCustomError("typescript", 'must end in .ts, as "web/harbour.d.ts"')
    return text


TypeScriptPath = Annotated[PathText, AfterValidator(_check_typescript_name)]
"""A path of a file with TypeScript."""


def validate_schema_or_reference(value: object, handler: ValidatorFunctionWrapHandler) -> Any:
    """Say in one message what a schema can be: pydantic would explain each form."""
    if not isinstance(value, dict | bool | str):
        raise PydanticCustomError("schema", "must be a schema, or a reference to one")
    return handler(value)


def _check_class_path(text: str) -> str:
    module, separator, name = text.partition(":")
    parts = [*module.split("."), *name.split(".")]
    if not separator or any(not (part.isascii() and part.isidentifier()) or keyword.iskeyword(part) for part in parts):
        alias = "; for a list, name an alias in a module: Weathers = list[Weather]" if "[" in name else ""
        raise PydanticCustomError("class_path", f'must be a module and a class in it, as "acme.models:Weather"{alias}')
    return text


ClassPath = Annotated[str, AfterValidator(_check_class_path)]
"""A class of the user's, as `module:Class`."""


def _check_rule_codes(text: str) -> str:
    if not text or not any(is_lint_code(code) and code.startswith(text) for code in CATALOGUE):
        raise PydanticCustomError("rule", 'is not the code of a lint rule, as "MG901", nor the beginning of one')
    return text


RuleCodes = Annotated[str, AfterValidator(_check_rule_codes)]
"""A code of a lint rule, or how the codes of several begin."""


_TokenLimit = Annotated[int | None, Affects()]


class ToolBudget(SettingsTable):
    """Limits for one tool, in tokens."""

    definition: _TokenLimit = Field(None, gt=0, description="tokens of a tool's name, description and inputSchema")
    result: _TokenLimit = Field(None, gt=0, description="tokens of a whole example result, including structuredContent")
    text: _TokenLimit = Field(None, gt=0, description="tokens of the text of an example result, which the model reads")


class BudgetSettings(ToolBudget):
    """Limits for every tool, and for all of them together."""

    definitions: _TokenLimit = Field(None, gt=0, description="tokens of the definitions of all tools together")
    vocabulary: Annotated[VocabularyName, Affects()] = Field(
        DEFAULT_VOCABULARY, description="vocabulary to count tokens with"
    )


FormatMode = Literal["annotation", "native"]
RuntimeMode = Literal["installed", "vendored"]
FormatType = Literal["native", "string"]
ExceptionMode = Literal["logged", "sdk"]
CacheScope = Literal["public", "private"]

READING = Affects(CachedResult.DEFINITIONS)
LOWERING = Affects(CachedResult.IR)
OTHER_FILES = Affects(CachedResult.OTHER_FILES)
READING_AND_OTHER_FILES = Affects(CachedResult.DEFINITIONS, CachedResult.OTHER_FILES)
EVERYTHING_RENDERED = Affects(CachedResult.DEFINITIONS, CachedResult.TOOL_MODULES, CachedResult.OTHER_FILES)
RENDERING = Affects(CachedResult.TOOL_MODULES, CachedResult.OTHER_FILES)
PATHS_ONLY = Affects()
"""Declares where files are. Cached results depend on what is found there, which is part of their keys."""
OTHER_COMMANDS = Affects()
"""Declares what only exit codes depend on, and commands such as `pull` and `diff`, but nothing that `build` makes."""


def _validate_formats(value: object, handler: ValidatorFunctionWrapHandler) -> Any:
    """Explain a wrong value as one of the form that it has: pydantic would explain both forms."""
    if value is None:
        return value
    adapter = _FORMAT_TABLE if isinstance(value, dict) else _FORMAT_MODE
    return adapter.validate_python(value)


_STRICT = ConfigDict(strict=True, defer_build=True)
_FORMAT_MODE = TypeAdapter[FormatMode](FormatMode, config=_STRICT)
_FORMAT_TABLE = TypeAdapter[dict[FormatName, FormatType]](dict[FormatName, FormatType], config=_STRICT)
Formats = FormatMode | dict[FormatName, FormatType]
"""Which formats of strings become Python types: all or none, or a choice by format."""
_OptionalFormats = Annotated[Formats | None, WrapValidator(_validate_formats)]
_FormatsOfResource = Annotated[
    _OptionalFormats, Field(description="which formats become Python types: all, or a choice for each")
]
_CacheScopeOfResource = Annotated[
    CacheScope | None, Field(alias="cacheScope", description="whether shared caches may store the result of a read")
]


class ProtocolFault(StrictModel):
    """JSON-RPC error that a mock answers with."""

    code: int = -32603
    message: str = "mocked error"
    data: Any = None


class MockRule(StrictModel):
    """What `mcpgen mock` does with some calls, instead of answering with a recorded, declared or drawn value."""

    tool: str | None = Field(None, description="only for these tools, a name or a pattern such as `get_*`")
    resource: str | None = Field(None, description="only for these resources, a URI or a pattern")
    prompt: str | None = Field(None, description="only for these prompts, a name or a pattern")
    name: str | None = Field(None, description="its name; it is only for calls that choose it by that")
    arguments: dict[str, Any] | None = Field(None, description="arguments that a call has to have, perhaps with others")
    condition: dict[str, Any] | bool | None = Field(
        None, alias="schema", description="a JSON Schema that the arguments have to satisfy"
    )
    times: int | None = Field(None, ge=1, description="the rule is for so many calls, and then no more")
    result: Any = Field(None, description="the value of the result")
    raw: dict[str, Any] | None = Field(None, description="a whole CallToolResult, which is not checked")
    error: str | None = Field(None, description="the text of an error result")
    error_data: dict[str, Any] | None = Field(
        None, alias="errorData", description="the data of an error result; without `error`, its JSON is the text"
    )
    fault: ProtocolFault | None = Field(None, alias="protocolError", description="a JSON-RPC error")
    disconnect: bool = Field(False, description="the connection ends without an answer")
    delay: float = Field(0, ge=0, le=86_400, description="seconds before the answer")
    progress: int = Field(0, ge=0, le=10_000, description="progress notifications during the delay")
    form: str | None = Field(None, description="a form that the client shows first; without an answer, the call fails")

    @model_validator(mode="after")
    def _has_one_answer(self) -> Self:
        answers = self.model_fields_set & {"result", "raw", "error", "fault", "disconnect"}
        answers |= {"error"} if "error_data" in self.model_fields_set else set()
        if len(answers) > 1:
            raise PydanticCustomError(
                "several_answers", "choose one of result, raw, error, protocolError and disconnect"
            )
        return self


_MOCK = "what `mcpgen mock` does with calls; each rule is for its own definition"


_CONTENT_ONLY = (
    "clients, as they name themselves or as `mcpgen lint` knows them, that get the content alone: without "
    "structuredContent and outputSchema, in whose place some show no content"
)


class DefinitionChoice(StrictModel):
    """Choices for one tool: the members of `x-mcpgen` and of `[tools."name"]`."""

    name: str | None = Field(None, description="the Python name, instead of the one made from the wire name")
    content: ContentStrategy | None = Field(None, description="the text that the model reads")
    template: PathText | None = Field(None, description="path of a content template; by default <tool name>.content.j2")
    audience: list[Literal["user", "assistant"]] | None = Field(None, description="annotation of the content blocks")
    priority: float | None = Field(None, ge=0, le=1, description="annotation of the content blocks, 0 to 1")
    wrap: WrapMode | None = Field(None, description="when a root that is not an object is wrapped in {result: …}")
    formats: _OptionalFormats = Field(
        None,
        description='which formats become Python types: all (`native`), or a choice for each: {"date-time" = "native"}',
    )
    mock: list[MockRule] | None = Field(None, description=_MOCK)


class DeclaredToolChoice(DefinitionChoice):
    """Choices for one tool: the members of its `x-mcpgen`."""

    error: dict[str, Any] | None = Field(
        None, description="the schema of the `structuredContent` of its error results, an object"
    )


class ResourceChoice(StrictModel):
    """Choices for one resource: the members of its `x-mcpgen`."""

    name: str | None = Field(None, description="the Python name, instead of the one made from the wire name")
    payload: Annotated[dict[str, Any] | bool | str | None, WrapValidator(validate_schema_or_reference)] = Field(
        None, alias="schema", description="the schema of its JSON text, or a reference to one"
    )
    ttl_ms: int | None = Field(None, alias="ttlMs", ge=0, description="how long a result stays fresh, in milliseconds")
    cache_scope: _CacheScopeOfResource = None
    formats: _FormatsOfResource = None
    mock: list[MockRule] | None = Field(None, description=_MOCK)


class ToolChoice(DefinitionChoice):
    """Choices for one tool in the settings, which can also give a schema to a tool that declares none."""

    lenient: bool | None = Field(None, description="whether to convert arguments as the SDK's decorators do")
    exceptions: ExceptionMode | None = Field(None, description="what the model sees of its handler's exceptions")
    content_only: list[str] | None = Field(
        None, alias="content-only", description=f"{_CONTENT_ONLY}; instead of those of the package"
    )
    own_results: Literal["checked", "unchecked"] | None = Field(
        None,
        alias="own-results",
        description="whether a `CallToolResult` that its handler makes itself has to fit the outputSchema; by default "
        "`checked`",
    )
    returns: ClassPath | None = Field(
        None, description='another class that its handler may return, for type checkers: "acme.models:Weather"'
    )
    output_schema: PathText | None = Field(None, alias="outputSchema", description="path of an outputSchema")
    budget: ToolBudget | None = Field(None, description="limits in tokens, instead of the limits for every tool")
    unchecked: list[Annotated[str, Field(pattern="^/")]] = Field(
        [],
        description="JSON pointers of parts that `check --server` does not compare, since they differ each time the "
        'server starts: "/inputSchema/properties/day/default"',
    )


class ResourceSettings(StrictModel):
    """Choices for one resource in the settings, which win over its `x-mcpgen`."""

    name: str | None = Field(None, description="the Python name, instead of the one made from the wire name")
    payload: PathText | None = Field(None, alias="schema", description="path of the schema of its JSON text")
    ttl_ms: int | None = Field(None, alias="ttlMs", ge=0, description="how long a result stays fresh, in milliseconds")
    cache_scope: _CacheScopeOfResource = None
    formats: _FormatsOfResource = None


class PromptArgumentChoice(StrictModel):
    """Choices for one argument of a prompt."""

    enum: list[str] = Field(min_length=1, description="the allowed values, which clients get as completions")


class PromptChoice(StrictModel):
    """Choices for one prompt: the members of `x-mcpgen` and of `[prompts."name"]`."""

    name: str | None = Field(None, description="the Python name, instead of the one made from the wire name")
    arguments: dict[str, PromptArgumentChoice] = Field({}, description="choices by the argument's exact name")


class FormChoice(StrictModel):
    """Choices for one form: the members of `x-mcpgen` and of `[forms."name"]`."""

    name: str | None = Field(None, description="the Python name, instead of the one made from the form's name")


def _limit(default: float, most: float | None = None, *, description: str) -> Any:
    return Field(default, gt=0, le=most, description=description)


_ReadLimit = Annotated[int, READING]
_LoweringLimit = Annotated[int, LOWERING]
_ServerLimit = Annotated[int, OTHER_COMMANDS]


class Limits(SettingsTable):
    """Limits for untrusted input. Exceeding one is an error, or a note if types can be left out."""

    model_config = ConfigDict(alias_generator=lambda name: name.replace("_", "-"))

    file_size: _ReadLimit = _limit(MAX_FILE_SIZE, 2**30, description="bytes in one input file, at most 1 GiB")
    total_size: _ReadLimit = _limit(64 * 2**20, 2**34, description="bytes in all input files, at most 16 GiB")
    files: _ReadLimit = _limit(50_000, 10**7, description="input files")
    depth: _ReadLimit = _limit(256, 500, description="levels of nesting in a file, at most 500")
    values: _ReadLimit = _limit(2_000_000, 10**9, description="values in a file, with YAML aliases expanded")
    aliases: _ReadLimit = _limit(20_000, 10**9, description="values in a file that YAML aliases stand for")
    subschemas: _ReadLimit = _limit(200_000, 10**9, description="subschemas in one schema, references bundled")
    repeats: _ReadLimit = _limit(10_000, 10**9, description="how often the check of a value may look at one part of it")
    check_depth: _ReadLimit = _limit(16_384, 32_768, description="nested subschemas in the check of a value")
    classes: _LoweringLimit = _limit(20_000, 10**9, description="classes that one schema unfolds into")
    members: _LoweringLimit = _limit(
        1_000, 10**6, description="values of an enum, members of a union or tuple, properties of an object as types"
    )
    unfolding: _LoweringLimit = _limit(
        20, 10**6, description="types that a schema may unfold into for each of its subschemas"
    )
    seconds: Annotated[float, LOWERING] = _limit(
        120, 86_400, description="seconds of the type generator for one tool, at most a day"
    )
    value_depth: Annotated[int, READING_AND_OTHER_FILES] = _limit(
        DEFAULT_LIMITS.value_depth, 1000, description="levels of nesting in a value that generated code reads"
    )
    pattern_length: Annotated[int, OTHER_FILES] = _limit(
        DEFAULT_LIMITS.pattern_length,
        description="length of a string that is matched against a pattern with look-around or back-references",
    )
    pattern_steps: Annotated[int, OTHER_FILES] = _limit(
        DEFAULT_LIMITS.pattern_steps, description="steps back that a match against such a pattern may take"
    )
    transfer_size: _ServerLimit = _limit(
        16 * 2**20, description="bytes that a running server may send in total, as transferred"
    )
    response_size: _ServerLimit = _limit(8 * 2**20, description="bytes of a running server's answers, decompressed")
    response_values: _ServerLimit = _limit(500_000, description="members and elements in a running server's answers")
    pages: _ServerLimit = _limit(1_000, description="pages of one list of a running server")
    definitions: _ServerLimit = _limit(10_000, description="definitions that a running server advertises")
    pull_seconds: Annotated[float, OTHER_COMMANDS] = _limit(
        120, 86_400, description="seconds that queries of a running server may take"
    )


def suggest_raising(limit: str) -> str:
    """Return the help of every message about an exceeded limit; `limit` is its key in the settings."""
    return f"raise `limits.{limit}` in the settings if this is intended"


class Acknowledged(StrictModel):
    """Acknowledgement of a breaking change that is intended."""

    rule: str = Field(description="the rule's id")
    tool: str | None = Field(None, description="the tool's exact name; by default any")
    resource: str | None = Field(None, description="the resource's exact name; by default any")
    pointer: str | None = Field(None, description="JSON pointer in the definition, or in its file; by default any")
    reason: str = Field(min_length=1, description="why the change is intended")


class DiffSettings(StrictModel):
    """Rules of `mcpgen diff` that are off, and the changes that it accepts."""

    off: list[str] = Field([], description="categories and rules that are turned off")
    fail_on: list[str] = Field(
        [], alias="fail-on", description="categories and rules whose changes are errors, such as `wording`"
    )
    acknowledged: list[Acknowledged] = Field([], description="changes that are intended")


class LintSettings(SettingsTable):
    """Rules about what clients and models make of the definitions."""

    selected: Annotated[list[RuleCodes], READING] = Field(
        ["MG111", "MG90", "MG935", "MG936"], alias="select", description="rules to run: codes, or prefixes of codes"
    )
    ignore: Annotated[list[RuleCodes], READING] = Field(
        [], description="rules never to run: codes, or prefixes of codes"
    )
    clients: Annotated[list[ClientName], READING] = Field([], description="clients whose rules run, too")


class PackageSettings(SettingsTable):
    """Settings of one package. Paths are relative to the settings file."""

    schemas: Annotated[list[PathText], PATHS_ONLY] = Field(
        ["schemas"], description="files and folders that contain the definitions"
    )
    out: Annotated[PathText, PATHS_ONLY] = Field("generated", description="folder of the generated package")
    sdk: Annotated[SdkName, EVERYTHING_RENDERED] = Field(
        NO_SDK,
        description="the SDK to build for, whose CallToolResult the package returns; without it, the one that the "
        "package was built for, or that the project requires",
    )
    runtime: Annotated[RuntimeMode, RENDERING] = Field(
        "installed",
        description="where the run-time code of the package is: in the library `mcpgen-runtime`, which is `installed` "
        "next to it, or in copies of its modules in the package's folder `_runtime` (`vendored`)",
    )
    protocol: Annotated[ProtocolName | None, OTHER_FILES] = Field(None, description="default protocol version of calls")
    formats: Annotated[Formats, WrapValidator(_validate_formats), READING] = Field(
        "annotation",
        description='which formats become Python types: all (`native`), or a choice for each: {"date-time" = "native"}',
    )
    wrap: Annotated[WrapMode | None, READING] = Field(
        None,
        description="when a root that is not an object is wrapped in {result: …}; by default `legacy`, or `always` for "
        + ", ".join(sdk.name for sdk in SDKS if sdk.default_wrap == "always"),
    )
    lenient: Annotated[bool, READING] = Field(
        False,
        description='whether to convert arguments as the SDK\'s decorators do: "5" to 5, JSON text to an object',
    )
    content_only: Annotated[list[str], READING] = Field([], alias="content-only", description=_CONTENT_ONLY)
    exceptions: Annotated[ExceptionMode, READING] = Field(
        "logged",
        description="what the model sees of a handler's exceptions, other than the SDK's `ToolError`: nothing, they "
        "are only `logged`; or the same as for the `sdk`'s own tools",
    )
    client: Annotated[bool, OTHER_FILES] = Field(
        True,
        description="whether to write `client.py`, a typed client, for an SDK; it is always written for `testing` and "
        "`stubs`, which use it",
    )
    testing: Annotated[bool, RENDERING] = Field(
        False,
        description="whether to write `testing.py`: a client over handlers in the same process, and an example of each "
        "tool's arguments and result",
    )
    stubs: Annotated[bool, OTHER_FILES] = Field(
        False,
        description="whether to write `stubs/`: each tool as a function over JSON data, for code that a model writes, "
        "and an index of them",
    )
    app_types: Annotated[TypeScriptPath | None, OTHER_FILES] = Field(
        None,
        alias="app-types",
        validation_alias=AliasChoices("app-types", "app_types"),
        description="file for the TypeScript types of the tools that MCP Apps use, such as `web/harbour.d.ts`",
    )
    azure: Annotated[bool, OTHER_FILES] = Field(
        False, description="whether to write `azure.py`, results for Azure Functions"
    )
    ref_map: Annotated[dict[str, PathText], READING] = Field(
        {}, alias="ref-map", description="local folders for URI prefixes in $ref"
    )
    limits: Limits = Field(Limits.model_construct(), description="bounds for hostile input")
    tools: Annotated[dict[str, ToolChoice], READING] = Field({}, description="choices by the tool's exact name")
    resources: Annotated[dict[str, ResourceSettings], READING] = Field(
        {}, description="choices by the resource's exact name, or by its URI or URI template"
    )
    prompts: Annotated[dict[str, PromptChoice], READING] = Field({}, description="choices by the prompt's exact name")
    forms: Annotated[dict[str, FormChoice], READING] = Field({}, description="choices by the form's exact name")
    types: Annotated[dict[str, str], READING] = Field(
        {}, description='names of classes and aliases by place: "get-weather#output/properties/wind" = "WindReading"'
    )
    fail_on: Annotated[Literal["error", "warning"] | None, OTHER_COMMANDS] = Field(
        None,
        alias="fail-on",
        description="what makes `build`, `check`, `lint` and `pull --build` fail: errors only, or warnings, too; by "
        "default, only `lint` fails on warnings. `watch` builds in spite of warnings",
    )
    lint: LintSettings = Field(LintSettings.model_construct(), description="which rules about clients and models run")
    budget: BudgetSettings = Field(
        BudgetSettings.model_construct(), description="limits in tokens, which `check` enforces"
    )
    diff: Annotated[DiffSettings, OTHER_COMMANDS] = Field(
        DiffSettings.model_construct(), description="which breaking changes `diff` reports"
    )


class Settings(PackageSettings):
    """Whole table of the settings: those of one package, or defaults for several."""

    package: Annotated[list[dict[str, Any]], PATHS_ONLY] = Field([], description="[[package]]: several packages")


class ConfiguredPackage(StrictModel):
    """Settings of a package, and the folder that their paths are relative to."""

    settings: PackageSettings
    folder: Path
    file: Path | None = None
    roots: tuple[Path, ...] | None = None
    """Folders that input may come from, without links; None: any."""
    overridden: frozenset[str] = frozenset()
    """Keys of the settings that options of the command line have replaced."""
    sdk_remarks: tuple[str, ...] | None = Field(default=None, repr=False)
    """What there is to say about the SDK that was found; None: the settings or the command line name one."""
    table: tuple[str | int, ...] = ()
    """Path of its own table in the settings: empty if it is the only package."""
    shared: frozenset[str] = frozenset()
    """Keys of the settings that it has from the table around its own."""

    @property
    def inputs(self) -> list[Path]:
        """Return the files and folders with the definitions."""
        return [self.folder / path for path in self.settings.schemas]

    def is_in_file(self, key: str) -> bool:
        """Return whether a setting has its value from the settings file."""
        is_found = key == "sdk" and self.sdk_remarks is not None
        return key in self.settings.model_fields_set and key not in self.overridden and not is_found

    def reads(self, path: Path) -> bool:
        """Return whether a file or folder is one of the inputs, or in one."""
        return any(resolve_path(path).is_relative_to(resolve_path(input_path)) for input_path in self.inputs)

    @property
    def out(self) -> Path:
        """Return the folder of the generated package."""
        return self.folder / self.settings.out

    @property
    def app_types(self) -> str | None:
        """Return the path of the TypeScript types relative to `out`; None without any, and with `--out`."""
        path = self.settings.app_types
        return None if path is None or "out" in self.overridden else self.locate_in_output(path)

    def locate_in_output(self, path: str) -> str:
        """Return a path of the settings relative to the output folder."""
        return paths.format_relative_path(self.folder / path, self.out)

    @cached_property
    def positions(self) -> KeyPositions | None:
        """Positions of the keys in the settings file, None when there is none. The file is read once."""
        if self.file is None:
            return None
        text = read_settings_bytes(self.file).decode("utf-8", "replace")
        return KeyPositions(paths.format_path(self.file), text, get_settings_path(self.file))

    def format_header(self, *keys: str, is_list: bool = False) -> str:
        """Return the header of a table of its settings, or of an entry of a list, as in the file: `[tools.NAME]`."""
        own = () if keys[0] in self.shared else self.table
        return format_header((*get_settings_path(self.file), *own, *keys), is_list=is_list)
