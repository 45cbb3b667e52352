"""The settings: where they are found, what they hold, and that nothing else is let through."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcpgen.config.load import find_settings, load_packages, locate_setting, override_settings, warn_about_unread_table
from mcpgen.config.models import ConfiguredPackage, DefinitionChoice, Limits, PackageSettings
from mcpgen.config.validation import validate_options
from mcpgen.diagnostics import Findings, Severity, Span
from mcpgen.targets import PROTOCOLS


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which mcpgen is called."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, text: str, name: str = "mcpgen.toml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, "utf-8")
    return folder / name


def loaded(file: Path, start: Path) -> list[ConfiguredPackage]:
    """Return the packages of a file that has to be free of findings."""
    findings = Findings()
    packages = load_packages(file, start, findings)
    assert not list(findings)
    return packages


def told(text: str, path: Path, name: str = "mcpgen.toml") -> list[tuple[str, int, str]]:
    """Return the (code, line, message) of all that is wrong with settings."""
    findings = Findings()
    load_packages(write(path, text, name), path, findings)
    assert findings.failed
    return [(item.code, item.span.line if item.span else 0, item.message) for item in findings.sorted()]


# --- finding --------------------------------------------------------------------------------------------------------
def test_the_nearest_settings_hold(folder: Path) -> None:
    outer = write(folder, "[tool.mcpgen]\n", "pyproject.toml")
    inner = write(folder / "a/b", "")
    assert find_settings(folder) == outer
    assert find_settings(folder / "a") == outer
    (folder / "a/b/c").mkdir()
    assert find_settings(folder / "a/b/c") == inner


def test_mcpgen_toml_comes_before_pyproject_toml(folder: Path) -> None:
    write(folder, "[tool.mcpgen]\n", "pyproject.toml")
    file = write(folder, "")
    assert find_settings(folder) == file


@pytest.mark.parametrize(
    "text", ["[tool.mcpgen]\n", "[tool.mcpgen.tools.x]\n", "[[tool.mcpgen.package]]\n", "[ tool . mcpgen ]\n"]
)
def test_any_table_of_mcpgen_makes_pyproject_toml_the_settings(folder: Path, text: str) -> None:
    file = write(folder, '[project]\nname = "x"\n' + text, "pyproject.toml")
    assert find_settings(folder) == file


@pytest.mark.parametrize("text", ["[tool]\nmcpgen = {sdk = 'mcp'}\n", "tool.mcpgen.sdk = 'mcp'\n"])
def test_a_table_in_another_spelling_is_found_too(folder: Path, text: str) -> None:
    file = write(folder, text, "pyproject.toml")
    assert find_settings(folder) == file


@pytest.mark.parametrize(
    ("text", "message", "help"),
    [
        ('[tools."x"]', 'the table [tools."x"] is not read', 'in pyproject.toml, it is [tool.mcpgen.tools."x"]'),
        ("[[package]]", "the table [[package]] is not read", "in pyproject.toml, it is [[tool.mcpgen.package]]"),
        ("[lint]\n[budget]", "the table [lint] is not read", "in pyproject.toml, it is [tool.mcpgen.lint]"),
        ("[ref-map]", "the table [ref-map] is not read", "in pyproject.toml, it is [tool.mcpgen.ref-map]"),
        ("[mcpgen]", "the table [mcpgen] is not read, so the defaults apply", "write the settings in [tool.mcpgen]"),
    ],
)
@pytest.mark.parametrize("has_settings", [True, False])
def test_tables_that_are_not_read(folder: Path, has_settings: bool, text: str, message: str, help: str) -> None:
    (folder / "pyproject.toml").write_text("[tool.mcpgen]\n" * has_settings + text)
    findings = Findings()
    warn_about_unread_table(folder / "pyproject.toml" if has_settings else None, folder, findings)
    expected = message.removesuffix(", so the defaults apply") if has_settings else message
    assert [(item.message, item.help, item.severity) for item in findings] == [(expected, help, Severity.WARNING)]


def test_a_table_beside_mcpgen_toml_is_not_read(folder: Path) -> None:
    (folder / "mcpgen.toml").write_text("")
    (folder / "pyproject.toml").write_text("[project]\n\n[tool.mcpgen.lint]\n")
    findings = Findings()
    warn_about_unread_table(find_settings(folder), folder, findings)
    ((message, span),) = [(item.message, item.span) for item in findings]
    assert message == "[tool.mcpgen] is not read, since there is mcpgen.toml"
    assert span is not None
    assert span.line == 3
    (folder / "pyproject.toml").write_text("[project]\n[tool.other]\n")
    findings = Findings()
    warn_about_unread_table(find_settings(folder), folder, findings)
    assert not list(findings)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pyproject.toml", "[tool.mcpgen.tools.x]\n[tool.lint]\n[toolsmith]\n[project]\n[schemas]"),
        ("mcpgen.toml", "[tools.x]\n[[package]]"),
    ],
)
def test_tables_that_are_right(folder: Path, file: str, text: str) -> None:
    (folder / file).write_text(text)
    findings = Findings()
    warn_about_unread_table(folder / file, folder, findings)
    assert not list(findings)


def test_the_search_ends_at_a_project_or_repository(folder: Path) -> None:
    write(folder, "")
    write(folder / "project", '[project]\nname = "x"\n', "pyproject.toml")
    (folder / "repository/.git").mkdir(parents=True)
    assert find_settings(folder / "project") is None
    assert find_settings(folder / "repository") is None


def test_without_settings_there_is_one_package_of_defaults(folder: Path) -> None:
    findings = Findings()
    (package,) = load_packages(None, folder, findings)
    assert (package.folder, package.file) == (folder, None)
    settings = package.settings
    assert (settings.schemas, settings.out, settings.sdk, settings.protocol) == (["schemas"], "generated", "none", None)
    assert (settings.formats, settings.wrap, settings.ref_map, settings.tools) == ("annotation", None, {}, {})
    assert not list(findings)


# --- content --------------------------------------------------------------------------------------------------------
EVERYTHING = """\
schemas = ["schemas", "more/one.json"]
out = "src/gen"
sdk = "mcp"
protocol = "2025-11-25"
formats = "annotation"
wrap = "always"
limits = {depth = 20}

[ref-map]
"https://example.com/" = "vendor"

[tools."get-weather"]
name = "weather"
content = "none"
audience = ["user", "assistant"]
priority = 1
wrap = "legacy"
outputSchema = "outputs/weather.json"
"""


@pytest.mark.parametrize("name", ["mcpgen.toml", "pyproject.toml"])
def test_every_key_is_read_in_both_places(folder: Path, name: str) -> None:
    text = EVERYTHING
    if name == "pyproject.toml":
        text = "[tool.mcpgen]\n" + text.replace("[ref-map]", "[tool.mcpgen.ref-map]").replace(
            "[tools.", "[tool.mcpgen.tools."
        )
    (package,) = loaded(write(folder / "sub", text, name), folder)
    assert package.folder == folder / "sub"
    settings = package.settings
    assert (settings.schemas, settings.out, settings.sdk) == (["schemas", "more/one.json"], "src/gen", "mcp")
    assert (settings.protocol, settings.wrap) == ("2025-11-25", "always")
    assert settings.ref_map == {"https://example.com/": "vendor"}
    assert (settings.limits.depth, settings.limits.seconds) == (20, Limits.model_validate({}).seconds)
    choice = settings.tools["get-weather"]
    assert (choice.name, choice.content, choice.audience) == ("weather", "none", ["user", "assistant"])
    assert (choice.priority, choice.wrap, choice.output_schema) == (1, "legacy", "outputs/weather.json")


def test_packages_share_what_stands_above_them_and_say_the_rest_themselves(folder: Path) -> None:
    shared = 'sdk = "mcp"\nwrap = "always"\n'
    text = shared + '[[package]]\nout = "a"\n[[package]]\nout = "b"\nwrap = "legacy"\nschemas = ["x"]\n'
    settings = [package.settings for package in loaded(write(folder, text), folder)]
    assert [(item.out, item.sdk, item.wrap, item.schemas) for item in settings] == [
        ("a", "mcp", "always", ["schemas"]),
        ("b", "mcp", "legacy", ["x"]),
    ]


def test_an_empty_file_means_the_defaults(folder: Path) -> None:
    (package,) = loaded(write(folder, ""), folder)
    assert package.settings == PackageSettings.model_validate({})


@pytest.mark.parametrize("version", PROTOCOLS)
def test_every_protocol_version_can_be_chosen(folder: Path, version: str) -> None:
    assert loaded(write(folder, f'protocol = "{version}"\n'), folder)[0].settings.protocol == version


# --- what is wrong --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "line", "key", "help"),
    [
        ('outt = "x"\n', 1, "outt", 'did you mean "out"?'),
        ('\n\nref_map = "x"\n', 3, "ref_map", 'did you mean "ref-map"?'),
        ('[tools.a]\nname = "b"\nprio = 1\n', 3, "tools.a.prio", 'did you mean "priority"?'),
        ("output_schema = 1\n", 1, "output_schema", ""),
        ('[tools.a]\noutput_schema = "x"\n', 2, "tools.a.output_schema", 'did you mean "outputSchema"?'),
        ('[tools.a]\nschemas = "x"\n', 2, "tools.a.schemas", ""),
        ("[limits]\ndepht = 1\n", 2, "limits.depht", 'did you mean "depth"?'),
        ('[[package]]\nout = "a"\n[[package]]\nuot = "b"\n', 4, "uot", 'did you mean "out"?'),
    ],
)
def test_an_unknown_key_is_an_error_with_its_place(folder: Path, text: str, line: int, key: str, help: str) -> None:
    findings = Findings()
    load_packages(write(folder, text), folder, findings)
    (finding,) = findings
    assert finding.span is not None
    assert (finding.code, finding.span.file, finding.span.line) == ("MG302", "mcpgen.toml", line)
    assert key in finding.message
    assert finding.help.startswith(help)
    assert finding.span.text == text.split("\n")[line - 1]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('schemas = "x"\n', 1),
        ("schemas = [1]\n", 1),
        ("out = 7\n", 1),
        ('out = "x"\nsdk = "mpc"\n', 2),
        ('protocol = "draft"\n', 1),
        ("protocol = 2025-11-25\n", 1),
        ('wrap = "never"\n', 1),
        ('formats = "date"\n', 1),
        ("[ref-map]\na = 1\n", 2),
        ("[tools.a]\npriority = 2\n", 2),
        ("[tools.a]\npriority = nan\n", 2),
        ("[tools.a]\npriority = true\n", 2),
        ('[tools.a]\npriority = "0.5"\n', 2),
        ('[tools.a]\ncontent = "xml"\n', 2),
        ('[tools.a]\naudience = "user"\n', 2),
        ("[tools.a]\naudience = ['everybody']\n", 2),
        ("[tools.a]\nname = 1\n", 2),
        ("[tools]\na = 1\n", 2),
        ("[limits]\ndepth = 0\n", 2),
        ("[limits]\nseconds = 'long'\n", 2),
    ],
)
def test_a_wrong_value_is_an_error_with_its_place(folder: Path, text: str, line: int) -> None:
    assert [finding[:2] for finding in told(text, folder)] == [("MG302", line)]


def test_everything_wrong_comes_out_at_once(folder: Path) -> None:
    text = 'sdk = 1\noutt = "x"\n[tools.a]\nnmae = "y"\n'
    assert [(code, line) for code, line, _ in told(text, folder)] == [("MG302", 1), ("MG302", 2), ("MG302", 4)]


def test_a_place_is_that_of_mcpgens_own_table(folder: Path) -> None:
    text = '[tool.other]\nsdk = "x"\nout = 1\n\n[tool.mcpgen]\nsdk = 1\n\n[tool.mcpgen.tools.a]\nout = 1\n'
    assert [(code, line) for code, line, _ in told(text, folder, "pyproject.toml")] == [("MG302", 6), ("MG302", 9)]


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("mcpgen.toml", ""),
        ("pyproject.toml", "[tool.mcpgen]\n"),
        ("mcpgen.toml", '[[package]]\nout = "a"\n\n[[package]]\nout = "b"\n'),
        ("pyproject.toml", '[[tool.mcpgen.package]]\nout = "a"\n'),
    ],
)
def test_the_table_in_a_help_is_as_the_file_writes_it(folder: Path, name: str, start: str) -> None:
    findings = Findings()
    load_packages(write(folder, f'{start}returns = "a:B"\n', name), folder, findings)
    (finding,) = findings
    header = finding.help.rpartition(" ")[2]
    packages = loaded(write(folder, f'{start}{header}\nreturns = "a:B"\n', name), folder)
    assert "NAME" in packages[-1].settings.tools
    assert packages[-1].format_header("tools", "NAME") == header


@pytest.mark.parametrize(("name", "start"), [("mcpgen.toml", ""), ("pyproject.toml", "tool.mcpgen.")])
def test_packages_written_as_one_table_get_a_help(folder: Path, name: str, start: str) -> None:
    findings = Findings()
    load_packages(write(folder, f'[{start}package]\nout = "a"\n', name), folder, findings)
    (finding,) = findings
    assert finding.help == f"write [[{start}package]] tables"
    assert len(loaded(write(folder, f'[[{start}package]]\nout = "a"\n', name), folder)) == 1


def test_the_header_of_a_shared_table_is_above_the_packages(folder: Path) -> None:
    text = '[tools.a]\nname = "b"\n\n[[package]]\nout = "a"\n'
    (package,) = loaded(write(folder, text), folder)
    assert package.format_header("tools", "a") == "[tools.a]"
    assert package.format_header("diff", "acknowledged", is_list=True) == "[[package.diff.acknowledged]]"


def test_a_place_is_that_of_the_very_package(folder: Path) -> None:
    text = '[[package]]\nout = "a"\n[[package]]\nout = 1\n[[package]]\nout = "c"\nsdk = "d"\n'
    assert [(code, line) for code, line, _ in told(text, folder)] == [("MG302", 4), ("MG302", 7)]


def test_a_key_is_located_where_the_package_has_it(folder: Path) -> None:
    """A package's own key comes before the shared one, and its table stands for a key that nobody wrote."""
    lines = [
        'sdk = "mcp"',
        "[tools.a]",
        'name = "A"',
        "[[package]]",
        'out = "one"',
        "[[package]]",
        'out = "two"',
        'sdk = "none"',
        "[package.tools.a]",
        'name = "B"',
    ]
    file = folder / "mcpgen.toml"
    file.write_text("\n".join(lines))
    first, second = load_packages(file, folder, Findings())
    paths: list[tuple[str, ...]] = [("out",), ("sdk",), ("tools", "a"), ("tools", "a", "name"), ("protocol",)]
    located = [[span.line for path in paths if (span := locate_setting(package, path))] for package in (first, second)]
    assert located == [[5, 1, 2, 3, 4], [7, 8, 9, 10, 6]]


def test_a_key_of_an_inline_package_is_located_where_the_package_begins(folder: Path) -> None:
    """The other package has the key from the table around both."""
    lines = ["", "package = [", '  {out = "a"},', '  {out = "b", tools = {a = {name = "B"}}},', "]", "[tools.a]"]
    file = folder / "mcpgen.toml"
    file.write_text("\n".join(lines))
    packages = load_packages(file, folder, Findings())
    spans = [locate_setting(package, ("tools", "a")) for package in packages]
    assert [(span.line, span.pointer) for span in spans if span] == [(6, "tools.a"), (2, "package.1.tools.a")]


def test_what_packages_share_is_wrong_once(folder: Path) -> None:
    text = 'sdk = "x"\n[[package]]\nout = "a"\n[[package]]\nout = "b"\n'
    assert [(code, line) for code, line, _ in told(text, folder)] == [("MG302", 1)]


@pytest.mark.parametrize(
    ("text", "line"),
    [("out = \n", 1), ('a = 1\nout = "x\n', 2), ("[tools\n", 1), ('out = "a"\nout = "b"\n', 2), ('out = "x', 1)],
)
def test_invalid_toml_is_an_error_with_its_place(folder: Path, text: str, line: int) -> None:
    assert [finding[:2] for finding in told(text, folder)] == [("MG301", line)]


def test_a_file_that_cannot_be_read_is_an_error(folder: Path) -> None:
    for file in (folder / "nothing.toml", folder):
        findings = Findings()
        assert load_packages(file, folder, findings) == []
        assert [finding.code for finding in findings] == ["MG301"]
    (folder / "mcpgen.toml").write_bytes(b'out = "\xff"\n')
    findings = Findings()
    assert load_packages(folder / "mcpgen.toml", folder, findings) == []
    assert [finding.code for finding in findings] == ["MG301"]


@pytest.mark.parametrize("text", ["tool = 5\n", "[tool]\nmcpgen = 5\n", "[[tool.mcpgen]]\n", "[[tool]]\n"])
def test_a_table_that_is_none_is_an_error(folder: Path, text: str) -> None:
    assert [code for code, _, _ in told(text, folder, "pyproject.toml")] == ["MG302"]


# --- the command line -----------------------------------------------------------------------------------------------
def given(**values: Any) -> dict[str, Any]:
    return {"out": None, "sdk": None, "protocol": None, **values}


def test_the_command_line_wins_and_its_paths_start_where_it_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages = loaded(write(folder, 'sdk = "mcp"\nwrap = "always"\nschemas = ["s"]\n'), folder)
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    findings = Findings()
    (package,) = override_settings(packages, [Path("a"), Path("b.json")], given(out=Path("o"), sdk="none"), findings)
    assert not list(findings)
    assert (package.folder, package.settings.sdk, package.settings.wrap) == (folder, "none", "always")
    assert package.inputs == [folder / "elsewhere/a", folder / "elsewhere/b.json"]
    assert package.out == folder / "elsewhere/o"


def test_without_options_nothing_changes(folder: Path) -> None:
    packages = loaded(write(folder, '[[package]]\nout = "a"\n[[package]]\nout = "b"\n'), folder)
    findings = Findings()
    assert override_settings(packages, [], given(), findings) == packages
    assert not list(findings)


def test_options_for_one_of_several_packages_are_an_error(folder: Path) -> None:
    packages = loaded(write(folder, '[[package]]\nout = "a"\n[[package]]\nout = "b"\n'), folder)
    findings = Findings()
    assert override_settings(packages, [], given(out=Path("c")), findings) == []
    assert [finding.code for finding in findings] == ["MG302"]


@pytest.mark.parametrize("options", [given(sdk="mpc"), given(protocol="2025")])
def test_a_wrong_option_is_an_error_that_names_it(folder: Path, options: dict[str, Any]) -> None:
    findings = Findings()
    assert override_settings(load_packages(None, folder, Findings()), [], options, findings) == []
    (finding,) = findings
    name = next(key for key, value in options.items() if value)
    assert finding.message.startswith(f"--{name}: ")


# --- x-mcpgen -------------------------------------------------------------------------------------------------------
def test_a_choice_is_read(folder: Path) -> None:
    findings = Findings()
    options = validate_options(
        DefinitionChoice,
        {"name": "a", "content": "json", "audience": [], "priority": 0, "wrap": "always"},
        findings,
        lambda *_: Span(""),
    )
    assert options is not None
    assert (options.name, options.content, options.audience, options.priority, options.wrap) == (
        "a",
        "json",
        [],
        0,
        "always",
    )
    assert not list(findings)


@pytest.mark.parametrize(
    "value",
    [
        [],
        "json",
        None,
        {"contnet": "json"},
        {"content": "JSON"},
        {"priority": -0.1},
        {"priority": "1"},
        {"audience": ["user", "model"]},
        {"name": 1},
        {"wrap": True},
        {"outputSchema": "x.json"},
        {"output_schema": "x.json"},
    ],
)
def test_a_wrong_choice_is_an_error(folder: Path, value: object) -> None:
    findings = Findings()
    assert validate_options(DefinitionChoice, value, findings, lambda *_: Span("a.json", 3, 4)) is None
    assert [(finding.code, finding.span and finding.span.file) for finding in findings] == [("MG006", "a.json")]
