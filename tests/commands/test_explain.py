"""`mcpgen explain`: every diagnostic has an explanation, and its example triggers it."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
from pathlib import Path

import pytest
from mcpgen.diagnostics import CATALOGUE
from mcpgen.explanations import SECTIONS, read_explanation
from mcpgen.introspect.client import query_server
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.server_query import parse_server_query
from support.explained import example, parse_good_example, run
from support.packages import mcpgen
from support.repository import ROOT

FOLDER = ROOT / "codegen" / "mcpgen" / "explanations"
WRITE = """\
{code} has no explanation. Write codegen/mcpgen/explanations/{code}.md: what it means, as a heading, then a paragraph
and the sections of `mcpgen.explanations.SECTIONS`. In an example each file is a line `path`: and a fenced block, and
one ```sh block has the commands; the last command of the bad one triggers it. Then run `python scripts/docs.py`."""

ELSEWHERE = {"MG407", "MG702"}
"""What takes another environment than the one that tests run in, or luck (MG407: the moment of a kill, see
`tests/commands/test_crash.py`): examples have to be there, but are not run."""


def test_there_is_an_explanation_for_every_code_and_no_other() -> None:
    for code in CATALOGUE:
        assert (FOLDER / f"{code}.md").is_file(), WRITE.format(code=code)
    assert {path.stem for path in FOLDER.glob("*.md")} == set(CATALOGUE), "an explanation of a code that is gone"


@pytest.mark.parametrize("code", CATALOGUE)
def test_an_explanation_has_its_parts(code: str) -> None:
    text = read_explanation(code)
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == list(SECTIONS), WRITE.format(code=code)
    meaning, *sections = re.split(r"^## .+\n", text, flags=re.MULTILINE)
    assert "#" not in meaning.split()[0]
    assert all(section.strip() for section in (meaning, *sections))
    assert text == text.rstrip() + "\n"
    assert example(text) != parse_good_example(text), "the good example is the bad one"


@pytest.mark.ci
@pytest.mark.skipif(shutil.which("bash") is None, reason="the examples are commands of a POSIX shell")
@pytest.mark.parametrize("code", [code for code in CATALOGUE if code not in ELSEWHERE])
def test_an_example_triggers_its_diagnostic(code: str, tmp_path: Path) -> None:
    completed = run(example(read_explanation(code)), tmp_path)
    assert f"[{code}]" in completed, f"the example of {code} does not trigger it, but says:\n{completed}"


@pytest.mark.ci
@pytest.mark.skipif(shutil.which("bash") is None, reason="the examples are commands of a POSIX shell")
@pytest.mark.parametrize("code", [code for code in CATALOGUE if code not in ELSEWHERE])
def test_a_good_example_does_not_trigger_its_diagnostic(code: str, tmp_path: Path) -> None:
    completed = run(parse_good_example(read_explanation(code)), tmp_path)
    assert f"[{code}]" not in completed, f"the good example of {code} triggers it:\n{completed}"
    assert "error[" not in completed, f"the good example of {code} is wrong in another way:\n{completed}"


def test_without_an_sdk_a_server_cannot_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    with pytest.raises(IntrospectionError) as raised:
        query_server(parse_server_query(["weather:server"], (), (), (), 1, None))
    assert raised.value.code == "MG702"
    assert "pip install" in raised.value.help


def test_the_harness_tells_an_example_that_triggers_nothing(tmp_path: Path) -> None:
    harmless = "`schemas/a.yaml`:\n\n```yaml\ntype: string\n```\n\n```sh\nmcpgen build\n```\n"
    assert "[MG" not in run(example(harmless), tmp_path)
    with pytest.raises(ValueError, match="one block"):
        example("nothing")


def test_a_terminal_gets_it_laid_out(tmp_path: Path) -> None:
    run = mcpgen("explain", "MG101", "--color", "always", cwd=tmp_path)
    assert "\x1b[" in run.stdout
    assert "```" not in run.stdout
