"""Content template files: find the one that each tool uses, read it, and report those that no tool uses."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from mcpgen import paths
from mcpgen.config.models import Limits, suggest_raising
from mcpgen.diagnostics import Findings, Span
from mcpgen.files.definition_files import TEMPLATE_SUFFIX
from mcpgen.files.file_tracker import FileTracker
from mcpgen.files.project_paths import resolve_path
from mcpgen.files.regular_files import FileTooLarge
from mcpgen.files.text_problems import CONFLICT_HELP, explain_encoding, find_merge_conflict
from mcpgen.ir.code_settings import ContentStrategy
from mcpgen.read.definitions import TemplateFile, TemplateReference, ToolOptions
from mcpgen.words import NameGuesser


@dataclass(frozen=True)
class ToolLocation:
    """Place of a tool: its file, the input folder that contains the file, and the span of the tool's name."""

    file: Path
    root: Path
    span: Span


class TemplateCatalog:
    """Content templates of one run."""

    def __init__(self, folder: Path, limits: Limits, findings: Findings, disk: FileTracker) -> None:
        self._folder, self._limits, self._findings, self._disk = folder, limits, findings, disk
        self._paths: dict[Path, Path] = {}
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
        self._paths[resolve_path(path)] = path

    def attach_template(self, name: str, choices: ToolOptions, has_schema: bool, location: ToolLocation) -> ToolOptions:
        """Return a tool's options with the text of its template, if it uses one; report what is wrong with that.

        It has to have an outputSchema, `has_schema`.
        """
        path_beside = self._find_beside(name, location)
        path, span = path_beside, location.span
        reference = choices.reference
        if reference is not None:
            path, span = self._locate_reference(reference, location), reference.span or span
            if path is None:
                self._findings.error("MG506", f'"{reference.path}" leaves the folder', span, "copy the file")
                return choices
        if choices.content not in ("template", "link") and choices.content_chosen:
            if path_beside is not None:
                self._warn_about_ignored(name, path_beside, choices.content)
            return choices
        if path is None:
            if choices.content == "template":
                message = f'the tool "{name}" has no template'
                help = f"write {name}{TEMPLATE_SUFFIX} next to its file, or name another with `template`"
                self._findings.error("MG506", message, span, help)
            return choices
        self.used.add(resolve_path(path))
        if not has_schema:
            message = f'a template for the tool "{name}", which declares no outputSchema'
            self._findings.error("MG508", message, span, "its handler passes content of its own")
            return choices
        text = self._read_text(path, span)
        if text is None:
            return choices
        file = TemplateFile(paths.format_path(path), path.name, text)
        content: ContentStrategy = "link" if choices.content == "link" else "template"
        return replace(choices, content=content, content_chosen=True, template=file)

    def _find_beside(self, name: str, location: ToolLocation) -> Path | None:
        if not name or set(name) & set("/\\\0"):
            return None
        path = location.file.parent / f"{name}{TEMPLATE_SUFFIX}"
        return path if self._disk.is_file(path) else None

    def _locate_reference(self, reference: TemplateReference, location: ToolLocation) -> Path | None:
        base = self._folder if reference.in_settings else location.file.parent
        root = self._folder if reference.in_settings else location.root
        path = base / reference.path
        return path if resolve_path(path).is_relative_to(resolve_path(root)) else None

    def _warn_about_ignored(self, name: str, path: Path, content: str) -> None:
        self.used.add(resolve_path(path))
        message = f'is not used: the tool "{name}" chooses the content "{content}"'
        help = 'remove the file, or choose `content = "template"`'
        self._findings.warn("MG508", message, Span(paths.format_path(path)), help)

    def report_unused(self, tools: list[str]) -> None:
        """Report the templates that no tool uses, unless a file with errors may define a tool that does."""
        if any(finding.code in ("MG001", "MG002", "MG003", "MG004") for finding in self._findings):
            return
        guesser, tool_names = NameGuesser(), set(tools)
        for resolved, path in sorted(self._paths.items()):
            if resolved not in self.used:
                name = path.name.removesuffix(TEMPLATE_SUFFIX)
                close = guesser.guess(name, tools)
                help = (
                    f'did you mean "{close}{TEMPLATE_SUFFIX}"?'
                    if close
                    else "it is <tool name>.content.j2 next to the tool; if the tool was removed, remove this file"
                )
                if name in tool_names:
                    help = f'the tool "{name}" is defined in another folder'
                message = f'belongs to no tool: none of this folder is called "{name}"'
                self._findings.error("MG507", message, Span(paths.format_path(path)), help)

    def _read_text(self, path: Path, span: Span) -> str | None:
        name = paths.format_path(path)
        if not self._disk.is_file(path):
            self._findings.error("MG506", f'there is no file "{name}"', span)
            return None
        try:
            text = normalize_template_text(self._disk.read(path).decode("utf-8-sig"))
        except FileTooLarge as error:
            help = suggest_raising("file-size")
            self._findings.error("MG009", str(error.strerror), Span(name), help)
        except OSError as error:
            self._findings.error("MG506", f"cannot be read: {error.strerror}", Span(name))
        except UnicodeDecodeError as error:
            message, help = explain_encoding(error.object)
            self._findings.error("MG506", message, Span(name), help)
        else:
            if (conflict := find_merge_conflict(text)) is None:
                return text
            span = Span(name, conflict.first_line, 1, "", text.split("\n")[conflict.first_line - 1])
            self._findings.error("MG506", str(conflict), span, CONFLICT_HELP)
        return None


def normalize_template_text(text: str) -> str:
    """Return the text as Jinja reads it: line breaks are `\\n`, and the last one is removed."""
    lines = re.split(r"\r\n|\r|\n", text)
    return "\n".join(lines[:-1] if lines[-1] == "" else lines)
