"""Compiled templates that are kept between runs."""

from __future__ import annotations

from pathlib import Path
from types import CodeType

import pytest
from jinja2 import DictLoader, Environment
from mcpgen.cache.render_cache import RenderCache
from mcpgen.render.compiled_templates import CompiledTemplates


def _render(folder: Path, source: str, monkeypatch: pytest.MonkeyPatch) -> tuple[str, int]:
    """Return what a template prints, and how many templates were compiled for that."""
    compiled: list[str] = []
    environment = Environment(
        loader=DictLoader({"a.j2": source}), autoescape=False, bytecode_cache=CompiledTemplates(RenderCache(folder))
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


@pytest.mark.parametrize("damage", ["", "%%%", "bm8=", "YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXo="])
def test_a_damaged_entry_is_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str) -> None:
    _render(tmp_path, "{{ x }}", monkeypatch)
    monkeypatch.setattr(RenderCache, "load_template", lambda *_: damage)
    assert _render(tmp_path, "{{ x }}", monkeypatch) == ("[1, 2]", 1)


def test_nothing_is_kept_without_a_folder() -> None:
    cache = RenderCache()
    cache.keep_template("a", "b", "c")
    assert cache.load_template("a", "b") is None
