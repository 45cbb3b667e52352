"""Rules for Python names: programs that import the generated package."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.compat.registry import Category, Found, Names, rule

_HELP = 'keep it by "x-mcpgen": {"name": …} of the definition, or {"type": …} inside the schema'


@rule("name-module-changed", Category.NAMES, Names)
def module_changed(names: Names) -> Found | None:
    """The module of a tool or resource has another name."""
    if names.old.module == names.new.module:
        return None
    return Found(f"its module was {names.old.module}, is {names.new.module} now", "", _HELP)


@rule("name-class-changed", Category.NAMES, Names)
def class_changed(names: Names) -> Iterator[Found]:
    """The class of a result, of arguments or of a resource has another name."""
    for old, new in zip(names.old.main, names.new.main, strict=False):
        if old != new:
            yield Found(f"its class was {old}, is {new} now", "", _HELP)


@rule("name-class-removed", Category.NAMES, Names)
def class_removed(names: Names) -> Iterator[Found]:
    """A class inside a result, of arguments or of a resource is gone."""
    for name in sorted(names.old.classes - names.everywhere - set(names.old.main)):
        yield Found(f"its class {name} is gone", "", _HELP)


@rule("name-attribute-changed", Category.NAMES, Names)
def attribute_changed(names: Names) -> Iterator[Found]:
    """The attribute for a property that is still there has another name."""
    for (name, wire), old in names.old.attributes.items():
        new = names.new.attributes.get((name, wire))
        if new is not None and new != old:
            yield Found(f'"{wire}" was {name}.{old}, is {name}.{new} now')
