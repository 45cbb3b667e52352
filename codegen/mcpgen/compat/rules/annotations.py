"""Rules for a tool's annotations, by which clients decide what to run without asking."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mcpgen.compat.rules.rule import Category, RuleMatch, ToolPair, ToolRule
from mcpgen.diagnostics import Severity
from mcpgen.read.definitions import ToolDefinition

_CLIENT_HELP = "look at what your program does because of it, such as calls without asking, or repeated calls"


@dataclass(frozen=True)
class LostPromise:
    """Check that an annotation of the old tool promised something that the new tool does not promise."""

    hint: str
    promised: bool
    """The value of the hint that promises something."""
    default: bool
    """The value of an absent hint."""
    text: str
    only_if_writing: bool = False
    """Whether the hint means nothing for a read-only tool."""

    def __call__(self, pair: ToolPair) -> Iterator[RuleMatch]:
        """Yield a match if the promise is lost."""
        if pair.new is None or (self.only_if_writing and _get_hint(pair.new, "readOnlyHint", False)):
            return
        was_promised = _get_hint(pair.old, self.hint, self.default) is self.promised
        if was_promised and _get_hint(pair.new, self.hint, self.default) is not self.promised:
            help = f'keep `"{self.hint}": {str(self.promised).lower()}`, or make it another tool'
            yield RuleMatch(self.text, f"/annotations/{self.hint}", help, _CLIENT_HELP)


def _get_hint(tool: ToolDefinition, hint: str, default: bool) -> bool:
    annotations = tool.tool.get("annotations")
    value = annotations.get(hint) if isinstance(annotations, dict) else None
    return value if isinstance(value, bool) else default


ANNOTATION_RULES = (
    ToolRule(
        "tool-no-longer-read-only",
        Category.ANNOTATIONS,
        "A tool may now change something: clients may run it without asking because it was read-only.",
        LostPromise("readOnlyHint", True, False, "was read-only, may now change something"),
    ),
    ToolRule(
        "tool-became-destructive",
        Category.ANNOTATIONS,
        "A tool may now destroy something.",
        LostPromise("destructiveHint", False, True, "only added, may now overwrite or remove something", True),
    ),
    ToolRule(
        "tool-no-longer-idempotent",
        Category.ANNOTATIONS,
        "Repeating a call may now have another effect: clients may repeat calls because it had none.",
        LostPromise("idempotentHint", True, False, "could be repeated without effect, no longer can", True),
    ),
    ToolRule(
        "tool-became-open-world",
        Category.ANNOTATIONS,
        "A tool may now interact with the outside world, such as the web.",
        LostPromise("openWorldHint", False, True, "kept to a closed domain, may now reach beyond it"),
        severity=Severity.WARNING,
    ),
)
