"""Errors for failures of a query, in words, without tracebacks and secrets."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import cast
from urllib.parse import urljoin

from mcpgen.files.file_tracker import MAX_FILE_SIZE
from mcpgen.files.regular_files import read_regular
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.limits import TransportLog
from mcpgen.introspect.redaction import Redactor
from mcpgen.introspect.server_address import (
    HIDDEN,
    Command,
    InProcess,
    ServerAddress,
    Url,
    format_server_address,
    hide_in_path,
    is_path,
    is_plain,
)
from mcpgen.introspect.session import ConnectionEnded, RequestRefused

_PHRASES = {status.value: status.phrase for status in HTTPStatus}
_JSON_CONTENT_TYPES = ("application/json", "text/event-stream")
_BEFORE_REQUESTS = "to be connected"
_NO_SERVER = "what answers at this URL sends no MCP messages"
_PATH_HELP = "check the path of the URL; that of an MCP server is often /mcp"
STDOUT_HELP = (
    "only MCP messages may go to its standard output: let it log to standard error, and do not start it for HTTP"
)
_SDK_PHRASES = frozenset(("", "Server returned an error response"))
"""What the SDK says where the server said nothing."""
MOST_SHOWN = 200
LONGEST_FOREIGN_TEXT = 10_000
_UNPARSABLE = "Failed to parse JSON response"
"""How the SDK's text about an answer that is JSON, but no message, begins."""
_HOST = re.compile(r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*(:\d+(/|$)|\.[a-z]{2,}/)")
"""How a URL without its scheme begins: `localhost:8000`, `example.com/mcp`."""
_SERVER_CLASS = re.compile(r"(MCP|Server)(\[.*\])?$")
"""How the names of classes of servers end: `FastMCP`, `MCPServer`, `Server`."""
_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


@dataclass(frozen=True)
class ErrorMessages:
    """Description of failures of one server; `method` is that of the last request, empty before the first."""

    address: ServerAddress
    log: TransportLog
    redactor: Redactor

    def describe_unauthorised(self) -> IntrospectionError | None:
        """Return an error if the last HTTP response says that authorisation is missing."""
        if self.log.status not in (401, 403):
            return None
        help = "log in with --oauth, or give --header-env Authorization=VARIABLE (which holds `Bearer …`)"
        if self.redactor.has_authorisation:
            help = "the token in the header Authorization may be wrong or expired, or may not allow this"
        return IntrospectionError("MG707", f"the server asks for authorisation (HTTP {self.log.status})", help)

    def describe_refusal(self, error: RequestRefused, method: str) -> IntrospectionError:
        """Describe an error that the server, or something else at its address, answered with."""
        quoted, status = self.clean_text(error.message), self.log.status
        method = method or _BEFORE_REQUESTS
        if 300 <= status < 400:
            help = "give the URL that it leads to, if that is the server; nothing was sent there"
            message = f"the server redirects{self._describe_redirect_target()}, which is not followed"
            return IntrospectionError("MG708", message, help)
        if status in (404, 405):
            message = f"there is no Streamable HTTP endpoint at this URL (HTTP {status})"
            return IntrospectionError("MG704", message, f"{_PATH_HELP}; mcpgen cannot use the older HTTP+SSE transport")
        if status >= 400:
            said = "" if quoted in _SDK_PHRASES else f": {quoted}"
            shown = f"{status} ({_PHRASES[status]})" if status in _PHRASES else status
            message = f"the server answers {method} with HTTP {shown}{said}"
            return IntrospectionError("MG708", message, _suggest_for_status(status))
        if (foreign := self._describe_foreign_content()) is not None:
            return foreign
        if status and quoted.startswith(_UNPARSABLE):
            return IntrospectionError("MG708", _NO_SERVER, _PATH_HELP)
        help = self._add_stderr("") or "read the server's log, or ask who runs it"
        return IntrospectionError("MG708", f"the server answers {method} with an error: {quoted}", help)

    def _describe_redirect_target(self) -> str:
        if not isinstance(self.address, Url):
            return ""
        try:
            return f" to {format_server_address(Url(urljoin(self.address.text, self.log.location)))}"
        except ValueError:
            return ""

    def _describe_foreign_content(self) -> IntrospectionError | None:
        content_type = self.log.content_type.partition(";")[0].strip()
        if not self.log.status or content_type in _JSON_CONTENT_TYPES:
            return None
        instead = f", but {self.clean_text(content_type)}" if content_type else ""
        return IntrospectionError("MG708", f"{_NO_SERVER}{instead}", _PATH_HELP)

    def describe_garbled(self, method: str, invalid_lines: list[str]) -> IntrospectionError:
        """Describe an answer that is not a message."""
        if (foreign := self._describe_foreign_content()) is not None:
            return foreign
        quoted = f': "{self.clean_text(invalid_lines[0])}"' if any(invalid_lines) else ""
        time = f" to {method}" if method else ""
        help = STDOUT_HELP if isinstance(self.address, Command) else ""
        message = f"the server's answer{time} is not an MCP message{quoted}"
        return IntrospectionError("MG708", message, self._add_stderr(help))

    def describe_end(self, method: str) -> IntrospectionError:
        """Describe that the other side closed the connection."""
        time, help = f"before it answered {method}" if method else "at once", ""
        if isinstance(self.address, Command):
            given = "--env" if self.address.folder is None else "`env` and `envFile` in its configuration"
            help = f"start the command by hand to see what it lacks; it gets no variables but those of {given}"
        return IntrospectionError("MG705", f"{self.address.end_event} {time}", self._add_stderr(help))

    def describe_timeout(self, method: str, seconds: float, invalid_lines: list[str]) -> IntrospectionError:
        """Describe that the query took too long."""
        if invalid_lines:
            return self.describe_garbled(method, invalid_lines)
        help = "allow it more with --timeout"
        if isinstance(self.address, Command):
            help += ", or start it for the standard streams, if it serves over HTTP now"
        task = f"to answer {method}" if method else _BEFORE_REQUESTS
        time = "1 second" if seconds == 1 else f"{seconds:g} seconds"
        return IntrospectionError("MG706", f"the server took more than {time} {task}", self._add_stderr(help))

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
                reason = re.sub(r"^\[[^]]*\] *| *\(_ssl\.c:\d+\)$", "", reason)
                message = f"the server cannot be reached: {reason[:1].lower()}{reason[1:]}"
                return IntrospectionError("MG704", message, _suggest_for_connection(reason))
            case Url() if self.log.status >= 300:
                return self.describe_refusal(RequestRefused({"message": reason}), method)
            case InProcess():
                return IntrospectionError("MG703", f"the server fails to run: {type_name}: {reason}")
            case _:
                return IntrospectionError("MG705", f"the connection broke: {type_name}: {reason}", self._add_stderr(""))

    def clean_text(self, text: str) -> str:
        """Return a text from the server on one line, redacted and then shortened, in a time that has a bound."""
        return shorten_text(self.redactor.redact_foreign(cut_text(text)))

    def _add_stderr(self, help: str) -> str:
        stderr = self.log.stderr.decode("utf-8", "replace")
        lines = [self.clean_text(line) for line in stderr.splitlines()[-20:] if line.strip(" ~^")]
        quoted = f"it wrote on its standard error: {' | '.join(lines[-3:])}" if lines else ""
        return "; ".join(filter(None, (quoted, help)))


def _suggest_for_status(status: int) -> str:
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return "the server limits how often it may be asked: wait, and run this again"
    if status >= 500:
        return "the server, or a proxy before it, fails: run this again later, or read its log"
    return "check the URL, and which headers the server wants: --header-env"


def _suggest_for_connection(reason: str) -> str:
    if "certificate" in reason:
        return "its certificate is not trusted here; the variable SSL_CERT_FILE names a file of trusted authorities"
    if "wrong version number" in reason or "record layer" in reason:
        return "it may serve without TLS: write http://"
    if "not known" in reason or "resolution" in reason or "getaddrinfo" in reason or "nodename" in reason:
        return "check the host in the URL, and that this machine reaches the network"
    return "is it running, and is this its port?"


def shorten_text(text: str, most: int = MOST_SHOWN) -> str:
    """Return a text on one line, cut to `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 3] + "..."


def cut_text(text: str) -> str:
    """Return the beginning of a text; a word that is cut through could be a part of a secret, and is left out."""
    text = text.lstrip()
    if len(text) <= LONGEST_FOREIGN_TEXT:
        return text
    return text[:LONGEST_FOREIGN_TEXT].rsplit(maxsplit=1)[0]


def _find_leaf(error: BaseException) -> BaseException:
    if not isinstance(error, BaseExceptionGroup):
        return error
    leaves = [_find_leaf(member) for member in cast(BaseExceptionGroup[BaseException], error).exceptions]
    return next((leaf for leaf in leaves if isinstance(leaf, IntrospectionError | ConnectionEnded)), leaves[0])


def describe_start_failure(command: Command, error: OSError) -> IntrospectionError:
    """Describe that the program of a command cannot be started."""
    program = re.split(r"[/\\]", command.words[0])[-1]
    quoted = f'"{hide_in_path(command.words[0])}" ' if is_plain(program) else ""
    reason = error.strerror or "it cannot be run"
    if _HOST.match(command.words[0]) and not Path(command.folder or ".", command.words[0]).exists():
        help = "if it is a URL, begin it with http:// or https://"
        return IntrospectionError("MG704", f"the program {quoted}cannot be started: {reason}", help)
    help = _suggest_command(command, program) if quoted else ""
    if not help and isinstance(error, FileNotFoundError):
        help = _explain_search(command, program)
    return IntrospectionError("MG704", f"the program {quoted}cannot be started: {reason}", help)


def _explain_search(command: Command, program: str) -> str:
    if command.words[0] == program:
        return "no program of this name is on the PATH: install it, or write its whole path"
    folder = command.folder or str(Path.cwd())
    if Path(command.words[0]).is_absolute() or hide_in_path(folder) != folder:
        return ""
    return f"the path is relative to {folder}"


def _suggest_command(command: Command, program: str) -> str:
    word, folder = command.words[0], Path(command.folder or ".")
    if word.lower().endswith(".py"):
        shown = word if word == program or is_path(word) else f"{HIDDEN}/{program}"
        return _suggest_python(shown, word[:-3].removeprefix("./").replace("/", "."), folder / word)
    if word != program:
        return ""
    module_path = f"{word.replace('.', '/')}.py"
    if _MODULE.fullmatch(word) and (folder / module_path).is_file():
        return _suggest_python(module_path, word, folder / module_path)
    return f"write `./{word}` to start the file in this folder" if (folder / word).is_file() else ""


def _suggest_python(path: str, module: str, file: Path) -> str:
    name = _find_server_name(file) or "NAME"
    in_process = f", or `{module}:{name}` for a server object in the module" if _MODULE.fullmatch(module) else ""
    return f"did you mean `python {path}`{in_process}?"


def _find_server_name(file: Path) -> str:
    """Return the variable of a module that is made by calling a class of servers; empty unless there is exactly one."""
    try:
        module = ast.parse(read_regular(file, MAX_FILE_SIZE))
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return ""
    names = {
        target.id
        for statement in module.body
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)
        for target in statement.targets
        if isinstance(target, ast.Name) and _SERVER_CLASS.search(ast.unparse(statement.value.func))
    }
    return names.pop() if len(names) == 1 else ""
