"""The exit codes of every command (1 is a bug of mcpgen, an exception that nobody expected)."""

from __future__ import annotations

SUCCESS = 0
INVALID_INPUT = 2
"""The definitions or settings are wrong, or what was asked for is not there."""
WRITE_REFUSED = 3
"""An edited or foreign file stands in the way of `build`."""
DRIFT = 4
"""`check` found that `build` would change something."""
BREAKING = 5
"""`diff` found a change that breaks somebody."""
PROOF_FAILED = 6
"""`prove` found a class that is wrong."""
