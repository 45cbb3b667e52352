"""The cache gives what a cold build gives, whatever happened to the input and to the cache itself."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from mcpgen import app, incremental
from mcpgen.cache import keys
from mcpgen.cache import store as cache_store
from mcpgen.cache.memory import Memory
from mcpgen.cache.render_cache import RenderCache
from mcpgen.cache.store import CacheStore
from mcpgen.config import load
from mcpgen.config.models import ConfiguredPackage
from mcpgen.diagnostics import Findings
from mcpgen.ir.package import SchemaRoot
from mcpgen.lower.assemble import lower_modules
from mcpgen.lower.request import LoweringRequest
from mcpgen.pipeline import cached_lowering, cached_texts
from mcpgen.pipeline.outcome import Outcome
from mcpgen.render.jobs import Job, render_job
from support.children import child, run_in_fork
from support.command_server import run_command
from support.packages import files, mcpgen, tool

pytestmark = pytest.mark.ci
MONEY = {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}


def _ignore(*_: object) -> None:
    pass


def _package(folder: Path) -> ConfiguredPackage:
    findings = Findings()
    (package,) = load.load_packages(folder / "mcpgen.toml", folder, findings)
    assert not findings.failed, [finding.message for finding in findings]
    return package


def _say(outcome: Outcome) -> tuple[object, ...]:
    """All that a run came to."""
    generated = outcome.generated
    if generated is None:
        return None, outcome.findings.sorted()
    counts = (generated.tool_count, generated.class_count)
    return dict(generated.texts), outcome.findings.sorted(), *counts


def _cold(folder: Path) -> Outcome:
    return app.generate_package(_package(folder), 1, _ignore)


def _cached(folder: Path, memory: Memory) -> Outcome:
    return incremental.generate_incrementally(_package(folder), 1, _ignore, memory)


# --- any edits, any damage -------------------------------------------------------------------------------------------
class Project:
    """A folder with definitions that random edits change."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder, self._chance = folder, chance
        self._schemas = folder / "schemas"
        self._schemas.mkdir(parents=True)
        (folder / "beyond").mkdir()
        self._write(folder / "beyond" / "far.json", {"$defs": {"Far": {"type": "integer"}}})
        self._write(folder / "beyond" / "given.json", {"type": "array", "items": {"type": "string"}})
        (folder / "beyond" / "text.j2").write_text("{{ n }}\n", "utf-8")
        self._write(self._schemas / "common.defs.json", {"$defs": {"Money": MONEY, "Note": {"type": "string"}}})
        self.settings({"sdk": "mcp"})
        for _ in range(5):
            self.add()

    def settings(self, keys: dict[str, object]) -> None:
        lines = [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
        lines += ["[ref-map]", '"https://far.test/" = "beyond"']
        (self.folder / "mcpgen.toml").write_text("\n".join(lines) + "\n", "utf-8")

    def add(self) -> None:
        name = f"{self._chance.choice(['get', 'list'])}_{self._chance.choice(range(200))}"
        folder = self._schemas / self._chance.choice(["", "inner"])
        folder.mkdir(exist_ok=True)
        item = tool(
            name,
            self._schema("../" if folder != self._schemas else ""),
            description=self._chance.choice(["", "Says.", "Does."]),
        )
        if self._chance.random() < 0.2:
            item["x-mcpgen"] = {"name": f"{name}_too"}
        self._write(folder / f"{self._chance.choice([name, 'odd'])}.json", item)

    def _schema(self, up: str) -> dict[str, Any]:
        parts: dict[str, Any] = {
            "n": {"type": self._chance.choice(["integer", "string"])},
            "money": {"$ref": f"{up}common.defs.json#/$defs/Money"},
            "far": {"$ref": "https://far.test/far.json#/$defs/Far"},
            "own": {"$ref": "#/$defs/Own"},
            "kind": {"enum": self._chance.sample(["a", "b", "c"], 2)},
        }
        chosen = ["n", *self._chance.sample(sorted(parts), 2)]
        schema = {"type": "object", "properties": {"x": {"type": self._chance.choice(["number", "boolean"])}}}
        return {
            "type": "object",
            "properties": {name: parts[name] for name in chosen},
            "required": ["n"],
            "$defs": {"Own": schema},
        }

    def edit(self) -> None:
        """Do one thing that a person may do."""
        edits = [self._remove, self._rename, self._touch, self._change_shared, self._set, self._template]
        self._chance.choice([self.add, self.add, *edits])()

    def mend(self) -> None:
        """Undo what was wrong: templates, and tools of one name."""
        for template in self._schemas.rglob("*.content.j2"):
            template.unlink()
        names: set[str] = set()
        for path in sorted(self._schemas.rglob("*.json")):
            document = json.loads(path.read_text("utf-8"))
            if document.get("name") in names:
                path.unlink()
            names.add(document.get("name"))

    def _some(self) -> Path | None:
        paths = sorted(path for path in self._schemas.rglob("*.json") if ".defs." not in path.name)
        return self._chance.choice(paths) if len(paths) > 2 else None

    def _remove(self) -> None:
        if path := self._some():
            path.unlink()

    def _rename(self) -> None:
        if path := self._some():
            path.rename(path.with_name(f"renamed_{self._chance.randrange(3)}.json"))

    def _touch(self) -> None:
        if path := self._some():
            os.utime(path)

    def _change_shared(self) -> None:
        money = {**MONEY, "description": self._chance.choice(["Coins.", "Notes."])}
        self._write(self._schemas / "common.defs.json", {"$defs": {"Money": money, "Note": {"type": "string"}}})
        far = {"type": self._chance.choice(["integer", "number"])}
        self._write(self.folder / "beyond" / "far.json", {"$defs": {"Far": far}})

    def _template(self) -> None:
        if path := self._some():
            name = json.loads(path.read_text("utf-8"))["name"]
            text = self._chance.choice(["{{ n }}", "n is {{ n }}", "{{ missing }}"])
            (path.parent / f"{name}.content.j2").write_text(text, "utf-8")
        if self._chance.random() < 0.7:  # one that belongs to nothing is an error
            for template in self._schemas.rglob("*.content.j2"):
                template.unlink()

    def _set(self) -> None:
        keys: dict[str, object] = {"sdk": self._chance.choice(["mcp", "mcp", "none"])}
        if self._chance.random() < 0.3:
            keys["wrap"] = "always"
        if self._chance.random() < 0.3:
            keys["azure"] = True
        if self._chance.random() < 0.3:
            keys["protocol"] = "2025-06-18"
        self.settings(keys)

    @staticmethod
    def _write(path: Path, value: object) -> None:
        path.write_text(json.dumps(value), "utf-8")


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
                _forge(path, chance.choice([None, [], {}, 7, "x", [["SchemaRoot"]], ["StoredRun"], [[[[[]]]]]]))
            case _:
                path.unlink()
                path.mkdir()


def _forge(path: Path, value: object) -> None:
    """An entry with a right seal, whose value is of no form that is ever kept."""
    kind, body = path.parent.parent.name.removeprefix("v1-"), json.dumps(value).encode()
    if kind == "text" and isinstance(value, str):
        body = b"1"
    seal = hashlib.sha256(f"{kind}\0{path.name}\0".encode() + body).hexdigest().encode()
    path.write_bytes(seal + b"\n" + body)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_any_edits_any_damage(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fresh cache user, one that lives as long as `watch`, and none say the same after every step."""
    chance = random.Random(seed)
    project = Project(tmp_path / "project", chance)
    monkeypatch.chdir(project.folder)
    store = tmp_path / "cache"
    warm = Memory(CacheStore(tmp_path / "other"), warm=True)
    right = 0
    for step in range(12):
        cold = _say(_cold(project.folder))
        for used_memory in (Memory(CacheStore(store)), Memory(CacheStore(store)), warm):
            assert _say(_cached(project.folder, used_memory)) == cold, f"step {step}"
        warm.memo.end_run()
        right += cold[0] is not None
        if cold[0] is None and chance.random() < 0.7:
            project.mend()
        project.edit()
        if step % 3 == 2:
            _damage(store, chance)
    assert right > 3


def test_a_state_that_comes_back_is_recalled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = Project(tmp_path / "project", random.Random(1))
    monkeypatch.chdir(project.folder)
    memory = Memory(CacheStore(tmp_path / "cache"))
    settings = (project.folder / "mcpgen.toml").read_text("utf-8")
    first = _say(_cached(project.folder, memory))
    project.settings({"sdk": "mcp", "azure": True})
    assert _say(_cached(project.folder, memory)) != first
    (project.folder / "mcpgen.toml").write_text(settings, "utf-8")
    monkeypatch.setattr(incremental, "_generate_anew", _never)
    assert _say(_cached(project.folder, memory)) == first


def _never(*_: object) -> Outcome:
    raise AssertionError("this was to be recalled")


# --- what a run depends on -------------------------------------------------------------------------------------------
@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "schemas").mkdir(parents=True)
    (folder / "beyond").mkdir()
    for name in ("alpha", "beta", "gamma"):
        schema = {"type": "object", "properties": {"n": {"$ref": f"https://far.test/{name}.json"}}}
        (folder / "schemas" / f"{name}.json").write_text(json.dumps(tool(name, schema)), "utf-8")
        (folder / "beyond" / f"{name}.json").write_text('{"type": "integer"}', "utf-8")
    (folder / "schemas" / "delta.json").write_text(json.dumps(tool("delta")), "utf-8")
    input_schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    (folder / "beyond" / "given.json").write_text(json.dumps(input_schema), "utf-8")
    (folder / "beyond" / "words.j2").write_text("{{ a }}", "utf-8")
    (folder / "mcpgen.toml").write_text(
        'sdk = "mcp"\n[ref-map]\n"https://far.test/" = "beyond"\n'
        '[tools.delta]\noutputSchema = "beyond/given.json"\ntemplate = "beyond/words.j2"\n',
        "utf-8",
    )
    return folder


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("schemas/alpha.json", json.dumps(tool("alpha", {"type": "string"}))),
        ("schemas/new.json", json.dumps(tool("new", {"type": "string"}))),
        ("schemas/alpha.content.j2", "now with words"),
        ("beyond/alpha.json", '{"type": "string"}'),
        ("beyond/given.json", '{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}'),
        ("beyond/words.j2", "{{ a }}!"),
        ("mcpgen.toml", 'sdk = "mcp"\n[ref-map]\n"https://far.test/" = "beyond"\n'),
    ],
)
def test_each_thing_that_is_read_counts(project: Path, path: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    memory = Memory(CacheStore(project.parent / "cache"))
    first_run = _say(_cached(project, memory))
    assert first_run == _say(_cold(project))
    assert first_run[0] is not None
    (project / path).write_text(text, "utf-8")
    second_run = _say(_cached(project, memory))
    assert second_run == _say(_cold(project))
    assert second_run != first_run


def test_a_file_that_comes_into_being_counts(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`near.data` is looked for beside the file first, then below the folder of the ref-map."""
    monkeypatch.chdir(project)
    schema = {"$id": "https://far.test/x.json", "type": "object", "properties": {"n": {"$ref": "near.data"}}}
    (project / "schemas" / "alpha.json").write_text(json.dumps(tool("alpha", schema)), "utf-8")
    (project / "beyond" / "near.data").write_text("type: integer", "utf-8")
    memory = Memory(CacheStore(project.parent / "cache"))
    first_run = _say(_cached(project, memory))
    assert first_run == _say(_cold(project))
    assert first_run[0] is not None
    (project / "schemas" / "near.data").write_text("type: string", "utf-8")
    second_run = _say(_cached(project, memory))
    assert second_run == _say(_cold(project))
    assert second_run != first_run


def test_the_working_folder_counts_for_messages(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = (project / "mcpgen.toml").read_text("utf-8")
    (project / "mcpgen.toml").write_text(settings + '[tools.nothing]\ncontent = "json"\n', "utf-8")
    memory = Memory(CacheStore(project.parent / "cache"))
    named_files: list[str] = []
    for folder in (project, project.parent, project / "schemas"):
        monkeypatch.chdir(folder)
        findings = _cached(project, memory).findings.sorted()
        assert findings == _cold(project).findings.sorted()
        named_files += [finding.span.file for finding in findings if finding.span]
    assert len(set(named_files)) == 3


def test_the_code_of_mcpgen_counts(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    old_memory = Memory(CacheStore(project.parent / "cache"))
    _cached(project, old_memory)
    monkeypatch.setattr(keys, "digest_toolchain", lambda: "another")
    calls: list[int] = []

    def generated(*arguments: Any) -> Outcome:
        calls.append(1)
        return app.generate_package(*arguments)

    monkeypatch.setattr(incremental, "_generate_anew", generated)
    _cached(project, old_memory)
    assert calls == [1]


def test_a_file_that_changes_while_it_is_read_is_not_remembered(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    memory = Memory(CacheStore(project.parent / "cache"))
    original = (project / "beyond" / "alpha.json").read_text("utf-8")
    changed = (project / "schemas" / "beta.json").read_text("utf-8")

    def generated(*arguments: Any) -> Outcome:
        (project / "schemas" / "beta.json").write_text(json.dumps(tool("beta", {"type": "string"})), "utf-8")
        outcome = app.generate_package(*arguments)
        (project / "schemas" / "beta.json").write_text(changed, "utf-8")  # undone before anybody looks again
        return outcome

    with monkeypatch.context() as patched:
        patched.setattr(incremental, "_generate_anew", generated)
        wrong = _say(_cached(project, memory))
    assert original
    assert _say(_cached(project, memory)) == _say(_cold(project)) != wrong


def test_one_change_lowers_and_renders_one_tool(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    memory = Memory(CacheStore(project.parent / "cache"))
    _cached(project, memory)
    lowered: list[int] = []
    rendered: list[str] = []

    def spied_lower(modules: list[list[LoweringRequest]]) -> list[list[SchemaRoot]]:
        lowered.extend(1 for _ in modules)
        return lower_modules(modules)

    def spied_render(job: Job, cache: RenderCache) -> str:
        rendered.append(job.path)
        return render_job(job, cache)

    monkeypatch.setattr(cached_lowering, "lower_modules", spied_lower)
    monkeypatch.setattr(cached_texts, "render_job", spied_render)
    (project / "beyond" / "beta.json").write_text('{"type": "string", "description": "Now a text."}', "utf-8")
    assert _say(_cached(project, memory))[2] == 4
    assert lowered == [1]
    assert rendered == ["tools/beta.py"]


# --- the store -------------------------------------------------------------------------------------------------------
def test_an_entry_is_bound_to_its_key(tmp_path: Path) -> None:
    store = CacheStore(tmp_path)
    store.put("text", "aa" * 32, "one")
    store.put("text", "ab" * 32, "two")
    first, second = tmp_path / "v1-text" / "aa" / ("aa" * 32), tmp_path / "v1-text" / "ab" / ("ab" * 32)
    assert store.get("text", "aa" * 32) == "one"
    shutil.copy(second, first)
    assert store.get("text", "aa" * 32) is None
    (tmp_path / "v1-run" / "ab").mkdir(parents=True)
    shutil.copy(second, tmp_path / "v1-run" / "ab")
    assert store.get("run", "ab" * 32) is None
    assert store.get("text", "ab" * 32) == "two"


def test_old_entries_go_and_the_rest_keeps_within_its_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = CacheStore(tmp_path)
    for number in range(8):
        store.put("text", f"{number:064}", "x" * 1000)
        path = tmp_path / "v1-text" / "00" / f"{number:064}"
        when = time.time() - (40 * 86400 if number < 2 else 100 - number)
        os.utime(path, (when, when))
    monkeypatch.setattr(cache_store, "MAX_CACHE_SIZE", 4500)
    store.prune()
    assert [store.get("text", f"{number:064}") is not None for number in range(8)] == [False] * 4 + [True] * 4
    store.put("text", "f" * 64, "x" * 9000)
    store.prune()
    assert store.get("text", "f" * 64) is not None, "once a day is enough"


def test_hostile_paths_of_an_entry_are_not_written(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    store = CacheStore(project.parent / "cache")
    _cached(project, Memory(store))
    (entry,) = (project.parent / "cache" / "v1-run").rglob("?" * 64)
    stored: Any = store.get("run", entry.name)
    for path in ("../out.py", "/etc/out.py", "a/../../b.py", "..", "a//b", "a\\b.py", "C:b.py", ""):
        forged = [stored[0], stored[1], [[path, *stored[2][0][1:]]], *stored[3:]]
        store.put("run", entry.name, forged)
        generated = _cached(project, Memory(store)).generated
        assert generated is not None
        assert path not in generated.texts


@pytest.mark.skipif(os.name == "nt", reason="Windows has no FIFOs")
@pytest.mark.parametrize("kind", ["fifo", "socket", "device", "folder", "link", "large"])
def test_only_regular_files_are_entries(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that what is in an entry's place neither hangs nor fails a run; where it can be, it is replaced."""
    store, key = CacheStore(tmp_path), "ab" * 32
    store.put("text", key, "one")
    entry = tmp_path / "v1-text" / "ab" / key
    entry.rename(tmp_path / "right")
    match kind:
        case "fifo":
            os.mkfifo(entry)
        case "socket":
            monkeypatch.chdir(entry.parent)
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind("s")
            os.rename("s", entry)
        case "device":
            entry.symlink_to("/dev/zero")
        case "folder":
            entry.mkdir()
        case "link":
            entry.symlink_to(tmp_path / "right")
        case _:
            with open(entry, "wb") as file:
                file.truncate(2**40)  # a hole, which takes no room
    assert run_in_fork(lambda: print(CacheStore(tmp_path).get("text", key)), tmp_path) == (0, "None\n")
    store.put("text", key, "two")
    assert store.get("text", key) == (None if kind == "folder" else "two")
    store.prune()
    assert kind != "link" or (tmp_path / "right").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
@pytest.mark.parametrize("flaw", ["group may read", "all may write", "another user's"])
def test_a_folder_that_is_not_the_users_alone_is_not_used(tmp_path: Path, flaw: str) -> None:
    if flaw.startswith("another") and os.geteuid() != 0:
        pytest.skip("takes root, to give a folder away")
    folder, key = tmp_path / "cache", "ab" * 32
    CacheStore(folder).put("text", key, "planted")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert CacheStore(folder).describe_problem() == ""
    if flaw.startswith("another"):
        os.chown(folder, 65534, -1)
    else:
        folder.chmod(0o740 if flaw == "group may read" else 0o777)
    files_before = files(folder)
    store = CacheStore(folder)
    assert store.get("text", key) is None
    store.put("text", "cd" * 32, "kept")
    os.utime(folder / "v1-text" / "ab" / key, (0, 0))
    store.prune()
    assert files(folder) == files_before
    reason = "belongs to another user" if flaw.startswith("another") else "is open to other users"
    assert reason in store.describe_problem()
    assert store.describe_problem() == "", "once is enough"


def test_a_run_that_does_without_its_cache_says_so_once(project: Path) -> None:
    """As somebody's checkout would have it: git makes folders that others may read."""
    folder = project / ".cache"
    folder.mkdir()
    folder.chmod(0o755)
    run = mcpgen("build", "--cache-dir", ".cache", "--jobs", "1", cwd=project)
    assert run.returncode == 0
    assert run.stderr.count("warning[MG408]: the cache ") == 1
    assert not files(folder)


def test_a_folder_that_somebody_made_in_the_meantime_is_not_used(tmp_path: Path) -> None:
    store = CacheStore(tmp_path / "cache")
    assert store.get("text", "ab" * 32) is None
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    store.put("text", "ab" * 32, "one")
    assert not files(tmp_path / "cache")


def test_only_entries_are_ever_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that the folder may be one that holds something else, too."""
    store = CacheStore(tmp_path)
    store.put("text", "ab" * 32, "one")
    user_files = ["v1-text/notes.txt", "v1-mine/ab", f"v1-mine/{'ab' * 32}", "mine.txt"]
    for name in user_files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("mine", "utf-8")
    for path in tmp_path.rglob("*"):
        os.utime(path, (0, 0))
    store.prune()
    assert {name for name in files(tmp_path) if not name.startswith("pruned")} == {*user_files}


def test_what_an_entry_says_cannot_end_a_run_in_a_bug(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Entries with the right seal, as whoever wrote them could have made them."""
    monkeypatch.chdir(project)
    store = CacheStore(tmp_path / "cache")
    right = _say(_cached(project, Memory(store)))
    deep: Any = []
    for _ in range(400):
        deep = [deep]
    fifo = project / "beyond" / "fifo"
    os.mkfifo(fifo)
    (entry,) = (tmp_path / "cache" / "v1-run").rglob("?" * 64)
    stored: Any = store.get("run", entry.name)
    finding = ["Diagnostic", "XX999", "made up", None, "", "error"]
    wrongs: list[Any] = [
        [stored[0], [*stored[1], ["beyond/fifo", "0" * 64]], *stored[2:]],
        [*stored[:3], [finding], *stored[4:]],
        [*stored[:3], deep, *stored[4:]],
        [stored[0], stored[1], [[".git/hooks/pre-commit", *stored[2][0][1:]]], *stored[3:]],
        deep,
    ]
    for wrong in wrongs:
        store.put("run", entry.name, wrong)
        assert _say(_cached(project, Memory(store))) == right
    for path in (tmp_path / "cache").rglob("?" * 64):
        texts: list[Any] = ["\ud800", deep, [["SchemaRoot", deep]]]
        for wrong in texts:
            store.put(path.parent.parent.name.removeprefix("v1-"), path.name, wrong)
    shutil.rmtree(tmp_path / "cache" / "v1-run")
    assert _say(_cached(project, Memory(store))) == right


# --- as a process ----------------------------------------------------------------------------------------------------
HEAVY = ("black", "datamodel_code_generator", "jinja2", "jsonschema_rs", "ruamel.yaml")
SPY = (
    "import sys\n"
    "from mcpgen.cli import app\n"
    "try:\n    app(sys.argv[1:])\nexcept SystemExit as end:\n"
    "    print(end.code, *[name for name in {heavy} if name in sys.modules])\n"
)


def _spied(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-c", SPY.format(heavy=HEAVY), *arguments, "--cache-dir", "../cache", "-q"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return run.stdout.strip()


def test_nothing_to_do_imports_no_heavy_library(project: Path) -> None:
    assert "datamodel_code_generator" in _spied(project, "build")
    for command in ("build", "check"):
        assert _spied(project, command) == "0"
    (project / "generated" / "tools" / "beta.py").unlink()
    assert _spied(project, "check") == "4", "a file that is missing is in the cache"
    assert _spied(project, "build") == "0"


@pytest.mark.ci
def test_two_processes_at_once(project: Path) -> None:
    """They share a cache that is being filled, and one of them an output folder, too."""
    folders = [project.parent / f"copy{number}" for number in range(2)]
    for folder in folders:
        shutil.copytree(project, folder)
    command = [sys.executable, "-m", "mcpgen", "build", "--cache-dir", "../cache", "--jobs", "1"]
    with ExitStack() as started:
        places = (*folders, folders[0])
        runs = [started.enter_context(child(command, cwd=folder, stderr=subprocess.PIPE)) for folder in places]
        for run in runs:
            _, output = run.communicate(timeout=120)
            assert run.returncode == 0, output
    assert mcpgen("build", "--no-cache", cwd=project).returncode == 0
    assert files(folders[0] / "generated") == files(folders[1] / "generated") == files(project / "generated")
    assert not list((project.parent / "cache").rglob("*.tmp"))


@pytest.mark.parametrize("kind", ["off", "empty", "file", "read only", "no home"])
def test_no_cache_is_needed(project: Path, kind: str) -> None:
    environment = {"MCPGEN_CACHE_DIR": str(project.parent / "cache")}
    options: list[str] = []
    match kind:
        case "off":
            options = ["--no-cache"]
        case "empty":
            environment["MCPGEN_CACHE_DIR"] = ""
        case "file":
            (project.parent / "cache").write_text("in the way", "utf-8")
        case "read only":
            (project.parent / "cache").mkdir(mode=0o500)
        case _:
            environment = {"HOME": "/nonexistent", "XDG_CACHE_HOME": ""}
    inherited = {key: value for key, value in os.environ.items() if key != "MCPGEN_CACHE_DIR"}
    for _ in range(1 if kind in ("off", "empty") else 2):
        run = run_command(["build", *options], project, inherited | environment)
        assert run.returncode == 0, run.stderr
        assert b"Traceback" not in run.stderr
    data = project.parent / "cache"
    if kind in ("off", "empty"):
        assert not data.exists()


def test_the_users_folder_is_used_and_marked(project: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "MCPGEN_CACHE_DIR"}
    run_command(["check", "-q"], project, {**environment, "XDG_CACHE_HOME": str(project.parent / "xdg")})
    if sys.platform == "linux":
        assert (project.parent / "xdg" / "mcpgen" / "CACHEDIR.TAG").is_file()
        assert (project.parent / "xdg" / "mcpgen" / ".gitignore").read_text("utf-8") == "*\n"
    assert not (project / ".mcpgen-cache").exists()
