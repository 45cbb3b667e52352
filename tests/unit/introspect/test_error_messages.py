"""Failures in words."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.config.models import Limits
from mcpgen.introspect.credentials import Credentials
from mcpgen.introspect.error_messages import ErrorMessages, shorten_text
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.limits import Meter
from mcpgen.introspect.redaction import Redactor
from mcpgen.introspect.server_address import Command, InProcess, ServerAddress, Url
from mcpgen.introspect.session import ConnectionEnded, RequestRefused
from mcpgen.introspect.transports.base import TransportLog

URL = Url("https://example.com/mcp")
COMMAND = Command(("my-server", "--token", "s3cret-s3cret"))


def describe(address: ServerAddress, **log: Any) -> ErrorMessages:
    record = TransportLog(Meter(Limits.model_validate({})), **log)
    return ErrorMessages(address, record, Redactor(Credentials(), address))


@pytest.mark.parametrize(
    ("log", "code", "message"),
    [
        ({"status": 302, "location": "/a/b?k=v"}, "MG708", "redirects to https://example.com/…/…, which is not"),
        ({"status": 404}, "MG704", "there is no Streamable HTTP endpoint (HTTP 404)"),
        ({"status": 500}, "MG708", "the server answers tools/list with HTTP 500: oh no"),
        ({"status": 200, "content_type": "text/html"}, "MG708", "is not an MCP server: it sends text/html"),
        ({"status": 200, "content_type": "application/json"}, "MG708", "answers tools/list with an error: oh no"),
    ],
)
def test_refusals(log: Any, code: str, message: str) -> None:
    error = describe(URL, **log).describe_refusal(RequestRefused({"message": "oh\nno"}), "tools/list")
    assert error.code == code
    assert message in error.message


def test_missing_authorisation() -> None:
    assert describe(URL, status=200).describe_unauthorised() is None
    error = describe(URL, status=401).describe_unauthorised()
    assert error is not None
    assert error.code == "MG707"


def test_the_last_lines_of_standard_error_are_quoted_without_secrets() -> None:
    messages = describe(COMMAND, stderr=bytearray(b"1\n2\n\n3\nbad token s3cret-s3cret\n"))
    error = messages.describe_end("tools/list")
    assert (error.code, error.message) == ("MG705", "the server's process ended before it answered tools/list")
    assert error.help == "it wrote on its standard error: 2 | 3 | bad token ***"
    assert describe(COMMAND).describe_end("").message == "the server's process ended at once"


def test_timeouts() -> None:
    assert (
        describe(URL).describe_timeout("", 2.5, []).message == "the server took more than 2.5 seconds to be connected"
    )
    assert "more than 3 seconds to answer x" in describe(URL).describe_timeout("x", 3, []).message
    assert (
        describe(URL).describe_timeout("x", 3, ["hi"]).message
        == 'the server writes something that is not a message: "hi"'
    )


@pytest.mark.parametrize(
    ("address", "error", "code", "message"),
    [
        (COMMAND, OSError(2, "No such file"), "MG704", 'the program "my-server" cannot be started: No such file'),
        (URL, ConnectionRefusedError("refused"), "MG704", "the server cannot be reached: refused"),
        (InProcess("a", "b"), KeyError("x"), "MG703", "the server fails to run: KeyError: 'x'"),
        (COMMAND, RuntimeError(), "MG705", "the connection broke: RuntimeError: RuntimeError"),
    ],
)
def test_exceptions_of_transports(address: ServerAddress, error: Exception, code: str, message: str) -> None:
    described = describe(address).describe_failure(error, "")
    assert isinstance(described, IntrospectionError)
    assert (described.code, described.message) == (code, message)


def test_the_exception_that_matters_is_found_in_groups() -> None:
    ours = IntrospectionError("MG712", "too much")
    group = ExceptionGroup("", [ValueError("x"), ExceptionGroup("", [KeyError(1), ours])])
    assert describe(URL).describe_failure(group, "") is ours
    ended = ConnectionEnded()
    assert describe(URL).describe_failure(ExceptionGroup("", [ended]), "") is ended


def test_texts_are_shortened() -> None:
    assert shorten_text(" a\n b ") == "a b"
    assert shorten_text("x" * 300, 10) == "xxxxxxx..."
