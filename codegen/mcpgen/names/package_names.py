"""Names of a package: of its modules and of what they define."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

TOOL_TYPES_FOLDER = "tool_types"
"""The folder of classes of tools that have too many for one module."""


@dataclass(frozen=True)
class ToolNames:
    """Names of a tool."""

    module: str
    result: str
    """The result class."""
    arguments: str
    """The arguments class."""
    nested: Mapping[str, str] = field(default_factory=dict[str, str])
    """All classes and aliases of the module, by id."""
    typed_dicts: Mapping[str, str] = field(default_factory=dict[str, str])
    """The TypedDicts of the result's classes, and the aliases over them, by id."""
    type_modules: Mapping[str, str] = field(default_factory=dict[str, str])
    """The modules in `types_folder` of classes and aliases that are not in the tool's own module, by id."""
    error: str | None = None
    """The class of the data of its error results."""

    @property
    def stem(self) -> str:
        """Return what the names of its classes and handlers begin with."""
        return self.result.removesuffix("Result")

    @property
    def path(self) -> str:
        """Return the path of the module in the package."""
        return f"tools/{self.module}.py"

    @property
    def types_folder(self) -> str:
        """Return the folder of modules for classes of this tool alone, which only tools with many of them have."""
        return f"{TOOL_TYPES_FOLDER}/{self.module}"

    @property
    def exports(self) -> tuple[str, ...]:
        """Return the names that it has in the package."""
        error = () if self.error is None else (self.error,)
        return self.result, self.arguments, make_typed_dict_name(self.result), *error

    def list_type_imports(self, folder: str) -> tuple[tuple[str, str], ...]:
        """Return each name of those modules with its module, sorted, for a module that has them at `folder`."""
        names = [*self.nested.items(), *self.typed_dicts.items()]
        modules = self.type_modules
        return tuple(sorted((name, f"{folder}.{modules[key]}") for key, name in names if key in modules))

    @property
    def all_names(self) -> set[str]:
        """Return the names that the module defines."""
        return {*self.exports, *self.nested.values(), *self.typed_dicts.values()}


@dataclass(frozen=True)
class ResourceNames:
    """Names of a resource."""

    module: str
    name: str
    """The class."""
    parameters: str | None
    """The TypedDict of its URI template's parameters."""
    nested: Mapping[str, str] = field(default_factory=dict[str, str])
    """All classes and aliases of the module, by id."""

    @property
    def path(self) -> str:
        """Return the path of the module in the package."""
        return f"resources/{self.module}.py"

    @property
    def exports(self) -> tuple[str, ...]:
        """Return the names that it has in the package."""
        return (self.name,) if self.parameters is None else (self.name, self.parameters)

    @property
    def all_names(self) -> set[str]:
        """Return the names that the module defines."""
        return {*self.exports, *self.nested.values()}


@dataclass(frozen=True)
class PromptNames:
    """Names of a prompt."""

    module: str
    name: str
    """The class."""

    @property
    def path(self) -> str:
        """Return the path of the module in the package."""
        return f"prompts/{self.module}.py"

    @property
    def exports(self) -> tuple[str, ...]:
        """Return the name that it has in the package."""
        return (self.name,)


@dataclass(frozen=True)
class FormNames:
    """Names of a form."""

    module: str
    name: str
    """The class."""
    nested: Mapping[str, str] = field(default_factory=dict[str, str])
    """All classes and aliases of the module, by id."""

    @property
    def path(self) -> str:
        """Return the path of the module in the package."""
        return f"forms/{self.module}.py"

    @property
    def exports(self) -> tuple[str, ...]:
        """Return the name that it has in the package."""
        return (self.name,)


@dataclass(frozen=True)
class NameClash:
    """Two definitions that would have the same Python name, as messages name them."""

    first: str
    second: str
    python: str
    """The Python name."""
    differs_in_case: bool = False
    """The names of their files differ, but in nothing but the case of letters."""


@dataclass(frozen=True)
class PackageNames:
    """Names of a package."""

    tools: Mapping[str, ToolNames]
    """The names of each tool, by wire name."""
    resources: Mapping[str, ResourceNames]
    """The names of each resource, by `ResourceModule.id`."""
    shared: Mapping[str, str]
    """The shared classes and aliases, by id."""
    shared_typed_dicts: Mapping[str, str]
    """The TypedDicts of those classes, and the aliases over them, by id."""
    shared_modules: Mapping[str, str]
    """The modules in `types/` of those classes and aliases, by id."""
    prompts: Mapping[str, PromptNames] = field(default_factory=dict[str, PromptNames])
    """The names of each prompt, by wire name."""
    forms: Mapping[str, FormNames] = field(default_factory=dict[str, FormNames])
    """The names of each form, by its name."""

    def list_shared_imports(
        self, folder: str, classes: Collection[str] | None = None, typed_dicts: Collection[str] | None = None
    ) -> tuple[tuple[str, str], ...]:
        """Return shared names, each with its module, sorted, as a module imports them that has `types` at `folder`.

        `classes` and `typed_dicts` are the ids of those that count; None: all of them.
        """
        names = [(key, name) for key, name in self.shared.items() if classes is None or key in classes]
        names += [
            (key, name) for key, name in self.shared_typed_dicts.items() if typed_dicts is None or key in typed_dicts
        ]
        return tuple(sorted((name, f"{folder}.{self.shared_modules[key]}") for key, name in names))


def make_typed_dict_name(name: str) -> str:
    """Return the name of the TypedDict that describes a class as a JSON object."""
    return f"{name}Dict"
