"""Warn about settings that have no effect: for names that nothing defines, or with the SDK of the package."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from mcpgen.config.load import locate_setting
from mcpgen.config.models import ConfiguredPackage, StrictModel
from mcpgen.diagnostics import Findings, join_words
from mcpgen.files.definition_files import LEARNED_FOLDER
from mcpgen.lint.clients import CLIENTS_BY_NAME
from mcpgen.targets import EXAMPLE_SDK, get_sdk
from mcpgen.words import NameGuesser

if TYPE_CHECKING:
    from mcpgen.read.definitions import Definitions


def report_idle_settings(package: ConfiguredPackage, findings: Findings) -> None:
    """Warn about each `exceptions = "sdk"` that changes nothing, and each `content-only` that does nothing."""
    _report_idle_clients(package, findings)
    sdk = get_sdk(package.settings.sdk)
    if sdk is None or sdk.tells_exceptions:
        return
    for path in _list_sdk_exceptions(package):
        name = f"{sdk.distributions[0]} {sdk.supported_versions}"
        message = f'`exceptions = "sdk"` has no effect: {name} does not tell the model the text of a tool\'s exceptions'
        help = "remove it; for a text that the model should read, raise the SDK's ToolError in the handler"
        findings.warn("MG302", message, locate_setting(package, path), help)


def _report_idle_clients(package: ConfiguredPackage, findings: Findings) -> None:
    settings = package.settings
    choices: dict[tuple[str, ...], list[str]] = {("content-only",): settings.content_only}
    choices |= {("tools", name, "content-only"): tool.content_only or [] for name, tool in settings.tools.items()}
    for path, names in choices.items():
        if not names:
            continue
        from mcpgen.hosts.table import HOSTS_BY_NAME

        nameless = [name for name in names if name in CLIENTS_BY_NAME]
        nameless = [name for name in nameless if name not in HOSTS_BY_NAME or not HOSTS_BY_NAME[name].client_names]
        helps = {f'for "{name}": no client introduces itself so': _NAME_HELP for name in nameless}
        if get_sdk(settings.sdk) is None:
            help = f'choose one, as in `sdk = "{EXAMPLE_SDK.name}"`, or remove it'
            helps = {"without an SDK, whose servers know the client": help}
        for reason, help in helps.items():
            findings.warn("MG302", f"`content-only` has no effect {reason}", locate_setting(package, path), help)


_NAME_HELP = "write the name that your client sends, its `clientInfo.name`"


def _list_sdk_exceptions(package: ConfiguredPackage) -> Iterator[tuple[str, ...]]:
    if package.settings.exceptions == "sdk":
        yield ("exceptions",)
    for name, choice in package.settings.tools.items():
        if choice.exceptions == "sdk":
            yield ("tools", name, "exceptions")


# --- names that nothing defines --------------------------------------------------------------------------------------
DefinitionKind: TypeAlias = Literal["tool", "resource", "prompt", "form"]
MAX_NAMED = 5
"""Defined names, and settings without effect, that a message lists."""
_MESSAGE = re.compile(r'the settings name a (tool|resource|prompt|form) "(.*)" that nothing defines', re.DOTALL)
_GUESS = re.compile(r'did you mean "(.*)"\? If not', re.DOTALL)


def report_unknown_definitions(definitions: Definitions, package: ConfiguredPackage, findings: Findings) -> None:
    """Warn about what the settings name and nothing defines, unless errors may have hidden its definition."""
    if not findings.failed:
        settings, resources = package.settings, definitions.resources
        report_unknown_names("tool", settings.tools, [tool.name for tool in definitions.tools], package, findings)
        names = [name for resource in resources for name in (resource.wire_name, resource.uri)]
        report_unknown_names("resource", settings.resources, names, package, findings)
        names = [prompt.name for prompt in definitions.prompts]
        report_unknown_names("prompt", settings.prompts, names, package, findings)
        report_unknown_names("form", settings.forms, [form.name for form in definitions.forms], package, findings)


def report_unknown_names(
    kind: DefinitionKind,
    settings: Mapping[str, StrictModel],
    defined: Sequence[str],
    package: ConfiguredPackage,
    findings: Findings,
) -> None:
    """Warn about each name of a definition of some kind in the settings that nothing defines."""
    names, guesser = dict.fromkeys(defined), NameGuesser()
    for name, choices in settings.items():
        if name not in names:
            fields = type(choices).model_fields.items()
            keys = [field.alias or key for key, field in fields if key in choices.model_fields_set]
            unknown = UnknownName(kind, name, (f"{kind}s", name), keys, _find_idle_file(name, settings))
            warn_about_unknown_name(unknown, [*names], package, guesser, findings)


def _find_idle_file(name: str, settings: Mapping[str, StrictModel]) -> str:
    """Return the learned file that the table of a tool names, unless that of another tool does; empty without one."""
    files = {other: str(getattr(table, "output_schema", None) or "") for other, table in settings.items()}
    is_learned = LEARNED_FOLDER in Path(files[name]).parts
    return files[name] if is_learned and [*files.values()].count(files[name]) == 1 else ""


@dataclass(frozen=True)
class UnknownName:
    """A name in the settings that nothing defines."""

    kind: DefinitionKind
    """What it would be the name of."""
    name: str
    path: tuple[str, ...]
    """The keys that lead to it in the settings."""
    idle_keys: Sequence[str] = ()
    """Keys of its table, which have no effect."""
    idle_file: str = ""
    """A learned file that nothing else in the settings names; empty if there is none."""


def warn_about_unknown_name(
    unknown: UnknownName, defined: Sequence[str], package: ConfiguredPackage, guesser: NameGuesser, findings: Findings
) -> None:
    """Warn about one name, and suggest one of those that are defined."""
    close = guesser.guess(unknown.name, defined)
    part = "table" if unknown.path[0] == f"{unknown.kind}s" else "line"
    help = f'did you mean "{close}"? If not, remove the {part}'
    if not close:
        similar = guesser.list_similar(unknown.name, defined, MAX_NAMED) if len(defined) > MAX_NAMED else []
        help = _list_defined(unknown.kind, similar or defined, part, is_part=bool(similar))
    message = f'the settings name a {unknown.kind} "{unknown.name}" that nothing defines'
    if unknown.idle_keys:
        verb = "has" if len(unknown.idle_keys) == 1 else "have"
        message += f": its {join_words([f'`{key}`' for key in unknown.idle_keys])} {verb} no effect"
    if unknown.idle_file:
        message += f", and {unknown.idle_file} is not used"
    findings.warn("MG308", message, locate_setting(package, unknown.path), help)


def choose_help(message: str, helps: Sequence[str]) -> tuple[int | None, str]:
    """Return what helps with a name that none of several packages defines, and the number of the package it is from.

    The most similar of the proposed names is the best. If no package proposes one, those of all that could be meant are
    listed; the number is None if there are none. The message is the same for all packages; each has a help.
    """
    described = _MESSAGE.match(message)
    if described is None:
        return None, helps[0]
    kind, name = described.groups()
    guesses = {guess[1]: number for number, help in enumerate(helps) if (guess := _GUESS.match(help))}
    if closest := NameGuesser().list_similar(name, guesses, 1, 0):
        number = guesses[closest[0]]
        return number, helps[number]
    owners = {listed: number for number, help in enumerate(helps) for listed in re.findall(r'"(.*?)"', help, re.DOTALL)}
    part = helps[0].rpartition(" ")[2]
    if similar := NameGuesser().list_similar(name, [*owners], MAX_NAMED):
        return owners[similar[0]], _list_defined(kind, similar, part, is_part=True)
    return None, f"no package has a {kind} of a similar name: correct the name, or remove the {part}"


def _list_defined(kind: str, names: Sequence[str], part: str, *, is_part: bool = False) -> str:
    if not names:
        return f"no {kind} is defined: remove the {part}"
    listed = [f'"{name}"' for name in islice(names, MAX_NAMED)]
    if is_part or len(names) > MAX_NAMED:
        return f"name a {kind} that is defined, such as {', '.join(listed)}, or remove the {part}"
    return f"name a {kind} that is defined, {join_words(listed, 'or')}, or remove the {part}"
