"""Limits and choices of a draw."""

from __future__ import annotations

from mcpgen.samples.context import (
    DEEP_NESTING,
    DEEPEST_NESTING,
    MOST_DEAD_ENDS,
    MOST_DRAWN_VALUES,
    MOST_VALUES_WITH_OPTIONAL,
    DrawStyle,
)
from support.draws import make_context


def test_a_draw_stays_small_when_it_is_deep_or_large() -> None:
    context = make_context({})
    assert not context.should_stay_small(DEEP_NESTING)
    assert context.should_stay_small(DEEP_NESTING + 1)
    context.drawn_values = MOST_VALUES_WITH_OPTIONAL + 1
    assert context.should_stay_small(0)


def test_a_draw_is_exhausted_by_depth_size_or_dead_ends() -> None:
    assert not make_context({}).is_exhausted(DEEPEST_NESTING)
    assert make_context({}).is_exhausted(DEEPEST_NESTING + 1)
    large, stuck = make_context({}), make_context({})
    large.drawn_values = MOST_DRAWN_VALUES + 1
    stuck.dead_ends = MOST_DEAD_ENDS + 1
    assert large.is_exhausted(0)
    assert stuck.is_exhausted(0)


def test_only_varied_draws_decide_at_random() -> None:
    varied = make_context({})
    assert {varied.decide(0.5) for _ in range(50)} == {True, False}
    for style in (DrawStyle.PLAIN, DrawStyle.FIRST, DrawStyle.EXAMPLES):
        assert not any(make_context({}, style=style).decide(1.0) for _ in range(5))


def test_a_coin_is_tossed_unless_the_first_choice_is_taken() -> None:
    plain, first = make_context({}, style=DrawStyle.PLAIN), make_context({}, style=DrawStyle.FIRST)
    assert {plain.toss_coin() for _ in range(50)} == {True, False}
    assert all(first.toss_coin() for _ in range(50))
