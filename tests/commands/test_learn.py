"""`mcpgen learn`: whole runs, what is written and what is not, and builds with what was learned."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from support.packages import built, files, mcpgen, tool

pytestmark = pytest.mark.ci
LEARNED = "schemas/learned"


def record(folder: Path, *calls: tuple[str, Any], name: str = "calls.jsonl") -> str:
    """Write a recording of structured results; return its name."""
    lines = [json.dumps({"tool": tool, "result": {"content": [], "structuredContent": value}}) for tool, value in calls]
    (folder / name).write_text("\n".join(lines), "utf-8")
    return name


def learn(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    run = mcpgen("learn", *arguments, cwd=folder)
    assert "Traceback" not in run.stdout + run.stderr
    return run


def read_schema(folder: Path, file: str = f"{LEARNED}/a.output.json") -> Any:
    return json.loads((folder / file).read_text("utf-8"))


def test_what_is_written(tmp_path: Path) -> None:
    run = learn(tmp_path, record(tmp_path, ("a", {"x": 1}), ("a", {"x": 2, "y": None}), ("b", [])))
    assert (run.returncode, run.stdout) == (0, "")
    assert run.stderr.splitlines() == [
        "schemas/learned/a.output.json: from 2 results, written",
        "schemas/learned/b.output.json: from 1 result, written",
        "next: read what was proposed, then add to mcpgen.toml",
        '  [tools."a"]',
        '  outputSchema = "schemas/learned/a.output.json"',
        '  [tools."b"]',
        '  outputSchema = "schemas/learned/b.output.json"',
        '  wrap = "legacy"',
    ]
    assert read_schema(tmp_path) == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "x-mcpgen": {"comment": "Learned by mcpgen from 2 results of a."},
        "type": "object",
        "properties": {"x": {"type": "integer"}, "y": {}},
        "required": ["x"],
    }


def test_tools_that_declare_an_output_schema_need_no_setting(tmp_path: Path) -> None:
    declared = {"inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}
    tools = [{"name": name, **declared} for name in ("a", "b")] + [{"name": "c", "inputSchema": {"type": "object"}}]
    folder = tmp_path / "schemas" / "pulled"
    folder.mkdir(parents=True)
    (folder / "server.json").write_text(json.dumps({"tools": tools}), "utf-8")
    run = learn(tmp_path, record(tmp_path, ("a", {"x": 1}), ("b", {"x": 1}), ("c", {"x": 1})))
    lines = run.stderr.splitlines()
    assert "the definitions declare an outputSchema for a, b, so no setting can give another one" in lines
    assert "  or move the definition out of pulled/ and put the learned schema into it" in lines
    settings = lines[lines.index("next: read what was proposed, then add to mcpgen.toml") + 1 :]
    assert settings == ['  [tools."c"]', '  outputSchema = "schemas/learned/c.output.json"']
    (tmp_path / "mcpgen.toml").write_text("\n".join(settings), "utf-8")
    assert mcpgen("build", cwd=tmp_path).returncode == 0
    (folder / "server.json").rename(tmp_path / "schemas/own.json")
    lines = learn(tmp_path, record(tmp_path, ("a", {"x": 1}), name="more.jsonl")).stderr.splitlines()
    assert "  to replace one that says too little, put the learned schema into schemas/own.json" in lines
    assert not any("pull again" in line for line in lines)


def test_the_settings_are_those_of_the_project(tmp_path: Path) -> None:
    name = record(tmp_path, ("a", {"x": 1}))
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n')
    assert 'then add to pyproject.toml\n  [tool.mcpgen.tools."a"]' in learn(tmp_path, name).stderr
    (tmp_path / "mcpgen.toml").touch()
    assert 'then add to mcpgen.toml\n  [tools."a"]' in learn(tmp_path, name).stderr


def test_nothing_that_can_be_learned_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"tool": "a", "result": {"content": [{"type": "text", "text": "Sunny"}]}}')
    run = learn(tmp_path, "x.json")
    assert run.returncode == 2
    assert "error[MG718]: nothing was learned" in run.stderr
    (tmp_path / "x.json").write_text('{"tool": "a", "arguments": {}}')
    run = learn(tmp_path, "x.json")
    assert run.returncode == 2
    assert "error[MG718]: nothing was learned: no result is recorded" in run.stderr
    assert "run this with --server SERVER" in run.stderr
    (tmp_path / "x.json").write_text("\n")
    run = learn(tmp_path, "x.json")
    assert run.returncode == 2
    assert 'x.json: error[MG003]: is empty\n  help: a call is {"tool"' in run.stderr


def test_a_file_that_refuses_a_result_is_an_error(tmp_path: Path) -> None:
    learn(tmp_path, record(tmp_path, ("a", {"x": 1})))
    before = files(tmp_path / LEARNED)
    run = learn(tmp_path, record(tmp_path, ("a", {"x": 1}), ("a", {"x": "long" * 500}), ("a", {}), name="more.jsonl"))
    assert run.returncode == 3
    (line,) = [line for line in run.stderr.splitlines() if "MG719" in line]
    assert line.startswith(
        "schemas/learned/a.output.json: error[MG719]: refuses 2 of 3 recorded results: more.jsonl:2 at /x: "
    )
    assert "; more.jsonl:3: " in line
    assert len(line) < 600
    help = "no setting names it: if it is from an earlier run, delete it and run this again; else correct it"
    assert f"  help: {help}\n" in run.stderr
    assert "kept, but it refuses recorded results" in run.stderr
    assert files(tmp_path / LEARNED) == before


@pytest.mark.parametrize(
    ("text", "code"), [("{", "MG002"), ("[]", "MG101"), ('{"type": 3}', "MG101"), ('{"$ref": "x.json"}', "MG101")]
)
def test_a_file_that_is_no_schema(tmp_path: Path, text: str, code: str) -> None:
    file = tmp_path / LEARNED / "a.output.json"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    run = learn(tmp_path, record(tmp_path, ("a", {"x": 1})))
    assert run.returncode == 3
    assert f"error[{code}]" in run.stderr
    assert file.read_text() == text


def test_results_that_say_nothing_are_told_of(tmp_path: Path) -> None:
    lines: list[Any] = [
        {"tool": "a", "result": {"content": [{"type": "text", "text": "Sunny"}]}},
        {"tool": "b", "result": {"isError": True, "content": []}},
        {"tool": "b", "result": {"content": [{"type": "text", "text": "{}"}]}},
        {"tool": "c", "result": None},
    ]
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, lines)))
    run = learn(tmp_path, "x.jsonl")
    assert run.returncode == 0
    assert [path.name for path in (tmp_path / LEARNED).iterdir()] == ["b.output.json"]
    assert "  left out: errors (1)" in run.stderr.splitlines()
    warnings = [line for line in run.stderr.splitlines() if "warning[MG718]" in line]
    assert warnings == [
        'warning[MG718]: nothing can be learned from the results of "a": text that is not JSON (1)',
        'x.jsonl:4:1: warning[MG718]: nothing can be learned about "c": no result of it is recorded',
    ]


def test_learned_tools_are_checked_as_a_client_reads_them(tmp_path: Path) -> None:
    """A schema that the settings name makes clients refuse answers that are no JSON; so does the client itself."""
    plain = {"content": [{"type": "text", "text": "no such ticket"}]}
    good = {"content": [{"type": "text", "text": '{"id": 1}'}]}
    calls = [{"tool": "get_ticket", "result": result} for result in (good, plain)]
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, calls)))
    (tmp_path / "plain.json").write_text(json.dumps(calls[1]))
    pulled = tmp_path / "schemas/pulled/x.json"
    pulled.parent.mkdir(parents=True)
    pulled.write_text(json.dumps({"generated": {"protocol": "2026-07-28"}, "tools": [tool("get_ticket")]}))
    assert learn(tmp_path, "x.jsonl").returncode == 0, "it is a proposal"
    assert learn(tmp_path, "x.jsonl").returncode == 0, "no client reads it yet"
    file = f"{LEARNED}/get_ticket.output.json"
    (tmp_path / "mcpgen.toml").write_text(f'[tools.get_ticket]\noutputSchema = "{file}"\n')
    for recording, refused in (("x.jsonl", "1 of 2 recorded results: x.jsonl:2"), ("plain.json", "1 of 1 recorded")):
        run = learn(tmp_path, recording)
        assert run.returncode == 3
        assert f"{file}: error[MG719]: refuses {refused}" in run.stderr
        assert ": text that is not JSON\n  help: a typed client raises ResultError" in run.stderr
    read = built(tmp_path).RESULT_TYPES["get_ticket"].from_call_tool_result
    assert read(good).id == 1
    with pytest.raises(Exception, match=r"(?i)structured|JSON"):
        read(plain)


def test_a_file_that_the_settings_name_is_written_anew(tmp_path: Path) -> None:
    (tmp_path / "mcpgen.toml").write_text(f'[tools.a]\noutputSchema = "{LEARNED}/a.output.json"\n')
    assert learn(tmp_path, record(tmp_path, ("a", {"x": 1}))).stderr.splitlines()[1:] == ["next:", "  mcpgen build"]
    assert "next:" not in learn(tmp_path, "calls.jsonl").stderr
    (tmp_path / LEARNED / "a.output.json").rename(tmp_path / "own.json")
    (tmp_path / "mcpgen.toml").write_text('[tools.a]\noutputSchema = "own.json"\n')
    assert "next:" not in learn(tmp_path, "calls.jsonl").stderr, "nothing reads the file"


def test_calls_without_results_are_one_error(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('[{"tool": "a", "arguments": {}}, {"tool": "b", "arguments": {}}]')
    stderr = learn(tmp_path, "x.json").stderr
    assert stderr.count("MG718") == 1
    assert "run this with --server SERVER" in stderr


@pytest.mark.parametrize("content", ["", "{", "3", "{}", "\x00", '{"tool": "a", "result": NaN}'])
def test_files_that_cannot_be_read(tmp_path: Path, content: str) -> None:
    (tmp_path / "x.json").write_text(content)
    good = record(tmp_path, ("a", {"x": 1}))
    run = learn(tmp_path, good, "x.json", "missing.json")
    assert run.returncode == 2
    assert not (tmp_path / "schemas").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--call", "a"], "--server"),
        (["--record", "x"], "--server"),
        (["--server", "https://example.com", "--env", "A=b"], "MG701"),
    ],
)
def test_options_that_do_not_go_together(tmp_path: Path, options: list[str], words: str) -> None:
    run = learn(tmp_path, record(tmp_path, ("a", {"x": 1})), *options)
    assert run.returncode == 2
    assert words in run.stderr


def test_out(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    name = record(project, ("a", {"x": 1}))
    assert learn(project, name, "--out", "mine").returncode == 0
    assert learn(project, name, "--out", "../elsewhere").returncode == 0
    assert read_schema(project, "mine/a.output.json") == read_schema(tmp_path, "elsewhere/a.output.json")
    assert not (project / "schemas").exists()
    (project / "file").touch()
    run = learn(project, name, "--out", "file")
    assert (run.returncode, "error[MG404]" in run.stderr) == (2, True)


def write_packages(folder: Path, **packages: list[str]) -> None:
    """Write settings with several packages, and the tools of each."""
    tables = "".join(f'[[package]]\nschemas = ["schemas/{name}"]\nout = "out/{name}"\n' for name in packages)
    (folder / "mcpgen.toml").write_text(tables)
    for name, tools in packages.items():
        (folder / "schemas" / name).mkdir(parents=True)
        definitions = {"tools": [tool(tool_name) for tool_name in tools]}
        (folder / "schemas" / name / "tools.json").write_text(json.dumps(definitions))


def test_the_schema_of_a_name_that_several_packages_share_is_set_for_one(tmp_path: Path) -> None:
    """Only one of the two tools declares an outputSchema, so a table for all packages would clash with it."""
    write_packages(tmp_path, one=["a", "c"], two=["b"])
    declaring = {"tools": [tool("b"), tool("a", {"type": "object"})]}
    (tmp_path / "schemas/two/tools.json").write_text(json.dumps(declaring))
    settings = (tmp_path / "mcpgen.toml").read_text()
    shared = '[tools."c"]\nexceptions = "logged"\n'
    (tmp_path / "mcpgen.toml").write_text(f"{settings}{shared}")
    run = learn(tmp_path, record(tmp_path, ("a", {"x": 1})), "--out", "schemas/one/learned")
    assert run.stderr.splitlines()[1:] == [
        "next: read what was proposed, then add to mcpgen.toml",
        "  below the [[package]] of out/one, before the next one:",
        '  [package.tools."a"]',
        '  outputSchema = "schemas/one/learned/a.output.json"',
        "  and copy its other tables there, since it no longer has the shared ones: c",
    ]
    table = "".join(f"{line.strip()}\n" for line in run.stderr.splitlines()[3:5])
    first, second = settings.split("[[package]]")[1:]
    (tmp_path / "mcpgen.toml").write_text(f"[[package]]{first}{table}[[package]]{second}")
    assert mcpgen("build", cwd=tmp_path).returncode == 0
    assert "class AResult" in (tmp_path / "out/one/tools/a.py").read_text()
    run = learn(tmp_path, record(tmp_path, ("c", {"x": 1}), name="more.jsonl"))
    assert '  [package.tools."c"]' in run.stderr.splitlines(), "the tables for all do not apply to this package"
    (tmp_path / "mcpgen.toml").write_text(f"{settings}{table.replace('package.', '')}")
    run = mcpgen("build", cwd=tmp_path)
    assert "the tool declares an outputSchema itself, in schemas/two/tools.json" in run.stderr
    assert 'move it below the [[package]] of that: [package.tools."a"]' in run.stderr


def test_enum(tmp_path: Path) -> None:
    name = record(tmp_path, ("a", {"state": "on", "word": "x"}), ("a", {"state": "off", "word": "y"}))
    assert learn(tmp_path, name, "--enum", "state").returncode == 0
    assert read_schema(tmp_path)["properties"] == {
        "state": {"type": "string", "enum": ["off", "on"]},
        "word": {"type": "string"},
    }


def test_json(tmp_path: Path) -> None:
    run = learn(tmp_path, record(tmp_path, ("a", {"x": 1}), ("b", {})), "--format", "json")
    assert json.loads(run.stdout)["data"]["tools"] == [
        {"name": name, "file": f"{LEARNED}/{name}.output.json", "results": 1, "leftOut": {}, "state": "written"}
        for name in "ab"
    ]
    assert run.stderr == ""


HOSTILE = [
    "../x",
    "con",
    "a/b",
    "a",
    "A",
    "",
    "/etc/passwd",
    "\x7f\x9b\u202e\n\"'\\",
    "😀",
    "x" * 3000,
    ".",
    "..",
    "a.b",
]


def read_settings(run: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """Return the settings that a run shows, read as TOML."""
    shown = run.stderr.partition("next: ")[2].partition("\n")[2]
    return tomllib.loads("\n".join(line for line in shown.splitlines() if line.startswith("  ")))


@pytest.mark.parametrize("file", ["pyproject.toml", "mcpgen.toml"])
def test_hostile_names_lead_nowhere_else(tmp_path: Path, file: str) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / file).write_text("[tool.mcpgen]\n" if file == "pyproject.toml" else "")
    run = learn(folder, record(folder, *((name, {"of": name}) for name in HOSTILE)))
    assert run.returncode == 0
    assert {path.name for path in tmp_path.iterdir()} == {"project"}
    assert {path.name for path in folder.iterdir()} == {file, "calls.jsonl", "schemas"}
    written = [path.name for path in (folder / LEARNED).iterdir()]
    assert len({name.casefold() for name in written}) == len(written) == len(HOSTILE)
    settings = read_settings(run)
    tools = settings["tool"]["mcpgen"]["tools"] if file == "pyproject.toml" else settings["tools"]
    assert f"then add to {file}" in run.stderr
    assert set(tools) == set(HOSTILE)
    for name, choice in tools.items():
        assert read_schema(folder, choice["outputSchema"])["x-mcpgen"]["comment"].endswith(f" of {name}.")


@pytest.mark.skipif(sys.platform == "win32", reason="links take rights there")
def test_links(tmp_path: Path) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    (project / "schemas").mkdir(parents=True)
    (project / "pyproject.toml").touch()
    outside.mkdir()
    name = record(project, ("a", {"x": 1}))
    (project / LEARNED).symlink_to(outside)
    run = learn(project, name)
    assert (run.returncode, "error[MG304]" in run.stderr, list(outside.iterdir())) == (2, True, [])
    (project / LEARNED).unlink()
    (project / LEARNED).mkdir()
    (outside / "a.json").write_text("true")
    (project / LEARNED / "a.output.json").symlink_to(outside / "a.json")
    run = learn(project, name)
    assert run.returncode == 0
    assert (outside / "a.json").read_text() == "true"
    assert 'outputSchema = "schemas/learned/a.output.json"' in run.stderr
    (project / LEARNED / "a.output.json").unlink()
    (project / LEARNED / "a.output.json").symlink_to(outside / "new.json")
    assert learn(project, name).returncode != 1
    assert not (outside / "new.json").exists()
    (project / LEARNED / "a.output.json").unlink()
    os.mkfifo(project / LEARNED / "a.output.json")
    assert learn(project, name).returncode == 3


# --- builds ----------------------------------------------------------------------------------------------------------
RESULTS: list[tuple[str, Any]] = [
    *(("list_events", {"events": [{"kind": "a", "x": n}, {"kind": "b", "day": "2026-01-01"}]}) for n in range(3)),
    ("rates", {"2026-01-01": 1.5, "2026-01-02": 2}),
    ("get", {"id": 1, "name": None, "tags": []}),
    ("get", {"id": 2, "tags": ["x"], "$ref": "y", "__proto__": {}}),
    *(("shape", shape) for shape in [{"type": "circle", "r": 1}, {"type": "square", "side": 2.5}] * 3),
]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose settings name what was learned."""
    folder = tmp_path_factory.mktemp("project")
    names = sorted({name for name, _ in RESULTS})
    (folder / "mcpgen.toml").touch()
    (folder / "schemas").mkdir()
    (folder / "schemas/tools.json").write_text(json.dumps({"tools": [tool(name) for name in names]}))
    run = learn(folder, record(folder, *RESULTS))
    assert run.returncode == 0
    (folder / "mcpgen.toml").write_text(run.stderr.partition("next: ")[2].partition("\n")[2])
    assert "next" not in learn(folder, "calls.jsonl").stderr, "the settings name all of them"
    return folder


def test_classes_of_learned_schemas_accept_the_results(project: Path) -> None:
    generated = built(project)
    for name, value in RESULTS:
        result = generated.RESULT_TYPES[name].from_structured_content(value)
        assert result.to_structured_content() == value
        assert result.to_wire(protocol="2025-06-18")["structuredContent"] == value, "the root is an object"
    instance = generated.RESULT_TYPES["list_events"].from_structured_content(RESULTS[0][1])
    assert (instance.events[0].x, str(instance.events[1].day)) == (0, "2026-01-01")


def test_nothing_that_is_advertised_says_where_a_schema_is_from(project: Path) -> None:
    generated = built(project)
    assert json.loads((project / LEARNED / "get.output.json").read_text())["x-mcpgen"]["comment"].startswith("Learned")
    for path in Path(generated.__file__).parent.rglob("*"):
        if path.is_file() and path.suffix != ".pyc":
            assert "Learned" not in path.read_text("utf-8"), path


@pytest.mark.parametrize("place", ["moved", "pasted"])
def test_a_learned_schema_may_become_a_definition(place: str, tmp_path: Path) -> None:
    """As a file of its own, or as the outputSchema of a Tool."""
    learn(tmp_path, record(tmp_path, ("a", {"x": 1})))
    schema = read_schema(tmp_path)
    definition = schema if place == "moved" else {**tool("a"), "outputSchema": schema}
    (tmp_path / "schemas/a.json").write_text(json.dumps(definition))
    run = mcpgen("build", cwd=tmp_path)
    assert (run.returncode, "MG" in run.stderr) == (0, False), run.stderr
    assert "x-mcpgen" not in (tmp_path / "generated/tools/a.json").read_text()


def test_a_client_reads_every_result_that_was_learned_from(tmp_path: Path) -> None:
    """For a pulled tool, whose server declares no schema."""
    results: dict[str, dict[str, Any]] = {
        "object": {"content": [], "structuredContent": {"x": 1}},
        "object_text": {"content": [{"type": "text", "text": '{"x": 1}'}]},
        "list": {"content": [], "structuredContent": [{"x": 1}], "resultType": "complete"},
        "list_text": {"content": [{"type": "text", "text": '[{"x": 1}]'}]},
        "wrapped": {"content": [], "structuredContent": {"result": [1]}},
        "several": {"content": [{"type": "text", "text": '{"x": 1}'}] * 2},
        "picture": {
            "content": [{"type": "image", "data": "", "mimeType": "image/png"}, {"type": "text", "text": "{}"}]
        },
    }
    pulled = tmp_path / "schemas/pulled/x.json"
    pulled.parent.mkdir(parents=True)
    pulled.write_text(json.dumps({"generated": {"protocol": "2026-07-28"}, "tools": [tool(name) for name in results]}))
    (tmp_path / "mcpgen.toml").touch()
    calls = [{"tool": name, "result": result} for name, result in results.items()]
    (tmp_path / "calls.jsonl").write_text("".join(f"{json.dumps(call)}\n" for call in calls))
    run = learn(tmp_path, "calls.jsonl")
    assert run.stderr.count("several content blocks (1)") == 2
    assert run.stderr.count("a typed client reads") == 2
    settings = [
        line for line in run.stderr.partition("next: ")[2].splitlines()[1:] if line.startswith("  [") or " = " in line
    ]
    (tmp_path / "mcpgen.toml").write_text("\n".join(settings))
    generated = built(tmp_path)
    for name in ("object", "object_text", "list", "list_text", "wrapped"):
        read = generated.RESULT_TYPES[name].from_call_tool_result(results[name])
        text = results[name]["content"]
        expected = json.loads(text[0]["text"]) if text else results[name]["structuredContent"]
        assert read.to_structured_content() == expected, name
    assert not (tmp_path / LEARNED / "several.output.json").exists()


def test_learned_files_are_no_definitions(project: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(project, folder, ignore=shutil.ignore_patterns("package_*"))
    (folder / LEARNED / "stray.output.json").write_text('{"tools": [{"name": "stray", "inputSchema": {}}]}')
    (folder / LEARNED / "broken.json").write_text("{")
    run = mcpgen("build", "schemas", "--out", "out", cwd=folder)
    assert run.returncode == 0, run.stderr
    assert "stray" not in run.stderr + " ".join(files(folder / "out"))
    run = mcpgen("check", "schemas", "--out", "out", cwd=folder)
    assert run.returncode == 0, run.stderr


@pytest.mark.slow
def test_100_000_results(tmp_path: Path) -> None:
    value = {"id": 1, "kind": "a", "day": "2026-01-01", "tags": ["x"], "inner": {"a": 1.5}}
    record(tmp_path, *(("a", {**value, "id": number}) for number in range(100_000)))
    run = learn(tmp_path, "calls.jsonl")
    assert run.returncode == 0
    assert "100000 results" in run.stderr
