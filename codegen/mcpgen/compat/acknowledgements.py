"""Acknowledged changes: breaking changes that the settings accept, with a reason."""

from __future__ import annotations

from collections.abc import Sequence

from mcpgen.compat.change import Change
from mcpgen.config.models import Acknowledged


def match_acknowledgements(
    changes: Sequence[Change], acknowledgements: Sequence[Acknowledged]
) -> tuple[list[Change], list[int], list[int]]:
    """Match changes with acknowledgements.

    Returns:
        The changes that no acknowledgement covers, the number of changes that each acknowledgement covers, and the
        indexes of the acknowledgements that cover none.
    """
    remaining: list[Change] = []
    counts = [0] * len(acknowledgements)
    for change in changes:
        covering = [index for index, entry in enumerate(acknowledgements) if covers_change(entry, change)]
        for index in covering:
            counts[index] += 1
        if not covering:
            remaining.append(change)
    return remaining, counts, [index for index, count in enumerate(counts) if not count]


def covers_change(acknowledgement: Acknowledged, change: Change) -> bool:
    """Return whether an acknowledgement has a change's rule and, where it names them, its subject and pointer."""
    return (
        acknowledgement.rule == change.rule.id
        and (acknowledgement.tool is None or change.subject == f'tool "{acknowledgement.tool}"')
        and (acknowledgement.resource is None or change.subject == f'resource "{acknowledgement.resource}"')
        and acknowledgement.pointer in (None, change.pointer)
    )
