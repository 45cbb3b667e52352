"""Ports for servers that tests start."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from subprocess import Popen
from typing import Any

PATIENCE = 60.0
"""Seconds that the start of a server may take."""


@contextmanager
def reserve_port() -> Iterator[int]:
    """Yield a port of 127.0.0.1 that nothing but the server of the caller takes meanwhile.

    On Linux, a server that sets SO_REUSEADDR can listen at a port to which another socket is bound that does the same
    and does not listen; the kernel gives such a port to nobody who asks for any.
    """
    with socket.socket() as reserved:
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserved.bind(("127.0.0.1", 0))
        port: int = reserved.getsockname()[1]
        if sys.platform != "linux":
            reserved.close()
        yield port


def await_port(port: int, process: Popen[Any]) -> bool:
    """Wait until a process listens at a port; return whether it does."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return True
        except OSError:
            time.sleep(0.1)
    return False
