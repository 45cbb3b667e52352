"""Allow-list of the parts of command lines and URLs that may be shown and written.

An allow-list, because nobody can enumerate what secrets look like: everything else is treated as a secret.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

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
