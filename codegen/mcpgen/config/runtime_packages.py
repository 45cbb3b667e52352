"""Run-time packages that several generated packages share: where they are, and whether the settings agree on them."""

from __future__ import annotations

import keyword
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path, PurePath

from mcpgen import paths
from mcpgen.config.load import locate_setting
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.config.module_names import describe_module
from mcpgen.diagnostics import Findings, join_words
from mcpgen.files.project_paths import is_within, resolve_path
from mcpgen.ir.code_settings import ValueLimits

RUNTIME_LIMITS = tuple(field.name for field in fields(ValueLimits))
"""The limits that run-time code applies, as the model of the settings names them."""
_COMMON_KEYS = ("sdk", "protocol", "mcp-schema", "runtime-out")
"""Keys that have to be the same in all packages that share a run-time package, besides the limits."""
_EXAMPLE = 'write it as in an import: runtime = "acme.mcp_runtime"'


@dataclass(frozen=True)
class SharedRuntime:
    """A run-time package that some packages share."""

    name: str
    """Its name in imports."""
    package: ConfiguredPackage | None
    """The settings to build it with; its folder is their `out`. None: it is built elsewhere, and installed."""

    @property
    def folder(self) -> Path | None:
        """Return its folder; None if it is built elsewhere."""
        return None if self.package is None else _get_folder(self.package)

    @property
    def import_folder(self) -> Path | None:
        """Return the folder that has to be in `sys.path` to import it; None if it is not known."""
        folder, parts = self.folder, self.name.split(".")
        if folder is None:
            return None
        return folder.parents[len(parts) - 1] if folder.parts[-len(parts) :] == tuple(parts) else None


def find_runtimes(packages: Sequence[ConfiguredPackage], findings: Findings) -> list[SharedRuntime]:
    """Return the run-time packages that some packages share, sorted by name; report settings that cannot be right.

    Args:
        packages: the packages of one settings file.
        findings: receives errors and warnings. Run-time packages with errors are left out.
    """
    users: dict[str, list[ConfiguredPackage]] = defaultdict(list)
    for package in packages:
        if package.settings.runtime is not None:
            users[package.settings.runtime].append(package)
        elif package.settings.runtime_out is not None:
            help = f"{_EXAMPLE}, or remove `runtime-out`"
            _report(findings, package, "MG305", "runtime-out", "`runtime-out` says nothing without `runtime`", help)
    runtimes: dict[Path, SharedRuntime] = {}
    shared_runtimes: list[SharedRuntime] = []
    for name in sorted(users):
        if not (_is_valid_name(name, users[name][0], findings) and _do_users_agree(name, users[name], findings)):
            continue
        runtime = SharedRuntime(name, _make_runtime_settings(name, users[name][0]))
        if (folder := runtime.folder) is not None:
            if not _is_free_folder(folder, name, packages, users[name][0], findings):
                continue
            if (existing := runtimes.setdefault(folder, runtime)) is not runtime:
                message = f"{existing.name} and {name} would both be written to {paths.format_path(folder)}"
                _report(findings, users[name][0], "MG305", "runtime-out", message, "give each a folder of its own")
                continue
        shared_runtimes.append(runtime)
    _report_copies(packages, {runtime.name: users[runtime.name][0] for runtime in shared_runtimes}, findings)
    return shared_runtimes


def _report(findings: Findings, package: ConfiguredPackage, code: str, key: str, message: str, help: str) -> None:
    findings.error(code, message, locate_setting(package, (key,)), help)


# --- names -----------------------------------------------------------------------------------------------------------
def _is_valid_name(name: str, package: ConfiguredPackage, findings: Findings) -> bool:
    """Check that a name is that of a package that could be imported; report it if not."""
    parts = name.split(".")
    if not all(part.isidentifier() and part.isascii() and not keyword.iskeyword(part) for part in parts):
        message, help = f'"{name}" is not the name of a Python package', _EXAMPLE
    elif (module := describe_module(parts[0])) is not None:
        message = f'"{name}" cannot be imported: `{parts[0]}` is {module}'
        help = "choose a package of your own"
    else:
        return True
    _report(findings, package, "MG305", "runtime", message, help)
    return False


# --- settings that have to agree -------------------------------------------------------------------------------------
def _do_users_agree(name: str, users: Sequence[ConfiguredPackage], findings: Findings) -> bool:
    """Check that packages that share a run-time package ask for the same one; report each key that differs."""
    expected, agree = _list_common_values(users[0].settings), True
    for user in users[1:]:
        for key, value in _list_common_values(user.settings).items():
            if value != expected[key]:
                agree = False
                sides = [(users[0].settings.out, expected[key]), (user.settings.out, value)]
                described = ", ".join(f"{_describe(side)} for {out}" for out, side in sides)
                message = f"packages with different `{key}` share the run-time package {name}: {described}"
                help = f"give each its own `runtime`, or the same `{key}`"
                findings.error("MG306", message, locate_setting(user, tuple(key.split("."))), help)
    return agree


def _list_common_values(settings: PackageSettings) -> Mapping[str, object]:
    values = settings.model_dump(mode="json", by_alias=True)
    limits = {f"limits.{key.replace('_', '-')}": getattr(settings.limits, key) for key in RUNTIME_LIMITS}
    return {**{key: values[key] for key in _COMMON_KEYS}, **limits}


def _describe(value: object) -> str:
    return "nothing" if value is None else f'"{value}"' if isinstance(value, str) else str(value).lower()


# --- packages that do not share --------------------------------------------------------------------------------------
def _report_copies(
    packages: Sequence[ConfiguredPackage], users: Mapping[str, ConfiguredPackage], findings: Findings
) -> None:
    """Warn about packages that have their own copy, unasked, and could share the run-time package of others.

    Args:
        packages: the packages of one settings file.
        users: a package that shares each run-time package, by the name of that.
        findings: receives the warning: one, however many packages and run-time packages there are.
    """
    for name, user in users.items():
        shared_values = _list_shared_values(user.settings)
        copies = [
            package
            for package in packages
            if package.settings.runtime_choice is None and _list_shared_values(package.settings) == shared_values
        ]
        if copies:
            have = "has its own copy" if len(copies) == 1 else "have their own copies"
            outs, other = join_words([package.settings.out for package in copies]), user.settings.out
            message = f"{outs} {have} of the run-time modules, but {other} uses the shared package {name}"
            help = (
                f'write `runtime = "{name}"` once, before the first package, to share it among all; '
                "`runtime = false` gives a package a copy"
            )
            findings.warn("MG309", message, locate_setting(copies[0], ("out",)), help)
            return


def _list_shared_values(settings: PackageSettings) -> Mapping[str, object]:
    """Return the values that packages need to have in common, apart from the folder of what they share."""
    return {key: value for key, value in _list_common_values(settings).items() if key != "runtime-out"}


# --- folders ---------------------------------------------------------------------------------------------------------
def _make_runtime_settings(name: str, user: ConfiguredPackage) -> ConfiguredPackage | None:
    """Return the settings of a run-time package, given one of the packages that share it."""
    if user.settings.runtime_out is False:
        return None
    out = user.settings.runtime_out or str(_derive_folder(name, user))
    shared_keys = ("sdk", "protocol", "mcp_schema", "limits", "runtime_choice", "runtime_out")
    settings = user.settings.model_dump(by_alias=True, exclude_unset=True, include={*shared_keys})
    changed = PackageSettings.model_validate({**settings, "schemas": [], "out": out})
    return user.model_copy(update={"settings": changed, "is_runtime": True})


def _derive_folder(name: str, user: ConfiguredPackage) -> PurePath:
    """Return the folder that a package is in by its name, relative to the settings."""
    out = PurePath(user.settings.out)
    if out.is_absolute() and out.is_relative_to(user.folder):
        out = out.relative_to(user.folder)
    return PurePath("src" if out.parts[:1] == ("src",) else "", *name.split("."))


def _get_folder(package: ConfiguredPackage) -> Path:
    return resolve_path(package.out)


def _is_free_folder(
    folder: Path, name: str, packages: Sequence[ConfiguredPackage], user: ConfiguredPackage, findings: Findings
) -> bool:
    """Check that a folder can be that of a run-time package; report it if not."""
    shown_folder = paths.format_path(folder)
    if user.roots is not None and not is_within(folder, user.roots):
        message = f'"{shown_folder}" is outside the project {paths.format_path(user.roots[0])}'
        help = "put it into the project, or name its folder on the command line: --root FOLDER"
        _report(findings, user, "MG304", "runtime-out", message, help)
        return False
    if folder.name != name.rpartition(".")[2]:
        message = f'what is in "{shown_folder}" cannot be imported as {name}'
        help = f"name a folder {name.rpartition('.')[2]}, such as {_derive_folder(name, user).as_posix()}"
        _report(findings, user, "MG305", "runtime-out", message, help)
        return False
    for package in packages:
        out = _get_folder(package)
        if folder.is_relative_to(out) or out.is_relative_to(folder):
            message = (
                f'the run-time package {name} in "{shown_folder}" and the package in "{package.settings.out}" overlap'
            )
            help = "choose a folder outside of every generated package: `runtime`, `runtime-out`"
            _report(findings, user, "MG305", "runtime", message, help)
            return False
    return True
