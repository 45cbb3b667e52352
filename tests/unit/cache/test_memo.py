"""Results that are kept between two runs of one process."""

from __future__ import annotations

from mcpgen.cache.memo import Memo


def test_a_result_is_computed_once_while_it_is_used() -> None:
    computed: list[int] = []

    def count(items: list[int]) -> int:
        computed.append(len(items))
        return len(items)

    memo, items = Memo(), [1, 2]
    for _ in range(3):
        assert memo.call("count", count, items) == 2
        memo.end_run()
    assert computed == [2]
    assert memo.call("count", count, [1, 2]) == 2
    assert computed == [2, 2], "an equal object is another one"
    memo.end_run()
    memo.end_run()
    assert memo.call("count", count, items) == 2
    assert computed == [2, 2, 2], "a result that one run did not use is dropped"


def test_slots_keep_results_of_the_same_object_apart() -> None:
    memo, items = Memo(), [3, 1]
    assert memo.call("first", lambda values: values[0], items) == 3
    assert memo.call("last", lambda values: values[-1], items) == 1
    memo.keep("text", "key", "a")
    assert memo.find("text", "key") == "a"
    assert memo.find("roots", "key") is None


def test_a_disabled_memo_keeps_nothing() -> None:
    computed: list[int] = []
    memo, items = Memo(enabled=False), [1]
    for _ in range(2):
        assert memo.call("append", computed.append, items[0]) is None
    assert computed == [1, 1]
    memo.keep("text", "key", "a")
    assert memo.find("text", "key") is None
    assert memo.get_object("list", "key", list) is None


def test_an_object_of_a_slot_outlives_runs() -> None:
    memo = Memo()
    created = memo.get_object("list", "a", list[int])
    memo.end_run()
    memo.end_run()
    assert memo.get_object("list", "a", list[int]) is created
    assert memo.get_object("list", "b", list[int]) is not created
