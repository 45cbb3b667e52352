"""Variables in the configuration of MCP clients, such as `${API_KEY}` or `${workspaceFolder}`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mcpgen.introspect.errors import IntrospectionError

_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SHOWN = re.compile(r"[\w.:-]{1,60}", re.ASCII)
INPUT_PREFIX = "MCPGEN_INPUT_"
"""How the environment variable for an input begins; its id follows, in upper case, with `_` for other characters."""


@dataclass
class VariableExpander:
    """Values of the variables of one server, and those that were used."""

    environ: Mapping[str, str] = field(repr=False)
    workspace: Path
    """What `${workspaceFolder}` stands for."""
    inputs: Mapping[str, str]
    """Defaults of the inputs, for which a client would ask the user."""
    used: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    """Values from the environment, which may be secret, by name."""

    def expand(self, text: str) -> str:
        """Return a text with the values of its variables.

        Raises:
            IntrospectionError: there is no value for one.
        """
        return _VARIABLE.sub(lambda match: self._find_value(match[1]), text)

    def _find_value(self, variable: str) -> str:
        kind, colon, rest = variable.partition(":")
        match kind, rest:
            case ("workspaceFolder", ""):
                return str(self.workspace)
            case ("workspaceFolderBasename", ""):
                return self.workspace.name
            case ("userHome", ""):
                return str(Path.home())
            case ("pathSeparator" | "/", ""):
                return os.sep
            case ("env", name):
                return self._get_variable(name, None)
            case ("input", id):
                return self._get_variable(_name_input(id), self.inputs.get(id))
            case (name, default) if _NAME.fullmatch(name) and (not colon or default.startswith("-")):
                return self._get_variable(name, default[1:] if colon else None)
            case _:
                raise IntrospectionError("MG701", f"it has a variable that only its client knows: {_quote(variable)}")

    def _get_variable(self, name: str, default: str | None) -> str:
        """Return a variable of the environment, or its default if it is not set."""
        if name in self.environ:
            self.used[name] = self.environ[name]
            return self.environ[name]
        if default is None:
            raise IntrospectionError("MG701", f"it needs the environment variable {_quote(name)}, which is not set")
        return default


def _name_input(id: str) -> str:
    return INPUT_PREFIX + re.sub(r"[^A-Z0-9]", "_", id.upper())


def _quote(name: str) -> str:
    """Return the name of a variable for a message; what does not look like a name is hidden."""
    return f'"{name}"' if _SHOWN.fullmatch(name) else "…"
