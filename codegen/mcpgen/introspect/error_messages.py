"""What went wrong with a server, in words: no tracebacks, no secrets, and what the server itself said last."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast
from urllib.parse import urljoin

from mcpgen.introspect.credentials import Redactor
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.public_address import is_plain
from mcpgen.introspect.server_address import Command, InProcess, ServerAddress, Url, format_server_address
from mcpgen.introspect.session import ConnectionEnded, RequestRefused
from mcpgen.introspect.transports.base import TransportLog


@dataclass(frozen=True)
class ErrorMessages:
    """What there is to say of one server."""

    source: ServerAddress
    seen: TransportLog
    redacted: Redactor

    def describe_unauthorised(self) -> IntrospectionError | None:
        """Whether HTTP's last answer was that authorisation is missing."""
        if self.seen.status not in (401, 403):
            return None
        help = "give --header-env Authorization=VARIABLE (which holds `Bearer …`), or --header 'Name: value'"
        return IntrospectionError("MG707", f"the server asks for authorisation (HTTP {self.seen.status})", help)

    def describe_refusal(self, error: RequestRefused, asking: str) -> IntrospectionError:
        """The server, or something else at its address, answered with an error."""
        said, status = self.clean_text(error.said), self.seen.status
        method = asking.removeprefix("to answer ")
        if 300 <= status < 400:
            help = "give the URL that it leads to, if that is the server; nothing was sent there"
            return IntrospectionError("MG708", f"the server redirects{self._target()}, which is not followed", help)
        if status in (404, 405):
            help = "the path of the endpoint is often /mcp; servers of the older HTTP+SSE transport cannot be asked"
            return IntrospectionError("MG704", f"there is no Streamable HTTP endpoint (HTTP {status})", help)
        if status >= 400:
            return IntrospectionError("MG708", f"the server answers {method} with HTTP {status}: {said}")
        if (foreign := self._foreign(method)) is not None:
            return foreign
        return IntrospectionError("MG708", f"the server answers {method} with an error: {said}", self._tail())

    def _target(self) -> str:
        """Where the last answer said that the server is, as far as it can be shown."""
        try:
            return f" to {format_server_address(Url(urljoin(self.source.text, self.seen.location)))}"  # type: ignore[union-attr]
        except (AttributeError, ValueError):
            return ""

    def _foreign(self, method: str) -> IntrospectionError | None:
        """Whether HTTP's last answer was no message of MCP by its own account."""
        kind = self.seen.content_type.partition(";")[0].strip()
        if not self.seen.status or kind in ("application/json", "text/event-stream"):
            return None
        message = f"what answers {method} is no MCP server: it sends {self.clean_text(kind) or 'nothing'}"
        return IntrospectionError("MG708", message, "look at the URL's path")

    def describe_garbled(self, asking: str, nonsense: list[str]) -> IntrospectionError:
        """What came in place of an answer is no message."""
        foreign = self._foreign(asking.removeprefix("to answer "))
        said = f': "{self.clean_text(nonsense[0])}"' if any(nonsense) else ""
        return foreign or IntrospectionError("MG708", f"the server writes what is no message{said}", self._tail())

    def describe_end(self, asking: str) -> IntrospectionError:
        """The connection was closed from the other side."""
        match self.source:
            case InProcess():
                what = "the server ended"
            case Url():
                what = "the server closed the connection"
            case Command():
                what = "the server's process ended"
        when = (
            f"before it answered {asking.removeprefix('to answer ')}" if asking.startswith("to answer") else "at once"
        )
        return IntrospectionError("MG705", f"{what} {when}", self._tail())

    def describe_timeout(self, asking: str, seconds: float, nonsense: list[str]) -> IntrospectionError:
        """Time is up."""
        if nonsense:
            return self.describe_garbled(asking, nonsense)
        help = self._tail() or "allow it more with --timeout"
        return IntrospectionError("MG706", f"the server took more than {seconds:g} seconds {asking}", help)

    def describe_failure(self, error: Exception, asking: str) -> Exception:
        """What a transport raised: one of ours as it is, anything else as the reason why it cannot go on."""
        leaf = _find_leaf(error)
        if isinstance(leaf, IntrospectionError | ConnectionEnded):
            return leaf
        if (unauthorised := self.describe_unauthorised()) is not None:
            return unauthorised
        kind, said = type(leaf).__name__, self.clean_text(str(leaf)) or type(leaf).__name__
        match self.source:
            case Command(words) if isinstance(leaf, OSError):
                program = re.split(r"[/\\]", words[0])[-1]
                named = f'"{program}" ' if is_plain(program) else ""
                reason = leaf.strerror or "it cannot be run"
                return IntrospectionError("MG704", f"the program {named}cannot be started: {reason}")
            case Url() if "Connect" in kind or isinstance(leaf, OSError):
                help = "is it running, and is this its port?"
                return IntrospectionError("MG704", f"the server cannot be reached: {said}", help)
            case Url() if self.seen.status >= 300:
                return self.describe_refusal(RequestRefused({"message": said}), asking)
            case InProcess():
                return IntrospectionError("MG703", f"the server fails to run: {kind}: {said}")
            case _:
                return IntrospectionError("MG705", f"the connection broke: {kind}: {said}", self._tail())

    def clean_text(self, text: str) -> str:
        """A text of the server's on one line, without secrets, which is to be made sure before it is cut."""
        return shorten_text(self.redacted.redact_foreign(text))

    def _tail(self) -> str:
        """What the server wrote last on its standard error."""
        written = self.seen.stderr.decode("utf-8", "replace")
        lines = [self.clean_text(line) for line in written.splitlines()[-20:] if line.strip()]
        return f"it wrote on its standard error: {' | '.join(lines[-3:])}" if lines else ""


def shorten_text(text: str, most: int = 200) -> str:
    """A text on one line, of a length that can be read."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 3] + "..."


def _find_leaf(error: BaseException) -> BaseException:
    """The exception that matters in a group: one of ours, else the first."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    leaves = [_find_leaf(one) for one in cast(BaseExceptionGroup[BaseException], error).exceptions]
    return next((one for one in leaves if isinstance(one, IntrospectionError | ConnectionEnded)), leaves[0])
