"""Errors about names that a generated package does not have: where they are, or what to do to get them."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path

from .package import SDK_EXPORTS, is_attribute

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
