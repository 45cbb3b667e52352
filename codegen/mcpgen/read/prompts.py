"""Read prompts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from mcpgen.config.load import locate_setting
from mcpgen.config.models import ConfiguredPackage, PromptArgumentChoice, PromptChoice, suggest_raising
from mcpgen.config.validation import validate_options
from mcpgen.diagnostics import Findings, Span
from mcpgen.ir.prompt import PromptArgument
from mcpgen.lint.misspelt_names import NameGuesser
from mcpgen.read.context import DefinitionSite, ReadContext
from mcpgen.read.definitions import PromptDefinition
from mcpgen.read.idle_settings import report_unknown_names
from mcpgen.read.tool_options import OPTIONS_KEY, check_python_name, make_locator
from mcpgen.schema.values import Json, as_array, as_object, format_pointer

_Locate = Callable[[tuple[str, ...]], Span | None]


def read_prompt(value: dict[str, Json], site: DefinitionSite, context: ReadContext) -> PromptDefinition | None:
    """Return the prompt that a Prompt object defines, None if it isn't valid; that is reported."""
    prompt = {key: member for key, member in value.items() if key != OPTIONS_KEY}
    if not context.check_members("Prompt", prompt, site):
        return None
    name = str(prompt["name"])
    members, most = as_array(prompt.get("arguments")), context.package.settings.limits.members
    if len(members) > most:
        message = f'the prompt "{name}" has more than {most} arguments (`limits.members`)'
        context.findings.error("MG009", message, site.make_span("/arguments"), suggest_raising("members"))
        return None
    arguments: dict[str, PromptArgument] = {}
    for index, member in enumerate(members):
        argument = as_object(member)
        wire = str(argument["name"])
        if wire in arguments:
            span = site.make_span(format_pointer("arguments", index, "name"))
            context.findings.error("MG203", f'the prompt "{name}" has two arguments "{wire}"', span)
        arguments[wire] = PromptArgument(wire, argument.get("required") is True)
    python: str | None = None
    for choice, locate in _list_choices(name, value, site, context):
        arguments = _apply_values(arguments, choice.arguments, name, locate, context.findings)
        if choice.name is not None and check_python_name(choice.name, partial(_locate_key, locate), context.findings):
            python = choice.name
    return PromptDefinition(
        name, site.file.origin, site.make_span("", "name"), prompt, tuple(arguments.values()), python, site.document
    )


def _list_choices(
    name: str, value: dict[str, Json], site: DefinitionSite, context: ReadContext
) -> list[tuple[PromptChoice, _Locate]]:
    """Return the choices for a prompt, those of the settings last, and what locates their members."""
    choices: list[tuple[PromptChoice, _Locate]] = []
    if OPTIONS_KEY in value:
        options_site = site.descend(OPTIONS_KEY)
        choice = validate_options(PromptChoice, value[OPTIONS_KEY], context.findings, make_locator(options_site))
        if choice is not None:
            choices.append((choice, lambda path: options_site.make_span(format_pointer(*path))))
    if name in context.package.settings.prompts:
        locate = partial(_locate_setting, context.package, name)
        choices.append((context.package.settings.prompts[name], locate))
    return choices


def _locate_key(locate: _Locate, key: str) -> Span | None:
    return locate((key,))


def _locate_setting(package: ConfiguredPackage, name: str, path: tuple[str, ...]) -> Span | None:
    return locate_setting(package, ("prompts", name, *path))


def _apply_values(
    arguments: Mapping[str, PromptArgument],
    choices: Mapping[str, PromptArgumentChoice],
    prompt: str,
    locate: _Locate,
    findings: Findings,
) -> dict[str, PromptArgument]:
    """Return the arguments with the values that a choice declares; those of unknown arguments are reported."""
    applied = dict(arguments)
    for name, choice in choices.items():
        if name not in arguments:
            close = NameGuesser().guess(name, [*arguments])
            help = f'did you mean "{close}"?' if close else f"it has {', '.join(arguments) or 'none'}"
            findings.error(
                "MG006", f'the prompt "{prompt}" has no argument "{name}"', locate(("arguments", name)), help
            )
            continue
        applied[name] = PromptArgument(name, arguments[name].required, tuple(dict.fromkeys(choice.enum)))
    return applied


def report_unknown_prompts(prompts: list[PromptDefinition], package: ConfiguredPackage, findings: Findings) -> None:
    """Warn about prompts in the settings that nothing defines, unless errors may have hidden their definitions."""
    if not findings.failed:
        names = [prompt.name for prompt in prompts]
        report_unknown_names("prompt", package.settings.prompts, names, package, findings)
