"""The files of content templates: which one a tool uses, its text, and those that no tool uses."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from mcpgen import paths
from mcpgen.config.models import Limits
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.definition_files import TEMPLATE_SUFFIX
from mcpgen.files.file_tracker import FileTracker
from mcpgen.files.project_paths import resolve_path
from mcpgen.files.regular_files import FileTooLarge
from mcpgen.read.definitions import TemplateFile, ToolOptions
from mcpgen.read.guesses import Guesses


@dataclass(frozen=True)
class ToolLocation:
    """Where a tool is defined: its file, the input folder around that, and the tool's name there."""

    file: Path
    root: Path
    span: Span


class TemplateCatalog:
    """The templates of one run."""

    def __init__(self, folder: Path, limits: Limits, findings: Findings, disk: FileTracker) -> None:
        self._folder, self._limits, self._findings, self._disk = folder, limits, findings, disk
        self._found: dict[Path, Path] = {}
        self.used: set[Path] = set()

    @contextmanager
    def track_part(self) -> Generator[set[Path]]:
        """Collect the templates that are used until the end of the block in a set of their own as well."""
        used_before, self.used = self.used, set()
        try:
            yield self.used
        finally:
            self.used = used_before | self.used

    def add_file(self, path: Path) -> None:
        """Add a template file of an input folder."""
        self._found[resolve_path(path)] = path

    def attach_template(self, name: str, choices: ToolOptions, has_schema: bool, place: ToolLocation) -> ToolOptions:
        """A tool's choices with the text of its template, where it uses one."""
        own = place.file.parent / f"{name}{TEMPLATE_SUFFIX}" if name and not set(name) & set("/\\\0") else None
        beside = own if own is not None and self._disk.is_file(own) else None
        path, span = beside, place.span
        if choices.asked is not None:
            base = self._folder if choices.asked.in_settings else place.file.parent
            root = self._folder if choices.asked.in_settings else place.root
            path, span = base / choices.asked.path, choices.asked.span or span
            if not resolve_path(path).is_relative_to(resolve_path(root)):
                self._findings.error("MG506", f'"{choices.asked.path}" leaves the folder', span, "copy the file")
                return choices
        if choices.content != "template" and choices.content_chosen:
            if beside is not None:
                self.used.add(resolve_path(beside))
                message = f'is not used: the tool "{name}" chooses the content "{choices.content}"'
                help = 'remove the file, or choose `content = "template"`'
                self._findings.warn("MG508", message, Span(paths.format_path(beside)), help)
            return choices
        if path is None:
            if choices.content == "template":
                message = f'the tool "{name}" has no template'
                help = f"write {name}{TEMPLATE_SUFFIX} beside its file, or name another by `template`"
                self._findings.error("MG506", message, span, help)
            return choices
        self.used.add(resolve_path(path))
        if not has_schema:
            message = f'a template for the tool "{name}", which declares no outputSchema'
            self._findings.error("MG508", message, span, "its handler passes content of its own")
            return choices
        text = self._text(path, span)
        if text is None:
            return choices
        file = TemplateFile(paths.format_path(path), path.name, text)
        return replace(choices, content="template", content_chosen=True, template=file)

    def report_unused(self, tools: list[str]) -> None:
        """Say which templates no tool uses, unless files were not understood that may define one."""
        if any(one.code in ("MG001", "MG002", "MG003", "MG004") for one in self._findings):
            return
        guesses, known = Guesses(), set(tools)
        for resolved, path in sorted(self._found.items()):
            if resolved not in self.used:
                name = path.name.removesuffix(TEMPLATE_SUFFIX)
                close = guesses.close(name, tools)
                help = (
                    f'did you mean "{close}{TEMPLATE_SUFFIX}"?'
                    if close
                    else "it is <tool name>.content.j2 beside the tool"
                )
                if name in known:
                    help = f'the tool "{name}" is defined in another folder'
                message = f'belongs to no tool: none of this folder is called "{name}"'
                self._findings.error("MG507", message, Span(paths.format_path(path)), help)

    def _text(self, path: Path, span: Span) -> str | None:
        name = paths.format_path(path)
        if not self._disk.is_file(path):
            self._findings.error("MG506", f'there is no file "{name}"', span)
            return None
        try:
            return normalize_template_text(self._disk.read(path).decode("utf-8-sig"))
        except FileTooLarge as error:
            help = "raise `limits.file-size` in the settings if this is meant"
            self._findings.error("MG009", str(error.strerror), Span(name), help)
        except OSError as error:
            self._findings.error("MG506", f"cannot be read: {error.strerror}", Span(name))
        except UnicodeDecodeError:
            self._findings.error("MG506", "not valid UTF-8", Span(name), "save the file as UTF-8")
        return None


def normalize_template_text(text: str) -> str:
    """The text as Jinja reads it: line breaks are `\\n`, and the last one is left out."""
    lines = re.split(r"\r\n|\r|\n", text)
    return "\n".join(lines[:-1] if lines[-1] == "" else lines)
