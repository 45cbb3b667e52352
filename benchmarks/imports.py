"""What importing a generated package, using one of its tools for the first time, and a server of its tools cost, in
processes of their own.
"""

from __future__ import annotations

import ast
import compileall
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mcpgen_runtime
from datamodel_code_generator import GenerateConfig, LiteralType, generate
from datamodel_code_generator.enums import DataModelType, InputFileType
from mcpgen.samples.generator import ValueGenerator
from mcpgen.schema.keywords import DRAFT_2020_12

from benchmarks.builds import write_project
from benchmarks.contestants import generated, mcp2
from benchmarks.figures import Figure

SIZES, QUICK, SERVED = (1, 30, 1000), (1, 30), 30
"""Numbers of tools, and how many of them a server has."""
IMPORT, CALL, READ = "import generated, added", "import and first call, added", "import and first read, added"
BEYOND, LIST = "import and first call, added, without building pydantic's classes", "list_tools(), the second time"
MEMORY, MODULES = "memory after the first call, added", "modules of the package after the first call"
START, SERVER = "server, until its tools are listed", "memory of a server after a call of each tool"
TOOL: dict[str, Any] = {
    "name": "measured",
    "inputSchema": {"type": "object"},
    "outputSchema": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "degrees": {"type": "number"}, "gusts": {"type": "number"}},
        "required": ["city", "degrees"],
        "additionalProperties": False,
    },
}
"""The tool that is used first, the same beside however many others."""
VALUE = {"city": "Oslo", "degrees": 3.5}
LIBRARIES = {"none": "import pydantic", "mcp": "import mcp, pydantic"}
"""What a server has imported anyway, by the SDK of the package."""
PLAIN = f"""
class Measured(pydantic.BaseModel):
    city: str
    degrees: float
    gusts: float | None = None
Measured(**{VALUE}).model_dump_json()
"""
"""A class written by hand and used once: what pydantic itself does when it is first used."""
TIME_CLASSES = """
from pydantic._internal._model_construction import ModelMetaclass
make_class = ModelMetaclass.__new__
def make_timed(*arguments, **options):
    start = time.process_time()
    try:
        return make_class(*arguments, **options)
    finally:
        class_times.append(time.process_time() - start)
ModelMetaclass.__new__ = make_timed
"""
"""Times how long pydantic takes to build classes, which `mark` subtracts."""
STEPS = {
    IMPORT: ("", "import generated"),
    CALL: (PLAIN, f"import generated; generated.MeasuredResult(**{VALUE}).to_call_tool_result()"),
    BEYOND: (PLAIN + TIME_CLASSES, f"import generated; generated.MeasuredResult(**{VALUE}).to_call_tool_result()"),
    LIST: ("import generated; generated.list_tools()", "generated.list_tools()"),
    READ: (PLAIN, f"import generated; generated.MeasuredResult.from_structured_content({VALUE})"),
}
"""Section → what the process does before, without the package, and what is measured then."""
LIBRARIES_ALONE = {IMPORT: "import", CALL: "import and first use of a class"}
MARK = """
import json, sys, time
class_times = []
def mark():
    pages = int(open("/proc/self/statm").read().split()[1]) if sys.platform == "linux" else 0
    return 1000 * (time.process_time() - sum(class_times)), pages * 4096 / 2**20
"""
REPORT = """
loaded = [name for name in sys.modules if name.partition(".")[0] in ("generated", "mcpgen_runtime")]
print(json.dumps({"before": before, "after": after, "loaded": loaded}))
"""
SERVE = """
import asyncio, gc, mcp
from mcp.server.mcpserver import MCPServer
server, cases = MCPServer("measured"), json.load(open("cases.json"))
"""
SERVERS = {
    generated.name_contestant("mcp"): """
import generated
tools = generated.bind(server)
def hold(value):
    async def handle(**arguments):
        return value
    return handle
for name, (_, value) in cases.items():
    getattr(tools, name)(hold(value))
""",
    mcp2.NAME: """
import own
own.cases = cases
for name in cases:
    server.tool()(getattr(own, name))
""",
    f"{mcp2.NAME}, no tools": "cases = {}",
}
"""Contestant → how its server gets the tools."""
USE = """
async def use():
    async with mcp.Client(server) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == cases.keys()
        listed, _ = mark()
        for name, (arguments, _) in cases.items():
            result = await client.call_tool(name, arguments)
            assert not result.is_error, result
    return listed
listed = asyncio.run(use())
gc.collect()
print(json.dumps([listed, mark()[1]]))
"""
"""Lists the tools once and calls each. The client, which checks results, is in the same process."""


@dataclass(frozen=True)
class Started:
    """What a process came to: processor time since its start in ms, and MiB, twice; modules of package and library."""

    before: tuple[float, float]
    after: tuple[float, float]
    loaded: tuple[str, ...]

    @property
    def own(self) -> list[str]:
        """The modules of the package."""
        return [name for name in self.loaded if name.startswith("generated")]


@dataclass(frozen=True)
class Package:
    """A generated package: the folder that it is in, how many tools it has, its SDK, and whether it has bytecode."""

    folder: Path
    count: int
    sdk: str
    compiled: bool = True

    @property
    def contestant(self) -> str:
        """Return what the figures call it."""
        name = {"none": "mcpgen alone", "mcp": "mcpgen on mcp 2.x"}[self.sdk]
        return name if self.compiled else f"{name}, no bytecode yet"


def measure(rounds: int, quick: bool) -> list[Figure]:
    """Return what each package adds to its libraries: processor time, so that other processes on the machine don't
    count.
    """
    sdks = [sdk for sdk in LIBRARIES if sdk == "none" or importlib.util.find_spec("mcp_types") is not None]
    with ExitStack() as stack:
        packages: list[Package] = []
        for count in QUICK if quick else SIZES:
            folder = stack.enter_context(write_project(count - 1))
            for sdk in sdks:
                packages.append(build_measured(folder, count, sdk))
            packages.append(copy_uncompiled(packages[-len(sdks)]))
        figures = list(measure_imports(packages, rounds))
        for package in packages:
            if (package.count, package.sdk, package.compiled) == (SERVED, "mcp", True):
                figures += measure_servers(package, rounds)
        return figures


def build_measured(home: Path, count: int, sdk: str) -> Package:
    """Return the package of a folder's definitions and of the measured tool, with bytecode, as installed ones have."""
    (home / "schemas" / "measured.json").write_text(json.dumps(TOOL), "utf-8")
    folder = home / sdk
    command = [sys.executable, "-m", "mcpgen", "build", "-q", "--sdk", sdk, "--out", f"{sdk}/generated"]
    subprocess.run([*command, "--cache-dir", "../cache"], cwd=home, check=True)
    for modules in (folder / "generated", Path(mcpgen_runtime.__file__).parent):
        compileall.compile_dir(modules, quiet=1)
    return Package(folder, count, sdk)


def copy_uncompiled(package: Package) -> Package:
    """A copy whose modules are compiled at every import: as after a build, or with `PYTHONDONTWRITEBYTECODE`."""
    folder = package.folder.with_name("uncompiled")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(package.folder / "generated", folder / "generated", ignore=ignored)
    return Package(folder, package.count, package.sdk, compiled=False)


def start_once(package: Package, section: str) -> Started:
    """Run a section's code."""
    preparation, code = STEPS[section]
    program = [MARK, LIBRARIES[package.sdk], preparation, "before = mark()", code, "after = mark()", REPORT]
    answer = run_program(program, package.folder)
    return Started(answer["before"], answer["after"], tuple(answer["loaded"]))


def run_program(program: Sequence[str], folder: Path) -> Any:
    """Run a program in a process of its own, which writes no bytecode; the JSON value that it prints."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", "\n".join(program)]
    return json.loads(subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True).stdout)


def measure_imports(packages: list[Package], rounds: int) -> Iterator[Figure]:
    """Yield the figures of packages, each one's rounds between the others'."""
    runs: dict[tuple[str, Package], list[Started]] = {}
    for _ in range(rounds):
        for section in STEPS:
            for package in packages:
                runs.setdefault((section, package), []).append(start_once(package, section))
    for section, library in LIBRARIES_ALONE.items():
        for sdk in dict.fromkeys(package.sdk for package in packages):
            matching = [
                run
                for (where, measured), started in runs.items()
                if (where, measured.sdk) == (section, sdk)
                for run in started
            ]
            yield Figure.of("the libraries alone", library, LIBRARIES[sdk], "ms", [run.before[0] for run in matching])
    for (section, package), matching in runs.items():
        value = f"{package.count:,} tools"
        yield Figure.of(section, value, package.contestant, "ms", [run.after[0] - run.before[0] for run in matching])
        if section == CALL:
            added = [run.after[1] - run.before[1] for run in matching]
            yield Figure.of(MEMORY, value, package.contestant, "MiB", added)
            yield Figure.of(MODULES, value, package.contestant, "modules", [len(run.own) for run in matching])


def measure_servers(package: Package, rounds: int) -> Iterator[Figure]:
    """Yield the figures of servers with a package's tools: bound, and on the SDK's own decorators."""
    write_own(package.folder)
    programs = {name: [MARK, SERVE, code, USE] for name, code in SERVERS.items()}
    runs = [{name: run_program(program, package.folder) for name, program in programs.items()} for _ in range(rounds)]
    for index, (section, unit) in enumerate(((START, "ms"), (SERVER, "MiB"))):
        for name in programs:
            yield Figure.of(section, f"{package.count:,} tools", name, unit, [run[name][index] for run in runs])


def write_own(folder: Path) -> None:
    """Write `own.py`, a package's tools as functions over plain models, as one writes them by hand, and `cases.json`,
    the arguments and the value of a call of each.
    """
    tools, definitions, cases = dict[str, Any](), dict[str, Any](), dict[str, list[Any]]()
    for path in sorted((folder / "generated" / "tools").glob("*.json")):
        tool = json.loads(path.read_bytes())["tool"]
        name = tool["name"].title().replace("_", "")
        tools[name], schemas = tool, {name: tool["inputSchema"], f"{name}Result": tool.get("outputSchema", {})}
        cases[tool["name"]] = [ValueGenerator(schema, DRAFT_2020_12).find_example() for schema in schemas.values()]
        for name, schema in schemas.items():
            definitions |= {**schema.pop("$defs", {}), name: schema}
    options = GenerateConfig(
        input_file_type=InputFileType.JsonSchema,
        output_model_type=DataModelType.PydanticV2BaseModel,
        enum_field_as_literal=LiteralType.All,
        use_annotated=True,
        use_type_alias=True,
        formatters=[],
    )
    module = ast.parse(str(generate({"$defs": definitions}, config=options)))
    for index, node in enumerate(module.body):
        if isinstance(node, ast.ClassDef) and node.name in tools:  # the fields of arguments become parameters
            tool = tools[node.name]
            fields = [field for field in node.body if isinstance(field, ast.AnnAssign)]
            parameters = ", ".join(map(ast.unparse, sorted(fields, key=lambda field: field.value is not None)))
            returns = f"{node.name}Result" if "outputSchema" in tool else "Any"
            body = f"{tool.get('description')!r}; return cases[{tool['name']!r}][1]"
            module.body[index] = ast.parse(f"async def {tool['name']}({parameters}) -> {returns}: {body}").body[0]
    (folder / "own.py").write_text(ast.unparse(module), "utf-8")
    (folder / "cases.json").write_text(json.dumps(cases), "utf-8")
    compileall.compile_file(folder / "own.py", quiet=1)
