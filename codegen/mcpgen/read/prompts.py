"""Read prompts."""

from __future__ import annotations

from collections.abc import Mapping

from mcpgen.config.models import PromptChoice, suggest_raising
from mcpgen.diagnostics import Findings
from mcpgen.ir.definitions import PromptArgument
from mcpgen.read.choices import OPTIONS_KEY, Choice, read_choices
from mcpgen.read.context import DefinitionSite, ReadContext
from mcpgen.read.definitions import PromptDefinition
from mcpgen.schema.values import Json, as_array, as_object, format_pointer
from mcpgen.words import NameGuesser


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
    tables = ("prompts", context.package.settings.prompts)
    for choice in read_choices(PromptChoice, value, site, tables, (name,), context):
        arguments = _apply_values(arguments, choice, name, context.findings)
        if choice.options.name is not None and choice.has_valid_name(context.findings):
            python = choice.options.name
    return PromptDefinition(
        name, site.file.origin, site.make_span("", "name"), prompt, tuple(arguments.values()), python, site.document
    )


def _apply_values(
    arguments: Mapping[str, PromptArgument], choice: Choice[PromptChoice], prompt: str, findings: Findings
) -> dict[str, PromptArgument]:
    applied = dict(arguments)
    for name, values in choice.options.arguments.items():
        if name not in arguments:
            close = NameGuesser().guess(name, [*arguments])
            help = f'did you mean "{close}"?' if close else f"it has {', '.join(arguments) or 'none'}"
            message = f'the prompt "{prompt}" has no argument "{name}"'
            findings.error("MG006", message, choice.locate("arguments", name), help)
            continue
        applied[name] = PromptArgument(name, arguments[name].required, tuple(dict.fromkeys(values.enum)))
    return applied
