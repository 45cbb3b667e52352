"""Options of the test run."""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib
import importlib.util
import os
import shutil
import sys
import tempfile
from typing import Any

import pytest

NEED_RESOURCE = (
    *("adversarial/test_adversarial.py", "commands/test_scaling.py", "commands/test_show.py", "fuzz/test_fuzz.py"),
    *("unit/lower/test_nesting.py", "unit/test_write.py"),
)
"""Tests that limit or measure processes with the module `resource`, which Windows does not have."""
try:
    importlib.import_module("resource")
    collect_ignore: list[str] = []
except ImportError:
    collect_ignore = [*NEED_RESOURCE]


def _relax_hypothesis() -> None:
    """Let random tests take their time, since other work may slow the machine down; not all environments have them."""
    if importlib.util.find_spec("hypothesis") is not None:
        from hypothesis import HealthCheck, settings

        settings.register_profile("shared machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
        settings.load_profile("shared machine")


_relax_hypothesis()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regenerate", action="store_true", help="record tests/golden/cases anew instead of comparing")


RETURN_MEMORY: Any = None if os.name == "nt" else getattr(ctypes.CDLL(None), "malloc_trim", None)
"""Gives the memory of what was freed back to the system, with glibc."""
LIMITS = {"slow": 3600, "ci": 600, "": 120}
"""The seconds that a test of a marker may take, far more than it takes: what hangs is ended, a slow machine is not."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("timeout") is None:
            kind = next(name for name in LIMITS if not name or item.get_closest_marker(name))
            item.add_marker(pytest.mark.timeout(LIMITS[kind]))


def pytest_collection_finish() -> None:
    """Leave the tests themselves out of all searches for garbage: they live as long as the process."""
    gc.collect()
    gc.freeze()


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Forget the packages that a file has built and imported, with its last test: thousands of classes are let go."""
    if nextitem is None or nextitem.path != item.path:
        names = [name for name in sys.modules if name.startswith("package_")]
        for name in names:
            del sys.modules[name]
        if names:
            gc.collect()
            if RETURN_MEMORY is not None:
                RETURN_MEMORY(0)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the tests of a file in one process, which then builds the file's packages once."""
    if config.getvalue("dist") != "load":
        return None
    return importlib.import_module("xdist.scheduler").LoadFileScheduling(config, log)


if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):  # tests start hundreds of programs: none compiles a module again
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = tempfile.mkdtemp(prefix="mcpgen-bytecode-")
    sys.dont_write_bytecode = False
    atexit.register(shutil.rmtree, sys.pycache_prefix, True)

os.environ["MCPGEN_CACHE_DIR"] = ""  # a test that wants a cache names one: what others left there must not help
os.environ["MCPGEN_STATE_DIR"] = tempfile.mkdtemp(prefix="mcpgen-state-")  # nothing goes into the home of who tests
os.environ["MYPY_CACHE_DIR"] = tempfile.mkdtemp(prefix="mcpgen-mypy-")  # libraries are checked once a process
for _variable in ("MCPGEN_STATE_DIR", "MYPY_CACHE_DIR"):
    atexit.register(shutil.rmtree, os.environ[_variable], True)
