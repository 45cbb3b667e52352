"""Tools of changed files are generated alone, with the same result as a whole build."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from mcpgen import app, incremental
from mcpgen.cache.memory import Memory
from mcpgen.cache.store import CacheStore
from mcpgen.pipeline import input_survey
from mcpgen.pipeline.changed_files import ChangedFiles, find_changed_files
from mcpgen.pipeline.changed_tools import update_package
from mcpgen.pipeline.outcome import Outcome
from mcpgen.pipeline.package_outline import decode_outline
from mcpgen.pipeline.progress import ignore_progress
from mcpgen.pipeline.stored_runs import load_run, locate_inputs
from support.edited_project import (
    MONEY,
    PLACE,
    edit,
    load_package,
    make_outline,
    make_project,
    make_schema,
    set_property,
    survey,
    write_json,
)
from support.packages import tool

pytestmark = pytest.mark.ci
GENERATE = app.generate_package


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    make_project(folder)
    monkeypatch.chdir(folder)
    return folder


def _describe(outcome: Outcome) -> tuple[object, ...]:
    generated = outcome.generated
    if generated is None:
        return None, outcome.findings.sorted()
    counts = (generated.tool_count, generated.class_count)
    findings = sorted(map(repr, outcome.findings))
    return dict(generated.texts), findings, counts


class Builds:
    """Builds with a cache, each compared with one that runs all passes over the whole package.

    That one has a cache of lowered schemas and rendered files, which it finds by all that they depend on.

    Args:
        folder: the project.
        caches: the folder of both caches.
        is_warm: whether one process makes all builds, as `watch` does.
        monkeypatch: counts the runs over the whole package.
    """

    def __init__(self, folder: Path, caches: Path, is_warm: bool, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder, self._cache, self._other_cache = folder, caches / "cache", caches / "other"
        self._warm_memory = Memory(CacheStore(self._cache), warm=True) if is_warm else None
        self.whole = 0
        """Number of times that the whole package was generated with the cache."""
        self.outlines = 0
        """Number of outlines that were compared."""

        def count(*arguments: Any) -> Outcome:
            self.whole += 1
            return GENERATE(*arguments)

        monkeypatch.setattr(incremental, "_generate_anew", count)

    def compare(self) -> bool:
        """Build both ways, compare what comes out and is remembered, and return whether the input was right."""
        package, store = load_package(self._folder), CacheStore(self._cache)
        memory = self._warm_memory or Memory(store)
        cached = incremental.generate_incrementally(package, 1, ignore_progress, memory)
        if self._warm_memory is not None and cached.generated is not None and cached.generated.is_whole:
            incremental.remember_run(package, cached, store)
            self._warm_memory.memo.end_run()
        whole = GENERATE(package, 1, ignore_progress, Memory(CacheStore(self._other_cache)))
        assert _describe(cached) == _describe(whole)
        if whole.generated is None:
            return False
        survey = input_survey.survey_inputs(package)
        assert survey is not None
        run = load_run(store, survey.key)
        assert run is not None
        assert locate_inputs(run, package) == input_survey.find_other_inputs(
            package, survey, whole.observed, whole.findings
        )
        entry = store.get("outline", survey.outline_key)
        outline, run_key, _ = decode_outline(entry, partial(store.get, "outline"))
        if run_key == survey.key:  # else the run was recalled
            assert outline == whole.generated.outline
            self.outlines += 1
        return True


@pytest.fixture(params=["cold", "warm"])
def builds(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Builds:
    result = Builds(project, tmp_path, request.param == "warm", monkeypatch)
    assert result.compare()
    assert result.whole == 1
    return result


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("plain", lambda tool: tool.update(description="Something else.")),
        ("plain", set_property("added", {"type": "string"})),
        ("plain", set_property("inner", {"type": "object", "properties": {"x": {"type": "boolean"}}})),
        ("plain", set_property("odd", {"type": "string", "patern": "x"})),
        ("plain", set_property("odd", {"type": "string", "pattern": "(?!a)b"})),
        ("pay", lambda tool: tool.update(description="Something else.")),
        ("refund", set_property("added", {"type": "string"})),
        ("refund", lambda tool: tool["inputSchema"].update(properties={"a": {"type": "string"}})),
        ("list", lambda file: file["tools"][1].update(description="Something else.")),
        ("list", lambda file: file["tools"].reverse()),
        ("near", lambda tool: tool.update(title="Nearby")),
        ("far", lambda tool: tool.update({"x-mcpgen": {"content": "json"}})),
        ("common.defs", lambda file: file["$defs"].update(Size={"enum": ["s", "m", "l"], "title": "Size"})),
        ("../far/level", lambda file: file.update(type="string")),
    ],
)
def test_only_the_tools_of_changed_files_are_generated(
    project: Path, builds: Builds, file: str, change: Callable[[dict[str, Any]], object]
) -> None:
    for _ in range(2):  # there, and with the next edit back
        before = (project / "schemas" / f"{file}.json").read_text("utf-8")
        edit(project / "schemas" / f"{file}.json", change)
        assert builds.compare()
        (project / "schemas" / f"{file}.json").write_text(before + " ", "utf-8")
        assert builds.compare()
    assert builds.whole == 1
    assert builds.outlines > 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("plain", set_property("price", MONEY)),
        ("plain", set_property("where", PLACE)),
        ("plain", lambda tool: tool.update({"x-mcpgen": {"name": "simple"}})),
        ("pay", lambda tool: tool["outputSchema"]["properties"].pop("price")),
        ("pay", set_property("price", {**MONEY, "description": "Coins."})),
        ("pay", set_property("money", {"type": "object", "properties": {"x": {"type": "string"}}})),
        ("list", lambda file: file["tools"].append(tool("money", make_schema(price=MONEY)))),
        ("list", lambda file: file.update(resources=[{"name": "r", "uri": "a://b"}])),
    ],
)
def test_what_concerns_other_files_has_the_whole_package_generated(
    project: Path, builds: Builds, file: str, change: Callable[[dict[str, Any]], object]
) -> None:
    edit(project / "schemas" / f"{file}.json", change)
    builds.compare()
    assert builds.whole == 2
    edit(project / "schemas" / "refund.json", lambda tool: tool.update(description="Afterwards."))
    builds.compare()
    assert builds.whole == 2


def test_a_wrong_file_is_reported_as_ever_and_forgotten_once_it_is_right(project: Path, builds: Builds) -> None:
    file = project / "schemas" / "plain.json"
    right = file.read_text("utf-8")
    for wrong in ("{", '{"name": 1}', right.replace('"integer"', '"integr"')):
        file.write_text(wrong, "utf-8")
        assert not builds.compare()
    (project / "schemas" / "plain.content.j2").write_text("{{ missing }}", "utf-8")
    file.write_text(right, "utf-8")
    assert not builds.compare()
    (project / "schemas" / "plain.content.j2").write_text("now {{ n }}", "utf-8")
    whole = builds.whole
    assert builds.compare()
    assert builds.whole == whole


def _add(name: str, schema: dict[str, Any] | None = None, **members: object) -> Callable[[Path], object]:
    return lambda schemas: write_json(schemas / f"{name}.json", tool(name, schema or make_schema(), **members))


def _remove(*names: str) -> Callable[[Path], object]:
    def remove(schemas: Path) -> None:
        for name in names:
            (schemas / name).unlink()

    return remove


def _rename(old: str, new: str) -> Callable[[Path], object]:
    return lambda schemas: (schemas / old).rename(schemas / new)


def _put(path: str, text: str) -> Callable[[Path], object]:
    def put(schemas: Path) -> None:
        (schemas / path).parent.mkdir(exist_ok=True)
        (schemas / path).write_text(text, "utf-8")

    return put


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes",
    [
        [_add("new")],
        [_add("new", make_schema(box={"type": "object", "properties": {"w": {"type": "number"}}}))],
        [_add("zebra"), _add("apple"), _remove("far.json")],
        [_add("new", make_schema(odd={"type": "string", "patern": "x"}))],
        [_add("new", **{"x-mcpgen": {"name": "other"}})],
        [_remove("near.json")],
        [_remove("near.json", "common.defs.json")],
        [_rename("far.json", "further.json")],
        [_rename("plain.json", "simple.json")],
        [_put("more.defs.json", '{"$defs": {"A": {"type": "string"}}}')],
        [_put("deeper/new.json", json.dumps(tool("new", make_schema())))],
        [_put("new.yaml", "name: new\ninputSchema: {type: object}\n")],
        [_add("new"), _put("new.content.j2", "{{ n }}")],
        [lambda schemas: edit(schemas / "list.json", lambda file: file["tools"].pop())],
        [lambda schemas: edit(schemas / "list.json", lambda file: file["tools"].append(tool("four", make_schema())))],
        [lambda schemas: edit(schemas / "near.json", lambda tool: tool.update(name="another"))],
        [_add("new"), lambda schemas: edit(schemas / "pay.json", lambda tool: tool.update(description="New."))],
    ],
)
def test_added_and_removed_tools_are_generated_alone(
    project: Path, builds: Builds, changes: list[Callable[[Path], object]]
) -> None:
    before = {path: path.read_bytes() for path in (project / "schemas").iterdir()}
    for change in changes:
        change(project / "schemas")
    assert builds.compare()
    edit(project / "schemas" / "refund.json", lambda tool: tool.update(description="Afterwards."))
    assert builds.compare()
    for path in [*(project / "schemas").rglob("*.*")]:
        path.unlink()
    for path, data in before.items():
        path.write_bytes(data)
    edit(project / "schemas" / "refund.json", lambda tool: tool.update(description="And back."))
    assert builds.compare()
    assert builds.whole == 1
    assert builds.outlines > 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "is_right"),
    [
        (_add("new", make_schema(price=MONEY)), True),
        (_add("new", make_schema(where=PLACE)), True),
        (_add("money", {"type": "object", "properties": {"x": {"type": "object", "title": "Money"}}}), True),
        (_remove("pay.json"), True),
        (_remove("plain.json", "plain.content.j2"), True),
        (_add("new", {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "string"}), True),
        (_add("new", None, outputSchema={"type": "string"}), True),
        (_put("one.content.j2", "{{ n }}"), True),
        (_put("far.content.j2", "{{ missing }}"), False),
        (_put("nobody.content.j2", "{{ n }}"), False),
        (_remove("plain.json"), False),
        (_remove("common.defs.json"), False),
        (_add("Plain"), False),
        (_add("new", {"type": "objekt"}), False),
        (_put("copy.json", json.dumps(tool("plain", make_schema()))), False),
        (_put("new.json", json.dumps(tool("...", make_schema()))), False),
        (_put("prompts.json", json.dumps({"prompts": [{"name": "p", "arguments": []}]})), True),
        (lambda schemas: (schemas / "link.json").symlink_to("near.json"), True),
    ],
)
def test_tools_that_concern_other_files_have_the_whole_package_generated(
    project: Path, builds: Builds, change: Callable[[Path], object], is_right: bool
) -> None:
    change(project / "schemas")
    assert builds.compare() is is_right


def test_all_tools_may_be_removed(project: Path, builds: Builds) -> None:
    for path in (project / "schemas").glob("*.*"):
        path.unlink()
    assert not builds.compare()


@pytest.mark.slow
def test_the_settings_may_name_tools_that_come_and_go(project: Path, builds: Builds) -> None:
    settings = (project / "mcpgen.toml").read_text("utf-8")
    (project / "mcpgen.toml").write_text(settings + '[tools.nearer]\ncontent = "json"\n', "utf-8")
    assert builds.compare()
    for name in ("nearest", "nearer"):
        write_json(project / "schemas" / f"{name}.json", tool(name, make_schema()))
        assert builds.compare()
    for name in ("nearer", "near", "nearest"):
        (project / "schemas" / f"{name}.json").unlink()
        assert builds.compare()


@pytest.mark.slow
def test_a_shared_class_gets_a_name_that_a_removed_tool_had(project: Path, builds: Builds) -> None:
    """The name of a shared class is taken while a tool has it, and free afterwards."""
    shared = {"type": "object", "title": "TreeResult", "properties": {"height": {"type": "number"}}}
    schemas = project / "schemas"
    write_json(schemas / "oak.json", tool("oak", make_schema(tree=shared)))
    write_json(schemas / "elm.json", tool("elm", make_schema(tree=shared)))
    assert builds.compare()
    for _ in range(2):
        write_json(schemas / "tree.json", tool("tree", make_schema()))
        assert builds.compare()
        (schemas / "tree.json").unlink()
        assert builds.compare()


@pytest.mark.slow
def test_a_file_that_a_reference_would_prefer_is_noticed(project: Path, builds: Builds) -> None:
    settings = (project / "mcpgen.toml").read_text("utf-8")
    (project / "mcpgen.toml").write_text(settings.replace("[ref-map]", '[ref-map]\n"schemas/" = "far"'), "utf-8")
    write_json(project / "schemas" / "user.json", tool("user", make_schema(a={"$ref": "https://far.test/level.json"})))
    assert builds.compare()
    write_json(project / "schemas" / "level.json", {"type": "string"})
    assert builds.compare()


def test_a_class_that_two_changed_tools_get_is_shared(project: Path, builds: Builds) -> None:
    box = {"type": "object", "properties": {"width": {"type": "number"}, "height": {"type": "number"}}}
    for name in ("plain", "far"):
        edit(project / "schemas" / f"{name}.json", set_property("box", box))
    assert builds.compare()
    assert builds.whole == 2


def test_settings_and_limits_count(project: Path, builds: Builds) -> None:
    settings = (project / "mcpgen.toml").read_text("utf-8")
    for line in ('wrap = "always"\n', "azure = true\n", "[limits]\ntotal-size = 3000\n"):
        at_end = line.startswith("[")
        (project / "mcpgen.toml").write_text(settings + line if at_end else line + settings, "utf-8")
        edit(
            project / "schemas" / "plain.json", lambda tool: tool.update(description=tool.get("description", "") + "!")
        )
        builds.compare()
    (project / "schemas" / "plain.json").write_text(
        json.dumps(tool("plain", make_schema(), description="long " * 1000)), "utf-8"
    )
    assert not builds.compare()


@pytest.mark.slow
def test_examples_change_with_their_tools(project: Path, builds: Builds) -> None:
    settings = (project / "mcpgen.toml").read_text("utf-8")
    (project / "mcpgen.toml").write_text("testing = true\n" + settings, "utf-8")
    assert builds.compare()
    assert builds.whole == 2  # other settings
    many = {"type": "array", "items": {"type": "integer"}, "minItems": 10_000}
    for change in (
        set_property("n", {"type": "integer", "examples": [17]}),
        lambda tool: tool["outputSchema"].update(required=["n", "many"]),
        set_property("many", many),  # which has no example
        set_property("many", {"type": "array"}),
        lambda tool: tool.update(description="Something else."),
    ):
        edit(project / "schemas" / "plain.json", change)
        assert builds.compare()
    assert builds.whole == 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_random_edits(project: Path, builds: Builds, seed: int) -> None:
    _check_random_edits(project, builds, random.Random(seed), 6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 10))
def test_many_random_edits(project: Path, builds: Builds, seed: int) -> None:
    _check_random_edits(project, builds, random.Random(seed), 25)


def _check_random_edits(project: Path, builds: Builds, chance: random.Random, steps: int) -> None:
    """Edit, add and remove some files at a time, most of them in a way that other tools don't see."""
    parts: list[dict[str, Any]] = [MONEY, PLACE, {"type": "string"}, {"enum": ["a", "b"]}, {"type": "array"}]
    parts.append({"type": "object", "properties": {"own": MONEY}})
    parts.append({"anyOf": [PLACE, {"type": "null"}]})
    for step in range(steps):
        for file in chance.sample(["plain", "pay", "refund", "near", "far"], chance.choice([1, 1, 2, 3])):
            side = chance.choice(["inputSchema", "outputSchema"])
            name, part = chance.choice("abcd"), chance.choice(parts)

            def change(
                value: dict[str, Any], side: str = side, name: str = name, part: object = part, step: int = step
            ) -> None:
                properties = value[side].setdefault("properties", {})
                if chance.random() < 0.3 and name in properties:
                    del properties[name]
                else:
                    properties[name] = part
                if chance.random() < 0.5:
                    value["description"] = f"Step {step}."

            edit(project / "schemas" / f"{file}.json", change)
        for name in chance.sample(["new", "newer", "newest"], chance.choice([0, 0, 0, 1, 2])):
            path = project / "schemas" / f"{name}.json"
            if path.exists():
                path.unlink()
            else:
                properties = {chance.choice("abcd"): chance.choice(parts), chance.choice("abcd"): {"type": "string"}}
                write_json(path, tool(name, make_schema(**properties)))
        assert builds.compare()
    assert builds.whole < 1 + steps


# --- the passes alone ------------------------------------------------------------------------------------------------
def test_an_update_has_only_the_files_of_the_changed_tools(project: Path) -> None:
    package = load_package(project)
    outline = make_outline(package)
    changed = ChangedFiles(("schemas/plain.json",))
    edit(project / "schemas" / "plain.json", set_property("m", {"type": "string"}))
    update = update_package(package, outline, changed, 1, ignore_progress, Memory())
    assert update is not None
    assert "tools/plain.py" in update.texts
    assert not {"tools/pay.py", "tools/near.py", "types/shared.py", "__init__.py"} & update.texts.keys()
    edit(project / "schemas" / "plain.json", lambda tool: tool.update({"x-mcpgen": {"name": "simple"}}))
    assert update_package(package, outline, changed, 1, ignore_progress, Memory()) is None


def test_an_update_by_a_new_tool_has_the_lists_of_tools(project: Path) -> None:
    package = load_package(project)
    outline = make_outline(package)
    write_json(project / "schemas" / "new.json", tool("new", make_schema()))
    surveyed = survey(package)
    old_links = {path: link for path, link in surveyed.links.items() if path != "schemas/new.json"}
    changed = find_changed_files(package, outline, surveyed, {**old_links}, {})
    assert changed is not None
    update = update_package(package, outline, changed, 1, ignore_progress, Memory())
    assert update is not None
    assert update.texts.keys() == {"__init__.py", "index.py", "tools/new.py", "tools/new.json"}
