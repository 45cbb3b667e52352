"""Enough of GitHub's runner to run the shell steps of a composite action on this machine."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from support.repository import ROOT

_EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_TOKEN = re.compile(r"'[^']*'|&&|\|\||[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)+")


def read_action() -> dict[str, Any]:
    """Return the repository's action.yml."""
    action: dict[str, Any] = YAML(typ="safe").load((ROOT / "action.yml").read_text("utf-8"))
    return action


@dataclass
class Runner:
    """A runner of one job: its folders, the action's inputs, and the outputs of the steps that have run."""

    folder: Path
    """A new folder, with the workspace and the runner's temporary folder in it."""
    inputs: dict[str, str] = field(default_factory=dict[str, str])
    contexts: dict[str, str] = field(default_factory=dict[str, str])
    """Values of contexts in place of those of this machine, such as `runner.os`."""

    def __post_init__(self) -> None:
        self.action = read_action()
        self.workspace.mkdir(parents=True, exist_ok=True)
        self.temporary.mkdir(exist_ok=True)
        defaults = {name: str(declared.get("default", "")) for name, declared in self.action["inputs"].items()}
        self.values = {
            **{f"inputs.{name}": value for name, value in (defaults | self.inputs).items()},
            "runner.temp": str(self.temporary),
            "runner.os": "Linux",
            "runner.arch": "X64",
            "github.action_path": str(ROOT),
            **self.contexts,
        }

    @property
    def workspace(self) -> Path:
        """The folder of the checkout."""
        return self.folder / "workspace"

    @property
    def temporary(self) -> Path:
        """The folder of `runner.temp`."""
        return self.folder / "temp"

    def find_step(self, name: str) -> dict[str, Any]:
        """Return the step with this id, or whose name begins so."""
        steps = self.action["runs"]["steps"]
        return next(
            step for step in steps if step.get("id") == name or str(step.get("name", "")).startswith(f"{name} ")
        )

    def evaluate(self, text: str) -> str:
        """Return a text of the action with the values of its expressions."""
        return _EXPRESSION.sub(lambda match: str(self._evaluate_expression(match[1])), text)

    def _evaluate_expression(self, expression: str) -> Any:
        def translate(match: re.Match[str]) -> str:
            token = match[0]
            if token.startswith("'"):
                return repr(token[1:-1])
            return {"&&": " and ", "||": " or "}.get(token) or repr(self.values[token])

        functions = {"format": lambda text, *values: text.format(*values), "hashFiles": self._hash_files}
        return eval(_TOKEN.sub(translate, expression).strip(), {"__builtins__": {}}, functions)

    def _hash_files(self, *patterns: str) -> str:
        digest = hashlib.sha256()
        for path in sorted({path for pattern in patterns for path in self.workspace.glob(pattern.removeprefix("./"))}):
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()

    def run(self, name: str, environment: Mapping[str, str] = os.environ) -> subprocess.CompletedProcess[str]:
        """Run a step's script, in the shell and with the variables that the runner gives it; keep its outputs."""
        step = self.find_step(name)
        assert step["shell"] == "bash"
        outputs = self.folder / "outputs"
        outputs.write_text("", "utf-8")
        variables = {key: self.evaluate(str(value)) for key, value in step.get("env", {}).items()}
        variables |= {"GITHUB_OUTPUT": str(outputs), "GITHUB_WORKSPACE": str(self.workspace)}
        variables |= {"RUNNER_TEMP": str(self.temporary)}
        completed = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.workspace / self.evaluate(step.get("working-directory", ".")),
            capture_output=True,
            text=True,
            env={**environment, **variables},
        )
        for line in outputs.read_text("utf-8").splitlines():
            key, _, value = line.partition("=")
            self.values[f"steps.{name}.outputs.{key}"] = value
        return completed
