"""Breaking changes that somebody has agreed to, with a reason, and those that are no longer there."""

from __future__ import annotations

from collections.abc import Sequence

from mcpgen.compat.compare import Change
from mcpgen.config.models import Acknowledged


def match_acknowledgements(
    changes: Sequence[Change], held: Sequence[Acknowledged]
) -> tuple[list[Change], list[int], list[int]]:
    """What nobody has agreed to, how many changes each acknowledgement covers, and those that cover none."""
    left: list[Change] = []
    counts = [0] * len(held)
    for change in changes:
        covering = [index for index, one in enumerate(held) if covers(one, change)]
        for index in covering:
            counts[index] += 1
        if not covering:
            left.append(change)
    return left, counts, [index for index, count in enumerate(counts) if not count]


def covers(one: Acknowledged, change: Change) -> bool:
    """Whether an acknowledgement is about a change: the same rule, and what else it names."""
    return (
        one.rule == change.rule.id
        and (one.tool is None or change.subject == f'tool "{one.tool}"')
        and (one.resource is None or change.subject == f'resource "{one.resource}"')
        and one.pointer in (None, change.pointer)
    )
