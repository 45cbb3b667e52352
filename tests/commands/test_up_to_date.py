"""`check` says what `check --no-cache` says, whatever happened on the disk since the last run."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from support.packages import mcpgen, tool

pytestmark = pytest.mark.ci
STEPS = int(os.environ.get("MCPGEN_UP_TO_DATE_STEPS", "40"))
"""Random steps of each seed; the figure of 1,000 comes from a run with as many."""
WORDS = ("berth", "crane", "quay", "tide")
SETTINGS = 'sdk = "{sdk}"\n[ref-map]\n"https://far.test/" = "{far}"\n'
IS_ROOT_ON_LINUX = hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("mount") is not None


class Harbour:
    """A project in two folders of nested folders, to which random things happen.

    Args:
        folder: where it is.
        chance: decides what happens.
    """

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.top, self.chance = folder / "top", chance
        self.project = self.top / "project"
        self.schemas, self.out, self.far = self.project / "schemas", self.project / "generated", self.top / "far"
        self.cwd = self.project
        self.cache = folder / "cache"
        self.state = folder / "state"
        self._mounted: list[Path] = []
        (self.top / ".git").mkdir(parents=True)
        self.fill()

    def fill(self) -> None:
        """Write the settings and the definitions."""
        (self.schemas / "inner").mkdir(parents=True)
        self.far.mkdir()
        self.set_settings()
        self.write(self.far / "level.json", '{"type": "integer"}')
        self.write(self.schemas / "common.defs.json", '{"$defs": {"Name": {"type": "string"}}}')
        for word in WORDS:
            self.write_tool(self.schemas / f"{word}.json", word)

    # --- what is done to files ----------------------------------------------------------------------------------
    def write(self, path: Path, text: str) -> None:
        """Write a file; half of the times, with the times that it had."""
        with suppress(OSError):
            status = path.stat() if path.is_file() else None
            path.parent.mkdir(parents=True, exist_ok=True)
            if self.chance.random() < 0.3 and status is not None:
                draft = path.with_name(f".{path.name}.tmp")
                draft.write_text(text, "utf-8")
                draft.replace(path)
            else:
                path.write_text(text, "utf-8")
            if status is not None and self.chance.random() < 0.5:
                os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    def write_tool(self, path: Path, name: str) -> None:
        reference = os.path.relpath(self.schemas / "common.defs.json", path.parent)
        parts = {
            "n": {"type": self.chance.choice(["integer", "string"])},
            "name": {"$ref": f"{reference}#/$defs/Name"},
            "level": {"$ref": "https://far.test/level.json"},
            "where": {"type": "object", "properties": {"x": {"type": self.chance.choice(["number", "boolean"])}}},
        }
        chosen = self.chance.sample(sorted(parts), 2)
        schema = {"type": "object", "properties": {key: parts[key] for key in chosen}}
        self.write(path, json.dumps(tool(name, schema, description=self.chance.choice(["Tells it.", "Shows it."]))))

    def pick(self, pattern: str, folder: Path | None = None) -> Path | None:
        """Return one of the files of a pattern."""
        paths = sorted(path for path in (folder or self.schemas).rglob(pattern) if not path.is_dir())
        return self.chance.choice(paths) if paths else None

    def set_settings(self) -> None:
        text = SETTINGS.format(sdk=self.chance.choice(["none", "mcp"]), far=self.chance.choice(["../far", "../far/"]))
        self.write(self.project / "mcpgen.toml", text)

    # --- steps --------------------------------------------------------------------------------------------------
    def edit_tool(self) -> None:
        if path := self.pick("*.json"):
            self.write_tool(path, path.stem if path.stem in WORDS else self.chance.choice(WORDS))

    def add_tool(self) -> None:
        folder = self.schemas / self.chance.choice(["", "inner", "new/deep"])
        word = f"{self.chance.choice(WORDS)}_{self.chance.randrange(4)}"
        self.write_tool(folder / f"{word}.json", word)

    def remove_file(self) -> None:
        if path := self.pick("*_?.json"):
            path.unlink()

    def rename_file(self) -> None:
        if path := self.pick("*_?.json"):
            path.rename(path.with_name(f"{path.stem}.{self.chance.choice(['json', 'schema.json', 'txt', 'yaml'])}"))

    def rename_folder(self) -> None:
        folders = [path for path in self.schemas.iterdir() if path.is_dir() and not path.is_symlink()]
        if folders:
            folder = self.chance.choice(folders)
            target = folder.with_name(f"{self.chance.choice(['moved', '.hidden', 'inner'])}")
            if not target.exists():
                folder.rename(target)

    def change_reference(self) -> None:
        kind = self.chance.choice(
            ["integer", "number", "strin"] if self.chance.random() < 0.2 else ["integer", "number"]
        )
        self.write(self.far / "level.json", json.dumps({"type": kind}))
        name = {"type": "string", "description": self.chance.choice(["One.", "Two."])}
        self.write(self.schemas / "common.defs.json", json.dumps({"$defs": {"Name": name}}))

    def set_template(self) -> None:
        word = self.chance.choice(WORDS)
        path = self.schemas / f"{word}.content.j2"
        if path.exists() and self.chance.random() < 0.6:
            path.unlink()
        else:
            self.write(path, self.chance.choice(["A place.\n", "A plate.\n", "{{ missing }}\n"]))

    def replace_by_link(self) -> None:
        """Put a link in the place of a file or a folder: to what it was, to something like it, to nothing, outside."""
        path = self.chance.choice([self.pick("*.json"), self.schemas / "inner", self.far, self.out, self.out / "tools"])
        if path is None or path.is_symlink() or not path.exists():
            return
        moved = self.top / f"moved_{self.chance.randrange(10**6)}"
        path.rename(moved)
        copied = moved.with_name(f"{moved.name}_copy")
        if moved.is_dir():
            shutil.copytree(moved, copied, symlinks=True)
        else:
            shutil.copy2(moved, copied)
        near = Path(os.path.relpath(moved, path.parent))
        path.symlink_to(self.chance.choice([moved, copied, near, self.top / "nothing"]))

    def change_link(self) -> None:
        """Make a link a file again, or let it lead elsewhere."""
        links = sorted(path for path in self.top.rglob("*") if path.is_symlink())
        if links:
            link = self.chance.choice(links)
            target = Path(os.path.realpath(link))
            link.unlink()
            if target.exists() and self.chance.random() < 0.7:
                shutil.copytree(target, link, symlinks=True) if target.is_dir() else shutil.copy2(target, link)
            else:
                link.symlink_to(self.chance.choice([target, self.far / "level.json", self.schemas]))

    def place_settings(self) -> None:
        """Let settings appear, or go, above and between."""
        folder = self.chance.choice([self.top, self.project, self.project / "schemas", self.project / "service"])
        name, text = self.chance.choice(
            [
                ("mcpgen.toml", 'sdk = "none"\n'),
                ("pyproject.toml", '[project]\nname = "x"\ndependencies = []\n'),
                ("pyproject.toml", '[project]\nname = "x"\ndependencies = ["mcpgen-runtime"]\n'),
                ("pyproject.toml", '[tool.mcpgen]\nsdk = "none"\n'),
                ("pyproject.toml", '[tool.mcp-gen]\nsdk = "none"\n'),
                ("requirements.txt", "mcp>=2\n"),
                ("requirements-dev.txt", "mcpgen-runtime\n"),
                ("setup.cfg", "[options]\ninstall_requires = pydantic\n"),
                (".git/HEAD", ""),
            ]
        )
        path = folder / name
        if path.exists() and path != self.project / "mcpgen.toml":
            path.unlink() if path.is_file() else shutil.rmtree(path)
        else:
            self.write(path, text)

    def change_folder(self) -> None:
        """Run in another folder from now on, or through a link."""
        link = self.top.parent / "way"
        if not link.is_symlink():
            link.symlink_to(self.project)
        (self.project / "service").mkdir(exist_ok=True)
        self.cwd = self.chance.choice([self.project, self.project, self.project / "service", link])

    def edit_output(self) -> None:
        if path := self.pick("*", self.out):
            match self.chance.randrange(5):
                case 0:
                    path.unlink()
                case 1:
                    self.write(path, path.read_text("utf-8").replace("e", "a", 1) if path.suffix != ".pyc" else "")
                case 2:
                    shutil.copy2(path, path.with_name(f"orphan_{path.name}"))
                case 3:
                    (path.parent / "__pycache__").mkdir(exist_ok=True)
                    (path.parent / "__pycache__" / "x.pyc").write_bytes(b"x")
                case _:
                    self.write(self.out / "mine.py", "x = 1\n")

    def remove_output(self) -> None:
        if self.out.is_symlink():
            self.out.unlink()
        elif self.out.is_dir() and self.chance.random() < 0.5:
            shutil.rmtree(self.out)
        elif self.out.is_dir():
            self.out.rename(self.top / f"old_{self.chance.randrange(10**6)}")

    def mount_folder(self) -> None:
        """Mount a copy over the definitions, or end that."""
        if not IS_ROOT_ON_LINUX:
            return
        if self._mounted:
            self.unmount()
            return
        copied = self.top.parent / f"mount_{self.chance.randrange(10**6)}"
        if self.schemas.is_dir():
            shutil.copytree(self.schemas, copied, symlinks=True)
            self.write_tool(copied / "berth.json", "berth")
            if (
                subprocess.run(["mount", "--bind", copied, self.schemas], check=False, capture_output=True).returncode
                == 0
            ):
                self._mounted.append(self.schemas)

    def unmount(self) -> None:
        for path in self._mounted:
            subprocess.run(["umount", path], check=True)
        self._mounted.clear()

    def restore(self) -> None:
        """Make everything as it was at first, but for what nobody would restore."""
        self.unmount()
        for path in (self.schemas, self.out, self.far):
            if path.is_symlink():
                path.unlink()
            elif path.is_dir():
                shutil.rmtree(path)
        for folder in (self.top, self.project, self.project / "service"):
            for name in ("mcpgen.toml", "pyproject.toml", "setup.cfg", "requirements.txt", "requirements-dev.txt"):
                (folder / name).unlink(missing_ok=True)
            if folder != self.top:
                shutil.rmtree(folder / ".git", ignore_errors=True)
        self.cwd = self.project
        self.fill()

    # --- commands -----------------------------------------------------------------------------------------------
    def run(self, *arguments: str) -> tuple[int, str, str]:
        environment = {"MCPGEN_CACHE_DIR": str(self.cache), "MCPGEN_STATE_DIR": str(self.state), "NO_COLOR": "1"}
        done = mcpgen(*arguments, "--jobs", "1", cwd=self.cwd, PYTEST_CURRENT_TEST="", **environment)
        return done.returncode, done.stdout, done.stderr


STEPS_TO_TAKE: list[Callable[[Harbour], object]] = [
    *(Harbour.edit_tool, Harbour.edit_tool, Harbour.add_tool, Harbour.remove_file, Harbour.rename_file),
    *(Harbour.rename_folder, Harbour.change_reference, Harbour.set_template, Harbour.replace_by_link),
    *(Harbour.change_link, Harbour.set_settings, Harbour.place_settings, Harbour.place_settings),
    *(Harbour.change_folder, Harbour.edit_output, Harbour.remove_output, Harbour.mount_folder),
]


@pytest.fixture
def harbour(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Harbour]:
    made = Harbour(tmp_path, random.Random(request.param))
    yield made
    made.unmount()


@pytest.mark.parametrize("harbour", range(2), indirect=True)
def test_check_says_the_same_with_and_without_a_cache(harbour: Harbour) -> None:
    """After each random step, also where the same check was run before, so that it is repeated if nothing changed."""
    up_to_date, history = 0, list[str]()
    for number in range(STEPS):
        step = harbour.chance.choice(STEPS_TO_TAKE)
        with suppress(OSError):
            step(harbour)
        history.append(step.__name__)
        expected = harbour.run("check", "--no-cache")
        assert harbour.run("check") == expected, f"step {number}: {history[-6:]}"
        if harbour.chance.random() < 0.7:
            harbour.run("build", "--force")
            expected = harbour.run("check", "--no-cache")
            for _ in range(2):
                assert harbour.run("check") == expected, f"step {number}, after a build: {history[-6:]}"
        up_to_date += expected[0] == 0
        if expected[0] != 0 and harbour.chance.random() < 0.6:
            harbour.restore()
            history.append("restore")
    assert up_to_date > STEPS / 6


@pytest.mark.parametrize("runtime", ["installed", "vendored"])
def test_every_look_of_a_run_is_noted(runtime: str, tmp_path: Path) -> None:
    """An independent record of the calls by which Python looks at files has no path that the notes lack."""
    harbour = Harbour(tmp_path, random.Random(4))
    settings = harbour.project / "mcpgen.toml"
    harbour.write(settings, f'runtime = "{runtime}"\n' + settings.read_text("utf-8").replace('"none"', '"mcp"'))
    harbour.write(harbour.schemas / "berth.content.j2", "A berth.\n")
    harbour.write(harbour.project / "requirements.txt", "pydantic\n")
    harbour.write(harbour.project / "requirements" / "more.txt", "mcp\n")
    (harbour.schemas / "inner" / "link.json").symlink_to("../common.defs.json")
    (harbour.project / "service").mkdir()
    assert harbour.run("build")[0] == 0
    environment = {**os.environ, "MCPGEN_CACHE_DIR": "", "MCPGEN_STATE_DIR": str(harbour.state)}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    for command in ("check", "build"):
        words = [sys.executable, "-m", "support.spied_looks", str(harbour.top), command, "--jobs", "1", "-q"]
        folder = harbour.project / "service"
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines() == ["exit code 0", "noted: True, consistent: True", ""], (
            done.stdout + done.stderr
        )
