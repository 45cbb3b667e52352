"""Make the view of a prompt's module: its declaration, its arguments, the types of its handlers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from mcpgen.ir.definitions import PromptArgument, PromptModule
from mcpgen.literals import Literal, make_docstring, make_literal
from mcpgen.names.identifiers import make_parameter_names
from mcpgen.names.package_names import PromptNames
from mcpgen.render.handlers import HandlerParameter, HandlerView, make_handler_view
from mcpgen.render.jobs import ImportScope, Job


class ArgumentView(NamedTuple):
    """An argument: a parameter of `arguments` and of handlers."""

    wire: Literal
    name: str
    declared: str
    """The declaration of the parameter, its default included."""
    info: Literal
    """What its `PromptArgument` is made with."""


@dataclass(frozen=True)
class PromptView:
    """Variables of `package/prompt.py.j2`."""

    doc: Literal
    name: str
    class_doc: Literal
    wire: Literal
    description: Literal
    arguments: list[ArgumentView]
    """In the order of the definition."""
    signature: str
    handler: HandlerView | None
    """The types of its handlers; None: the package is for no SDK."""
    facade: str


def make_prompt_job(prompt: PromptModule, names: PromptNames, facade: str, serves: bool, testing: bool = False) -> Job:
    """Make the job that renders the module of a prompt, with handlers in a package that `serves`."""
    python_names = make_parameter_names([argument.wire for argument in prompt.arguments])
    ordered = sorted(prompt.arguments, key=lambda argument: not argument.required)
    parameters = [
        HandlerParameter(python_names[argument.wire], argument.wire, _declare_handler_parameter(argument))
        for argument in ordered
    ]
    description = prompt.description.strip() or f"The prompt `{prompt.wire}`."
    view = PromptView(
        doc=make_docstring(f"Prompt `{prompt.wire}`.", 0),
        name=names.name,
        class_doc=make_docstring(description, 4),
        wire=make_literal(prompt.wire),
        description=make_literal(prompt.description or None),
        arguments=[_make_argument_view(argument, python_names[argument.wire]) for argument in prompt.arguments],
        signature=", ".join(f"{python_names[argument.wire]}: {_declare_parameter(argument)}" for argument in ordered),
        handler=make_handler_view(names.name, parameters, "MaybeAwaitable[PromptAnswer]", testing) if serves else None,
        facade=facade,
    )
    return Job(names.path, "package/prompt.py.j2", prompt.origin, view, ImportScope(facade))


def _make_argument_view(argument: PromptArgument, name: str) -> ArgumentView:
    parts = [str(make_literal(name))]
    if argument.required:
        parts.append("required=True")
    if argument.values:
        parts.append(f"values=({', '.join(map(str, map(make_literal, argument.values)))},)")
    declared = f"{name}: {_declare_parameter(argument)}"
    return ArgumentView(make_literal(argument.wire), name, declared, Literal(", ".join(parts)))


def _declare_parameter(argument: PromptArgument) -> str:
    annotation = _annotate(argument)
    return annotation if argument.required else f"{annotation} | None = None"


def _declare_handler_parameter(argument: PromptArgument) -> str:
    """Annotate a handler's parameter: it gets no None, as its own default stands for what is absent."""
    return f"{_annotate(argument)}{'' if argument.required else ' = ...'}"


def _annotate(argument: PromptArgument) -> str:
    values = ", ".join(str(make_literal(value)) for value in argument.values)
    return f"Literal[{values}]" if values else "str"
