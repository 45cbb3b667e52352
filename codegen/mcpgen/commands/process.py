"""Run the command line in this process, and end the process as a shell expects."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress

from mcpgen.files.project_paths import is_working_folder_gone
from mcpgen.report.exit_codes import INVALID_INPUT

INTERRUPTED = 130


def run_process(app: Callable[[], object]) -> None:
    """Call the command line and exit with its code; nobody sees a traceback for Ctrl-C or a closed pipe."""
    code: str | int | None = 0
    try:
        app()
    except (KeyboardInterrupt, BrokenPipeError):
        code = INTERRUPTED
    except SystemExit as exit:  # if nobody reads its output any more, Typer exits with 1, which means a bug here
        code = INTERRUPTED if isinstance(exit.__context__, BrokenPipeError) else exit.code
    except FileNotFoundError:
        if not is_working_folder_gone():
            raise
        code = INVALID_INPUT
        help = "go to a folder that exists, and run this again"
        sys.stderr.write(f"error[MG404]: the working folder is gone\n  help: {help}\n")
    with suppress(OSError):
        sys.stdout.flush()  # here, not at Python's exit, since the reader may be gone
        sys.exit(code)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python would complain about unwritten output
