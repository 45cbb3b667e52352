"""Acknowledged changes: breaking changes that the settings accept, with a reason."""

from __future__ import annotations

import json
from collections.abc import Sequence

from mcpgen.compat.change import Change
from mcpgen.config.models import Acknowledged


def match_acknowledgements(
    changes: Sequence[Change], acknowledgements: Sequence[Acknowledged]
) -> tuple[list[Change], list[Change], list[int]]:
    """Match changes with acknowledgements.

    Returns:
        The changes that no acknowledgement covers, those that one covers, and the indexes of the acknowledgements that
        cover none.
    """
    remaining: list[Change] = []
    covered: list[Change] = []
    unused = set(range(len(acknowledgements)))
    for change in changes:
        covering = {index for index, entry in enumerate(acknowledgements) if covers_change(entry, change)}
        unused -= covering
        (covered if covering else remaining).append(change)
    return remaining, covered, sorted(unused)


def covers_change(acknowledgement: Acknowledged, change: Change) -> bool:
    """Return whether an acknowledgement has a change's rule and, where it names them, its subject and pointer.

    The pointer may lead into the definition or into the file: `/outputSchema/$defs/Repair` or `/$defs/Repair`.
    """
    return (
        acknowledgement.rule == change.rule.id
        and (acknowledgement.tool is None or change.subject == f'tool "{acknowledgement.tool}"')
        and (acknowledgement.resource is None or change.subject == f'resource "{acknowledgement.resource}"')
        and acknowledgement.pointer in (None, change.pointer, change.span.pointer)
    )


def format_acknowledgement(change: Change) -> str:
    """Return what an acknowledgement of a change says about it: `rule = "tool-removed", tool = "get_tides"`."""
    kind = change.subject.partition(" ")[0]
    members = {"rule": change.rule.id}
    if kind in ("tool", "resource") and not change.others:
        members[kind] = change.name
    if change.pointer:
        members["pointer"] = change.span.pointer if change.others else change.pointer
    return ", ".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in members.items())
