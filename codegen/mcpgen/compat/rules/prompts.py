"""Rules for prompts: whether they are there, and which arguments they take."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.compat.rules.rule import Category, PromptPair, PromptRule, RuleMatch
from mcpgen.ir.definitions import PromptArgument
from mcpgen.schema.values import format_pointer


def _find_removal(pair: PromptPair) -> Iterator[RuleMatch]:
    if pair.new is None:
        yield RuleMatch("was removed", "", "keep it for as long as it is used", "requests for it fail: take them out")


def _find_removed_arguments(pair: PromptPair) -> Iterator[RuleMatch]:
    old, new = _list_arguments(pair)
    for name in old.keys() - new.keys() if pair.new is not None else ():
        yield RuleMatch(f"its argument {name} was removed", _make_pointer(name))


def _find_added_arguments(pair: PromptPair) -> Iterator[RuleMatch]:
    old, new = _list_arguments(pair)
    for name, argument in new.items():
        if name not in old and argument.required:
            yield RuleMatch(f"its argument {name} is new and required", _make_pointer(name))


def _find_newly_required_arguments(pair: PromptPair) -> Iterator[RuleMatch]:
    old, new = _list_arguments(pair)
    for name, argument in new.items():
        if name in old and argument.required and not old[name].required:
            yield RuleMatch(f"its argument {name} was optional, is required now", _make_pointer(name))


def _find_removed_values(pair: PromptPair) -> Iterator[RuleMatch]:
    old, new = _list_arguments(pair)
    for name, argument in new.items():
        if name not in old or not argument.values:
            continue
        old_values = old[name].values
        removed_values = [value for value in old_values if value not in argument.values]
        if not old_values:
            text = f"its argument {name} accepted any string, accepts {', '.join(argument.values)} now"
            yield RuleMatch(text, _make_pointer(name))
        elif removed_values:
            yield RuleMatch(f"its argument {name} no longer accepts {', '.join(removed_values)}", _make_pointer(name))


def _list_arguments(pair: PromptPair) -> tuple[dict[str, PromptArgument], dict[str, PromptArgument]]:
    """Return the arguments of both prompts by name."""
    old, new = pair.old.arguments, () if pair.new is None else pair.new.arguments
    return {argument.wire: argument for argument in old}, {argument.wire: argument for argument in new}


def _make_pointer(name: str) -> str:
    """Return the pointer of an argument, with its name instead of its index."""
    return format_pointer("arguments", name)


PROMPT_RULES = (
    PromptRule("prompt-removed", Category.PROMPTS, "A prompt was removed: requests for it fail.", _find_removal),
    PromptRule(
        "prompt-argument-removed",
        Category.PROMPTS,
        "A prompt lacks an argument that it had: requests with it are refused.",
        _find_removed_arguments,
    ),
    PromptRule(
        "prompt-argument-added",
        Category.PROMPTS,
        "A prompt has a new, required argument.",
        _find_added_arguments,
    ),
    PromptRule(
        "prompt-argument-became-required",
        Category.PROMPTS,
        "An optional argument of a prompt has become required.",
        _find_newly_required_arguments,
    ),
    PromptRule(
        "prompt-argument-values-removed",
        Category.PROMPTS,
        "An argument of a prompt accepts fewer values than before.",
        _find_removed_values,
    ),
)
