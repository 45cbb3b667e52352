"""Real tool definitions: a rotating sample on every run, all of them in scripts/corpus.py."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from support import corpus, typed_share

SMALL = [source for source in corpus.SOURCES if source not in ("repo-adcp", "repo-gitlab")]
DAY = datetime.date.today().toordinal()
SAMPLE = [SMALL[(DAY * 5 + step) % len(SMALL)] for step in range(5)] if SMALL else []

pytestmark = [pytest.mark.skipif(not SMALL, reason="the corpus is not beside the project"), pytest.mark.slow]


@pytest.mark.parametrize("source", corpus.SOURCES)
def test_every_file_builds_and_holds_its_instances(source: str, tmp_path: Path) -> None:
    run = corpus.build(source, tmp_path)
    assert run.returncode == 0, run.stderr
    generated = corpus.load(tmp_path)
    counts = corpus.hold(source, generated)
    assert counts.problems == []
    assert counts.valid > 0
    share = typed_share.measure_package(generated)
    assert share.percentage >= 99.9, list(share.untyped.items())[:20]


@pytest.mark.parametrize("source", SAMPLE)
def test_a_sample_is_clean_under_both_checkers(source: str, tmp_path: Path) -> None:
    run = corpus.build(source, tmp_path)
    assert run.returncode == 0, run.stderr
    assert corpus.checked(tmp_path) == []
