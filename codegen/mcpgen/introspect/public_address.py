"""What of a command line or URL may be shown and kept: an allow-list, since nobody can list what secrets look like.

A word is kept where it says by its place that it names a program, a package, an image, a module or a script, and where
its form is that of a name. All else is taken for a secret, whatever it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

HIDDEN = "…"
"""What stands in the place of what is not shown."""
PUBLIC_SEGMENTS = frozenset(
    "api beta http https jsonrpc latest main mcp message messages public rest rpc server servers services sse stream "
    "streamable streamable-http tools v0 v1 v2 v3 v4 ws".split()
)
"""Parts of a URL's path that are shown."""
PUBLIC_VALUES = frozenset(
    "0.0.0.0 127.0.0.1 debug dev error false http https info json localhost no none null off on production prod sse "
    "stdio stream streamable-http text tcp true udp warn warning yes".split()
)
"""Values of arguments that are no secrets, beside numbers."""
_NAME_PART = re.compile(r"[A-Za-z]{1,16}[0-9]{0,4}|[0-9]{1,4}")
_NUMBER = re.compile(r"[0-9]{1,5}(\.[0-9]{1,3})?")


def is_plain(word: str) -> bool:
    """Whether a word has the form of a name: letters and a few digits, in parts; tokens mix them, or have no end."""
    parts = [part for part in re.split(r"[-_.+@~:]", word) if part]
    return 0 < len(parts) <= 8 and all(map(_NAME_PART.fullmatch, parts))


def is_harmless(word: str) -> bool:
    """Whether an argument's value can be no secret: a number, or one of the words that options take."""
    return word.lower() in PUBLIC_VALUES or _NUMBER.fullmatch(word) is not None


def redact_url(text: str) -> str:
    """A URL without user info, query, fragment, and whatever of its host and path is not known to be harmless."""
    parts = urlsplit(text)
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{host}]"
    elif not re.fullmatch(r"[0-9.]+", host):
        labels = host.split(".")
        kept = max(0, len(labels) - 2)  # those of the registered domain
        host = ".".join(label if index >= kept or is_plain(label) else HIDDEN for index, label in enumerate(labels))
    port = f":{parts.port}" if parts.port is not None else ""
    path = "/".join(part if not part or part.lower() in PUBLIC_SEGMENTS else HIDDEN for part in parts.path.split("/"))
    return f"{parts.scheme.lower()}://{host}{port}{path}"


def is_path(word: str) -> bool:
    """Whether a word is a path whose parts have the form of names."""
    parts = [part for part in re.split(r"[/\\\\]", word) if part not in ("", ".", "..", "~")]
    return "/" in word and "://" not in word and bool(parts) and all(map(is_plain, parts))


# --- commands --------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Launcher:
    """How a program that starts others is called, as far as it is known; what is not known ends the search."""

    subcommands: tuple[str, ...] = ()
    """Words that come before the server's; each of them alone, or two of them joined by a space."""
    bare: bool = False
    """Whether the server may come without any of these."""
    flags: frozenset[str] = frozenset()
    """Options without a value."""
    valued: frozenset[str] = frozenset()
    """Options with a value, which is skipped."""
    module: frozenset[str] = frozenset()
    """Options whose value names the server."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NODE = _Launcher((), True, _words("--inspect --no-warnings --enable-source-maps --experimental-strip-types"), _words(
    "-r --require --import --loader --env-file --max-old-space-size"))  # fmt: skip
_NPX = _Launcher(("exec", "x"), True, _words("-y --yes -q --quiet --no-install --prefer-offline --prefer-online"),
    _words("--registry --cache --prefix"), _words("-p --package"))  # fmt: skip
_PYTHON = _Launcher((), True, _words("-u -B -E -I -O -OO -s -S -q -v"), _words("-W -X"), _words("-m"))
_UV = _Launcher(("tool run", "run", "x"), False, _words(
    "--isolated --no-project --quiet -q --offline --no-cache --frozen --locked --refresh --no-sync -n"), _words(
    "--from --with --python -p --directory --project --index --index-url --default-index --extra --extra-index-url "
    "--env-file --cache-dir --with-editable --with-requirements"), _words("-m --module"))  # fmt: skip
_UVX = _Launcher((), True, _UV.flags, _UV.valued)
_DOCKER = _Launcher(("run", "container run"), False, _words(
    "-i -t -it -ti -d --rm --interactive --tty --init --privileged --read-only --no-healthcheck -P -q --quiet"), _words(
    "-e --env --env-file -v --volume --mount --name --network --net -p --publish -u --user -w --workdir --platform "
    "--pull -h --hostname --add-host --memory -m --cpus --label -l --entrypoint --cap-drop --cap-add --security-opt "
    "--gpus --tmpfs --dns --secret --log-driver --restart --shm-size --ulimit"))  # fmt: skip
_LAUNCHERS = {
    "node": _NODE, "nodejs": _NODE, "tsx": _NODE, "ts-node": _NODE,
    "npx": _NPX, "bunx": _NPX, "npm": _Launcher(("exec", "x"), False, _NPX.flags, _NPX.valued, _NPX.module),
    "pnpm": _Launcher(("dlx", "exec"), False, _NPX.flags, _NPX.valued, _NPX.module), "pnpx": _NPX,
    "yarn": _Launcher(("dlx", "exec"), False, _NPX.flags, _NPX.valued, _NPX.module),
    "bun": _Launcher(("run", "x"), True), "deno": _Launcher(("run",), False, _words("-A --allow-all --quiet -q")),
    "python": _PYTHON, "py": _PYTHON, "pypy": _PYTHON,
    "uv": _UV, "uvx": _UVX,
    "pipx": _Launcher(("run",), False, _words("--no-cache --quiet -q"), _UV.valued | _words("--spec --pip-args")),
    "docker": _DOCKER, "podman": _DOCKER, "nerdctl": _DOCKER,
    "go": _Launcher(("run",)), "cargo": _Launcher(("run",)), "java": _Launcher((), False, module=_words("-jar")),
    "env": _Launcher((), True, _words("-i -0 -S --ignore-environment"), _words("-u -C --unset --chdir")),
    "exec": _Launcher((), True), "nohup": _Launcher((), True), "time": _Launcher((), True),
    "sh": _Launcher((), True), "bash": _Launcher((), True), "cmd": _Launcher(), "powershell": _Launcher(),
}  # fmt: skip
_WRAPPERS = frozenset(("env", "exec", "nohup", "time"))
"""Launchers after which a whole command follows."""
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")


def find_program(words: Sequence[str]) -> str:
    """The word of a command that says which server it starts; empty where none is known to, or it is no name."""
    rest = list(words)
    while rest and _ASSIGNMENT.match(rest[0]):
        rest.pop(0)
    if not rest:
        return ""
    first = strip_program_path(rest[0])
    launcher = _LAUNCHERS.get(re.sub(r"(?<=n)[0-9.]+$|(?<=y)[0-9.]+$", "", first))
    if launcher is None:
        return rest[0] if _can_name_program(rest[0]) else ""
    found = _skip_launcher_options(launcher, rest[1:])
    if found and first in _WRAPPERS:
        return find_program(found)
    if found and _can_name_program(found[0]):
        return found[0]
    return first


def _skip_launcher_options(launcher: _Launcher, words: list[str]) -> list[str]:
    """What a launcher starts, its name first; empty where that is not known."""
    subcommand = next((one.split() for one in launcher.subcommands if words[: len(one.split())] == one.split()), None)
    if subcommand is None and not launcher.bare:
        module = words[:1] and words[0] in launcher.module
        return words[1:] if module else []
    rest = words[len(subcommand or ()) :]
    while rest:
        word = rest.pop(0)
        if word == "--":
            return rest
        if word in launcher.module:
            return rest
        if not word.startswith("-"):
            return [word, *rest]
        if word in launcher.valued:
            rest = rest[1:]
        elif word not in launcher.flags and "=" not in word:
            return []  # what follows may be the option's value
    return []


def strip_program_path(word: str) -> str:
    """The last part of a path, without the ending of programs."""
    return re.sub(r"\.(exe|cmd|bat)$", "", re.split(r"[/\\]", word)[-1].lower())


def _can_name_program(word: str) -> bool:
    """Whether a word can name a program, a package, an image, a module or a script: no assignment, no URL."""
    return "://" not in word and not _ASSIGNMENT.match(word) and not word.startswith("-")
