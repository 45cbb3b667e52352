"""Make the view of a form's module: the class of what a user enters, and the text above it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace

from mcpgen.ir.definitions import MessageValue
from mcpgen.ir.package import FormModule, get_root_class
from mcpgen.literals import Literal, make_docstring, make_literal
from mcpgen.names.identifiers import make_method_name, make_parameter_names
from mcpgen.names.package_names import FormNames
from mcpgen.names.reserved import FORM_METHODS, MESSAGE_NAMES
from mcpgen.render.class_views import ModuleBody, make_module_body
from mcpgen.render.declared_places import map_declared_places
from mcpgen.render.jobs import ImportScope, Job
from mcpgen.render.scope import Scope
from mcpgen.render.serializers import SerializerWriter


@dataclass(frozen=True)
class FormView:
    """Variables of `package/form.py.j2`."""

    doc: Literal
    name: str
    module: ModuleBody
    values: list[str]
    """The parameters of `message`."""
    signature: str
    text: Literal
    """The expression for the message."""
    serves: bool
    """Whether the package is for an SDK, whose servers can show the form."""


def make_form_job(form: FormModule, names: FormNames, facade: str, serves: bool) -> Job:
    """Make the job that renders the module of a form, with a function that shows it in a package that `serves`."""
    root_class = get_root_class(form.root)
    assert root_class is not None  # MCP asks for an object
    described = replace(root_class, description=form.description.strip() or f"Answer to the form `{form.wire}`.")
    nodes = {node.id: described if node.id == root_class.id else node for node in form.root.nodes}
    scope = Scope(names.nested, nodes, reserved={root_class.id: FORM_METHODS})
    wires = dict.fromkeys(part.name for part in form.message if isinstance(part, MessageValue))
    values = make_parameter_names(wires, MESSAGE_NAMES)
    view = FormView(
        doc=make_docstring(f"Form `{form.wire}`.", 0),
        name=names.name,
        module=make_module_body(
            nodes.values(),
            scope,
            {root_class.id: ("CheckedForm" if form.root.checks else "Form",)},
            declared=map_declared_places(nodes),
            writer=SerializerWriter(scope, only_arguments=nodes),
        ),
        values=[*values.values()],
        signature=", ".join(f"{name}: str | int | float" for name in values.values()),
        text=_write_message(form.message, values),
        serves=serves,
    )
    return Job(names.path, "package/form.py.j2", form.origin, view, ImportScope(facade))


def _write_message(parts: Sequence[str | MessageValue], values: dict[str, str]) -> Literal:
    written = [
        f"str({values[part.name]})" if isinstance(part, MessageValue) else str(make_literal(part)) for part in parts
    ]
    return Literal(written[0] if len(written) == 1 else f'"".join(({", ".join(written)}))' if written else '""')


def make_form_index_job(forms: Iterable[FormNames], facade: str) -> Job:
    """Make the job that renders the `__init__.py` of the forms of a package for an SDK."""
    entries = [
        SimpleNamespace(module=form.module, attribute=make_method_name(form.module), name=form.name)
        for form in sorted(forms, key=lambda form: form.module)
    ]
    view = SimpleNamespace(facade=facade, package=facade.rpartition(".")[0], entries=entries)
    return Job("forms/__init__.py", "package/form_index.py.j2", "", view)
