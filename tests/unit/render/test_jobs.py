"""Rendering of one file."""

from __future__ import annotations

import pickle
from pathlib import Path
from types import CodeType, SimpleNamespace

import pytest
from jinja2 import DictLoader, Environment
from mcpgen.cache.store import Store
from mcpgen.ir.types import Alias, Array, Ref, Scalar, ScalarKind
from mcpgen.literals import make_docstring
from mcpgen.render.class_views import make_module_body
from mcpgen.render.jobs import CompiledTemplates, ImportScope, Job, render_job
from mcpgen.render.scope import Scope
from mcpgen.render.types import TypesView


def test_the_fields_of_a_view_are_the_variables() -> None:
    view = SimpleNamespace(doc=make_docstring("One module for each tool.", 0))
    text = render_job(Job("tools/__init__.py", "package/folder.py.j2", "", view))
    assert text.endswith('"""One module for each tool."""\n')


def test_what_is_not_python_is_an_error() -> None:
    with pytest.raises(SyntaxError):
        render_job(Job("a.py", "package/folder.py.j2", "", SimpleNamespace(doc="x = = 7")))


def make_types_job(text: str) -> Job:
    alias = Alias(text, "", ((text,),), Array(Scalar(ScalarKind.UUID)))
    reference = Alias("b", "", (("b",),), Array(Ref(text)))
    scope = Scope({text: "Tides", "b": "Harbours"}, {text: alias, "b": reference})
    body = make_module_body([alias, reference], scope, {})
    view = TypesView(make_docstring("Shared types.", 0), body, [], ["Tides", "Harbours"])
    imports = ImportScope("mcpgen_runtime.sdk.mcp", (("Tides", ".tides"),))
    return Job("types/tides.py", "package/types.py.j2", "", view, imports)


def test_imports_are_filled_in() -> None:
    text = render_job(make_types_job("a"))
    start = text.index("from __future__")
    assert text[start:].startswith(
        "from __future__ import annotations\n\n"
        "from typing import TYPE_CHECKING, TypeAlias\n\n"
        "from mcpgen_runtime.sdk.mcp.types import Uuid\n"
        "from typing_extensions import TypeAliasType\n"
    )


def test_a_job_can_go_to_another_process() -> None:
    job = make_types_job("a")
    assert pickle.loads(pickle.dumps(job)) == job
    assert repr(pickle.loads(pickle.dumps(job))) == repr(job)  # the key of the cache


# --- compiled templates that are kept between runs --------------------------------------------------------------------
def _render(folder: Path, source: str, monkeypatch: pytest.MonkeyPatch) -> tuple[str, int]:
    """Return what a template prints, and how many templates were compiled for that."""
    compiled: list[str] = []
    environment = Environment(
        loader=DictLoader({"a.j2": source}), autoescape=False, bytecode_cache=CompiledTemplates(Store(folder))
    )
    compile_source = environment.compile

    def spied(source: str, name: str | None = None, filename: str | None = None) -> CodeType:
        compiled.append(source)
        return compile_source(source, name, filename)

    monkeypatch.setattr(environment, "compile", spied)
    return environment.get_template("a.j2").render(x=[1, 2]), len(compiled)


def test_a_template_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "{% for y in x %}<{{ y }}>{% endfor %}"
    assert _render(tmp_path, source, monkeypatch) == ("<1><2>", 1)
    assert _render(tmp_path, source, monkeypatch) == ("<1><2>", 0)
    assert _render(tmp_path, source + "!", monkeypatch) == ("<1><2>!", 1)


@pytest.mark.parametrize("damage", [b"", b"%%%", b"no", b"abcdefghijklmnopqrstuvwxyz"])
def test_a_damaged_entry_is_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: bytes) -> None:
    _render(tmp_path, "{{ x }}", monkeypatch)
    monkeypatch.setattr(Store, "get_bytes", lambda *_: damage)
    assert _render(tmp_path, "{{ x }}", monkeypatch) == ("[1, 2]", 1)
