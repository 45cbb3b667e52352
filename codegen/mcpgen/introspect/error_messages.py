"""Errors for failures of a query, in words, without tracebacks and secrets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast
from urllib.parse import urljoin

from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.redaction import Redactor
from mcpgen.introspect.server_address import Command, InProcess, ServerAddress, Url, format_server_address
from mcpgen.introspect.session import ConnectionEnded, RequestRefused
from mcpgen.introspect.start_failures import describe_start_failure
from mcpgen.introspect.transports.base import TransportLog

_JSON_CONTENT_TYPES = ("application/json", "text/event-stream")
_BEFORE_REQUESTS = "to be connected"


@dataclass(frozen=True)
class ErrorMessages:
    """Description of failures of one server.

    In its methods, `method` is the MCP method of the last request, empty before the first.
    """

    address: ServerAddress
    log: TransportLog
    redactor: Redactor

    def describe_unauthorised(self) -> IntrospectionError | None:
        """Return an error if the last HTTP response says that authorisation is missing."""
        if self.log.status not in (401, 403):
            return None
        help = "log in with --oauth, or give --header-env Authorization=VARIABLE (which holds `Bearer …`)"
        return IntrospectionError("MG707", f"the server asks for authorisation (HTTP {self.log.status})", help)

    def describe_refusal(self, error: RequestRefused, method: str) -> IntrospectionError:
        """Describe an error that the server, or something else at its address, answered with."""
        return self._describe_error_response(error.message, method)

    def _describe_error_response(self, text: str, method: str) -> IntrospectionError:
        quoted, status = self.clean_text(text), self.log.status
        method = method or _BEFORE_REQUESTS
        if 300 <= status < 400:
            help = "give the URL that it leads to, if that is the server; nothing was sent there"
            message = f"the server redirects{self._describe_redirect_target()}, which is not followed"
            return IntrospectionError("MG708", message, help)
        if status in (404, 405):
            help = "the path of the endpoint is often /mcp; servers of the older HTTP+SSE transport cannot be asked"
            return IntrospectionError("MG704", f"there is no Streamable HTTP endpoint (HTTP {status})", help)
        if status >= 400:
            return IntrospectionError("MG708", f"the server answers {method} with HTTP {status}: {quoted}")
        if (foreign := self._describe_foreign_content(method)) is not None:
            return foreign
        return IntrospectionError("MG708", f"the server answers {method} with an error: {quoted}", self._quote_stderr())

    def _describe_redirect_target(self) -> str:
        """Return where the last response redirects to, without secrets; empty if that is unknown."""
        if not isinstance(self.address, Url):
            return ""
        try:
            return f" to {format_server_address(Url(urljoin(self.address.text, self.log.location)))}"
        except ValueError:
            return ""

    def _describe_foreign_content(self, method: str) -> IntrospectionError | None:
        """Return an error if the last HTTP response has a content type that MCP does not use."""
        content_type = self.log.content_type.partition(";")[0].strip()
        if not self.log.status or content_type in _JSON_CONTENT_TYPES:
            return None
        message = f"what answers {method} is not an MCP server: it sends {self.clean_text(content_type) or 'nothing'}"
        return IntrospectionError("MG708", message, "look at the URL's path")

    def describe_garbled(self, method: str, invalid_lines: list[str]) -> IntrospectionError:
        """Describe an answer that is not a message."""
        foreign = self._describe_foreign_content(method or _BEFORE_REQUESTS)
        quoted = f': "{self.clean_text(invalid_lines[0])}"' if any(invalid_lines) else ""
        message = f"the server writes something that is not a message{quoted}"
        return foreign or IntrospectionError("MG708", message, self._quote_stderr())

    def describe_end(self, method: str) -> IntrospectionError:
        """Describe that the other side closed the connection."""
        time = f"before it answered {method}" if method else "at once"
        return IntrospectionError("MG705", f"{self.address.end_event} {time}", self._quote_stderr())

    def describe_timeout(self, method: str, seconds: float, invalid_lines: list[str]) -> IntrospectionError:
        """Describe that the query took too long."""
        if invalid_lines:
            return self.describe_garbled(method, invalid_lines)
        help = self._quote_stderr() or "allow it more with --timeout"
        task = f"to answer {method}" if method else _BEFORE_REQUESTS
        return IntrospectionError("MG706", f"the server took more than {seconds:g} seconds {task}", help)

    def describe_failure(self, error: Exception, method: str) -> IntrospectionError | ConnectionEnded:
        """Describe what a transport raised; `IntrospectionError` and `ConnectionEnded` are returned unchanged."""
        leaf = _find_leaf(error)
        if isinstance(leaf, IntrospectionError | ConnectionEnded):
            return leaf
        type_name = type(leaf).__name__
        reason = self.clean_text(str(leaf)) or type_name
        if type_name.startswith("OAuth"):
            return IntrospectionError("MG707", f"nobody could be logged in to the server: {reason}")
        if (unauthorised := self.describe_unauthorised()) is not None:
            return unauthorised
        match self.address:
            case Command() if isinstance(leaf, OSError):
                return describe_start_failure(self.address, leaf)
            case Url() if "Connect" in type_name or isinstance(leaf, OSError):
                help = "is it running, and is this its port?"
                return IntrospectionError("MG704", f"the server cannot be reached: {reason}", help)
            case Url() if self.log.status >= 300:
                return self._describe_error_response(reason, method)
            case InProcess():
                return IntrospectionError("MG703", f"the server fails to run: {type_name}: {reason}")
            case _:
                return IntrospectionError("MG705", f"the connection broke: {type_name}: {reason}", self._quote_stderr())

    def clean_text(self, text: str) -> str:
        """Return a text from the server on one line, redacted and then shortened."""
        return shorten_text(self.redactor.redact_foreign(text))

    def _quote_stderr(self) -> str:
        """Return a sentence with the last lines of the server's standard error; empty if there are none."""
        stderr = self.log.stderr.decode("utf-8", "replace")
        lines = [self.clean_text(line) for line in stderr.splitlines()[-20:] if line.strip()]
        return f"it wrote on its standard error: {' | '.join(lines[-3:])}" if lines else ""


def shorten_text(text: str, most: int = 200) -> str:
    """Return a text on one line, cut to `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 3] + "..."


def _find_leaf(error: BaseException) -> BaseException:
    """Return the exception that matters in a group: one of mcpgen's, else the first."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    leaves = [_find_leaf(member) for member in cast(BaseExceptionGroup[BaseException], error).exceptions]
    return next((leaf for leaf in leaves if isinstance(leaf, IntrospectionError | ConnectionEnded)), leaves[0])
