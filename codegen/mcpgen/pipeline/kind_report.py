"""Report that a run would make another kind of package than there is: what it was built for, and what to do."""

from __future__ import annotations

from mcpgen.config.load import locate_setting
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings, Span, join_words
from mcpgen.paths import format_path
from mcpgen.pipeline.package_kind import KindChange
from mcpgen.plan import Action, Plan
from mcpgen.targets import NO_SDK

_OPTIONS = {"sdk": "--sdk", "protocol": "--protocol"}
"""Options of the command line for settings, by key."""
_EFFECTS = {
    "sdk": "write its code for that SDK",
    "protocol": "change its results where a call names no version",
    "wrap": "change its results on the wire",
    "formats": "change the types of its fields",
}
"""What another value of a setting would do to a package, by key."""
_MOST_FILES = 3
"""Files that a message names; of more, it gives the number."""


def report_kind_changes(
    package: ConfiguredPackage, plan: Plan, changes: list[KindChange], build_command: str, findings: Findings
) -> None:
    """Report each setting that would make another kind of package of the one in the output folder."""
    out = format_path(plan.out)
    for change in changes:
        lost = _list_lost_modules(plan) if change.key == "sdk" else ()
        effect = f"remove {_list_files(lost)}" if lost else _EFFECTS[change.key]
        where = f" ({_list_files(change.files)})" if change.files else ""
        is_in_settings = package.is_in_file(change.key)
        span = locate_setting(package, (change.key,)) if is_in_settings else None
        message = (
            f"{f'{out} ' if span else ''}was built with {change.key} = {change.before}; "
            f"a build with {change.key} = {change.after} would {effect}{where}"
        )
        findings.error("MG409", message, span or Span(out), _advise(package, change, is_in_settings, build_command))


def _advise(package: ConfiguredPackage, change: KindChange, is_in_settings: bool, build_command: str) -> str:
    """Return how to keep the package as it is, and how to change it; the likelier wish comes first."""
    before = change.before.strip('"')
    option = f"{_OPTIONS[change.key]} {before}" if change.key in _OPTIONS else ""
    file = "mcpgen.toml" if package.file is None else format_path(package.file)
    setting = f"{change.key} = {change.before}"
    if change.key in package.overridden:
        keep = f"say `{option}`, or write `{setting}` into {file} and leave the option out"
    elif is_in_settings:
        keep = f"write `{setting}` here"
    else:
        keep = f"write `{setting}` into {file}" + (f", or say `{option}` each time" if option else "")
    if change.key == "sdk" and before == NO_SDK:  # whoever asks for an SDK wants it
        sdk = change.after.strip('"')
        command = f"{build_command} --sdk {sdk}" if change.key in package.overridden else build_command
        return f"to make it a package for {sdk}, add `--force` to `{command}`; to keep it as it is, {keep}"
    return f"to keep the package as it is, {keep}; to change it, add `--force` to `{build_command}`"


def _list_lost_modules(plan: Plan) -> tuple[str, ...]:
    """Return the modules for servers and clients that would be removed."""
    from mcpgen_runtime.package import SDK_EXPORTS

    removed = {step.path for step in plan.steps if step.action is Action.REMOVE}
    return tuple(sorted(removed.intersection(f"{module}.py" for module in SDK_EXPORTS.values())))


def _list_files(files: tuple[str, ...]) -> str:
    if len(files) > _MOST_FILES:
        return f"{files[0]} and {len(files) - 1} more files"
    return join_words(files)
