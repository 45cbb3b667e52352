"""The files to render, and rendering one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from mcpgen import paths
from mcpgen.render import header, imports
from mcpgen.render.formatter import format_source

DEFINITIONS_ORIGIN = "the definitions"


@dataclass(frozen=True)
class Job:
    """A file to render: picklable, so that any worker process can do it."""

    path: str
    template: str
    origin: str
    values: dict[str, Any]
    dots: str = "."
    shared: frozenset[str] = frozenset()
    fills_imports: bool = False


@cache
def _make_environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(paths.find_shipped_folder("templates")),
        undefined=StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
    )


def render_job(job: Job) -> str:
    """The text of one file."""
    if not job.template.endswith(".j2"):
        text = (paths.find_shipped_folder("templates") / job.template).read_text("utf-8")
        return header.add_header(text, job.origin)  # kept in black's style as it is
    template = _make_environment().get_template(job.template)
    if job.fills_imports:
        bare = template.render(**job.values, imports="")
        text = template.render(**job.values, imports=imports.render_imports(bare, job.dots, set(job.shared)))
    else:
        text = template.render(**job.values)
    return header.add_header(format_source(text), job.origin)
