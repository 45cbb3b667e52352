"""Exit codes of every command. 1 means a bug of mcpgen: an unexpected exception."""

from __future__ import annotations

SUCCESS = 0
INVALID_INPUT = 2
"""The definitions, settings or options are wrong, or something they name does not exist."""
WRITE_REFUSED = 3
"""`build` would have to overwrite an edited or foreign file, or to make another kind of package than there is."""
DRIFT = 4
"""`check` found that `build` would change something."""
BREAKING = 5
"""`diff` found a breaking change."""
PROOF_FAILED = 6
"""`prove` found a class that contradicts its schema."""
LINT_FINDINGS = 7
"""`lint` found what a client or a model takes amiss."""
WARNINGS = 8
"""`build`, `check` or `pull --build` found warnings, and `fail-on` makes these fail."""
VERIFY_FAILED = 9
"""`verify` found an answer of a server that breaks what it promises."""
