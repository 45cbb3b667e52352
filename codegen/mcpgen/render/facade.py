"""The facade of the run-time library, all that generated code imports from it: the library's own, or a copy."""

from __future__ import annotations

from mcpgen.files.vendored_copies import VENDORED_FOLDER
from mcpgen.ir.package import Package
from mcpgen.paths import LIBRARY
from mcpgen.targets import get_sdk


def get_library(package: Package, depth: int = 0) -> str:
    """Return the run-time library as a module imports it that is `depth` folders below the package."""
    return _name_library(package.runtime, "." * (depth + 1))


def get_facade(package: Package, depth: int = 0) -> str:
    """Return the facade for the package's SDK as a module imports it that is `depth` folders below the package."""
    return name_facade(package.sdk, package.runtime, "." * (depth + 1))


def name_facade(sdk: str, runtime: str, prefix: str) -> str:
    """Return the facade for an SDK as an import names it.

    Args:
        sdk: the name of the SDK.
        runtime: the package's setting `runtime`.
        prefix: what the names of the package's own modules begin with in the same import: `generated.`, or dots.
    """
    return f"{_name_library(runtime, prefix)}.sdk.{sdk}"


def _name_library(runtime: str, prefix: str) -> str:
    return f"{prefix}{VENDORED_FOLDER}" if runtime == "vendored" else LIBRARY


def list_facade_modules(package: Package) -> list[str]:
    """Return the modules of the library that the modules of a package import, by its settings and definitions."""
    facade = f"sdk.{package.sdk}"
    modules = [facade, f"{facade}.types"]
    modules += ["sdk.templates"] * any(tool.uses_templates for tool in package.tools)
    modules += ["sdk.uri_templates"] * any(resource.template for resource in package.resources)
    if get_sdk(package.sdk) is not None:
        modules.append(f"{facade}.server")
        modules += [f"{facade}.handlers"] * bool(package.resources or package.prompts)
        modules += [f"{facade}.client"] * package.has_client
        modules += [f"{facade}.testing"] * package.testing
        modules += ["sdk.functions"] * package.stubs
    return modules + ["sdk.azure"] * package.azure
