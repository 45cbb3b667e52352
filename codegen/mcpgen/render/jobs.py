"""Render one Python file of a package: a template with a view."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined

from mcpgen import paths
from mcpgen.cache.store import NO_STORE, Store, make_key
from mcpgen.files.ownership import LIST_FILES
from mcpgen.literals import make_docstring
from mcpgen.render import header, imports
from mcpgen.render.formatter import format_source

if TYPE_CHECKING:
    from jinja2.bccache import Bucket


class CompiledTemplates(BytecodeCache):
    """Cache for a Jinja environment, which compares the versions of Python and of the bytecode itself."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a template, if it is known and undamaged."""
        data = self._store.get_bytes("template", make_key("template", bucket.key, bucket.checksum))
        if data is None:
            return
        try:
            bucket.bytecode_from_string(data)
        except (EOFError, TypeError, ValueError):
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store a template."""
        key = make_key("template", bucket.key, bucket.checksum)
        self._store.put_bytes("template", key, bucket.bytecode_to_string())


DEFINITIONS_ORIGIN = "the definitions"
"""The origin of a file that depends on several definitions."""
_IMPORTS_PLACEHOLDER = "\0imports\0"
"""Stands for the imports until the rest of the module is rendered. No literal contains a NUL, so nothing from a schema
can be mistaken for it."""
_IMPORTS_STATEMENT = "import _imports_of_this_module"
"""Stands for them while the rest of the module is formatted."""
_EMPTY_LINES_BEFORE_CODE = re.compile(r"\A\n{3,}(?!import |from |\n)")
"""Line breaks after the imports where more than one empty line follows."""


class ImportScope(NamedTuple):
    """Names that a module can import from its package."""

    facade: str
    shared: tuple[tuple[str, str], ...] = ()
    """The names of shared types, sorted, each with its module."""
    exported: tuple[tuple[str, str], ...] = ()
    """Names that the module has from others for those who import from it, sorted, each with its module."""


class Job(NamedTuple):
    """A file to render: picklable, so that any worker process can do it."""

    path: str
    template: str
    origin: str
    view: object
    """An object whose attributes are the variables of the template: a dataclass, or a namespace of a few."""
    imports: ImportScope | None = None
    """Where the module's imports come from, if mcpgen has to write them."""


JobMaker = Callable[[], Job]


def make_folder_job(folder: str, doc: str) -> Job:
    """Make the job that renders the `__init__.py` of a folder, which is only a docstring."""
    return Job(f"{folder}/__init__.py", "package/folder.py.j2", "", SimpleNamespace(doc=make_docstring(doc, 0)))


@functools.cache
def make_environment(store: Store = NO_STORE) -> Environment:
    """Return the environment of the templates, which the store keeps compiled."""
    return Environment(
        loader=FileSystemLoader(paths.find_shipped_folder("templates")),
        bytecode_cache=CompiledTemplates(store),
        undefined=StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
    )


def render_job(job: Job, store: Store = NO_STORE) -> str:
    """Render a file with its header; raise `SyntaxError` or `ValueError` if its template wrote no Python: a bug."""
    template = make_environment(store).get_template(job.template)
    if job.imports is not None:
        formatted = _render_with_imports(
            template.render(vars(job.view), imports=_IMPORTS_PLACEHOLDER), job.imports, store
        )
    else:
        text = template.render(vars(job.view))
        if job.path.endswith(".pyi"):
            ast.parse(text)
            return header.add_stub_header(text, job.path)
        if job.path in LIST_FILES:  # a line for each module, however long
            ast.parse(text)
            formatted = text
        else:
            formatted = format_source(text, store)
    return header.add_header(formatted, job.origin, job.path)


def _render_with_imports(text: str, scope: ImportScope, store: Store) -> str:
    text_before, _, text_after = text.partition(_IMPORTS_PLACEHOLDER)
    # one empty line, as in formatted text: else the formatter would have to parse the source again
    text_after = _EMPTY_LINES_BEFORE_CODE.sub("\n\n", text_after)
    source = text_before + _IMPORTS_STATEMENT + text_after
    tree = ast.parse(source)
    statements = imports.render_imports(tree, scope.facade, dict(scope.shared), dict(scope.exported))
    parts = format_source(source, store, tree).split(f"\n{_IMPORTS_STATEMENT}\n")
    if statements and len(parts) == 2:
        return f"\n{statements}\n".join(parts)
    return format_source(text_before + statements + text_after, store)
