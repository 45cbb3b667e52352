"""The files to render, and rendering one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from mcpgen import paths
from mcpgen.render import header, imports
from mcpgen.render.formatter import formatted

ALL = "the definitions"


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
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(paths.shipped("templates")),
        undefined=StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
    )


def render(job: Job) -> str:
    """The text of one file."""
    if not job.template.endswith(".j2"):
        text = (paths.shipped("templates") / job.template).read_text("utf-8")
        return header.with_header(text, job.origin)  # kept in black's style as it is
    template = _environment().get_template(job.template)
    if job.fills_imports:
        bare = template.render(**job.values, imports="")
        text = template.render(**job.values, imports=imports.imports(bare, job.dots, set(job.shared)))
    else:
        text = template.render(**job.values)
    return header.with_header(formatted(text), job.origin)
