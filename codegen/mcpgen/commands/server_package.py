"""Which of several packages is a server's: the one that reads the file that was pulled from it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mcpgen.config.models import ConfiguredPackage
from mcpgen.introspect.client import ServerQuery
from mcpgen.introspect.pulled_file import find_files_pulled_from, find_pulled_folder
from mcpgen.introspect.server_address import format_server_address
from mcpgen.introspect.server_identity import identify_server


def find_pulled_files(packages: Sequence[ConfiguredPackage], name: str, query: ServerQuery | None) -> list[Path]:
    """Return the files in the packages' folders that were pulled from the server, else those of a name.

    If several were pulled from it, those of the name are chosen. Without a query, only the name counts.
    """
    folders = [*dict.fromkeys(find_pulled_folder([package]) for package in packages)] or [find_pulled_folder([])]
    named = [path for path in (folder / f"{name}.json" for folder in folders) if path.is_file()]
    if query is None:
        return named
    server, identity = format_server_address(query.source), identify_server(query.source)
    pulled = [path for folder in folders for path in find_files_pulled_from(server, folder, identity)]
    return [path for path in pulled if path in named] or pulled or named
