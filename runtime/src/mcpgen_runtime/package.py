"""The object of a generated package: its definitions, its limits, its names."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, cached_property, partial
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar, cast

if TYPE_CHECKING:
    from .resources import ResourceResultOf


@cache
def load_definition(module_file: str) -> dict[str, Any]:
    """Return the content of the JSON file next to a module, by the module's `__file__`."""
    import json  # here, as other modules below, so that importing a package takes little time

    with open(f"{os.path.splitext(module_file)[0]}.json", "rb") as file:
        return cast(dict[str, Any], json.load(file))


def is_attribute(name: str) -> bool:
    """Return whether a definition may be an attribute of this name: `_` stands before a digit alone."""
    return not name.startswith("_") or name[1:2].isdigit()


def suggest(name: object, known: Iterable[str], mark: str = ",") -> str:
    """Return the end of a message about a wrong name: whether a similar one was meant; "" if there is none."""
    import difflib

    similar = difflib.get_close_matches(str(name), [*known], 1)
    return f"{mark} did you mean {similar[0]!r}?" if similar else ""


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
RESULTS_FOLDER = "mcpgen://results/"
"""How the URIs of results start that servers keep as resources."""
current_limits: ContextVar[Limits] = ContextVar(f"{__name__}.limits", default=DEFAULT_LIMITS)
"""The limits of the package whose value is being read."""


@contextmanager
def use_limits(limits: Limits) -> Generator[None]:
    """Read values with these limits."""
    token = current_limits.set(limits)
    try:
        yield
    finally:
        current_limits.reset(token)


def find_limits(module: str) -> Limits:
    """Return the limits of the package that a module belongs to, by the module's name."""
    while module and module not in _packages:
        module = module.rpartition(".")[0]
    return _packages[module].limits if module else DEFAULT_LIMITS


def limit_reader(read: ReaderT, module: str) -> ReaderT:
    """Return a function that reads values as this one, within the limits of the package that a module belongs to."""
    limits = find_limits(module)
    return read if limits == DEFAULT_LIMITS else use_limits(limits)(read)


INTERFACE = 1
"""Version of what the library offers to generated packages. Raise it when they need something new of it."""
OLDEST_INTERFACE = 1
"""The oldest version that packages may have been generated for: this one or the one before."""
EXPORTS = (
    "ABSENT MissingValue ResourceResult ResultError TaskFailedError ToolCallError ToolChangedError ToolResult "
    "UnsupportedProtocol assistant_message model_content tool_error user_message"
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
"""The packages that have been imported, by name and by folder."""


def find_package(file: str) -> Package:
    """Return the package of a module of a definition, by its path, or raise LookupError if it has not been imported."""
    folder = os.path.dirname(os.path.dirname(file))
    if folder not in _packages:
        raise LookupError(f"{file} is not in a package that mcpgen generated: import the package first")
    return _packages[folder]


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
        if not OLDEST_INTERFACE <= interface <= INTERFACE:
            served, command = f"has version {INTERFACE}", "pip install -U mcpgen-runtime"
            if interface < OLDEST_INTERFACE:
                served, command = f"serves {OLDEST_INTERFACE} to {INTERFACE}", "mcpgen build with a newer mcpgen"
            needed = f"{name} was generated for version {interface} of the interface of mcpgen-runtime"
            raise ImportError(f"{needed}, and the installed one {served}: run {command}")
        self.name, self._folder = name, os.path.dirname(file)
        if protocol is not None:
            self.default_protocol = protocol
        self.limits = Limits(**(limits or {}))
        self.overrides: Mapping[str, dict[str, Any]] = {}
        """Members that a server advertises instead of the declared ones, by the names of the tools."""
        _packages[name] = _packages[self._folder] = self

    @classmethod
    def of(cls, module: str) -> Package:
        """Return the package of a module at its top, by the module's `__name__`."""
        return _packages[module.rpartition(".")[0]]

    @cached_property
    def types(self) -> Any:
        """The SDK's types (`ProtocolTypes`), which make results for the package's default protocol version."""
        import copy

        types: Any = copy.copy(import_module(f"{self.facade}.types").TYPES)
        types.default_protocol = self.default_protocol
        return types

    @property
    def instructions(self) -> str | None:
        """The declared instructions for clients on how to use the server; None: there are none."""
        file = os.path.join(self._folder, "instructions.json")
        return load_definition(file)["instructions"] if os.path.exists(file) else None

    # --- files: a `kind` is "tool", "resource", "prompt" or "form" ----------------------------------------------------
    @cached_property
    def _stems(self) -> dict[str, frozenset[str]]:
        files = {kind: self._list_files(f"{kind}s") for kind in ("tool", "resource", "prompt", "form")}
        return {kind: frozenset(name[:-5] for name in names if name.endswith(".json")) for kind, names in files.items()}

    def _list_files(self, folder: str) -> list[str]:
        path = os.path.join(self._folder, folder)
        return os.listdir(path) if os.path.isdir(path) else []

    def _load(self, kind: str, module: str) -> dict[str, Any]:
        return load_definition(os.path.join(self._folder, f"{kind}s", f"{module}.py"))

    def _get_key(self, kind: str, module: str) -> str:
        """Return the name of a definition, or the URI or template of a resource that shares its name with others."""
        content = self._load(kind, module)
        return str(content.get("key", content[kind]["name"]))

    def _map_modules(self, kind: str) -> dict[str, str]:
        return dict(sorted((self._get_key(kind, stem), stem) for stem in self._stems[kind]))

    def _map_attributes(self, kind: str) -> dict[str, str]:
        modules = self._map_modules(kind)
        return {key: self._load(kind, module).get("attribute", module) for key, module in modules.items()}

    def _import(self, kind: str, module: str) -> Any:
        return import_module(f"{self.name}.{kind}s.{module}")

    def _find_module(self, kind: str, attribute: str) -> str:
        """Return the module of the definition of this attribute of clients and servers, or raise AttributeError."""
        stems = self._stems[kind]
        for module in chain([attribute], stems):  # usually the first
            if module in stems and self._load(kind, module).get("attribute", module) == attribute:
                return module
        if attribute not in stems and self._has_module(f"{kind}s/{attribute}"):
            advice = "a distribution needs the JSON files, too, as package data"
            raise AttributeError(f"{self.name} lacks the file {kind}s/{attribute}.json: {advice}")
        attributes = self._map_attributes(kind)
        if not attributes:
            raise AttributeError(f"{self.name} has no {kind}s")
        known = sorted(attributes.values())
        renamed = [attributes.get(attribute), f"{attribute}_", attribute.removesuffix("_")]
        advice = suggest(next((name for name in renamed if name in known), attribute), known, ";")
        message = f"{self.name} has no {kind} {attribute!r}{advice}"
        raise AttributeError(message, obj=self.name)  # without a name, Python adds no advice of its own

    def _has_module(self, path: str) -> bool:
        return os.path.exists(os.path.join(self._folder, f"{path}.py"))

    def _get_version(self, protocol: str | None) -> str:
        from .content import version_of

        return version_of(protocol, self.default_protocol)

    # --- tools -------------------------------------------------------------------------------------------------------
    tool_modules = cached_property(partial(_map_modules, kind="tool"))
    """The modules of the tools, by the tools' names in their order."""
    tool_attributes = cached_property(partial(_map_attributes, kind="tool"))
    """The attributes of clients and servers for the tools, by the tools' names."""

    def load_tools(self) -> list[dict[str, Any]]:
        """Return the contents of the tools' JSON files, sorted by the names of the tools."""
        return [self._load("tool", module) for module in self.tool_modules.values()]

    def list_tools(self, protocol: str | None = None) -> list[dict[str, Any]]:
        """Return the Tools to advertise under a protocol version, or raise ValueError if it is unknown."""
        from .tool_definitions import advertise_tool

        version = self._get_version(protocol)
        return [advertise_tool(content, version) for content in self.load_tools()]

    def get_tool(self, module: str) -> Any:
        """Return the tool that a module declares."""
        return self._import("tool", module).tool

    def get_named_tool(self, name: str) -> Any:
        """Return the tool of this name on the wire, or raise KeyError."""
        return self.get_tool(self.tool_modules[name])

    def find_tool(self, attribute: str) -> Any:
        """Return the tool of this attribute of clients and servers, or raise AttributeError."""
        return self.get_tool(self._find_module("tool", attribute))

    # --- resources ---------------------------------------------------------------------------------------------------
    resource_modules = cached_property(partial(_map_modules, kind="resource"))
    """The modules of the resources, by name, or by URI or template if several have the same name, in order."""
    resource_attributes = cached_property(partial(_map_attributes, kind="resource"))
    """The attributes of clients and servers for the resources, by the keys of `resource_modules`."""

    def load_resources(self) -> list[dict[str, Any]]:
        """Return the Resources and ResourceTemplates as declared, sorted by name."""
        return [self._load("resource", module)["resource"] for module in self.resource_modules.values()]

    def list_resources(self, protocol: str | None = None) -> list[dict[str, Any]]:
        """Return the Resources to advertise under a protocol version, or raise ValueError if it is unknown."""
        self._get_version(protocol)
        return [dict(resource) for resource in self.load_resources() if "uri" in resource]

    def list_resource_templates(self, protocol: str | None = None) -> list[dict[str, Any]]:
        """Return the ResourceTemplates to advertise under a protocol version, or raise ValueError if it is unknown."""
        self._get_version(protocol)
        return [dict(resource) for resource in self.load_resources() if "uriTemplate" in resource]

    def get_resource(self, name: str) -> type[ResourceResultOf[Any, Any]]:
        """Return the class of a resource."""
        return cast("type[ResourceResultOf[Any, Any]]", self._import("resource", self.resource_modules[name]).resource)

    def find_resource(self, attribute: str) -> tuple[str, Any]:
        """Return the key and the entry of the resource of this attribute, or raise AttributeError."""
        module = self._find_module("resource", attribute)
        return self._get_key("resource", module), self._import("resource", module).entry

    # --- prompts -----------------------------------------------------------------------------------------------------
    prompt_modules = cached_property(partial(_map_modules, kind="prompt"))
    """The modules of the prompts, by the prompts' names in their order."""
    prompt_attributes = cached_property(partial(_map_attributes, kind="prompt"))
    """The attributes of clients and servers for the prompts, by the prompts' names."""

    def load_prompt_files(self) -> list[dict[str, Any]]:
        """Return the contents of the prompts' JSON files, sorted by the names of the prompts."""
        return [self._load("prompt", module) for module in self.prompt_modules.values()]

    def list_prompts(self, protocol: str | None = None) -> list[dict[str, Any]]:
        """Return the Prompts to advertise under a protocol version, or raise ValueError if it is unknown."""
        self._get_version(protocol)
        return [dict(content["prompt"]) for content in self.load_prompt_files()]

    def find_prompt(self, attribute: str) -> Any:
        """Return the entry of the prompt of this attribute of clients and servers, or raise AttributeError."""
        return self._import("prompt", self._find_module("prompt", attribute)).entry

    # --- forms -------------------------------------------------------------------------------------------------------
    form_modules = cached_property(partial(_map_modules, kind="form"))
    """The modules of the forms, by the forms' names in their order."""

    def get_form(self, name: str) -> Any:
        """Return the class of a form."""
        return self._import("form", self.form_modules[name]).form

    # --- attributes of the package -----------------------------------------------------------------------------------
    def make_module_functions(self) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
        """Return the package's `__getattr__` and `__dir__`, which import a class when it is first used."""

        def get_attribute(name: str) -> Any:
            value = self._makers[name]() if name in self._makers else self._find_export(name)
            setattr(sys.modules[self.name], name, value)
            return value

        return get_attribute, self._list_names

    @cached_property
    def _makers(self) -> dict[str, Callable[[], Any]]:
        lists = ("list_prompts", "list_resource_templates", "list_resources", "list_tools")
        return {
            "ARGUMENT_TYPES": lambda: _Classes(self.tool_modules, lambda name: self.get_named_tool(name).arguments),
            "INSTRUCTIONS": lambda: self.instructions,
            "PROMPTS": lambda: {prompt["name"]: prompt for prompt in self.list_prompts()},
            "RESOURCES": lambda: dict(zip(self.resource_modules, self.load_resources(), strict=True)),
            "RESOURCE_TYPES": lambda: _Classes(self.resource_modules, self.get_resource),
            "RESULT_TYPES": lambda: _Classes(self.tool_modules, lambda name: self.get_named_tool(name).result),
            "__all__": self._list_names,
            "TOOLS": lambda: {content["tool"]["name"]: content["tool"] for content in self.load_tools()},
            "model_content": lambda: self.types.model_content,
            "tool_error": lambda: self.types.tool_error,
            **{name: partial(getattr, self, name) for name in lists},
        }

    def _list_names(self) -> list[str]:
        names = {*EXPORTS, *self._makers} - {"__all__"}
        names.update(name for name, module in SDK_EXPORTS.items() if self._has_module(module))
        for modules in self._modules.values():
            names.update(*(import_module(module).__all__ for module in modules))
        return sorted(names)

    def _find_export(self, name: str) -> Any:
        """Return what a module of the package or of the library exports, or raise AttributeError or ImportError."""
        if name in EXPORTS:
            return getattr(import_module(f"{self.facade}.types"), name)
        if name in SDK_EXPORTS and self._has_module(SDK_EXPORTS[name]):
            return getattr(import_module(f"{self.name}.{SDK_EXPORTS[name]}"), name)
        is_class = is_attribute(name) and not name[:1].islower()
        for module in self._iterate_candidates(name) if is_class else ():
            imported = import_module(module)
            if name in imported.__all__:
                return getattr(imported, name)
        advice = self._explain_module(name) or (self._locate_class(name) if is_class else "")
        if advice and _is_in_import_statement():  # which ignores the message of an AttributeError
            raise ImportError(f"cannot import name {name!r} from {self.name!r}: {advice}", name=self.name)
        message = f"module {self.name!r} has no attribute {name!r}"
        raise AttributeError(f"{message}: {advice}" if advice else message)

    @cached_property
    def _modules(self) -> dict[str, list[str]]:
        """The modules of definitions and shared types, by their own names without underscores."""
        modules: dict[str, list[str]] = {}
        for folder in ("tools", "resources", "prompts", "forms", "types"):
            files = self._list_files(folder)
            names = {file.partition(".")[0] for file in files if ".py" in file and not file.startswith("__init__.")}
            for name in sorted(names):
                modules.setdefault(name.replace("_", ""), []).append(f"{self.name}.{folder}.{name}")
        return modules

    def _iterate_candidates(self, name: str) -> Iterator[str]:
        """Return the modules that may export a class, most likely first: `get_area` for `GetAreaResult`."""
        folded = name.replace("_", "").lower()
        likely = (self._modules.get(folded[:end], []) for end in range(len(folded), 0, -1))
        return chain.from_iterable(chain(likely, self._modules.values()))

    def _explain_module(self, name: str) -> str:
        """Return why the package has no module for servers, clients or tests, or its function; "" if unrelated."""
        module = SDK_EXPORTS.get(name, name)
        if module not in (*SDK_EXPORTS.values(), "testing") or self._has_module(module):
            return ""
        if not self._has_module("client"):
            advice = "Choose one with `sdk` in the settings of mcpgen, and run `mcpgen build --force`"
            return f"the package was built without an SDK. {advice}"
        if module == "testing":
            return "write `testing = true` into the settings of mcpgen, and run `mcpgen build`"
        return f"the package has no {module.removesuffix('_server')}s"

    def _locate_class(self, name: str) -> str:
        """Return which modules define a class or type that only they have, and how to import it; "" if none does."""
        modules = sorted(chain(*self._modules.values()))
        found = [module for module in modules if _defines(module, name)]
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
    frame: Any = sys._getframe()  # pyright: ignore[reportPrivateUsage]
    while frame is not None and frame.f_globals.get("__package__") == __package__:
        frame = frame.f_back
    return bool(frame is not None and frame.f_globals.get("__name__") == "importlib._bootstrap")


class _Classes(Mapping[str, Any]):  # each is imported on first use
    def __init__(self, names: Collection[str], get_class: Callable[[str], Any]) -> None:
        self._names, self._get_class = names, get_class

    def __getitem__(self, name: str) -> Any:
        return self._get_class(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<classes of {', '.join(self._names)}>"
