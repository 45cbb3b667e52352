"""Warn about settings for tools, resources and prompts that nothing defines, and say what has no effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Literal

from mcpgen.config.load import NOTHING_DEFINES, locate_setting
from mcpgen.config.models import ConfiguredPackage
from mcpgen.config.settings_table import StrictModel
from mcpgen.diagnostics import Findings
from mcpgen.read.name_guesser import NameGuesser

MAX_NAMED = 5
"""Defined names, and settings without effect, that a message lists."""


def report_unknown_names(
    kind: Literal["tool", "resource", "prompt"],
    settings: Mapping[str, StrictModel],
    defined: Sequence[str],
    package: ConfiguredPackage,
    findings: Findings,
) -> None:
    """Warn about each name in the settings that nothing defines.

    Args:
        kind: What the names are names of.
        settings: The settings, by name.
        defined: The names that are defined.
        package: The package that has the settings.
        findings: Receives the warnings.
    """
    names, guesser = dict.fromkeys(defined), NameGuesser()
    for name, choices in settings.items():
        if name in names:
            continue
        help = suggest_defined(kind, guesser.guess(name, [*names]), [*names], "table")
        fields = type(choices).model_fields.items()
        keys = [field.alias or key for key, field in fields if key in choices.model_fields_set]
        message = f'the settings name a {kind} "{name}" {NOTHING_DEFINES}'
        if keys:
            message += f": its {_join([f'`{key}`' for key in keys])} {'has' if len(keys) == 1 else 'have'} no effect"
        findings.warn("MG302", message, locate_setting(package, (f"{kind}s", name)), help)


def suggest_defined(kind: str, close: str, names: list[str], part: Literal["table", "line"]) -> str:
    """Return a help about a name in the settings that nothing defines.

    Args:
        kind: What the name is a name of.
        close: The defined name that is most like it; empty if there is none.
        names: All names that are defined.
        part: What to remove from the settings if no other name is meant.
    """
    if close:
        return f'did you mean "{close}"? If not, remove the {part}'
    if not names:
        return f"no {kind} is defined: remove the {part}"
    listed = [f'"{name}"' for name in islice(names, MAX_NAMED)]
    if len(names) > MAX_NAMED:
        return f"name a {kind} that is defined, such as {', '.join(listed)}, or remove the {part}"
    return f"name a {kind} that is defined, {_join(listed, 'or')}, or remove the {part}"


def _join(words: list[str], conjunction: str = "and") -> str:
    shown = words if len(words) <= MAX_NAMED else [*words[: MAX_NAMED - 1], f"{len(words) - MAX_NAMED + 1} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {conjunction} {shown[-1]}"
