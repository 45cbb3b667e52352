"""Programs that start servers (npx, uv, docker, …), and how to find the server's name in their arguments."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class _Launcher:
    """Command line of a program that starts other programs; an unknown option ends the search for the server."""

    subcommands: tuple[str, ...] = ()
    """Subcommands of one word or two, of which one precedes the server."""
    is_subcommand_optional: bool = False
    flags: frozenset[str] = frozenset()
    """Options without a value."""
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
    """Check whether a word can name a program, package, image, module or script: no assignment, URL or option."""
    return "://" not in argument and not _ASSIGNMENT.match(argument) and not argument.startswith("-")
