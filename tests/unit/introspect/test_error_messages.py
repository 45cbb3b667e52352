"""Failures in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from mcpgen.config.models import Limits
from mcpgen.introspect.error_messages import ErrorMessages, shorten_text
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.limits import Meter, TransportLog
from mcpgen.introspect.redaction import Redactor
from mcpgen.introspect.server_address import Command, InProcess, ServerAddress, Url
from mcpgen.introspect.server_query import Credentials
from mcpgen.introspect.session import ConnectionEnded, RequestRefused

URL = Url("https://example.com/mcp")
COMMAND = Command(("my-server", "--token", "s3cret-s3cret"))


def describe(address: ServerAddress, **log: Any) -> ErrorMessages:
    record = TransportLog(Meter(Limits.model_validate({})), **log)
    return ErrorMessages(address, record, Redactor(Credentials(), address))


@pytest.mark.parametrize(
    ("log", "code", "message"),
    [
        ({"status": 302, "location": "/a/b?k=v"}, "MG708", "redirects to https://example.com/…/…, which is not"),
        ({"status": 404}, "MG704", "there is no Streamable HTTP endpoint at this URL (HTTP 404)"),
        ({"status": 500}, "MG708", "the server answers tools/list with HTTP 500 (Internal Server Error): oh no"),
        (
            {"status": 200, "content_type": "text/html"},
            "MG708",
            "what answers at this URL sends no MCP messages, but text/html",
        ),
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
    quoted, _, advice = error.help.partition("; ")
    assert quoted == "it wrote on its standard error: 2 | 3 | bad token ***"
    assert advice == describe(COMMAND).describe_end("").help
    assert "--env" in advice
    assert describe(COMMAND).describe_end("").message == "the server's process ended at once"


def test_timeouts() -> None:
    assert (
        describe(URL).describe_timeout("", 2.5, []).message == "the server took more than 2.5 seconds to be connected"
    )
    assert "more than 3 seconds to answer x" in describe(URL).describe_timeout("x", 3, []).message
    assert (
        describe(URL).describe_timeout("x", 3, ["hi"]).message
        == 'the server\'s answer to x is not an MCP message: "hi"'
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


def test_where_the_variables_of_a_command_are_from() -> None:
    """A command of the command line has no folder of its own; one of an mcp.json always has one."""
    assert describe(COMMAND).describe_end("").help.endswith("no variables but those of --env")
    configured = replace(COMMAND, folder="/project")
    assert describe(configured).describe_end("").help.endswith("those of `env` and `envFile` in its configuration")


def test_texts_are_shortened() -> None:
    assert shorten_text(" a\n b ") == "a b"
    assert shorten_text("x" * 300, 10) == "xxxxxxx..."


def test_what_to_do_about_a_connection_depends_on_its_failure() -> None:
    reasons = {
        "[Errno -2] Name or service not known": ("name or service not known", "host"),
        "[SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)": ("wrong version number", "http://"),
        "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed": ("certificate verify failed", "SSL_CERT_FILE"),
        "All connection attempts failed": ("all connection attempts failed", "port"),
    }
    for reason, (said, advice) in reasons.items():
        error = describe(URL).describe_failure(OSError(reason), "")
        assert isinstance(error, IntrospectionError)
        assert error.message == f"the server cannot be reached: {said}"
        assert advice in error.help


@pytest.mark.parametrize(
    ("status", "advice"), [(429, "wait"), (503, "later"), (400, "--header-env"), (799, "later"), (404, "/mcp")]
)
def test_what_to_do_about_a_status(status: int, advice: str) -> None:
    """What the SDK says where the server says nothing is left out."""
    refused = RequestRefused({"message": "Server returned an error response"})
    error = describe(URL, status=status).describe_refusal(refused, "initialize")
    assert advice in error.help
    assert "Server returned" not in error.message


def test_json_that_is_no_message_is_the_answer_of_something_else() -> None:
    refused = RequestRefused({"message": "Failed to parse JSON response: 11 validation errors for union"})
    error = describe(URL, status=200, content_type="application/json").describe_refusal(refused, "initialize")
    assert (error.message, "/mcp" in error.help) == ("what answers at this URL sends no MCP messages", True)


def test_a_refused_token_is_not_asked_for_again() -> None:
    record = TransportLog(Meter(Limits.model_validate({})), status=403)
    redactor = Redactor(Credentials({"Authorization": "Bearer s3cret-s3cret"}), URL)
    error = ErrorMessages(URL, record, redactor).describe_unauthorised()
    assert error is not None
    assert "wrong or expired" in error.help


def test_lines_that_only_point_at_a_place_are_left_out() -> None:
    stderr = bytearray(b"    os.environ['A']\n    ~~~~~~~~~~^^^^^\nKeyError: 'A'\n")
    assert "environ['A'] | KeyError: 'A';" in describe(COMMAND, stderr=stderr).describe_end("x").help
