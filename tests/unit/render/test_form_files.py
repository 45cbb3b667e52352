"""Files of forms."""

from __future__ import annotations

import pytest
from mcpgen.files.ownership import Owner, detect_owner
from mcpgen.ir.definitions import MessageValue
from mcpgen.ir.package import FormModule, Package, SchemaRoot
from mcpgen.ir.types import ObjectClass, Ref
from mcpgen.names.allocator import allocate_names
from mcpgen.render.jobs import render_job
from mcpgen.render.package import make_package_jobs

INDEX = "forms/__init__.py"


def make_form(name: str, *message: str | MessageValue) -> FormModule:
    answer = ObjectClass("form:", "", (("Answer",),), (), None)
    return FormModule(name, "a.json", "", message or ("Sure?",), SchemaRoot(Ref("form:"), (answer,), ()))


def render(*forms: FormModule, sdk: str = "mcp") -> dict[str, str]:
    package = Package((), (), (), sdk, None, forms=forms)
    jobs = make_package_jobs(package, allocate_names(package)[0])
    return {path: render_job(make_job()) for path, make_job in jobs.items() if path.startswith("forms/")}


def test_a_package_without_an_sdk_has_the_classes_alone() -> None:
    files = render(make_form("confirm-stay"), sdk="none")
    assert files.keys() == {INDEX, "forms/confirm_stay.py"}
    assert "ask" not in files["forms/confirm_stay.py"]
    assert "import" not in files[INDEX]


def test_each_form_has_one_line_for_each_of_its_names() -> None:
    one, two = (render(*map(make_form, names))[INDEX] for names in (["b"], ["b", "a-c"]))
    added = set(two.splitlines()[2:]) - set(one.splitlines()[2:])
    assert added == {
        "from .a_c import ACForm",
        "from .a_c import ask as a_c",
        "    a_c = AnswerDecorator(ACForm)",
        '    "a_c",',
    }


@pytest.mark.parametrize("path", [INDEX, "forms/b.py"])
def test_mcpgen_owns_the_files_until_they_are_edited(path: str) -> None:
    both, one = (render(*map(make_form, names)) for names in (["a", "b"], ["b"]))
    if path == INDEX:  # a merge may bring lines of another branch
        start, header, _ = one[path].partition("from .b import BForm\n")
        merged = f"{start}from .a import AForm\n{header}{one[path].partition(header)[2]}"
        assert detect_owner(path, merged) is detect_owner(path, both[path]) is Owner.MCPGEN
        assert detect_owner(path, f"{both[path]}import os\n") is Owner.EDITED


@pytest.mark.parametrize("name", ["ctx", "str", "message", "ask_form", "class", "self"])
def test_a_value_of_a_message_may_have_any_name(name: str) -> None:
    text = render(make_form("a", "x", MessageValue(name), "y"))["forms/a.py"]
    functions: dict[str, object] = {}
    body = text[text.index("def message(") : text.index("async def ask(")].strip()
    exec(body, functions)
    message = functions["message"]
    assert callable(message)
    assert message(**{f"{name}_" if name != "self" else name: 3}) == "x3y"
