"""The inputs of ../shared/cases: each folder gives what its EXPECT.md, or the issue that names it, says."""

from __future__ import annotations

import inspect
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from sdk.exchange import SDK, ask, server, text
from support import corpus, holding
from support.packages import get_package, mcpgen, run_python
from support.repository import SHARED, needs_shared

CASES = SHARED / "cases"
pytestmark = [
    *(pytest.mark.ci, needs_shared("cases")),
    pytest.mark.skipif(SDK not in ("mcp", "fastmcp"), reason="the programs are for mcp 2.x and fastmcp 4"),
]
mcp = pytest.mark.skipif(SDK != "mcp", reason="the programs are for mcp 2.x")
fastmcp = pytest.mark.skipif(SDK != "fastmcp", reason="the servers are for fastmcp 4")

REFUSED = ("47-tasksupport-misspelt", "43-patterns/atomic", "43-patterns/comment", "43-patterns/cond")
"""Folders of which nothing is built."""
ALONE = ("order/schemas", "nested/schemas", "style/old")
"""Folders that tests below build by themselves; all others are built together."""
TYPESCRIPT, PYTHON = "clients on the TypeScript SDK refuse", "clients on the Python SDK refuse"
FINDINGS: dict[str, tuple[str, ...]] = {
    "16-closed-allof-root": (
        *('MG106]: "b" is required', 'MG120]: "p" is never allowed', 'MG120]: "q" is never allowed'),
        *("it is required, so no object is valid", 'MG120]: "more" is never allowed'),
    ),
    "43-patterns/bigA": ("MG905]: ", rf'{TYPESCRIPT} "\A"', 'write "^"'),
    "43-patterns/ctrl": ("MG905]: ", rf'{PYTHON} "\cA"', r'write "\x01"'),
    "43-patterns/esc": ("MG905]: ", rf'{TYPESCRIPT} "\-" and "\_"', r'for "\_": write "_"'),
    "43-patterns/inline": ("MG905]: ", f'{TYPESCRIPT} "(?i)"', '"[Aa]"'),
    "43-patterns/letters": ("MG905]: ", rf'{PYTHON} "\p{{L}}"', '"[A-Za-z'),
    "43-patterns/named": ("MG905]: ", f'{PYTHON} "(?<y>"', 'write "("'),
    "43-patterns/posix": ("MG905]: ", 'on the TypeScript SDK read differently "[[:alpha:]]"', '"[A-Za-z]"'),
    "43-patterns/poss": ("MG905]: ", f'{TYPESCRIPT} "++"', 'write "+"'),
    "43-patterns/unip": ("MG905]: ", rf'{PYTHON} "\u{{1F680}}"', 'write "🚀"'),
    "43-patterns/atomic": ("MG101]: ", 'for "(?>"'),
    "43-patterns/comment": ("MG101]: ", 'for "(?#x)"'),
    "43-patterns/cond": ("MG101]: ", 'for "(?(1)"'),
    "47-tasksupport-misspelt": ("MG004]: ", '"sometimes" is not one of', 'write "forbidden"'),
    "51-multipleof-money": ("MG906]: ", '"price" may be'),
}
"""What a build says, apart from notes, and what to do; folders that are not here are built in silence."""
PROGRAMS: dict[str, tuple[list[str], dict[str, str]]] = {
    "20-tool-name-digit": (["bound"], {"_2_fa_verify": "_2fa_verify"}),
    "22-digit-prompts-resources": (
        [*("bound _5_whys", "bound hidden", "bound _3d_model", "bound raw", "bound _2nd_page")],
        {"_hidden": "hidden", "_raw": "raw", '(resources, "_3_d_model", lambda: "m"), ': ""},
    ),
    "28-property-function": (["{'function': 'f'}", "function='f'"], {}),
    "29-own-models-in-metadata": (["ok   own_info", "ok   own2_function json"], {}),
    "37-go-csharp-java": (["{'a': {'v': 'x'}, 'b': {'v': 'y'}}"], {}),
    "nested": (["{'n': 7}"], {}),
    "order": (["['z_tool', 'a_tool'] ['z_prompt', 'a_prompt'] ['z_res', 'a_res']"], {}),
}
"""What the programs print, and what had other names in them: `2fa` is one word, and `_hidden` would be private."""
USES = {
    "nested": """
from sdk.exchange import ask, server
import coast, generated
served = server()
generated.bind(served).list_rows(coast.list_rows)
print(ask(served, "list_rows", {"page": {"size": 7}})["structuredContent"])
""",
    "order": """
from sdk.exchange import request_once
from bound import server
kinds = ("tools", "prompts", "resources")
print(*([item["name"] for item in request_once(server, f"{kind}/list")[kind]] for kind in kinds))
""",
}
"""Programs for folders without one."""


def copy(folder: Path, case: str, into: str = "") -> None:
    """Copy the files of a case, which are in read-only folders."""
    for path in (CASES / case).rglob("*"):
        if path.is_file():
            target = folder / into / path.relative_to(CASES / case)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())


def list_folders() -> list[str]:
    """Return the folders of definitions that are built together."""
    folders = [path.relative_to(CASES).as_posix() for path in sorted(CASES.rglob("schemas"))]
    return [folder for folder in [*folders, "style/new"] if folder not in ALONE]


def build(folder: Path, out: str = "generated") -> str:
    """Build everything in a folder; return what is reported."""
    return mcpgen("build", "--sdk", SDK or "none", "--out", out, cwd=folder).stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cases")
    for source in list_folders():
        if source.removesuffix("/schemas") not in REFUSED:
            copy(folder, source, f"schemas/{source}")
    (folder / "said.txt").write_text(build(folder, corpus.package_name(folder)), "utf-8")
    return folder


@pytest.fixture(scope="module")
def generated(folder: Path) -> Any:
    return corpus.load(folder)


def test_what_builds_say(folder: Path, tmp_path: Path) -> None:
    for case in REFUSED:
        copy(tmp_path, f"{case}/schemas", f"schemas/{case}/schemas")
    said = (folder / "said.txt").read_text("utf-8") + build(tmp_path)
    reports = re.split(r"^schemas/", said, flags=re.MULTILINE)[1:]
    assert not (tmp_path / "generated").exists()
    for source in list_folders():
        found = [report for report in reports if report.startswith(f"{source}/") and ": note[" not in report]
        expected = FINDINGS.get(source.removesuffix("/schemas"), ())
        assert len(found) == sum(words.startswith("MG") for words in expected), found
        assert [words for words in expected if words not in "".join(found)] == []


def test_classes_agree_with_the_schemas(generated: Any) -> None:
    """The oracle is jsonschema-rs; two values are of patterns that say something else in other languages."""
    mistaken: list[str] = []
    for path in sorted(CASES.rglob("values.json")):
        case = path.parent.relative_to(CASES).as_posix()
        for name, values in json.loads(path.read_text("utf-8")).items() if case not in REFUSED else ():
            definition = json.loads((path.parent / "schemas" / f"{name}.json").read_text("utf-8"))
            for kind in values.keys() - {"show"}:
                side = "input" if "args" in kind else "output"
                cls = (generated.ARGUMENT_TYPES if side == "input" else generated.RESULT_TYPES)[name]
                for value in values[kind]:
                    is_valid = holding.validator(definition[f"{side}Schema"]).is_valid(value)
                    if is_valid:
                        assert cls.model_validate(value).to_structured_content() == value
                    else:
                        with pytest.raises(ValueError, match=r"."):
                            cls.model_validate(value)
                    mistaken += [name] * (is_valid is ("invalid" in kind))
    assert mistaken == ["p_posix", "p_slash"]


def test_names(generated: Any) -> None:
    own = get_package(generated)
    names = own.tool_attributes | own.prompt_attributes | own.resource_attributes
    same = "list_k8s_pods get_v2beta export_to_neo4j_x run_e2e_test get_a2a_card k8s_get crop_3d b2b_x n8n_list".split()
    changed = {"getK8sPods": "get_k8s_pods", "listEC2Instances": "list_ec2_instances", "bom-1.6": "bom_1_6"}
    changed |= {"2fa_verify": "_2fa_verify", "5-whys": "_5_whys", "3d_model": "_3d_model", "2nd-page": "_2nd_page"}
    assert ({name: name for name in same} | changed).items() <= names.items()
    fields = "neo4j_uri md5sum i18n_key x86_64 k8s oauth2token h264 e2e".split()
    assert {*generated.ListK8sPodsArguments.model_fields} == {*fields}
    for exported in ("_2faVerifyResult", "CallToolToolResult", "Bom16Arguments", "Bom17Arguments", "RunE2eTestResult"):
        assert getattr(generated, exported) is not None


def test_type_checkers_are_content(generated: Any, folder: Path) -> None:
    assert corpus.checked(folder, generated.__name__) == []


def test_adding_a_tool_moves_no_name(tmp_path: Path) -> None:
    shapes: list[dict[str, set[str]]] = []
    for state in ("old", "new"):
        copy(tmp_path, f"style/{state}", f"{state}/schemas")
        build(tmp_path / state, corpus.package_name(tmp_path / state))
        arguments = corpus.load(tmp_path / state).ARGUMENT_TYPES.values()
        styles = [inspect.get_annotations(cls, eval_str=True)["style"].__args__[0] for cls in arguments]
        shapes.append({style.__name__: {*style.model_fields} for style in styles})
    assert shapes[0].items() <= shapes[1].items()
    assert not any(name[-1].isdigit() for name in shapes[1])


def test_lint(tmp_path: Path) -> None:
    copy(tmp_path, "23-lint-property-keys")
    definition = json.loads((tmp_path / "schemas/list_users.json").read_text("utf-8"))
    for client in ("anthropic", "claude-code"):
        run = mcpgen("lint", "--client", client, "--select", "MG914", "--format", "json", cwd=tmp_path)
        places = [item["pointer"].rpartition("/")[2] for item in json.loads(run.stdout)["diagnostics"]]
        assert places == [*definition["inputSchema"]["properties"]]


@mcp
@pytest.mark.parametrize("case", PROGRAMS)
def test_programs(case: str, tmp_path: Path) -> None:
    copy(tmp_path, case)
    build(tmp_path)
    expected, renamed = PROGRAMS[case]
    program = USES.get(case) or (tmp_path / "use.py").read_text("utf-8")
    for old, new in renamed.items():
        assert old in program
        program = program.replace(old, new)
    printed = run_python(tmp_path, "-c", program, PYTHONPATH=":".join(sys.path))
    assert [line for line in expected if line not in printed] == []
    assert not re.search("FAIL|WRONG", printed), printed
    if (tmp_path / "values.json").exists():
        proved = mcpgen("prove", "--max-examples", "20", cwd=tmp_path)
        assert proved.returncode == 0, proved.stderr


def test_the_model_reads_what_is_wrong(generated: Any) -> None:
    generated.bind(served := server()).next_call(lambda function: {"function": function})
    answer = ask(served, "next_call", {"function": 1})
    assert (answer["isError"], "function" in text(answer), "string" in text(answer)) == (True, True, True)


@pytest.mark.parametrize(
    ("case", "word", "modules", "excluded"),
    [
        ("19-pull-dangling", "", {"list_rooms", "add_room"}, "add_room"),
        pytest.param("34-fastmcp-wildcard", "", {"ping", "rows"}, "'repo://{owner}/{path*}'", marks=fastmcp),
        pytest.param("18-tool-named-call_tool", "", {"tide", "read_resource"}, "", marks=fastmcp),
        pytest.param("18-tool-named-call_tool", "search", {"call_tool", "search_tools"}, "", marks=fastmcp),
    ],
)
def test_servers(case: str, word: str, modules: set[str], excluded: str, tmp_path: Path) -> None:
    (tmp_path / "server.py").write_bytes((CASES / case / "server.py").read_bytes())
    run = mcpgen("pull", "--build", "--name", "s", "--", sys.executable, "server.py", *word.split(), cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert modules <= {path.stem for path in tmp_path.glob("generated/*s/*.py")}
    assert f"mcpgen pull --exclude {excluded} SERVER" in run.stderr if excluded else "warning[" not in run.stderr
