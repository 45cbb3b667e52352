"""Gaps and how they merge."""

from __future__ import annotations

from mcpgen.compat.gap import Gap, GapKind, merge_gaps

TYPE = Gap(GapKind.TYPE, ("a", "b"), "/producer", "/consumer", "type", certain=False, values=("null",))


def test_gaps_between_other_subschemas_stay_apart() -> None:
    other = Gap(GapKind.TYPE, ("a", "b"), "/producer", "/other", "type")
    assert merge_gaps([TYPE, other]) == [TYPE, other]


def test_the_merged_gap_has_all_values_and_the_shortest_path() -> None:
    shorter = Gap(GapKind.TYPE, ("c",), "/producer", "/consumer", "type", certain=False, values=("string", "null"))
    (merged,) = merge_gaps([TYPE, shorter])
    assert (merged.path, merged.values, merged.certain) == (("c",), ("null", "string"), False)


def test_a_certain_gap_wins_over_a_shorter_path() -> None:
    certain = Gap(GapKind.TYPE, ("c", "d", "e"), "/producer", "/consumer", "type", values=("array",))
    (merged,) = merge_gaps([TYPE, certain])
    assert (merged.path, merged.certain) == (("c", "d", "e"), True)


def test_a_gap_becomes_uncertain_and_nothing_else() -> None:
    gap = Gap(GapKind.PATTERN, (), "", "", "pattern", constraint="^a")
    assert gap.certain
    assert gap.as_uncertain() == Gap(GapKind.PATTERN, (), "", "", "pattern", certain=False, constraint="^a")
