"""Count the bytes, values and messages that a server sends; the query ends as soon as a limit is exceeded."""

from __future__ import annotations

from typing import Any

from mcpgen.config.models import Limits, suggest_raising
from mcpgen.introspect.errors import IntrospectionError

CHUNK_SIZE = 64 * 1024
"""Bytes that are read, scanned or decompressed at a time."""
MOST_REQUESTS = 1_000
"""Requests that a server may send to the client; each is answered."""
MOST_MESSAGES = 10_000
"""Messages that a server may send in addition to its answers."""


class Meter:
    """Counters for one server, which end the query when a limit is exceeded.

    Raising an exception would not end it, because the SDK's transports catch exceptions in their tasks. So the error
    is also stored, and the cancel scope of the query is cancelled.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.error: IntrospectionError | None = None
        """The first limit that was exceeded."""
        self._scope: Any = None
        self._transferred = self._answered = self._values = self._definitions = 0
        self._requests = self._messages = 0

    def watch(self, scope: Any) -> None:
        """Remember the cancel scope of anyio to cancel when a limit is exceeded."""
        self._scope = scope

    def fail(self, error: IntrospectionError) -> IntrospectionError:
        """End the query, and return the error to raise; later errors are ignored."""
        self.error = self.error or error
        if self._scope is not None:
            self._scope.cancel()
        return self.error

    def count_transferred(self, size: int) -> None:
        """Count bytes as they are transferred, compressed or not.

        Raises:
            IntrospectionError: there are too many.
        """
        self._transferred += size
        if self._transferred > self.limits.transfer_size:
            raise self._exceed(f"sends more than {self.limits.transfer_size:,} bytes", "transfer-size")

    def count_answered(self, size: int) -> None:
        """Count decompressed bytes of messages.

        Raises:
            IntrospectionError: there are too many.
        """
        self._answered += size
        if self._answered > self.limits.response_size:
            excess = f"answers with more than {self.limits.response_size:,} bytes, decompressed"
            raise self._exceed(excess, "response-size")

    def count_page(self, method: str, number: int) -> None:
        """Check the number of a page of a list, counted from 1.

        Raises:
            IntrospectionError: there are too many.
        """
        if number > self.limits.pages:
            raise self._exceed(f"has more than {self.limits.pages:,} pages of {method}", "pages")

    def count_definitions(self, count: int) -> None:
        """Count definitions of all lists.

        Raises:
            IntrospectionError: there are too many.
        """
        self._definitions += count
        if self._definitions > self.limits.definitions:
            raise self._exceed(f"advertises more than {self.limits.definitions:,} definitions", "definitions")

    def restart_definitions(self) -> None:
        """Reset the count of definitions before the lists are read again."""
        self._definitions = 0

    def count_message(self) -> None:
        """Count a message that is not the expected answer.

        Raises:
            IntrospectionError: there are too many.
        """
        self._messages += 1
        if self._messages > MOST_MESSAGES:
            message = f"the server sends more than {MOST_MESSAGES:,} messages that nobody asked for"
            raise self.fail(IntrospectionError("MG712", message))

    def count_request(self) -> None:
        """Count a request from the server.

        Raises:
            IntrospectionError: there are too many.
        """
        self._requests += 1
        if self._requests > MOST_REQUESTS:
            message = f"the server sends more than {MOST_REQUESTS:,} requests of its own"
            raise self.fail(IntrospectionError("MG712", message))

    def count_structure(self, values: int, depth: int) -> None:
        """Count values of messages, and check how deeply they are nested.

        Raises:
            IntrospectionError: there are too many, or they are too deep.
        """
        self._values += values
        if self._values > self.limits.response_values:
            excess = f"answers with more than {self.limits.response_values:,} values"
            raise self._exceed(excess, "response-values")
        if depth > self.limits.depth:
            raise self._exceed(f"nests values more than {self.limits.depth:,} levels deep", "depth")

    def _exceed(self, excess: str, setting: str) -> IntrospectionError:
        return self.fail(IntrospectionError("MG712", f"the server {excess}", suggest_raising(setting)))
