"""Rules for Python names: programs that import the generated package."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.compat.registry import Category, PythonNamesPair, RuleMatch, rule

_KEEP_NAME_HELP = 'keep it by "x-mcpgen": {"name": …} of the definition, or {"type": …} inside the schema'


@rule("name-module-changed", Category.NAMES, PythonNamesPair)
def check_name_module_changed(names: PythonNamesPair) -> RuleMatch | None:
    """The module of a tool or resource has another name."""
    if names.old.module == names.new.module:
        return None
    return RuleMatch(f"its module was {names.old.module}, is {names.new.module} now", "", _KEEP_NAME_HELP)


@rule("name-class-changed", Category.NAMES, PythonNamesPair)
def check_name_class_changed(names: PythonNamesPair) -> Iterator[RuleMatch]:
    """The class of a result, of arguments or of a resource has another name."""
    for old, new in zip(names.old.main, names.new.main, strict=False):
        if old != new:
            yield RuleMatch(f"its class was {old}, is {new} now", "", _KEEP_NAME_HELP)


@rule("name-class-removed", Category.NAMES, PythonNamesPair)
def check_name_class_removed(names: PythonNamesPair) -> Iterator[RuleMatch]:
    """A class inside a result, of arguments or of a resource is gone."""
    for name in sorted(names.old.classes - names.everywhere - set(names.old.main)):
        yield RuleMatch(f"its class {name} is gone", "", _KEEP_NAME_HELP)


@rule("name-attribute-changed", Category.NAMES, PythonNamesPair)
def check_name_attribute_changed(names: PythonNamesPair) -> Iterator[RuleMatch]:
    """The attribute for a property that is still there has another name."""
    for (name, wire), old in names.old.attributes.items():
        new = names.new.attributes.get((name, wire))
        if new is not None and new != old:
            yield RuleMatch(f'"{wire}" was {name}.{old}, is {name}.{new} now')
