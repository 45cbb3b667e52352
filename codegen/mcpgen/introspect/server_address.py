"""Addresses of servers: how they are written and told apart, which programs start them, and what may be shown."""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, TypeAlias
from urllib.parse import urlsplit

from mcpgen.files.project_paths import find_project
from mcpgen.introspect.errors import IntrospectionError

ADDRESS_FORMS = "a URL, `package.module:server`, or a command: `-- npx -y some-server`"
_GENERIC_NAMES = frozenset("__main__ app bin build cli dist index lib main out src".split())
"""Names of files and folders that do not describe the server in them."""
_DIGITS = 4
"""Hexadecimal digits of an identity: enough to tell a few servers apart, too few to confirm a guessed secret."""
SCRIPT_SUFFIXES = frozenset((".py", ".js", ".mjs", ".cjs", ".ts", ".sh", ".jar"))


@dataclass(frozen=True)
class Command:
    """Program that communicates through its standard streams; its arguments may be secret and are not shown."""

    words: tuple[str, ...]
    folder: str | None = None
    """Its working folder; None: that of this process."""
    end_event: ClassVar[str] = "the server's process ended"
    """What has happened when the other side is gone."""


@dataclass(frozen=True)
class Url:
    """Endpoint of a Streamable HTTP server; its user info and query may be secret and are not shown."""

    text: str
    end_event: ClassVar[str] = "the server closed the connection"


@dataclass(frozen=True)
class InProcess:
    """Server object, or function that makes one, in a module that can be imported."""

    module: str
    attribute: str
    end_event: ClassVar[str] = "the server ended"


ServerAddress: TypeAlias = Command | Url | InProcess


def parse_server_address(arguments: Sequence[str]) -> ServerAddress:
    """Parse the address on a command line, a word or those of a command; raise `IntrospectionError` if it is wrong."""
    if len(arguments) == 1:
        (argument,) = arguments
        if re.match(r"https?://", argument, re.IGNORECASE):
            return _parse_url(argument)
        if match := re.fullmatch(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*):([^\W\d]\w*(?:\.[^\W\d]\w*)*)", argument):
            return InProcess(match[1], match[2])
        try:
            arguments = _split_command(argument)
        except ValueError:
            raise IntrospectionError("MG701", "the server's command has a quote that is never closed", "") from None
    if arguments and (re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", arguments[0]) or not arguments[0]):
        message = "mcpgen cannot ask a server with a URL of this kind"
        raise IntrospectionError("MG701", message, "write https:// or http://")
    if arguments and re.match(r"[A-Za-z_][A-Za-z0-9_]*=", arguments[0]):
        help = "write --env NAME=value, or --env NAME to pass one on, before the command"
        raise IntrospectionError("MG701", "the server's command starts with a variable of a shell", help)
    if not arguments:
        raise IntrospectionError("MG701", "no server is named", f"name one: {ADDRESS_FORMS}")
    return Command(tuple(arguments))


def _split_command(text: str) -> list[str]:
    """Split a command as a POSIX shell does, but on Windows, where paths have them, without escaping backslashes."""
    words = shlex.shlex(text, posix=True, punctuation_chars=False)
    words.whitespace_split, words.commenters = True, ""
    if sys.platform == "win32":
        words.escape = ""
    return list(words)


def _parse_url(text: str) -> Url:
    if HIDDEN in text:
        help = "files and messages hold no whole URL, as it may hold secrets; give it as you know it"
        message = f'the server\'s URL has "{HIDDEN}" in it, which stands for what is not shown'
        raise IntrospectionError("MG701", message, help)
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise IntrospectionError("MG701", "the server's URL is not valid", "") from None
    if not parts.hostname or port == 0:
        raise IntrospectionError("MG701", "the server's URL names no host", "write https://host/path")
    return Url(text)


def format_server_address(address: ServerAddress) -> str:
    """Return an address for messages and files, without anything that may be secret."""
    match address:
        case Url(text):
            return redact_url(text)
        case InProcess(module, attribute):
            return f"{module}:{attribute}"
        case Command():
            return make_server_name(address)


def make_server_name(address: ServerAddress) -> str:
    """Return a name for the server's file from its host, module or program, without anything that may be secret."""
    match address:
        case Url():
            return _slugify(urlsplit(format_server_address(address)).hostname or "") or "server"
        case InProcess(module, _):
            return _slugify(module)
        case Command(words):
            return _extract_name(find_program(words)) or _extract_name(strip_program_path(words[0])) or "server"


def _extract_name(argument: str) -> str:
    argument = re.sub(r"(?<=.)@[^@/]*$|(?:\[|[=<>!~]=).*$", "", argument)
    segments = re.split(r"[/\\]", argument)
    names = [re.sub(r"(?<=.)@[^@]*$|\.(py|js|mjs|cjs|ts|exe|sh)$", "", segment) for segment in segments]
    specific = [name for name in names if name not in _GENERIC_NAMES and _slugify(name)]
    return _slugify(specific[-1]) if specific and is_plain(specific[-1]) else ""


def _slugify(text: str) -> str:
    return re.sub(r"[^a-z0-9_]+", "-", text.lower()).strip("-_")


def identify_server(address: ServerAddress) -> str:
    """Return a short digest of what `format_server_address` leaves out, but for user info, queries and arguments."""
    match address:
        case Url(text):
            return _hash_text(urlsplit(text).path) if HIDDEN in redact_url(text) else ""
        case InProcess():
            return ""
        case Command(words, folder):
            return _hash_text(_normalize_program(find_program(words) or words[0], Path(folder or "")))


def _normalize_program(program: str, folder: Path) -> str:
    """Return a program without what differs between two machines: its version, and the folders around a project."""
    if os.path.splitext(program)[1].lower() in SCRIPT_SUFFIXES:
        path, project = Path(os.path.abspath(folder / program)), find_project(Path.cwd())
        inside = path.relative_to(project).parts if path.is_relative_to(project) else path.parts[-2:]
        return "/".join(inside)
    if os.path.isabs(program) or program.startswith("."):
        return os.path.splitext(os.path.basename(program))[0]
    return re.sub(r"(?<=.)@[^@/]*$|[=<>!~]=.*$", "", program)


def _hash_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


# --- launchers --------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Launcher:
    """Command line of a program that starts other programs; an unknown option ends the search for the server."""

    subcommands: tuple[str, ...] = ()
    """Subcommands of one word or two, of which one precedes the server."""
    is_subcommand_optional: bool = False
    flags: frozenset[str] = frozenset()
    value_options: frozenset[str] = frozenset()
    """Options with a value, which is skipped."""
    module_options: frozenset[str] = frozenset()
    """Options whose value names the server."""


def _split(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NODE = _Launcher((), True, _split("--inspect --no-warnings --enable-source-maps --experimental-strip-types"), _split(
    "-r --require --import --loader --env-file --max-old-space-size"))  # fmt: skip
_NPX = _Launcher(("exec", "x"), True, _split(
    "-y --yes -q --quiet -s --silent --no-install --offline --prefer-offline --prefer-online --ignore-scripts"),
    _split("--registry --cache --prefix"), _split("-p --package"))  # fmt: skip
_PYTHON = _Launcher((), True, _split("-u -B -E -I -O -OO -s -S -q -v"), _split("-W -X"), _split("-m"))
_UV = _Launcher(("tool run", "run", "x"), False, _split(
    "--isolated --no-project --quiet -q --offline --no-cache --frozen --locked --refresh --no-sync -n"), _split(
    "--from --with --python -p --directory --project --index --index-url --default-index --extra --extra-index-url "
    "--env-file --cache-dir --with-editable --with-requirements"), _split("-m --module"))  # fmt: skip
_NPM_EXEC = _Launcher(("exec", "x"), False, _NPX.flags, _NPX.value_options, _NPX.module_options)
_DLX = _Launcher(("dlx", "exec"), False, _NPX.flags, _NPX.value_options, _NPX.module_options)
_UVX = _Launcher((), True, _UV.flags, _UV.value_options)
_PIPX = _Launcher(("run",), False, _split("--no-cache --quiet -q"), _UV.value_options | _split("--spec --pip-args"))
_DOCKER = _Launcher(("run", "container run"), False, _split(
    "-i -t -it -ti -d --rm --interactive --tty --init --privileged --read-only --no-healthcheck -P -q --quiet"), _split(
    "-e --env --env-file -v --volume --mount --name --network --net -p --publish -u --user -w --workdir --platform "
    "--pull -h --hostname --add-host --memory -m --cpus --label -l --entrypoint --cap-drop --cap-add --security-opt "
    "--gpus --tmpfs --dns --secret --log-driver --restart --shm-size --ulimit"))  # fmt: skip
_LAUNCHERS = {
    "node": _NODE, "nodejs": _NODE, "tsx": _NODE, "ts-node": _NODE,
    "npx": _NPX, "bunx": _NPX, "npm": _NPM_EXEC, "pnpm": _DLX, "pnpx": _NPX, "yarn": _DLX,
    "bun": _Launcher(("run", "x"), True), "deno": _Launcher(("run",), False, _split(
        "-A --allow-all --allow-env --allow-net --allow-read --allow-run --allow-sys --allow-write --quiet -q")),
    "dnx": _Launcher((), True, _split("--yes -y --prerelease"), _split("--source --version")),
    "dotnet": _Launcher(("run", "tool run", "tool exec"), False, _split("--no-build --yes -y"), _split("--project")),
    "python": _PYTHON, "py": _PYTHON, "pypy": _PYTHON,
    "uv": _UV, "uvx": _UVX,
    "pipx": _PIPX,
    "docker": _DOCKER, "podman": _DOCKER, "nerdctl": _DOCKER,
    "go": _Launcher(("run",)), "cargo": _Launcher(("run",)),
    "java": _Launcher((), False, module_options=_split("-jar")),
    "env": _Launcher((), True, _split("-i -0 -S --ignore-environment"), _split("-u -C --unset --chdir")),
    "exec": _Launcher((), True), "nohup": _Launcher((), True), "time": _Launcher((), True),
    "sh": _Launcher((), True), "bash": _Launcher((), True), "zsh": _Launcher((), True), "powershell": _Launcher(),
    "cmd": _Launcher(("/c", "/C", "/k", "/K", "/s /c", "/d /c")),
}  # fmt: skip
LAUNCHER_OPTIONS = frozenset(
    option for launcher in _LAUNCHERS.values() for option in launcher.value_options | launcher.module_options
) - _split("-e --env --secret -l --label -u --user --pip-args")
"""Options of launchers whose values say what is started, and where: packages, modules, paths, addresses."""
_WRAPPERS = frozenset(("cmd", "env", "exec", "nohup", "time"))
"""Launchers whose arguments are a whole command."""
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")


def find_program(command: Sequence[str]) -> str:
    """Return the word of a command that names the server; empty if there is none that is known to be a name."""
    remaining = _skip_assignments(command)
    if not remaining:
        return ""
    program = strip_program_path(remaining[0])
    launcher = _find_launcher(program)
    if launcher is None:
        return remaining[0] if _can_name_program(remaining[0]) else ""
    launched = _skip_launcher_options(launcher, remaining[1:])
    if launched and program in _WRAPPERS:
        return find_program(launched)
    if launched and _can_name_program(launched[0]):
        return launched[0]
    return program


def count_launcher_words(command: Sequence[str]) -> int:
    """Return how many words of a command stand before the one that names the server; 0 if that is not known."""
    remaining = _skip_assignments(command)
    program = strip_program_path(remaining[0]) if remaining else ""
    if (launcher := _find_launcher(program)) is None:
        return len(command) - len(remaining)
    launched = _skip_launcher_options(launcher, remaining[1:])
    inner = count_launcher_words(launched) if program in _WRAPPERS else 0
    return len(command) - len(launched) + inner if launched else 0


def _skip_assignments(command: Sequence[str]) -> list[str]:
    return [*itertools.dropwhile(_ASSIGNMENT.match, command)]


def _find_launcher(program: str) -> _Launcher | None:
    return _LAUNCHERS.get(re.sub(r"(?<=n)[0-9.]+$|(?<=y)[0-9.]+$", "", program))


def _skip_launcher_options(launcher: _Launcher, command: list[str]) -> list[str]:
    subcommands = map(str.split, launcher.subcommands)
    subcommand = next((parts for parts in subcommands if command[: len(parts)] == parts), None)
    if subcommand is None and not launcher.is_subcommand_optional:
        names_module = command[:1] and command[0] in launcher.module_options
        return command[1:] if names_module else []
    remaining = command[len(subcommand or ()) :]
    while remaining:
        argument = remaining.pop(0)
        if argument == "--" or argument in launcher.module_options:
            return remaining
        if not argument.startswith("-"):
            return [argument, *remaining]
        if argument in launcher.value_options:
            remaining = remaining[1:]
        elif argument not in launcher.flags and "=" not in argument:
            return []  # the next word may be the option's value
    return []


def strip_program_path(argument: str) -> str:
    """Return the last segment of a path in lower case, without a suffix of programs."""
    return re.sub(r"\.(exe|cmd|bat)$", "", re.split(r"[/\\]", argument)[-1].lower())


def _can_name_program(argument: str) -> bool:
    return "://" not in argument and not _ASSIGNMENT.match(argument) and not argument.startswith("-")


# --- what may be shown ------------------------------------------------------------------------------------------------
HIDDEN = "…"
PUBLIC_SEGMENTS = frozenset(
    "api beta http https jsonrpc latest main mcp message messages public rest rpc server servers services sse stream "
    "streamable streamable-http tools v0 v1 v2 v3 v4 ws".split()
)
PUBLIC_VALUES = frozenset(
    "0.0.0.0 127.0.0.1 debug dev error false http https info json localhost no none null off on production prod sse "
    "stdio stream streamable-http text tcp true udp warn warning yes".split()
)
"""Values of arguments that are not secret; numbers are not, either."""
PUBLIC_HEADERS = frozenset(
    "accept accept-encoding accept-language content-type mcp-protocol-version origin user-agent".split()
)
PUBLIC_SUBCOMMANDS = frozenset("dev local main mcp run serve server start stdio".split())
"""Words alone that are not secret: they say what a program does."""
PUBLIC_OPTIONS = frozenset(
    "--cwd --dir --directory --file --folder --format --host --lang --language --level --locale --log-level --mode "
    "--output --path --port --region --root --timezone --transport --tz --workspace".split()
)
"""Options whose values are not secret if they look like names or paths."""
_SCRIPT = re.compile(r".*\.(py|js|mjs|cjs|ts|sh|jar)", re.IGNORECASE)
_LONGEST_PART_OF_PATH = 12
"""Characters up to which a part of a script's path is shown, even if it mixes letters and digits."""
_MOST_NAME_SEGMENTS = 8
_NAME_SEGMENT = re.compile(r"[A-Za-z]{1,16}[0-9]{0,4}|[0-9]{1,4}")
_SOFTWARE_SEGMENT = re.compile(r"[A-Za-z]*[0-9]{0,4}|[A-Za-z0-9]{1,12}|[0-9]{1,14}")
_PUBLIC_FORM = re.compile(
    r"[~.]{0,2}[/\\]|[A-Za-z]:[/\\]|@[\w.-]+/|(npm|jsr|github|oci):|[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}(:[0-9]+)?/"
)
_NUMBER = re.compile(r"[0-9]{1,5}(\.[0-9]{1,3})?")


def is_plain(argument: str) -> bool:
    """Check whether a word looks like a name: segments of letters with a few digits. Tokens mix them, or are long."""
    segments = [segment for segment in re.split(r"[-_.+@~:]", argument) if segment]
    return 0 < len(segments) <= _MOST_NAME_SEGMENTS and all(map(_NAME_SEGMENT.fullmatch, segments))


def names_software(word: str) -> bool:
    """Check for the form of a package, an image, a module, a path, a version: long names, but no tokens."""
    name = re.sub(r"@sha256:[0-9a-f]{64}$|[@#][0-9a-f]{7,40}$", "", word)
    parts = re.split(r"[-_.+@~:/\\=<>!^,#$*\[\] ]", name)
    return any(parts) and all(map(_SOFTWARE_SEGMENT.fullmatch, parts))


def is_public_form(word: str) -> bool:
    """Check whether a word, wherever it is in a command, is a path, a scoped package or an image of a registry."""
    return _PUBLIC_FORM.match(word) is not None and names_software(word)


def is_harmless(argument: str) -> bool:
    """Check whether an argument's value cannot be a secret: a number, or a common value of options."""
    return argument.lower() in PUBLIC_VALUES or _NUMBER.fullmatch(argument) is not None


def redact_url(text: str) -> str:
    """Return a URL without user info, query and fragment, and with unknown parts of its host and path hidden."""
    parts = urlsplit(text)
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{host}]"
    elif not re.fullmatch(r"[0-9.]+", host):
        labels = host.split(".")
        domain_start = max(0, len(labels) - 2)  # the registered domain is always shown
        host = ".".join(
            label if index >= domain_start or is_plain(label) else HIDDEN for index, label in enumerate(labels)
        )
    port = f":{parts.port}" if parts.port is not None else ""
    segments = parts.path.split("/")
    path = "/".join(segment if not segment or segment.lower() in PUBLIC_SEGMENTS else HIDDEN for segment in segments)
    return f"{parts.scheme.lower()}://{host}{port}{path}"


def is_path(argument: str) -> bool:
    """Check whether a word is a path whose segments look like names."""
    segments = [segment for segment in re.split(r"[/\\\\]", argument) if segment not in ("", ".", "..", "~")]
    return "/" in argument and "://" not in argument and bool(segments) and all(map(is_plain, segments))


def is_script(argument: str) -> bool:
    """Check whether a word is a file of a programming language whose path has no long parts of letters and digits."""
    return "://" not in argument and _SCRIPT.fullmatch(argument) is not None and HIDDEN not in hide_in_path(argument)


def hide_in_path(path: str) -> str:
    """Return a path with … for the parts that are long and do not look like names."""
    return "".join(
        part if part in ("", ".", "..", "~", "/", "\\") or _is_public_part(part) else HIDDEN
        for part in re.split(r"([/\\])", path)
    )


def _is_public_part(part: str) -> bool:
    words = re.split(r"[-_.+@~: ]", part)
    return is_plain(part) or all(
        re.fullmatch(r"[A-Za-z0-9]*", word) and (len(word) <= _LONGEST_PART_OF_PATH or is_plain(word)) for word in words
    )
