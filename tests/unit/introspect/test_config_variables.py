"""Variables in the configuration of clients."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from mcpgen.introspect.config_variables import VariableExpander
from mcpgen.introspect.errors import IntrospectionError

ENVIRON = {"KEY": "secret-1", "EMPTY": "", "MCPGEN_INPUT_API_KEY": "secret-2"}


def make_expander() -> VariableExpander:
    return VariableExpander(ENVIRON, Path("/srv/project"), {"api-key": "unused", "region": "north"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain $KEY {KEY}", "plain $KEY {KEY}"),
        ("a${KEY}b${KEY}", "asecret-1bsecret-1"),
        ("${env:KEY}", "secret-1"),
        ("${KEY:-other}", "secret-1"),
        ("${MISSING:-other:-x}", "other:-x"),
        ("${MISSING:-}", ""),
        ("${EMPTY:-other}", ""),
        ("${workspaceFolder}/a", "/srv/project/a"),
        ("${workspaceFolderBasename}", "project"),
        ("${userHome}", str(Path.home())),
        ("a${pathSeparator}b${/}c", f"a{os.sep}b{os.sep}c"),
        ("${input:api-key}", "secret-2"),
        ("${input:region}", "north"),
    ],
)
def test_what_a_variable_stands_for(text: str, expected: str) -> None:
    assert make_expander().expand(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("${MISSING}", 'it needs the environment variable "MISSING", which is not set'),
        ("${env:MISSING}", 'it needs the environment variable "MISSING", which is not set'),
        ("${input:other}", 'it needs the environment variable "MCPGEN_INPUT_OTHER", which is not set'),
        ("${command:pick}", 'it has a variable that only its client knows: "command:pick"'),
        ("${}", "it has a variable that only its client knows: …"),
        ("${a b\x1b}", "it has a variable that only its client knows: …"),
    ],
)
def test_a_variable_without_a_value(text: str, message: str) -> None:
    with pytest.raises(IntrospectionError) as raised:
        make_expander().expand(text)
    assert (raised.value.code, raised.value.message) == ("MG701", message)


def test_values_of_the_environment_are_remembered_as_secrets() -> None:
    expander = make_expander()
    expander.expand("${KEY} ${input:api-key} ${input:region} ${userHome} ${MISSING:-x}")
    assert expander.used == {"KEY": "secret-1", "MCPGEN_INPUT_API_KEY": "secret-2"}
    assert "secret" not in repr(expander)
