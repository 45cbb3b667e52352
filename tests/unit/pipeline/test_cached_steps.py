"""With a store, a run comes to what it comes to without one, whatever happened to the input and to the cache."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcpgen import app
from mcpgen.cache import values
from mcpgen.cache.store import Store
from mcpgen.config import load
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings
from mcpgen.files.file_tracker import FileTracker
from mcpgen.ir.package import SchemaRoot
from mcpgen.ir.types import ANY
from mcpgen.lower import assemble
from mcpgen.lower.request import LoweringRequest
from mcpgen.lower.type_cache import TypeCache
from mcpgen.pipeline import cached_steps
from mcpgen.pipeline.cache_keys import serialize_ir_settings
from mcpgen.pipeline.cached_steps import MIN_STORED_CONTRACT, MOST_MODULES_AT_ONCE, CachedSteps, ignore_progress
from mcpgen.pipeline.lowering import make_tool_requests
from mcpgen.pipeline.outcome import Outcome
from mcpgen.read import loader
from mcpgen.read.definitions import Definitions
from mcpgen.read.input_files import InputFile
from mcpgen.workers import MIN_PARALLEL_ITEMS, Workers
from support.definitions import define_tool, make_settings
from support.packages import tool

MONEY = {"type": "object", "title": "Money", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}
LINKED: dict[str, Any] = {"x-mcpgen": {"content": "link"}}
PLACE = {"type": "object", "properties": {"city": {"type": "string"}, "at": {"type": "string"}}}


# --- a project that is edited ----------------------------------------------------------------------------------------
def make_schema(**properties: object) -> dict[str, Any]:
    """Return the schema of an object with a number and other properties."""
    return {"type": "object", "properties": {"n": {"type": "integer"}, **properties}, "required": ["n"]}


def write_json(path: Path, value: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(value, indent=1), "utf-8")


def edit(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the value of a JSON file in place."""
    value = json.loads(path.read_text("utf-8"))
    change(value)
    write_json(path, value)


def make_project(folder: Path) -> None:
    """Write tools that share classes, tools that don't, a template, and references to other files."""
    schemas = folder / "schemas"
    schemas.mkdir(parents=True)
    write_json(schemas / "plain.json", tool("plain", make_schema()))
    write_json(schemas / "pay.json", tool("pay", make_schema(price=MONEY)))
    write_json(schemas / "refund.json", tool("refund", make_schema(price=MONEY, where=PLACE)))
    listed = [tool(name, make_schema(note={"type": "string"})) for name in ("one", "two", "three")]
    listed.append(tool("all", {"type": "array", "items": {"type": "string"}}))
    resource = {"name": "tide", "uri": "x://tide", "x-mcpgen": {"schema": make_schema(high={"type": "number"})}}
    prompt = {"name": "ask", "arguments": [{"name": "mood", "required": True}]}
    write_json(schemas / "list.json", {"tools": listed, "resources": [resource], "prompts": [prompt]})
    write_json(schemas / "common.defs.json", {"$defs": {"Size": {"enum": ["s", "m"]}}})
    size = {"$ref": "common.defs.json#/$defs/Size"}
    write_json(schemas / "near.json", tool("near", make_schema(size=size), **LINKED))
    write_json(folder / "beyond" / "level.json", {"type": "integer"})
    write_json(schemas / "far.json", tool("far", make_schema(level={"$ref": "https://far.test/level.json"})))
    write_json(schemas / "given.json", tool("given"))
    write_json(folder / "beyond" / "given.json", make_schema())
    (folder / "beyond" / "words.j2").write_text("{{ n }}", "utf-8")
    (schemas / "plain.content.j2").write_text("n is {{ n }}\n", "utf-8")
    write_settings(folder)


def write_settings(folder: Path, top: str = 'sdk = "mcp"\n', end: str = "", ref_map: str = "") -> None:
    given = '[tools.given]\noutputSchema = "beyond/given.json"\ntemplate = "beyond/words.j2"\n'
    text = f'{top}[ref-map]\n"https://far.test/" = "beyond"\n{ref_map}{given}{end}'
    (folder / "mcpgen.toml").write_text(text, "utf-8")


def load_package(folder: Path) -> ConfiguredPackage:
    findings = Findings()
    (package,) = load.load_packages(folder / "mcpgen.toml", folder, findings)
    assert not findings.failed, [finding.message for finding in findings]
    return package


def generate(folder: Path, store: Store | None = None, jobs: int = 1) -> tuple[object, ...]:
    """Return all that a run comes to; without a store, nothing of an earlier run is used."""
    outcome: Outcome = app.generate_package(load_package(folder), jobs, ignore_progress, store)
    generated, findings = outcome.generated, sorted(map(repr, outcome.findings))
    if generated is None:
        return None, findings
    return dict(generated.texts), findings, generated.tool_count, generated.class_count


class Work:
    """What runs do that the store cannot spare them: files to read, modules to lower, and files to render."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.read, self.rendered, self.lowered = set[str](), set[str](), 0
        read_file, render, lower = loader._read_file, cached_steps._render_and_store, assemble.lower_modules

        def read_and_note(file: InputFile, context: Any) -> Definitions:
            self.read.add(file.path.name)
            return read_file(file, context)

        def render_and_note(store: Store, item: Any) -> tuple[str, str]:
            path, text = render(store, item)
            self.rendered.add(path)
            return path, text

        def lower_and_count(modules: list[list[LoweringRequest]], types: TypeCache) -> list[list[SchemaRoot]]:
            self.lowered += len(modules)
            return lower(modules, types)

        monkeypatch.setattr(loader, "_read_file", read_and_note)
        monkeypatch.setattr(cached_steps, "_render_and_store", render_and_note)
        monkeypatch.setattr(assemble, "lower_modules", lower_and_count)

    def take(self) -> tuple[set[str], int, set[str]]:
        """Return what was done since the last call."""
        done = self.read, self.lowered, self.rendered
        self.read, self.rendered, self.lowered = set(), set(), 0
        return done


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[object, ...]]:
    """Return a folder with a project, and what a run over it comes to."""
    folder = tmp_path_factory.mktemp("built")
    make_project(folder / "project")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder / "project")
        result = generate(folder / "project")
        assert result[0] is not None, result[1]
    return folder, result


@pytest.fixture
def project(built: tuple[Path, tuple[object, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(built[0] / "project", tmp_path / "project")
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


@pytest.fixture(params=["cold", "warm"])
def store(project: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Store:
    """Return a store that has seen the project: on disk, or in a process that stays."""
    store = Store(tmp_path / "cache") if request.param == "cold" else Store(is_warm=True)
    generate(project, store)
    store.end_run()
    return store


# --- each thing that is read counts ----------------------------------------------------------------------------------
def set_property(name: str, schema: object) -> Callable[[dict[str, Any]], object]:
    return lambda tool: tool["outputSchema"]["properties"].update({name: schema})


def change(file: str, how: Callable[[dict[str, Any]], object]) -> Callable[[Path], object]:
    return lambda project: edit(project / "schemas" / f"{file}.json", how)


def add(name: str, schema: dict[str, Any] | None = None, **members: object) -> Callable[[Path], object]:
    value = tool(name, schema or make_schema(), **members)
    return lambda project: write_json(project / "schemas" / f"{name}.json", value)


def put(path: str, text: str) -> Callable[[Path], object]:
    def write(project: Path) -> None:
        (project / path).parent.mkdir(exist_ok=True)
        (project / path).write_text(text, "utf-8")

    return write


def remove(*names: str) -> Callable[[Path], object]:
    def unlink(project: Path) -> None:
        for name in names:
            (project / "schemas" / name).unlink()

    return unlink


def rename(old: str, new: str) -> Callable[[Path], object]:
    return lambda project: (project / "schemas" / old).rename(project / "schemas" / new)


def set_keys(top: str = 'sdk = "mcp"\n', end: str = "", ref_map: str = "") -> Callable[[Path], object]:
    return lambda project: write_settings(project, top, end, ref_map)


OWN_CLASS = {"type": "object", "properties": {"x": {"type": "boolean"}}}
MISSPELT = {"type": "string", "patern": "x"}
EDITS: dict[str, Callable[[Path], object]] = {
    "a description": change("plain", lambda tool: tool.update(description="Something else.")),
    "a title": change("near", lambda tool: tool.update(title="Nearby")),
    "a property": change("plain", set_property("added", {"type": "string"})),
    "an argument": change("refund", lambda tool: tool["inputSchema"].update(properties={"a": {"type": "string"}})),
    "a class": change("plain", set_property("inner", OWN_CLASS)),
    "a warning": change("plain", set_property("odd", MISSPELT)),
    "a keyword that needs a check": change("plain", set_property("odd", {"type": "string", "pattern": "(?!a)b"})),
    "a class that others have": change("plain", set_property("price", MONEY)),
    "a class that one other has": change("plain", set_property("where", PLACE)),
    "a shared class differs": change("pay", set_property("price", {**MONEY, "description": "Coins."})),
    "a shared class is no more": change("pay", lambda tool: tool["outputSchema"]["properties"].pop("price")),
    "a Python name": change("plain", lambda tool: tool.update({"x-mcpgen": {"name": "simple"}})),
    "a content strategy": change("far", lambda tool: tool.update({"x-mcpgen": {"content": "sdk"}})),
    "a link in place of the value": change("far", lambda tool: tool.update(LINKED)),
    "a value in place of the link": change("near", lambda tool: tool.pop("x-mcpgen")),
    "clients that get the content alone": set_keys('sdk = "mcp"\ncontent-only = ["codex"]\n'),
    "another name": change("near", lambda tool: tool.update(name="another")),
    "order of tools": change("list", lambda file: file["tools"].reverse()),
    "a tool of several": change("list", lambda file: file["tools"][1].update(description="Something else.")),
    "one tool less": change("list", lambda file: file["tools"].pop()),
    "one tool more": change("list", lambda file: file["tools"].append(tool("money", make_schema(price=MONEY)))),
    "a resource": change("list", lambda file: file["resources"].append({"name": "r", "uri": "a://b"})),
    "a resource's schema": change("list", lambda file: file["resources"][0].update({"x-mcpgen": {"schema": PLACE}})),
    "a prompt": change("list", lambda file: file["prompts"][0].update(description="Asks.")),
    "a definition that is referred to": put("schemas/common.defs.json", '{"$defs": {"Size": {"enum": ["s", "l"]}}}'),
    "a file beyond": put("beyond/level.json", '{"type": "string"}'),
    "a schema of the settings": put("beyond/given.json", json.dumps(make_schema(a={"type": "string"}))),
    "a template of the settings": put("beyond/words.j2", "{{ n }}!"),
    "a template": put("schemas/plain.content.j2", "now {{ n }}"),
    "a new template": put("schemas/one.content.j2", "{{ n }}"),
    "a template is gone": remove("plain.content.j2"),
    "a new tool": add("new"),
    "a new tool with a name of its own": add("new", **{"x-mcpgen": {"name": "other"}}),
    "a new tool with a class that others have": add("new", make_schema(price=MONEY)),
    "a new tool with the name of a class": add("money", make_schema(x={"type": "object", "title": "Money"})),
    "a new tool without an object": add("new", {"type": "string"}),
    "a new tool in a folder": put("schemas/deeper/new.json", json.dumps(tool("new", make_schema()))),
    "a new tool in YAML": put("schemas/new.yaml", "name: new\ninputSchema: {type: object}\n"),
    "a tool is gone": remove("near.json"),
    "a tool with shared classes is gone": remove("pay.json"),
    "another file name": rename("far.json", "further.json"),
    "a link": lambda project: (project / "schemas" / "link.json").symlink_to("near.json"),
    "an SDK": set_keys('sdk = "none"\n'),
    "wrappers": set_keys('sdk = "mcp"\nwrap = "always"\n'),
    "a kind of function": set_keys('sdk = "mcp"\nazure = true\n'),
    "examples": set_keys('sdk = "mcp"\ntesting = true\n'),
    "a protocol": set_keys('sdk = "mcp"\nprotocol = "2025-06-18"\n'),
    "settings of a tool": set_keys(end='[tools.far]\ncontent = "sdk"\n'),
    "settings of no tool": set_keys(end='[tools.nothing]\ncontent = "json"\n'),
    "a limit": set_keys(end="[limits]\ntotal-size = 300\n"),
    # what is wrong
    "no JSON": put("schemas/plain.json", "{"),
    "no schema": add("plain", {"type": "objekt"}),
    "no name": put("schemas/new.json", json.dumps(tool("...", make_schema()))),
    "a name twice": put("schemas/copy.json", json.dumps(tool("plain", make_schema()))),
    "a name that differs by its case": add("Plain"),
    "a template with a mistake": put("schemas/plain.content.j2", "{{ missing }}"),
    "a template for nothing": put("schemas/nobody.content.j2", "{{ n }}"),
    "a definition that is referred to is gone": remove("common.defs.json"),
    "no template of the settings": lambda project: (project / "beyond" / "words.j2").unlink(),
    "nothing is left": lambda project: shutil.rmtree(project / "schemas"),
}


@pytest.mark.ci
@pytest.mark.parametrize("name", EDITS)
def test_each_thing_that_is_read_counts(
    project: Path, store: Store, built: tuple[Path, tuple[object, ...]], name: str
) -> None:
    shutil.copytree(project, project.parent / "before")
    EDITS[name](project)
    changed = generate(project)
    assert (changed == built[1]) == (name == "order of tools")
    assert generate(project, store) == changed
    store.end_run()
    shutil.rmtree(project)
    (project.parent / "before").rename(project)
    os.chdir(project)
    assert generate(project, store) == built[1], "and back"


@pytest.mark.ci
def test_a_file_that_a_reference_would_prefer_counts(project: Path, store: Store) -> None:
    """`near.data` is looked for beside the file first, then below the folder of the ref-map."""
    schema = {"$id": "https://far.test/x.json", **make_schema(n={"$ref": "near.data"})}
    write_json(project / "schemas" / "user.json", tool("user", schema))
    (project / "beyond" / "near.data").write_text("type: integer", "utf-8")
    first = generate(project, store)
    assert first == generate(project)
    assert first[0] is not None
    store.end_run()
    (project / "schemas" / "near.data").write_text("type: string", "utf-8")
    second = generate(project, store)
    assert second == generate(project) != first


GROWING = ["schemas/plain.json", "schemas/common.defs.json", "schemas/refund.json", "beyond/level.json"]


@pytest.mark.parametrize("path", [*GROWING, "beyond/words.j2", "schemas/plain.content.j2"])
def test_the_bytes_of_all_files_count(project: Path, store: Store, path: str) -> None:
    """Check that a file that grows makes all files together too large, though no other one is read."""
    size = sum(file.stat().st_size for file in project.rglob("*.j*"))
    write_settings(project, end=f"[limits]\ntotal-size = {size + 100}\n")
    first = generate(project, store)
    assert first[0] is not None
    store.end_run()
    for added, is_right in ((90, True), (300, False)):
        file = project / path
        file.write_text(file.read_text("utf-8") + " " * added, "utf-8")
        changed = generate(project, store)
        assert changed == generate(project)
        assert (changed[0] is not None) == is_right


@pytest.mark.parametrize("path", ["schemas/plain.content.j2", "schemas/plain.json", "schemas/words.j2"])
def test_where_a_link_leads_counts(project: Path, store: Store, path: str) -> None:
    """Check that a file becomes another one by a link that leads out of its folder, if the contents are the same."""
    put("schemas/words.j2", "{{ n }}")(project)
    change("pay", lambda tool: tool.update({"x-mcpgen": {"template": "words.j2"}}))(project)
    first = generate(project, store)
    assert first[0] is not None
    store.end_run()
    (project / path).rename(project / "beyond" / "moved")
    (project / path).symlink_to(project / "beyond" / "moved")
    assert generate(project, store) == generate(project)
    (project / "beyond" / "moved").rename(project.parent / "moved")
    (project / path).unlink()
    (project / path).symlink_to(project.parent / "moved")
    outside = generate(project, store)
    assert outside == generate(project)
    assert outside[0] is None


def test_the_working_folder_counts_for_messages(project: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    EDITS["a warning"](project)
    results = []
    for folder in (project, project.parent, project / "schemas"):
        monkeypatch.chdir(folder)
        results.append(generate(project, store))
        assert results[-1] == generate(project)
    assert len({repr(findings) for _, findings, *_ in results}) == 3


def test_what_changes_while_it_is_read_is_noticed(project: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that what is stored is what was read, under the digest of that."""
    read_file = loader._read_file

    def change_and_read(file: InputFile, context: Any) -> Definitions:
        if file.path.name == "new.json":
            EDITS["a new tool with a class that others have"](project)
        return read_file(file, context)

    with monkeypatch.context() as patch:
        patch.setattr(loader, "_read_file", change_and_read)
        EDITS["a new tool"](project)
        assert generate(project, store) == generate(project)
    store.end_run()
    EDITS["a new tool"](project)
    assert generate(project, store) == generate(project)


# --- only what depends on a change is done again ---------------------------------------------------------------------
LISTS = {"__init__.py", "index.py"}
WORK: dict[str, tuple[set[str], int, set[str]]] = {
    "a description": ({"plain.json"}, 0, {"tools/plain.py", "tools/plain.json"}),
    "a property": ({"plain.json"}, 1, {"tools/plain.py", "tools/plain.json"}),
    "a template": ({"plain.json"}, 0, {"tools/plain.py"}),
    "a new tool": ({"new.json"}, 0, {"tools/new.py", "tools/new.json", *LISTS}),
    "a tool is gone": (set(), 0, LISTS),
    "a file beyond": ({"far.json"}, 1, {"tools/far.py", "tools/far.json"}),
}
"""Files that are read, the number of modules that are lowered, and files that are rendered, after an edit."""


@pytest.mark.parametrize("name", WORK)
def test_only_what_depends_on_a_change_is_done_again(
    project: Path, store: Store, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Work(monkeypatch)
    EDITS[name](project)
    generate(project, store)
    assert work.take() == WORK[name]
    store.end_run()
    generate(project, store)
    assert work.take() == (set(), 0, set())


def test_a_state_that_comes_back_is_found(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "cache")
    first = generate(project, store)
    write_settings(project, 'sdk = "mcp"\nazure = true\n')
    assert generate(project, store) != first
    write_settings(project)
    work = Work(monkeypatch)
    assert generate(project, store) == first
    assert work.take() == ({"given.json"}, 0, set()), "the place of its template is in the settings"


def test_the_code_of_mcpgen_counts(project: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcpgen.cache.store.digest_toolchain", lambda: "another")
    work = Work(monkeypatch)
    generate(project, store)
    read, lowered, rendered = work.take()
    assert (len(read), lowered) == (8, 8)
    assert {"tools/plain.py", "client.py", "__init__.py"} <= rendered


@pytest.mark.ci
def test_processes_store_what_they_compute(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(2 * MOST_MODULES_AT_ONCE):
        add(f"tool{number}", make_schema(**{f"p{number}": {"type": "string"}}))(project)
    store = Store(tmp_path / "cache")
    result = generate(project, store, jobs=2)
    work = Work(monkeypatch)
    assert generate(project, store) == result == generate(project)
    assert work.take()[1] > 0, "without a store"
    assert generate(project, store) == result
    assert work.take() == (set(), 0, set())


def test_the_hash_of_a_large_contract_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "cache")
    large = define_tool("large", make_schema(**{"p" * MIN_STORED_CONTRACT: {"type": "string"}}))
    small = define_tool("small", make_schema())
    hashes = [cached_steps._find_contract_hash(tool, store) for tool in (large, small)]
    assert hashes == [cached_steps._find_contract_hash(tool, Store()) for tool in (large, small)]
    monkeypatch.setattr(cached_steps, "contract_hash", lambda tool: "computed")
    assert cached_steps._find_contract_hash(large, store) == hashes[0]
    assert cached_steps._find_contract_hash(small, store) == "computed"


# --- lowering --------------------------------------------------------------------------------------------------------
SETTINGS = make_settings()
COUNT = 2 * MOST_MODULES_AT_ONCE + 5
TOOLS = [
    define_tool(f"tool{number}", {"type": "object", "properties": {f"p{number}": {"type": "string"}}})
    for number in range(COUNT)
]
REQUESTS = [make_tool_requests(tool, SETTINGS) for tool in TOOLS]


def lower(steps: CachedSteps, count: int = COUNT) -> list[list[SchemaRoot]]:
    return [list(module.roots) for module in steps.lower_tools(TOOLS[:count], SETTINGS, Findings())]


@pytest.fixture(scope="module")
def expected() -> list[list[SchemaRoot]]:
    with Workers(1) as workers:
        return lower(CachedSteps(Store(), workers, ignore_progress))


@pytest.mark.ci
@pytest.mark.parametrize("has_store", [True, False])
def test_what_was_announced_comes_in_order_with_the_rest(
    has_store: bool, tmp_path: Path, expected: list[list[SchemaRoot]]
) -> None:
    """Schemas are lowered in processes while files are still being read, once each."""
    store, reports = Store(tmp_path / "cache" if has_store else None), list[tuple[str, int, int, str]]()

    def collect(step: str, done_count: int, total: int, item: str = "", /) -> None:
        reports.append((step, done_count, total, item))

    with Workers(2) as workers:
        workers.start()
        steps = CachedSteps(store, workers, collect)
        for requests in REQUESTS[5:][::-1]:
            steps._lowering.announce(requests, serialize_ir_settings(SETTINGS))
            steps._lowering.announce(requests, serialize_ir_settings(SETTINGS))
        assert lower(steps) == expected
    assert reports == [("lowering", done, COUNT, tool.name) for done, tool in enumerate(TOOLS, 1)]
    with Workers(1) as workers, pytest.MonkeyPatch.context() as patch:
        patch.setattr(assemble, "lower_modules", _refuse)
        if has_store:
            assert lower(CachedSteps(Store(tmp_path / "cache"), workers, ignore_progress)) == expected


def _refuse(*_: object) -> None:
    raise AssertionError("it was lowered before")


@pytest.mark.ci
def test_what_was_announced_is_lowered_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    with Workers(2) as workers:
        workers.start()
        list(workers.map(str, range(100)))  # the processes are there, as they were before the next line
        monkeypatch.setattr(assemble, "lower_modules", _refuse)
        steps = CachedSteps(Store(), workers, ignore_progress)
        for requests in REQUESTS[: 2 * MOST_MODULES_AT_ONCE]:
            steps._lowering.announce(requests, serialize_ir_settings(SETTINGS))
        lower(steps, 2 * MOST_MODULES_AT_ONCE)


@pytest.mark.ci
def test_an_announced_module_that_is_not_asked_for_is_dropped(expected: list[list[SchemaRoot]]) -> None:
    """Settings may change a definition after its file was read."""
    with Workers(2) as workers:
        workers.start()
        steps = CachedSteps(Store(), workers, ignore_progress)
        for requests in REQUESTS[: MOST_MODULES_AT_ONCE + 3]:
            steps._lowering.announce(requests, serialize_ir_settings(SETTINGS))
        assert lower(steps, 2) == expected[:2]
        assert lower(steps, 3) == expected[:3]


def test_what_the_store_has_is_not_announced(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After an edit, most files are as they were: neither processes nor generators are needed."""
    package, announced = load_package(project), list[object]()
    for most in (10, 0):
        announced.clear()
        with Workers(2) as workers:
            steps = CachedSteps(Store(project / "cache"), workers, ignore_progress)
            monkeypatch.setattr(steps._lowering, "announce", lambda requests, _: announced.append(requests))
            definitions = steps.read_definitions(package, FileTracker(package.roots), Findings())
            assert not workers.are_running
        assert (len(definitions.tools), len(announced)) == (10, most)


@pytest.mark.ci
def test_processes_start_once_there_is_enough_to_lower() -> None:
    with Workers(2) as workers:
        steps = CachedSteps(Store(), workers, ignore_progress)
        for number, requests in enumerate(REQUESTS[:MIN_PARALLEL_ITEMS], 1):
            steps._lowering.announce(requests, serialize_ir_settings(SETTINGS))
            assert workers.are_running == (number == MIN_PARALLEL_ITEMS)


@pytest.mark.parametrize("is_warm", [True, False])
def test_a_schema_that_ran_out_of_time_is_lowered_again(
    tmp_path: Path, is_warm: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has no type may have run out of time, so it is not stored."""
    store = Store(None if is_warm else tmp_path / "cache", is_warm)
    typed = lower_some(Store())
    untyped = [[replace(root, nodes=(), type=ANY, untyped=True) for root in roots] for roots in typed]
    with monkeypatch.context() as patch:
        patch.setattr(assemble, "lower_modules", lambda modules, types: untyped)
        assert lower_some(store) != typed
    assert lower_some(store) == typed
    monkeypatch.setattr(assemble, "lower_modules", _refuse)
    assert lower_some(store) == typed


def lower_some(store: Store) -> list[list[SchemaRoot]]:
    with Workers(1) as workers:
        return lower(CachedSteps(store, workers, ignore_progress), 1)


# --- any edits, any damage -------------------------------------------------------------------------------------------
def _edit_at_random(project: Path, chance: random.Random, step: int) -> None:
    """Do one thing that a person may do, or change some tools in a way that most other tools don't see."""
    files = sorted(path for path in (project / "schemas").rglob("*.json") if ".defs." not in path.name)
    parts: list[Any] = [MONEY, PLACE, {"type": "string"}, {"enum": ["a", "b"]}, {"type": "array"}, MISSPELT]
    parts += [{"type": "object", "properties": {"own": MONEY}}, {"anyOf": [PLACE, {"type": "null"}]}]
    match chance.randrange(6):
        case 0:
            with suppress(OSError, LookupError, ValueError):  # what it changes is there no more
                chance.choice([change for name, change in EDITS.items() if name != "nothing is left"])(project)
        case 1 if len(files) > 2:
            path = chance.choice(files)
            if chance.random() < 0.5:
                path.unlink()
            else:
                path.rename(path.with_name(f"renamed{step % 3}.json"))
        case 2:
            name = chance.choice(["new", "newer", "newest"])
            add(name, make_schema(**{chance.choice("abcd"): chance.choice(parts)}))(project)
        case _:
            for path in chance.sample(files, min(len(files), chance.choice([1, 1, 2, 3]))):
                try:
                    value: Any = json.loads(path.read_text("utf-8"))
                except ValueError:
                    continue
                side = value.get(chance.choice(["inputSchema", "outputSchema"]))
                if isinstance(side, dict):
                    side.setdefault("properties", {})[chance.choice("abcd")] = chance.choice(parts)
                if chance.random() < 0.5:
                    value["description"] = f"Step {step}."
                write_json(path, value)


def _damage(folder: Path, chance: random.Random) -> None:
    """Do to some entries what disks, other programs and bad people do."""
    entries = sorted(path for path in folder.rglob("*") if path.is_file() and path.parent.parent.name.startswith("v1-"))
    for path in chance.sample(entries, min(len(entries), 6)):
        data = path.read_bytes()
        match chance.randrange(6):
            case 0:
                path.unlink()
            case 1:
                path.write_bytes(data[: chance.randrange(len(data))])
            case 2:
                at = chance.randrange(len(data))
                path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
            case 3:
                other_entry = chance.choice(entries)
                path.write_bytes(other_entry.read_bytes() if other_entry.is_file() else b"")
            case 4:
                _forge(path, chance.choice([None, {}, 7, b"x", (1,), 1.5]))
            case _:
                path.unlink()
                path.mkdir()


def _forge(path: Path, value: object) -> None:
    """Write an entry with a right seal, whose value is of no class that is ever stored."""
    kind, body = path.parent.parent.name.removeprefix("v1-"), values.dump(value) or b""
    seal = hashlib.sha256(f"{kind}\0{path.name}\0".encode() + body).hexdigest().encode()
    path.write_bytes(seal + b"\n" + body)


def test_a_forged_entry_is_none(project: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "cache")
    right = generate(project, store)
    kinds = set[str]()
    for path in (tmp_path / "cache").rglob("?" * 64):
        kinds.add(path.parent.parent.name)
        _forge(path, None if path.name < "8" else {"a": 1})
    assert {"v1-definitions", "v1-roots", "v1-text"} <= kinds
    assert store.measure()[0] == len([*(tmp_path / "cache").glob("v1-*/*/*")]), "each kind of entry is deleted some day"
    assert generate(project, Store(tmp_path / "cache")) == right


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_any_edits_any_damage(project: Path, tmp_path: Path, seed: int) -> None:
    """A new process with a cache, one that stays as long as `watch`, and none come to the same after every step."""
    chance = random.Random(seed)
    folder, warm = tmp_path / "cache", Store(tmp_path / "other", is_warm=True)
    shutil.copytree(project, tmp_path / "right")
    right = 0
    for step in range(12):
        cold = generate(project)
        for store in (Store(folder), Store(folder), warm):
            assert generate(project, store) == cold, f"step {step}"
        warm.end_run()
        right += cold[0] is not None
        if cold[0] is None and chance.random() < 0.7:
            shutil.rmtree(project)
            shutil.copytree(tmp_path / "right", project)
            os.chdir(project)
        _edit_at_random(project, chance, step)
        if step % 3 == 2:
            _damage(folder, chance)
    assert right > 3
