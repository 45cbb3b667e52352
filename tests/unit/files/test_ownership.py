"""Whose files are whose, and what is left alone whatever is in the output folder."""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from mcpgen.commands.pulled_files import PulledHeader, render_pulled_file, write_pulled_file
from mcpgen.diagnostics import Findings
from mcpgen.files.ownership import Owner, detect_owner, read_json_header
from mcpgen.introspect.validation import AdvertisedDefinitions
from support import packages
from support.packages import files, tool

pytestmark = pytest.mark.ci

SCHEMA = {"type": "object", "properties": {"value": {"type": "string"}}}
CACHE = tempfile.mkdtemp(prefix="mcpgen-cache-")
"""What all tests here generate is the same; only what they find on disk differs."""
atexit.register(shutil.rmtree, CACHE, True)


def mcpgen(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command line; it has to end, whatever is in its way."""
    return packages.mcpgen(*arguments, cwd=cwd, MCPGEN_CACHE_DIR=CACHE)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    (folder / "schemas").mkdir()
    for name in ("alpha", "beta"):
        (folder / "schemas" / f"{name}.json").write_text(json.dumps(tool(name, SCHEMA)), "utf-8")
    assert mcpgen("build", cwd=folder).returncode == 0
    return folder


@pytest.fixture
def project(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path, dirs_exist_ok=True))


def test_orphans_go_and_the_users_own_files_stay(project: Path) -> None:
    (project / "generated" / "mine.py").write_text("x = 1\n", "utf-8")
    (project / "schemas" / "beta.json").unlink()
    assert mcpgen("check", cwd=project).returncode == 4
    assert mcpgen("build", cwd=project).returncode == 0
    assert not (project / "generated" / "tools" / "beta.py").exists()
    assert (project / "generated" / "mine.py").read_text("utf-8") == "x = 1\n"


def test_a_package_within_is_no_orphan(project: Path) -> None:
    files_before = files(project / "generated")
    assert mcpgen("build", "--out", ".", cwd=project).returncode == 0
    assert files(project / "generated") == files_before
    (project / "tools" / ".gitattributes").write_text("*.py text\n", "utf-8")  # the user's: tools/ is its own folder
    (project / "schemas" / "beta.json").unlink()
    assert mcpgen("build", "--out", ".", cwd=project).returncode == 0
    assert not (project / "tools" / "beta.py").exists()
    assert files(project / "generated") == files_before


@pytest.mark.parametrize("out", ["generated", "schemas/made"])
def test_what_is_generated_defines_nothing(project: Path, out: str) -> None:
    shutil.rmtree(project / "generated")
    (project / "mcpgen.toml").write_text(f'schemas = ["."]\nout = "{out}"\n', "utf-8")
    for command in (["build"], ["build", "--cache-dir", ".cache"], ["check"], ["build", "--depfile", ".out.d"]):
        run = mcpgen(*command, cwd=project)
        assert run.returncode == 0, run.stderr
    assert "tools.json" not in (project / ".out.d").read_text("utf-8")


@pytest.mark.parametrize("name", ["schemas/alpha.json", "mcpgen.toml", "generated/tools/alpha.json", "generated/new.d"])
def test_a_depfile_takes_the_place_of_nothing(project: Path, name: str) -> None:
    (project / "mcpgen.toml").write_text('sdk = "none"\n', "utf-8")
    files_before = files(project)
    run = mcpgen("build", "--depfile", name, cwd=project)
    assert run.returncode == 2
    assert "error[MG404]: holds what is read or generated" in run.stderr
    assert files(project) == files_before


def test_an_edited_file_is_refused_and_force_takes_it(project: Path) -> None:
    edited = project / "generated" / "tools" / "alpha.py"
    files_before = files(project / "generated")
    edited.write_text(edited.read_text("utf-8") + "\nX = 1\n", "utf-8")
    (project / "schemas" / "gamma.json").write_text(json.dumps(tool("gamma", SCHEMA)), "utf-8")
    run = mcpgen("build", cwd=project)
    assert run.returncode == 3
    assert "error[MG401]: was edited by hand" in run.stderr
    assert not (project / "generated" / "tools" / "gamma.py").exists(), "nothing is written when something is refused"
    assert mcpgen("build", "--force", cwd=project).returncode == 0
    (project / "schemas" / "gamma.json").unlink()
    assert mcpgen("build", cwd=project).returncode == 0
    assert files(project / "generated") == files_before


def test_an_edited_orphan_is_refused(project: Path) -> None:
    edited = project / "generated" / "tools" / "beta.py"
    edited.write_text(edited.read_text("utf-8") + "# kept\n", "utf-8")
    (project / "schemas" / "beta.json").unlink()
    assert mcpgen("build", cwd=project).returncode == 3
    assert edited.exists()


def test_a_foreign_file_in_the_way_is_refused(project: Path) -> None:
    (project / "generated" / "__init__.py").write_text("mine = True\n", "utf-8")
    run = mcpgen("build", cwd=project)
    assert run.returncode == 3
    assert "error[MG402]" in run.stderr


def test_line_endings_do_not_make_an_edit(project: Path) -> None:
    path = project / "generated" / "tools" / "alpha.py"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    beside = path.with_suffix(".json").read_text("utf-8")
    assert detect_owner("tools/alpha.py", path.read_bytes().decode(), beside=beside) is Owner.MCPGEN
    assert mcpgen("check", cwd=project).returncode == 0
    assert mcpgen("build", cwd=project).returncode == 0
    definition = project / "schemas" / "alpha.json"
    definition.write_text(definition.read_text("utf-8").replace('"alpha"', '"alpha", "description": "New."'), "utf-8")
    assert mcpgen("check", cwd=project).returncode == 4
    assert mcpgen("build", cwd=project).returncode == 0
    assert b"\r\n" not in path.read_bytes()


def test_an_edited_json_file_is_refused(project: Path) -> None:
    path = project / "generated" / "tools" / "alpha.json"
    document = json.loads(path.read_text("utf-8"))
    document["tool"]["title"] = "edited"
    path.write_text(json.dumps(document), "utf-8")
    assert mcpgen("build", cwd=project).returncode == 3


# --- whose a file is --------------------------------------------------------------------------------------------------
CONFLICT = "<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> other\n"
OWN = {
    "notes.txt": "mcpgen-sha256\n=======\n",
    "about.md": f"The header says `mcpgen-sha256`.\n\n{CONFLICT}",
    "late.py": f"x = 0\n# Generated by mcpgen. Do not edit.\n# mcpgen-sha256: {'0' * 64}\n{CONFLICT}",
    "about.json": '{"text": "mcpgen-sha256"}',
    "list.json": '["mcpgen-sha256", {"generated": {"mcpgen-sha256": 1}}]',
    "deep.json": '{"mcpgen-sha256": ' + "[" * 100_000,
    "torn.json": f'{{"mine": "mcpgen-sha256",\n{CONFLICT}}}',
    "other.json": '{"generated": {"by": "somebody", "mcpgen-sha256": "' + "0" * 64 + '"}}',
}
"""What a user may keep beside a package: it speaks of mcpgen, and is not mcpgen's."""


@pytest.mark.parametrize("name", OWN)
def test_a_file_without_the_header_in_its_first_lines_is_the_users(name: str) -> None:
    assert detect_owner(name, OWN[name]) is Owner.FOREIGN


def test_files_of_the_user_beside_the_package_stay(project: Path) -> None:
    for name, text in OWN.items():
        (project / "generated" / name).write_text(text, "utf-8")
    run = mcpgen("build", cwd=project)
    assert run.returncode == 0, run.stderr
    assert {name: (project / "generated" / name).read_text("utf-8") for name in OWN} == OWN


@pytest.mark.parametrize("name", ["about.md", "late.py", "deep.json", "other.json"])
def test_files_of_the_user_in_the_place_of_a_generated_one_are_refused(project: Path, name: str) -> None:
    user_file = project / "generated" / {".json": "tools/alpha.json"}.get(Path(name).suffix, "__init__.py")
    user_file.write_text(OWN[name], "utf-8")
    run = mcpgen("build", cwd=project)
    assert run.returncode == 3, run.stderr
    assert "error[MG402]" in run.stderr
    assert user_file.read_text("utf-8") == OWN[name]


def _conflicted(old: str, new: str, style: str) -> str:
    """Two texts as git's `merge-file` leaves them, both changed since a third."""
    first, second = old.split("\n"), new.split("\n")
    start = next(
        index for index, (item, second_item) in enumerate(zip(first, second, strict=False)) if item != second_item
    )
    ours, theirs = "\n".join(first[start:]), "\n".join(second[start:])
    base = f"||||||| base\n{ours}x\n" if style == "diff3" else ""
    return "\n".join([*first[:start], f"<<<<<<< HEAD\n{ours}\n{base}=======\n{theirs}\n>>>>>>> other", ""])


@pytest.mark.parametrize(
    ("path", "style"),
    [
        ("tools/alpha.py", "merge"),
        ("tools/alpha.py", "diff3"),
        ("tools/alpha.json", "crlf"),
        ("tools/alpha.json", "diff3"),
        (".gitattributes", "merge"),
    ],
)
def test_what_a_merge_left_is_generated_again(project: Path, path: str, style: str) -> None:
    file = project / "generated" / path
    files_before = files(project / "generated")
    old = file.read_text("utf-8")
    new = re.sub("[0-9a-f]{64}", "0" * 64, old).replace("alpha", "beta")
    conflicted = _conflicted(old, new, style)
    file.write_bytes((conflicted.replace("\n", "\r\n") if style == "crlf" else conflicted).encode())
    run = mcpgen("build", cwd=project)
    assert run.returncode == 0, run.stderr
    assert files(project / "generated") == files_before


@pytest.mark.parametrize(
    "marks",
    [
        "=======\n",
        "<<<<<<< HEAD\n=======\n",
        "=======\n>>>>>>> other\n",
        ">>>>>>> other\n=======\n<<<<<<< HEAD\n",
        "<<<<<<< HEAD\n>>>>>>> other\n=======\n",
        "<<<<<<< HEAD\n<<<<<<< HEAD\n=======\n>>>>>>> other\n",
        f"{CONFLICT}<<<<<<< HEAD\n",
        " <<<<<<< HEAD\n =======\n >>>>>>> other\n",
        "<<<<<<<< HEAD\n=======\n>>>>>>>> other\n",
    ],
)
def test_marks_that_are_no_whole_conflict_are_an_edit(built: Path, marks: str) -> None:
    text = (built / "generated" / "__init__.py").read_text("utf-8")
    assert detect_owner("__init__.py", text) is Owner.MCPGEN
    assert detect_owner("__init__.py", text + marks) is Owner.EDITED


def test_a_module_is_compared_with_its_hash_in_the_file_beside_it(built: Path) -> None:
    module, record = (
        (built / "generated" / "tools" / f"alpha.{suffix}").read_text("utf-8") for suffix in ("py", "json")
    )
    assert "mcpgen-sha256" not in module
    edited = module.replace("Any", "All")
    merged = _conflicted(record, record.replace(record.split('"')[9], f"{'0' * 64} {'1' * 64}"), "merge")
    assert edited != module
    for text, beside, owner in (
        (module, record, Owner.MCPGEN),
        (module.replace("\n", "\r\n"), record.replace("\n", "\r\n"), Owner.MCPGEN),
        (edited, record, Owner.EDITED),
        (module, "", Owner.EDITED),
        (edited, merged, Owner.MCPGEN),  # git has merged the modules, but not their hashes
        (module.removeprefix("#"), record, Owner.FOREIGN),
    ):
        assert detect_owner("tools/alpha.py", text, beside=beside) is owner


def test_a_conflict_with_what_is_not_mcpgens_is_the_users() -> None:
    mine = "# mine\n" * 2
    text = f"<<<<<<< HEAD\n{mine}=======\n# Generated by mcpgen. Do not edit.\n# mcpgen-sha256: {'0' * 64}\n>>>>>>> b\n"
    assert detect_owner("a.py", text) is Owner.FOREIGN


def test_what_pull_wrote_is_not_builds_and_the_other_way_round(project: Path) -> None:
    """Both have a `generated` member, and neither command removes or overwrites what the other has made."""
    pulled = project / "schemas" / "pulled" / "far.json"
    pulled.parent.mkdir()
    advertised_definitions = AdvertisedDefinitions("2025-11-25", {"tools": [tool("far", SCHEMA)]})
    text = render_pulled_file(advertised_definitions, PulledHeader("far:server"))
    assert write_pulled_file(pulled.parent, "far", text, False, Findings()) is not None
    assert mcpgen("build", "--out", ".", cwd=project).returncode == 0
    assert pulled.read_text("utf-8") == text
    files_before = files(project / "generated")
    findings = Findings()
    write_pulled_file(project / "generated" / "tools", "alpha", text, False, findings)
    assert [finding.code for finding in findings] == ["MG402"]
    assert files(project / "generated") == files_before


def test_the_header_of_a_json_file_is_read_from_its_start() -> None:
    advertised_definitions = AdvertisedDefinitions("2025-11-25", {"tools": [tool("far", SCHEMA)]})
    text = render_pulled_file(advertised_definitions, PulledHeader('far:"server"'))
    header = json.loads(text)["generated"]
    start = text[: text.index('"tools"')]
    assert read_json_header(text, "pull") == read_json_header(start, "pull") == header
    assert read_json_header(text, "build") is None
    for wrong in ("", "[]", "{}", '{"generated": 3}', '{"generated": {}}', '{"generated": {"by": 3}}', start[:30]):
        assert read_json_header(wrong, "pull") is None


# --- what else may be there ------------------------------------------------------------------------------------------
def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        os.chdir(path.parent)  # a socket's path is short
        listener.bind(path.name)


def _link(path: Path) -> None:
    (path.parent.parent / "victim.py").write_text("mine\n", "utf-8")
    path.symlink_to("../victim.py")


def _loop(path: Path) -> None:
    path.symlink_to(path.name)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


ODD: dict[str, Callable[[Path], None]] = {
    "fifo": _fifo,
    "socket": _socket,
    "link": _link,
    "link loop": _loop,
    "link to a device": _device,
    "folder": Path.mkdir,
}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no FIFOs")
@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("name", ["notes.py", "__init__.py"])
def test_only_regular_files_are_read_or_replaced(
    project: Path, kind: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    odd = project / "generated" / name
    odd.unlink(missing_ok=True)
    ODD[kind](odd)
    old_status = odd.lstat()
    for command in ("check", "build --force"):
        run = mcpgen(*command.split(), cwd=project)
        fine = name == "notes.py"
        assert run.returncode == (0 if fine else 4 if command == "check" else 3), run.stderr
        assert ("error[MG402]" in run.stderr) == (not fine)
        assert "--force" not in run.stderr  # which would not help
    assert os.path.samestat(odd.lstat(), old_status)
    if kind == "link":
        assert (project / "victim.py").read_text("utf-8") == "mine\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no FIFOs")
@pytest.mark.parametrize("kind", ["fifo", "link", "link to a device", "folder"])
def test_a_pulled_file_takes_the_place_of_regular_files_only(project: Path, kind: str) -> None:
    folder = project / "schemas" / "pulled"
    folder.mkdir()
    ODD[kind](folder / "far.json")
    old_status = (folder / "far.json").lstat()
    findings = Findings()
    write_pulled_file(folder, "far", '{"generated": {}}', True, findings)
    assert [finding.code for finding in findings] == ["MG402"]
    assert all("--force" not in (finding.help or "") for finding in findings)
    assert os.path.samestat((folder / "far.json").lstat(), old_status)


@pytest.mark.parametrize("name", ["fifo", "link"])
@pytest.mark.skipif(os.name == "nt", reason="Windows has no FIFOs")
def test_a_depfile_replaces_regular_files_only(project: Path, name: str) -> None:
    ODD[name](project / "generated" / "x")
    shutil.move(project / "generated" / "x", project / "x.d")
    run = mcpgen("build", "--depfile", "x.d", cwd=project)
    assert run.returncode == 2
    assert "x.d: error[MG404]: cannot be written: is not a regular file" in run.stderr


def test_links_within_the_folder_are_not_followed(project: Path) -> None:
    """A folder that is a link leads no write out of the output folder, and no removal."""
    shutil.move(project / "generated" / "tools", project / "elsewhere")
    (project / "generated" / "tools").symlink_to("../elsewhere")
    files_before = files(project / "elsewhere")
    (project / "schemas" / "beta.json").unlink()
    (project / "schemas" / "gamma.json").write_text(json.dumps(tool("gamma", SCHEMA)), "utf-8")
    for options in ([], ["--force"]):
        run = mcpgen("build", *options, cwd=project)
        assert run.returncode == 3
        assert "generated/tools/gamma.py: error[MG402]" in run.stderr
    assert files(project / "elsewhere") == files_before


def test_a_hard_link_keeps_its_other_name(project: Path) -> None:
    item, other_path = project / "generated" / "tools" / "alpha.py", project / "kept.py"
    os.link(item, other_path)
    old_data = other_path.read_bytes()
    (project / "schemas" / "alpha.json").write_text(json.dumps(tool("alpha", {"type": "string"})), "utf-8")
    assert mcpgen("build", cwd=project).returncode == 0
    assert item.read_bytes() != old_data
    assert other_path.read_bytes() == old_data


@pytest.mark.parametrize("how", ["settings", "settings, absolute", "link"])
def test_out_stays_in_the_settings_folder_unless_the_command_line_names_it(project: Path, how: str) -> None:
    """Check that the settings, and links, may be a stranger's."""
    inner = project / "inner"
    shutil.move(project / "schemas", inner / "schemas")
    elsewhere = project / "elsewhere"
    elsewhere.mkdir()
    if how == "link":
        (inner / "generated").symlink_to("../elsewhere")
    else:
        out = str(elsewhere) if how.endswith("absolute") else "../elsewhere"
        (inner / "mcpgen.toml").write_text(f'sdk = "none"\nout = "{out}"\n', "utf-8")
    for command in ("build", "check", "build --force"):
        run = mcpgen(*command.split(), cwd=inner)
        assert run.returncode == 2
        assert "error[MG304]" in run.stderr
        assert how == "link" or "mcpgen.toml:2:1" in run.stderr
        assert not files(elsewhere)
    assert mcpgen("build", "--out", "../elsewhere", cwd=inner).returncode == 0
    assert files(elsewhere) == files(project / "generated")


@pytest.mark.parametrize(("out", "code"), [(".", 0), ("schemas", 2), ("link", 2)])
def test_definitions_in_the_output_folder_stay(project: Path, out: str, code: int) -> None:
    """A package may be around its definitions, not among them; a cached run knows that, too."""
    (project / "link").symlink_to("schemas")
    files_before = files(project / "schemas")
    for options in ([], ["--force"]):
        assert mcpgen("build", "--out", out, *options, cwd=project).returncode == code
        assert files(project / "schemas") == files_before


def test_large_files_beside_the_package_are_not_read_whole(project: Path) -> None:
    with open(project / "generated" / "data.bin", "wb") as file:
        file.truncate(2**40)  # a hole, which takes no room
    run = mcpgen("check", cwd=project)
    assert run.returncode == 0, run.stderr


def test_compiled_python_goes_with_its_folder_and_nothing_else_does(project: Path) -> None:
    schemas = project / "schemas"
    for folder in ("one", "two"):
        (project / folder).mkdir()
        assert mcpgen("build", "--out", folder, cwd=project).returncode == 0
        (project / folder / "tools" / "__pycache__").mkdir()
        (project / folder / "tools" / "__pycache__" / "alpha.cpython-311.pyc").write_bytes(b"")
    (project / "two" / "tools" / "__pycache__" / "mine.txt").write_text("mine\n", "utf-8")
    for path in schemas.iterdir():
        path.unlink()
    (schemas / "r.json").write_text('{"resources": [{"uri": "a://b", "name": "r"}]}', "utf-8")
    for folder in ("one", "two"):
        assert mcpgen("build", "--out", folder, cwd=project).returncode == 0
    assert not (project / "one" / "tools" / "__pycache__").exists()
    assert (project / "two" / "tools" / "__pycache__" / "mine.txt").is_file()


# --- headers of earlier versions -------------------------------------------------------------------------------------
BODY = '"""A module."""\n'
EARLIER_HEADERS = {
    "a.py": "# Generated by mcpgen from a.json. Do not edit.\n# mcpgen-sha256: {digest}\n# fmt: off\n# ruff: noqa\n",
    "py.typed": "# Generated by mcpgen. Do not edit.\n# mcpgen-sha256: {digest}\n",
}


@pytest.mark.parametrize("path", EARLIER_HEADERS)
def test_a_file_of_an_earlier_version_is_mcpgens(path: str) -> None:
    header = EARLIER_HEADERS[path].format(digest=hashlib.sha256(BODY.encode()).hexdigest())
    assert detect_owner(path, header + BODY) is Owner.MCPGEN
    assert detect_owner(path, header + BODY + "x = 1\n") is Owner.EDITED
    assert detect_owner(path, f"<<<<<<< HEAD\n{header}=======\n{header}x\n>>>>>>> b\n") is Owner.MCPGEN


def test_json_of_an_earlier_version_is_mcpgens() -> None:
    digest = hashlib.sha256(b'{"tools":[]}').hexdigest()
    by = "Generated by mcpgen from the definitions. Do not edit."
    text = json.dumps({"generated": {"by": by, "mcpgen-sha256": digest}, "tools": []})
    assert detect_owner("tools.json", text) is Owner.MCPGEN
    assert detect_owner("tools.json", text.replace("[]", "[1]")) is Owner.EDITED
    assert detect_owner("tools.json", text, "pull") is Owner.FOREIGN


def test_a_package_of_an_earlier_version_is_built_anew(project: Path) -> None:
    package = project / "generated"
    for path in [*package.glob("*.py"), package / "py.typed"]:
        new_text = path.read_text("utf-8")
        path.write_text(
            new_text.replace("# Code generated by", "# Generated by", 1)
            .replace(". DO NOT EDIT.", ". Do not edit.", 1)
            .replace("# ruff: noqa # isort: skip_file # pylint: skip-file\n", "# ruff: noqa\n", 1),
            "utf-8",
        )
    run = mcpgen("build", cwd=project)
    assert run.returncode == 0, run.stderr
    assert (package / "__init__.py").read_text("utf-8").startswith("# Code generated by mcpgen. DO NOT EDIT.")
