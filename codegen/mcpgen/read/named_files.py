"""Files that the settings name: one that is not there is a mistake of the setting."""

from __future__ import annotations

from mcpgen.config.load import locate_setting
from mcpgen.diagnostics import Span
from mcpgen.files.looks import is_taken
from mcpgen.paths import format_path
from mcpgen.read.context import ReadContext
from mcpgen.read.document import SourceDocument
from mcpgen.read.reference_help import find_close_file
from mcpgen.read.reserved_folders import LEARNED_FOLDER


def load_named_file(name: str, setting: tuple[str, ...], context: ReadContext) -> SourceDocument | None:
    """Return the document of a file that a setting names; None if it cannot be read, which is then reported.

    Args:
        name: the path, relative to the folder of the package's settings.
        setting: the keys of the setting.
        context: what is read.
    """
    package = context.package
    path = package.folder / name
    if context.disk.is_file(path) or is_taken(path):
        return context.documents.load(path)
    close = find_close_file(package.folder, name)
    help = "the path is relative to the folder of the settings file"
    if close:
        help = f'did you mean "{close}"?'
    elif path.parent.name == LEARNED_FOLDER:
        help = f"restore it, or learn it again from recorded results: `mcpgen learn`; {help}"
    message = f'"{".".join(setting)}": there is no file {format_path(path)}'
    context.findings.error("MG001", message, locate_setting(package, setting) or Span(format_path(path)), help)
    return None
