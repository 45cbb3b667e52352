"""Options of the test run."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regenerate", action="store_true", help="record tests/golden/cases anew instead of comparing")


os.environ["MCPGEN_CACHE_DIR"] = ""  # a test that wants a cache names one: what others left there must not help
os.environ["MCPGEN_STATE_DIR"] = tempfile.mkdtemp(prefix="mcpgen-state-")  # nothing goes into the home of who tests
atexit.register(shutil.rmtree, os.environ["MCPGEN_STATE_DIR"], True)
