"""The module of a prompt, and its JSON file."""

from __future__ import annotations

import json

from mcpgen.diagnostics import Span
from mcpgen.ir.package import Package
from mcpgen.ir.prompt import PromptArgument, PromptModule
from mcpgen.names.package_names import PackageNames, PromptNames
from mcpgen.read.definitions import PromptDefinition
from mcpgen.render.exports import IndexEntry, IndexView
from mcpgen.render.prompt import PromptView, make_prompt_index_job, make_prompt_job, render_prompt_json
from mcpgen.schema.values import Json

ARGUMENTS = (PromptArgument("style", False, ("short", "long")), PromptArgument("code", True))
PROMPT = PromptModule("review", "review.json", "Reviews code.", ARGUMENTS)
NAMES = PromptNames("review", "ReviewPrompt")


def make_view(prompt: PromptModule, serves: bool = True) -> PromptView:
    view = make_prompt_job(prompt, NAMES, "..runtime", serves).view
    assert isinstance(view, PromptView)
    return view


def test_required_arguments_come_first_in_the_signature() -> None:
    view = make_view(PROMPT)
    assert view.signature == 'code: str, style: Literal["short", "long"] | None = None'
    assert [str(argument.info) for argument in view.arguments] == [
        '"style", values=("short", "long",)',
        '"code", required=True',
    ]


def test_handlers_are_for_packages_with_an_sdk() -> None:
    handler = make_view(PROMPT).handler
    assert handler is not None
    assert (handler.protocols[0].name, handler.subject) == ("ReviewPromptHandler", "prompt")
    assert make_view(PROMPT, serves=False).handler is None


def test_an_argument_may_have_the_name_of_the_context() -> None:
    handler = make_view(PromptModule("review", "", "", (PromptArgument("ctx", True),))).handler
    assert handler is not None
    assert not handler.has_context
    assert handler.kinds == [handler.protocols[0].name]


def test_the_index_lists_modules() -> None:
    names = PackageNames({}, {}, {}, {}, {}, {"review": NAMES})
    package = Package((), (), (), "mcp", None, prompts=(PROMPT,))
    assert make_prompt_index_job(package, names).view == IndexView([IndexEntry("review", "review")])


def test_the_json_file_has_the_declaration_and_the_values() -> None:
    declared: dict[str, Json] = {"name": "review", "arguments": [{"name": "style"}, {"name": "code", "required": True}]}
    definition = PromptDefinition("review", "review.json", Span("review.json"), declared, ARGUMENTS)
    content = json.loads(render_prompt_json(definition, "review"))
    assert content["prompt"] == declared
    assert content["completions"] == {"style": ["short", "long"]}
    assert "attribute" not in content
