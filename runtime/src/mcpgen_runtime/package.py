"""The object of a generated package: its definitions, its limits, its names."""

from __future__ import annotations

import copy
import difflib
import inspect
import json
import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar, cast

if TYPE_CHECKING:
    from .resources import ResourceResultOf


@cache
def load_definition(module_file: str) -> dict[str, Any]:
    """Return the content of the JSON file next to a module.

    Args:
        module_file: the path of the module, its `__file__`.
    """
    return cast(dict[str, Any], json.loads(Path(module_file).with_suffix(".json").read_bytes()))


def is_attribute(name: str) -> bool:
    """Return whether a definition may be an attribute of this name: `_` stands before a digit alone."""
    return not name.startswith("_") or name[1:2].isdigit()


class Limits(NamedTuple):
    """Limits for the values that a package reads."""

    value_depth: int = 400
    """Maximum levels of arrays and objects in a value."""
    pattern_length: int = 2_000
    """Maximum characters of a string that is matched against a pattern which needs backtracking."""
    pattern_steps: int = 20_000
    """Maximum steps back of such a match."""

    @property
    def depth_message(self) -> str:
        """The message for values that are nested too deeply."""
        return f"should be nested at most {self.value_depth} levels deep, the limit `value-depth`"


ReaderT = TypeVar("ReaderT", bound=Callable[..., Any])
DEFAULT_LIMITS = Limits()
_limits: ContextVar[Limits] = ContextVar(f"{__name__}.limits", default=DEFAULT_LIMITS)
_limits_by_package: dict[str, Limits] = {}
"""The limits of packages that chose other than the default ones, by name."""


def get_limits() -> Limits:
    """Return the limits of the package whose value is being read."""
    return _limits.get()


@contextmanager
def use_limits(limits: Limits) -> Generator[None]:
    """Read values with these limits."""
    token = _limits.set(limits)
    try:
        yield
    finally:
        _limits.reset(token)


def set_limits(package: str, limits: Limits) -> None:
    """Set the limits of a package."""
    if limits == DEFAULT_LIMITS:
        _limits_by_package.pop(package, None)
    else:
        _limits_by_package[package] = limits


def find_limits(module: str) -> Limits:
    """Return the limits of the package that a module belongs to, by the module's name."""
    if not _limits_by_package:
        return DEFAULT_LIMITS
    while module:
        if module in _limits_by_package:
            return _limits_by_package[module]
        module = module.rpartition(".")[0]
    return DEFAULT_LIMITS


def limit_reader(read: ReaderT, module: str) -> ReaderT:
    """Return a function that reads values as this one, within the limits of the package that a module belongs to."""
    limits = find_limits(module)
    return read if limits is DEFAULT_LIMITS else use_limits(limits)(read)


INTERFACE = 1
"""Version of what the library offers to generated packages. Raise it when they need something new of it."""
OLDEST_INTERFACE = 1
"""The oldest version that packages may have been generated for: this one or the one before."""
EXPORTS = (
    "ABSENT MissingValue ResourceResult ResultError ToolCallError ToolChangedError ToolResult UnsupportedProtocol "
    "assistant_message model_content tool_error user_message"
).split()
"""Names of a facade's `types` that every package exports."""
SDK_EXPORTS = {
    "bind": "server",
    "bind_prompts": "prompt_server",
    "bind_resources": "resource_server",
    "connect": "client",
}
"""Names that packages for an SDK also export, and the package's own module of each."""

_packages: dict[str, Package] = {}
"""The packages that have been imported, by name."""
_packages_by_folder: dict[Path, Package] = {}


def find_package(file: str) -> Package:
    """Return the package of a tool, a resource or a prompt, by the path of its module.

    Raises:
        LookupError: the package has not been imported.
    """
    folder = Path(file).parent.parent
    if folder not in _packages_by_folder:
        raise LookupError(f"{file} is not in a package that mcpgen generated: import the package first")
    return _packages_by_folder[folder]


class Package:
    """A generated package. There is one object for each; the package's `__init__` makes it.

    Args:
        name: the name of the package, its `__name__`.
        file: the path of its `__init__`.
        interface: the version of the library's interface that it was generated for.
        protocol: the protocol version for which results are made when a call names none; None: the SDK's newest.
        limits: limits for the values that it reads, where they are not the default ones, by their names in `Limits`.

    Raises:
        ImportError: the library does not serve this version of the interface.
    """

    facade: ClassVar[str]
    """The package of the modules that the generated code imports, such as `mcpgen_runtime.sdk.mcp`."""
    default_protocol: str
    """The protocol version for which results are made when a call names none."""

    def __init__(
        self,
        name: str,
        file: str,
        *,
        interface: int,
        protocol: str | None = None,
        limits: Mapping[str, int] | None = None,
    ) -> None:
        _check_interface(name, interface)
        self.name, self._folder = name, Path(file).parent
        if protocol is not None:
            self.default_protocol = protocol
        self.limits = Limits(**(limits or {}))
        self.overrides: Mapping[str, dict[str, Any]] = {}
        """Members that a server advertises instead of the declared ones, by the names of the tools."""
        set_limits(name, self.limits)
        _packages[name] = _packages_by_folder[self._folder] = self

    @classmethod
    def of(cls, module: str) -> Package:
        """Return the package of a module at its top, by the module's `__name__`."""
        return _packages[module.rpartition(".")[0]]

    @cached_property
    def types(self) -> Any:
        """The SDK's types (`ProtocolTypes`), which make results for the package's default protocol version."""
        types: Any = copy.copy(import_module(f"{self.facade}.types").TYPES)
        types.default_protocol = self.default_protocol
        return types

    # --- tools -------------------------------------------------------------------------------------------------------
    @cached_property
    def tool_modules(self) -> dict[str, str]:
        """The modules of the tools, by the tools' names in their order."""
        return self._map_modules("tools", "tool")

    def load_tools(self) -> list[dict[str, Any]]:
        """Return the contents of the tools' JSON files, sorted by the names of the tools."""
        return [self._load("tools", module) for module in self.tool_modules.values()]

    def list_tools(self, protocol: str | None = None) -> list[dict[str, Any]]:
        """Return the Tools to advertise under a protocol version: each outputSchema unchanged, wrapped or left out.

        Raises:
            ValueError: unknown protocol version.
        """
        from .content import version_of
        from .tool_definitions import advertise_tool

        version = version_of(protocol, self.default_protocol)
        return [advertise_tool(content, version) for content in self.load_tools()]

    def get_tool(self, module: str) -> Any:
        """Return the tool that a module declares."""
        return import_module(f"{self.name}.tools.{module}").tool

    def get_named_tool(self, name: str) -> Any:
        """Return the tool of this name on the wire.

        Raises:
            KeyError: there is no such tool.
        """
        return self.get_tool(self.tool_modules[name])

    @cached_property
    def tool_attributes(self) -> dict[str, str]:
        """The attributes of clients and servers for the tools, by the tools' names."""
        modules = self.tool_modules.items()
        return {tool: self._get_attribute("tools", module) for tool, module in modules}

    def find_tool(self, attribute: str) -> Any:
        """Return the tool of this attribute of clients and servers.

        Raises:
            AttributeError: there is no such attribute.
        """
        stems = self._tool_stems
        if attribute in stems and self._get_attribute("tools", attribute) == attribute:
            return self.get_tool(attribute)
        for module in stems:
            if self._get_attribute("tools", module) == attribute:
                return self.get_tool(module)
        if attribute not in stems and (self._folder / "tools" / f"{attribute}.py").exists():
            raise AttributeError(
                f"{self.name} lacks the file tools/{attribute}.json: "
                "a distribution needs the JSON files, too, as package data"
            )
        raise self._make_error("tool", attribute, self.tool_attributes)

    def _get_attribute(self, folder: str, module: str) -> str:
        attribute: str = self._load(folder, module).get("attribute", module)
        return attribute

    @cached_property
    def _tool_stems(self) -> frozenset[str]:
        return frozenset(path.stem for path in (self._folder / "tools").glob("*.json"))

    # --- resources ---------------------------------------------------------------------------------------------------
    @cached_property
    def resource_modules(self) -> dict[str, str]:
        """The modules of the resources, by name, or by URI or template if several have the same name, in order."""
        return self._map_modules("resources", "resource")

    def load_resources(self) -> list[dict[str, Any]]:
        """Return the Resources and ResourceTemplates as declared, sorted by name."""
        modules = self.resource_modules.values()
        return [self._load("resources", module)["resource"] for module in modules]

    def list_resources(self, protocol: str | None = None) -> list[dict[str, Any]]:
        """Return the Resources to advertise under a protocol version: those with a fixed URI.

        Raises:
            ValueError: unknown protocol version.
        """
        from .content import version_of

        version_of(protocol, self.default_protocol)
        return [dict(resource) for resource in self.load_resources() if "uri" in resource]

    def list_resource_templates(self, protocol: str | None = None) -> list[dict[str, Any]]:
        """Return the ResourceTemplates to advertise under a protocol version.

        Raises:
            ValueError: unknown protocol version.
        """
        from .content import version_of

        version_of(protocol, self.default_protocol)
        return [dict(resource) for resource in self.load_resources() if "uriTemplate" in resource]

    def get_resource(self, name: str) -> type[ResourceResultOf[Any, Any]]:
        """Return the class of a resource."""
        module = import_module(f"{self.name}.resources.{self.resource_modules[name]}")
        cls: type[ResourceResultOf[Any, Any]] = module.resource
        return cls

    @cached_property
    def resource_attributes(self) -> dict[str, str]:
        """The attributes of clients and servers for the resources, by the keys of `resource_modules`."""
        modules = self.resource_modules.items()
        return {key: self._get_attribute("resources", module) for key, module in modules}

    def find_resource(self, attribute: str) -> tuple[str, Any]:
        """Return the key and the entry of the resource of this attribute of clients and servers.

        Raises:
            AttributeError: there is no such attribute.
        """
        for key, name in self.resource_attributes.items():
            if name == attribute:
                module = import_module(f"{self.name}.resources.{self.resource_modules[key]}")
                return key, module.entry
        raise self._make_error("resource", attribute, self.resource_attributes)

    # --- prompts -----------------------------------------------------------------------------------------------------
    @cached_property
    def prompt_modules(self) -> dict[str, str]:
        """The modules of the prompts, by the prompts' names in their order."""
        return self._map_modules("prompts", "prompt")

    def load_prompt_files(self) -> list[dict[str, Any]]:
        """Return the contents of the prompts' JSON files, sorted by the names of the prompts."""
        return [self._load("prompts", module) for module in self.prompt_modules.values()]

    def list_prompts(self, protocol: str | None = None) -> list[dict[str, Any]]:
        """Return the Prompts to advertise under a protocol version.

        Raises:
            ValueError: unknown protocol version.
        """
        from .content import version_of

        version_of(protocol, self.default_protocol)
        return [dict(content["prompt"]) for content in self.load_prompt_files()]

    @cached_property
    def prompt_attributes(self) -> dict[str, str]:
        """The attributes of clients and servers for the prompts, by the prompts' names."""
        modules = self.prompt_modules.items()
        return {name: self._get_attribute("prompts", module) for name, module in modules}

    def find_prompt(self, attribute: str) -> Any:
        """Return the entry of the prompt of this attribute of clients and servers.

        Raises:
            AttributeError: there is no such attribute.
        """
        for name, prompt_attribute in self.prompt_attributes.items():
            if prompt_attribute == attribute:
                module = import_module(f"{self.name}.prompts.{self.prompt_modules[name]}")
                return module.entry
        raise self._make_error("prompt", attribute, self.prompt_attributes)

    @property
    def instructions(self) -> str | None:
        """The declared instructions for clients on how to use the server; None: there are none."""
        if not (self._folder / "instructions.json").exists():
            return None
        text: str = load_definition(str(self._folder / "instructions.py"))["instructions"]
        return text

    # --- files -------------------------------------------------------------------------------------------------------
    def _map_modules(self, folder: str, kind: str) -> dict[str, str]:
        stems = sorted(path.stem for path in (self._folder / folder).glob("*.json"))
        return dict(sorted((_get_key(self._load(folder, stem), kind), stem) for stem in stems))

    def _make_error(self, kind: str, attribute: str, attributes: Mapping[str, str]) -> AttributeError:

        return make_missing_attribute_error(self.name, kind, attribute, attributes)

    def _load(self, folder: str, module: str) -> dict[str, Any]:
        return load_definition(str(self._folder / folder / f"{module}.py"))

    # --- attributes of the package -----------------------------------------------------------------------------------
    def make_module_functions(self) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
        """Return the package's `__getattr__` and `__dir__`, which import a class when it is first used."""

        attributes = _Attributes(self, self._folder)

        def get_attribute(name: str) -> Any:
            value = attributes.find(name)
            setattr(sys.modules[self.name], name, value)
            return value

        return get_attribute, attributes.list_names


class _Attributes:
    """Attributes of a generated package: definitions, classes and functions, imported when they are first used."""

    def __init__(self, package: Package, folder: Path) -> None:
        self._package, self._folder = package, folder

    def find(self, name: str) -> Any:
        """Return the value of an attribute.

        Raises:
            AttributeError: there is no such attribute.
        """
        package = self._package
        match name:
            case "TOOLS":
                return {content["tool"]["name"]: content["tool"] for content in package.load_tools()}
            case "RESOURCES":
                return dict(zip(package.resource_modules, package.load_resources(), strict=True))
            case "INSTRUCTIONS":
                return package.instructions
            case "PROMPTS":
                return {prompt["name"]: prompt for prompt in package.list_prompts()}
            case "RESULT_TYPES":
                return _ClassesByName(package.tool_modules, lambda tool: package.get_named_tool(tool).result)
            case "ARGUMENT_TYPES":
                return _ClassesByName(package.tool_modules, lambda tool: package.get_named_tool(tool).arguments)
            case "RESOURCE_TYPES":
                return _ClassesByName(package.resource_modules, package.get_resource)
            case "list_prompts" | "list_tools" | "list_resources" | "list_resource_templates":
                return getattr(package, name)
            case "__all__":
                return self.list_names()
            case _:
                return self._find_export(name)

    def _find_export(self, name: str) -> Any:
        """Return a class or function that a module of the package exports."""
        if name in ("model_content", "tool_error"):
            return getattr(self._package.types, name)
        if name in EXPORTS:
            return getattr(import_module(f"{self._package.facade}.types"), name)
        if name in SDK_EXPORTS and (self._folder / f"{SDK_EXPORTS[name]}.py").exists():
            return getattr(import_module(f"{self._package.name}.{SDK_EXPORTS[name]}"), name)
        if is_attribute(name) and not name[:1].islower():
            for module in self._iterate_candidates(name):
                imported = import_module(module)
                if name in imported.__all__:
                    return getattr(imported, name)
        raise self._make_error(name)

    def _make_error(self, name: str) -> AttributeError | ImportError:

        modules = [module for named in self._modules.values() for module in named]
        return make_missing_name_error(self._package.name, self._folder, name, modules)

    def _iterate_candidates(self, name: str) -> Iterator[str]:
        """Yield the modules that may export a class, most likely first."""
        words = "".join(f" {letter}" if letter.isupper() else letter for letter in name).split()
        for end in range(len(words), 0, -1):  # `get_area` for `GetAreaResult`, without listing all
            stem = "_".join(words[:end]).lower()
            for folder in ("tools", "types"):
                if (self._folder / folder / f"{stem}.py").exists():
                    yield f"{self._package.name}.{folder}.{stem}"
        folded = name.replace("_", "").lower()
        for end in range(len(folded), 0, -1):
            yield from self._modules.get(folded[:end], ())
        for modules in self._modules.values():
            yield from modules

    @cached_property
    def _modules(self) -> dict[str, list[str]]:
        """The modules of definitions and shared types, by their own names without underscores."""
        modules: dict[str, list[str]] = {}
        for folder in ("tools", "resources", "prompts", "types"):
            path = self._folder / folder
            files = os.listdir(path) if path.is_dir() else []  # many times faster than `glob`
            names = {file.partition(".")[0] for file in files if ".py" in file and not file.startswith("__init__.")}
            for name in sorted(names):
                modules.setdefault(name.replace("_", ""), []).append(f"{self._package.name}.{folder}.{name}")
        return modules

    def list_names(self) -> list[str]:
        """Return the names of all attributes, sorted."""
        names = {"ARGUMENT_TYPES", "INSTRUCTIONS", "PROMPTS", "RESOURCES", "RESOURCE_TYPES", "RESULT_TYPES", "TOOLS"}
        names.update(EXPORTS, ("list_prompts", "list_resource_templates", "list_resources", "list_tools"))
        names.update(name for name, module in SDK_EXPORTS.items() if (self._folder / f"{module}.py").exists())
        for modules in self._modules.values():
            names.update(*(import_module(module).__all__ for module in modules))
        return sorted(names)


def _get_key(content: dict[str, Any], kind: str) -> str:
    """Return the name of a definition, or the URI or URI template of a resource that shares its name with others."""
    key: str = content.get("key", content[kind]["name"])
    return key


class _ClassesByName(Mapping[str, Any]):
    """Classes of a package by the exact names of tools or resources, each imported on first use."""

    def __init__(self, names: Iterable[str], get_class: Callable[[str], Any]) -> None:
        self._names, self._get_class = dict.fromkeys(names), get_class

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        return self._get_class(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<classes of {', '.join(self._names)}>"


def _check_interface(package: str, interface: int) -> None:
    """Check that the library serves a generated package.

    Raises:
        ImportError: it does not; the message says what to do.
    """
    if interface > INTERFACE:
        raise ImportError(
            f"{package} was generated for version {interface} of the interface of mcpgen-runtime, "
            f"and the installed one has version {INTERFACE}: run pip install -U mcpgen-runtime"
        )
    if interface < OLDEST_INTERFACE:
        raise ImportError(
            f"{package} was generated for version {interface} of the interface of mcpgen-runtime, "
            f"and the installed one serves {OLDEST_INTERFACE} to {INTERFACE}: run mcpgen build with a newer mcpgen"
        )


_MODULES = (*SDK_EXPORTS.values(), "testing")
"""Modules that only packages for an SDK have."""
_CONTENTS = {"resource_server": "resources", "prompt_server": "prompts"}
"""Modules for definitions of one kind, which not every package has."""


def make_missing_name_error(
    package: str, folder: Path, name: str, modules: Iterable[str]
) -> AttributeError | ImportError:
    """Return the error for a name that a package does not have.

    Python ignores the message of an AttributeError if `from package import name` caused it. So that statement gets an
    ImportError if there is something to say.

    Args:
        package: the name of the package.
        folder: its folder.
        name: the missing name.
        modules: the modules of its definitions and shared types.
    """
    advice = _explain_module(folder, name) or _find_class(name, modules)
    if advice and _is_in_import_statement():
        return ImportError(f"cannot import name {name!r} from {package!r}: {advice}", name=package)
    message = f"module {package!r} has no attribute {name!r}"
    return AttributeError(f"{message}: {advice}" if advice else message)


def make_missing_attribute_error(
    package: str, kind: str, attribute: str, attributes: Mapping[str, str]
) -> AttributeError:
    """Return the error for an attribute of a client or server that no definition has.

    Args:
        package: the name of the package.
        kind: "tool", "resource" or "prompt".
        attribute: the missing attribute.
        attributes: the attributes of all definitions of that kind, by their names.
    """
    known = sorted(attributes.values())
    if not known:
        return AttributeError(f"{package} has no {kind}s")
    renamed = [attributes.get(attribute), f"{attribute}_", attribute.removesuffix("_")]
    close = [name for name in renamed if name in known]
    close += difflib.get_close_matches(attribute, known, 1)
    advice = f"; did you mean {close[0]!r}?" if close else ""
    message = f"{package} has no {kind} {attribute!r}{advice}"
    return AttributeError(message, obj=package)  # without a name, Python adds no advice of its own


def _explain_module(folder: Path, name: str) -> str:
    """Return why a package has no module for servers, clients or tests, or lacks a function of it; "" if unrelated."""
    module = SDK_EXPORTS.get(name, name)
    if module not in _MODULES or (folder / f"{module}.py").exists():
        return ""
    if not (folder / "client.py").exists():
        return (
            "the package was built without an SDK. Choose one with `sdk` in the settings of mcpgen, "
            "and run `mcpgen build --force`"
        )
    if module in _CONTENTS:
        return f"the package has no {_CONTENTS[module]}"
    return "write `testing = true` into the settings of mcpgen, and run `mcpgen build`"


def _find_class(name: str, modules: Iterable[str]) -> str:
    """Return which modules define a class or type that only they have, and how to import it; "" if none does."""
    if name[:1].islower() or not is_attribute(name):
        return ""
    found = [module for module in sorted(set(modules)) if _defines(module, name)]
    if not found:
        return ""
    more = f" (also {', '.join(found[1:3])}{', …' * (len(found) > 3)})" if len(found) > 1 else ""
    return f"it is in {found[0]}{more}. Write `from {found[0]} import {name}`"


def _defines(module: str, name: str) -> bool:
    imported = import_module(module)
    value = vars(imported).get(name)
    is_own_class = isinstance(value, type) and value.__module__ == module
    return is_own_class or name in getattr(imported, "__annotations__", {})


def _is_in_import_statement() -> bool:
    """Return whether `from package import name` looks for the name: Python's own module for imports does that."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__package__") == __package__:
        frame = frame.f_back
    return frame is not None and frame.f_globals.get("__name__") == "importlib._bootstrap"
