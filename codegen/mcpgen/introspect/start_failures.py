"""Error for a program that cannot be started, with what was probably meant."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from mcpgen.files.file_tracker import MAX_FILE_SIZE
from mcpgen.files.regular_files import read_regular
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.public_address import HIDDEN, hide_in_path, is_path, is_plain
from mcpgen.introspect.server_address import Command

_HOST = re.compile(r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*(:\d+(/|$)|\.[a-z]{2,}/)")
"""How a URL without its scheme begins: `localhost:8000`, `example.com/mcp`."""
_SERVER_CLASS = re.compile(r"(MCP|Server)(\[.*\])?$")
"""How the names of classes of servers end: `FastMCP`, `MCPServer`, `Server`."""
_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


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
    """Return where a program was looked for that does not exist."""
    if command.words[0] == program:
        return "no program of this name is on the PATH: install it, or write its whole path"
    folder = command.folder or str(Path.cwd())
    if Path(command.words[0]).is_absolute() or hide_in_path(folder) != folder:
        return ""
    return f"the path is relative to {folder}"


def _suggest_command(command: Command, program: str) -> str:
    """Return how to start what the first word names, if that is a file or module of Python, or a file without a path.

    Args:
        command: The command; its arguments, which may be secret, are not quoted.
        program: The last segment of its first word, which looks like a name.
    """
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
    """Return how to start a file of Python, and how to name an object in it if it can be imported as a module."""
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
