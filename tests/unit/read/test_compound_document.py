"""Schemas over several files whose `$dynamicRef`s depend on which file is entered: bundled, and as classes.

Three oracles know nothing of mcpgen: jsonschema-rs, the Python library `jsonschema`, and `scope_oracle`, which follows
the text of the specification.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Diagnostic, Findings
from mcpgen.read.compound_document import build_compound_document
from mcpgen.read.definitions import Definitions
from mcpgen.read.loader import read_definitions
from mcpgen.schema.object_roots import wrap_schema
from pydantic import ValidationError
from referencing import Registry
from referencing.jsonschema import DRAFT202012
from support import corpus
from support import json_schema_suite as suite
from support.packages import mcpgen
from support.random_scopes import FOLDER, Files, random_files
from support.reachable import collect
from support.repository import needs_shared
from support.scope_oracle import Oracle

DIALECT = "https://json-schema.org/draft/2020-12/schema"
jsonschema: Any = importlib.import_module("jsonschema")  # it has no types


def lay_out(folder: Path, files: Mapping[str, Any]) -> None:
    for name, value in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(value), "utf-8")


def definitions(folder: Path, ref_map: Mapping[str, str]) -> tuple[Definitions, list[Diagnostic]]:
    """Return what a folder defines, and the errors and warnings about references."""
    findings = Findings()
    chosen = PackageSettings.model_validate({"ref-map": dict(ref_map)})
    definitions = read_definitions(ConfiguredPackage(settings=chosen, folder=folder), findings)
    return definitions, [
        finding for finding in findings if finding.code in ("MG101", "MG102", "MG103", "MG104", "MG109")
    ]


def bundled(folder: Path, files: Mapping[str, Any], ref_map: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the outputSchema of each tool."""
    lay_out(folder, files)
    declared, findings = definitions(folder, ref_map or {})
    assert findings == []
    return {tool.name: tool.output.value for tool in declared.tools if tool.output is not None}


def verdicts(schema: Any, values: list[Any]) -> list[bool]:
    """Return what jsonschema-rs says of values."""
    kind = (
        jsonschema_rs.Draft7Validator
        if "draft-07" in str(schema.get("$schema"))
        else jsonschema_rs.Draft202012Validator
    )
    validator = kind(schema, validate_formats=False, offline=True)
    return [validator.is_valid(value) for value in values]


def python_verdicts(schema: Any, values: list[Any], registry: Registry[Any] | None = None) -> list[bool]:
    """Return what the Python library says of values, without anything but the schema and the registry."""
    kind = jsonschema.Draft7Validator if "draft-07" in str(schema.get("$schema")) else jsonschema.Draft202012Validator
    validator = kind(schema, registry=registry or Registry())
    return [bool(validator.is_valid(value)) for value in values]


TREE: dict[str, Any] = {
    "$dynamicAnchor": "node",
    "type": "object",
    "properties": {"label": {"type": "string"}, "children": {"items": {"$dynamicRef": "#node"}}},
}
STRICT: dict[str, Any] = {"$dynamicAnchor": "node", "$ref": "tree.defs.json", "unevaluatedProperties": False}
LEAVES = [{"label": "x"}, {"lable": "x"}, {"children": [{"label": "x"}]}, {"children": [{"lable": "x"}]}, {"label": 1}]
STRICTLY = [True, False, True, False, False]
LOOSELY = [True, True, True, True, False]
DETACHED: dict[str, Any] = {
    "$defs": {"of": {"$dynamicRef": "#detached"}, "there": {"$dynamicAnchor": "detached", "type": "integer"}}
}
LIST: dict[str, Any] = {
    "items": {"$dynamicRef": "#item"},
    "$defs": {"default": {"$dynamicAnchor": "item", "$comment": "anything"}},
}
NUMBERS: dict[str, Any] = {"$ref": "list.defs.json", "$defs": {"n": {"$dynamicAnchor": "item", "type": "number"}}}
STRINGS: dict[str, Any] = {"$ref": "list.defs.json", "$defs": {"s": {"$dynamicAnchor": "item", "type": "string"}}}


CASES: dict[str, tuple[dict[str, Any], list[Any], list[bool]]] = {
    "the extended file has an anchor of the same name": (
        {"schemas/a.json": STRICT, "schemas/tree.defs.json": TREE},
        LEAVES,
        STRICTLY,
    ),
    "both say their addresses": (
        {
            "schemas/a.json": {"$id": "https://example.com/strict.json", **STRICT},
            "schemas/tree.defs.json": {"$id": "https://example.com/tree.defs.json", **TREE},
        },
        LEAVES,
        STRICTLY,
    ),
    "the extended file says another address": (
        {"schemas/a.json": STRICT, "schemas/tree.defs.json": {"$id": "https://example.com/elsewhere.json", **TREE}},
        LEAVES,
        STRICTLY,
    ),
    "both say the same address": (
        {
            "schemas/a.json": {"$id": "https://example.com/tree.json", **STRICT},
            "schemas/tree.defs.json": {"$id": "https://example.com/tree.json", **TREE},
        },
        LEAVES,
        STRICTLY,
    ),
    "relative addresses": (
        {"schemas/a.json": {"$id": "a.json", **STRICT}, "schemas/tree.defs.json": {"$id": "tree.defs.json", **TREE}},
        LEAVES,
        STRICTLY,
    ),
    "the file alone": ({"schemas/a.json": {"$ref": "tree.defs.json"}, "schemas/tree.defs.json": TREE}, LEAVES, LOOSELY),
    "an anchor that only a pointer's neighbour asks for": (
        {"schemas/a.json": {"$ref": "d.defs.json#/$defs/of"}, "schemas/d.defs.json": DETACHED},
        [1, "x"],
        [True, False],
    ),
    "a definition of the schema itself": (
        {
            "schemas/a.json": {
                "properties": {"tree": {"$ref": "#/$defs/strict"}},
                "$defs": {"strict": {"$id": "strict", **STRICT, "$ref": "tree.defs.json"}},
            },
            "schemas/tree.defs.json": TREE,
        },
        [{"tree": leaf} for leaf in LEAVES],
        STRICTLY,
    ),
    "two files that extend a third": (
        {
            "schemas/a.json": {
                "properties": {"n": {"$ref": "numbers.defs.json"}, "s": {"$ref": "sub/strings.defs.json"}}
            },
            "schemas/numbers.defs.json": NUMBERS,
            "schemas/sub/strings.defs.json": {**STRINGS, "$ref": "../list.defs.json"},
            "schemas/list.defs.json": LIST,
        },
        [{"n": [1]}, {"n": ["x"]}, {"s": [1]}, {"s": ["x"]}],
        [True, False, False, True],
    ),
    "the same relative address in two folders": (
        {
            "schemas/a.json": {"properties": {"n": {"$ref": "n/list.defs.json"}, "s": {"$ref": "s/list.defs.json"}}},
            "schemas/n/list.defs.json": {"$id": "list", **NUMBERS, "$ref": "../list.defs.json"},
            "schemas/s/list.defs.json": {"$id": "list", **STRINGS, "$ref": "../list.defs.json"},
            "schemas/list.defs.json": {"$id": "list", **LIST},
        },
        [{"n": [1]}, {"n": ["x"]}, {"s": [1]}, {"s": ["x"]}],
        [True, False, False, True],
    ),
    "resources inside two files that say the same address": (
        {
            "schemas/a.json": {"properties": {"n": {"$ref": "n.defs.json"}, "s": {"$ref": "s.defs.json"}}},
            "schemas/n.defs.json": {
                **NUMBERS,
                "properties": {"in": {"$id": "https://example.com/in", "type": "number"}},
            },
            "schemas/s.defs.json": {
                **STRINGS,
                "properties": {"in": {"$id": "https://example.com/in", "type": "string"}},
            },
            "schemas/list.defs.json": LIST,
        },
        [{"n": {"in": 1}}, {"n": {"in": "x"}}, {"s": {"in": 1}}, {"s": {"in": "x"}}, {"n": ["x"]}],
        [True, False, False, True, False],
    ),
    "an extended file that refers to a plain one": (
        {
            "schemas/a.json": {**STRICT, "properties": {"unit": {"$ref": "unit.defs.json#/$defs/Unit"}}},
            "schemas/tree.defs.json": {**TREE, "allOf": [{"$ref": "unit.defs.json#/$defs/Measured"}]},
            "schemas/unit.defs.json": {
                "$defs": {"Measured": {"properties": {"unit": {"$ref": "#/$defs/Unit"}}}, "Unit": {"enum": ["m", "km"]}}
            },
        },
        [{"unit": "m"}, {"unit": "x"}, {"children": [{"unit": "km"}]}, {"children": [{"unit": "x"}]}, {"x": 1}],
        [True, False, True, False, False],
    ),
    "an extended file that refers back": (
        {
            "schemas/a.json": {**STRICT, "$defs": {"Label": {"maxLength": 1}}},
            "schemas/tree.defs.json": {
                **TREE,
                "properties": {
                    "label": {"$ref": "a.json#/$defs/Label"},
                    "first": {"$ref": "a.json"},
                    "children": {"items": {"$dynamicRef": "#node"}},
                },
            },
        },
        [{"label": "x"}, {"label": "xy"}, {"first": {"label": "x"}}, {"first": {"label": "xy"}}, {"first": {"x": 1}}],
        [True, False, True, False, False],
    ),
    "an extended file that refers back by address": (
        {
            "schemas/a.json": {"$id": "https://example.com/strict.json", **STRICT},
            "schemas/tree.defs.json": {
                **TREE,
                "properties": {"first": {"$ref": "https://example.com/strict.json#node"}},
            },
        },
        [{"first": {}}, {"first": {"x": 1}}],
        [True, False],
    ),
    "a name in a $ref means the one of its file": (
        {
            "schemas/a.json": {
                "properties": {"loose": {"$ref": "tree.defs.json#top"}, "strict": {"$ref": "strict.defs.json"}}
            },
            "schemas/strict.defs.json": STRICT,
            "schemas/tree.defs.json": {
                "$dynamicAnchor": "node",
                "properties": {"label": {}, "top": {"$ref": "#node"}, "low": {"$dynamicRef": "#node"}},
                "$defs": {"top": {"$anchor": "top", "$ref": "#"}},
            },
        },
        [{key: {at: {"x": 1}}} for key in ("loose", "strict") for at in ("top", "low")],
        [True, True, True, False],
    ),
    "a $dynamicRef to a name in another file": (
        {
            "schemas/a.json": {
                "properties": {"list": {"items": {"$dynamicRef": "list.defs.json#item"}}},
                "$defs": {"n": {"$dynamicAnchor": "item", "type": "number"}},
            },
            "schemas/list.defs.json": LIST,
        },
        [{"list": [1]}, {"list": ["x"]}],
        [True, False],
    ),
    "a $dynamicRef to a plain anchor": (
        {
            "schemas/a.json": {"$ref": "b.defs.json", "$defs": {"n": {"$dynamicAnchor": "item", "type": "number"}}},
            "schemas/b.defs.json": {
                "items": {"$dynamicRef": "#item"},
                "$defs": {"s": {"$anchor": "item", "type": "string"}},
            },
        },
        [["x"], [1]],
        [True, False],
    ),
    "a $ref and a $dynamicRef side by side": (
        {
            "schemas/a.json": {"$ref": "b.defs.json", "$defs": {"n": {"$dynamicAnchor": "item", "minimum": 2}}},
            "schemas/b.defs.json": {
                "items": {"$dynamicRef": "#item", "$ref": "#/$defs/small"},
                "$defs": {"any": {"$dynamicAnchor": "item"}, "small": {"maximum": 5}},
            },
        },
        [[3], [1], [6]],
        [True, False, False],
    ),
    "the meta-schema, extended": (
        {
            "schemas/a.json": {"$ref": "schema.defs.json"},
            "schemas/schema.defs.json": {
                "$dynamicAnchor": "meta",
                "$ref": DIALECT,
                "properties": {"title": {"maxLength": 3}},
            },
        },
        [{"title": "x"}, {"title": "long"}, {"items": {"title": "x"}}, {"items": {"title": "long"}}, {"type": 1}],
        [True, False, True, False, False],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_file_keeps_its_scope(tmp_path: Path, name: str) -> None:
    files, values, expected = CASES[name]
    schema = bundled(tmp_path, files)["a"]
    assert verdicts(schema, values) == expected
    assert python_verdicts(schema, values) == expected
    wrapped, results = wrap_schema(schema, DIALECT), [{"result": value} for value in values]
    assert isinstance(wrapped, dict)
    assert verdicts(wrapped, results) == expected
    assert python_verdicts(wrapped, results) == expected


@pytest.mark.parametrize("name", [*list(CASES)[:2], "an extended file that refers to a plain one"])
def test_classes_accept_what_the_files_do(tmp_path: Path, name: str) -> None:
    files, values, expected = CASES[name]
    assert accepted(tmp_path, files, {}, {"a": values}) == {"a": expected}


def accepted(
    folder: Path, files: Mapping[str, Any], ref_map: Mapping[str, str], values: Mapping[str, list[Any]]
) -> dict[str, list[bool]]:
    """Which values the generated class of each tool takes."""
    lay_out(folder, files)
    mapped = "".join(f"{json.dumps(uri)} = {json.dumps(where)}\n" for uri, where in ref_map.items())
    (folder / "mcpgen.toml").write_text(f"[ref-map]\n{mapped}", "utf-8")
    options = ["--out", corpus.package_name(folder), "--config", "mcpgen.toml", "--jobs", "1", "--quiet"]
    built = mcpgen("build", "schemas", *options, cwd=folder)
    assert built.returncode == 0, built.stderr
    generated = corpus.load(folder)

    def accepts(name: str, value: Any) -> bool:
        try:
            generated.RESULT_TYPES[name].from_structured_content(value)
        except ValidationError:
            return False
        return True

    return {name: [accepts(name, value) for value in data] for name, data in values.items()}


# --- what is advertised ---------------------------------------------------------------------------------------------
def in_full(tree: dict[str, Any]) -> dict[str, Any]:
    """Return the tree, with the reference to its anchor said in full."""
    node = {"items": {"$dynamicRef": f"{tree['$id']}#node"}}
    return {**tree, "properties": {**tree["properties"], "children": node}}


def test_a_file_with_an_address_keeps_it(tmp_path: Path) -> None:
    address = "https://example.com/"
    strict = {"$id": address + "strict.json", **STRICT}
    tree = {"$id": address + "tree.defs.json", **TREE}
    schema = bundled(tmp_path, {"schemas/a.json": strict, "schemas/tree.defs.json": tree})["a"]
    assert schema == {**strict, "$ref": tree["$id"], "$defs": {"tree": in_full(tree)}}


def test_a_file_without_an_address_gets_the_one_under_which_it_is_found(tmp_path: Path) -> None:
    files = {"schemas/a.json": {**STRICT, "$ref": "https://example.com/tree.json"}, "there/tree.json": TREE}
    schema = bundled(tmp_path, files, {"https://example.com/": "there"})["a"]
    assert schema["$ref"] == "https://example.com/tree.json"
    assert schema["$defs"] == {"tree": in_full({"$id": "https://example.com/tree.json", **TREE})}


def test_what_no_dynamic_reference_leads_to_stays_as_it_was_written(tmp_path: Path) -> None:
    address = "https://example.com/"
    numbers = {"$id": address + "numbers.json", **NUMBERS}
    files = {"schemas/a.json": numbers, "schemas/list.defs.json": {"$id": address + "list.defs.json", **LIST}}
    schema = bundled(tmp_path, files)["a"]
    assert schema == {**numbers, "$defs": {**NUMBERS["$defs"], "list": files["schemas/list.defs.json"]}}


def test_schemas_with_different_files_do_not_get_the_same_address(tmp_path: Path) -> None:
    """A client that keeps schemas by their `$id`, as the official one for TypeScript does, would mix them up."""
    a = bundled(tmp_path / "one", {"schemas/a.json": STRICT, "schemas/tree.defs.json": TREE})["a"]
    other_schema = bundled(
        tmp_path / "two", {"schemas/a.json": STRICT, "schemas/tree.defs.json": {**TREE, "title": "T"}}
    )["a"]
    again = bundled(tmp_path / "three", {"schemas/a.json": STRICT, "schemas/tree.defs.json": TREE})["a"]
    assert a["$id"] == again["$id"] != other_schema["$id"]


FLAT: dict[str, dict[str, Any]] = {
    "nothing said": {"$defs": {"B": {"$ref": "#/$defs/C"}, "C": {"type": "integer"}}},
    "an address": {"$id": "https://example.com/b", "$defs": {"B": {"$ref": "#/$defs/C"}, "C": {"type": "integer"}}},
    "an anchor": {"$defs": {"B": {"$ref": "#c"}, "C": {"$anchor": "c", "type": "integer"}}},
    "a $dynamicAnchor that nothing asks for": {
        "$defs": {"B": {"$ref": "#c"}, "C": {"$dynamicAnchor": "c", "type": "integer"}}
    },
}


@pytest.mark.parametrize("name", FLAT)
def test_a_file_whose_scope_nobody_asks_for_is_copied_a_definition_at_a_time(tmp_path: Path, name: str) -> None:
    main = {"properties": {"b": {"$ref": "b.defs.json#/$defs/B"}}}
    schema = bundled(tmp_path, {"schemas/a.json": main, "schemas/b.defs.json": FLAT[name]})["a"]
    assert schema == {
        "properties": {"b": {"$ref": "#/$defs/B"}},
        "$defs": {"C": {"type": "integer"}, "B": {"$ref": "#/$defs/C"}},
    }


def test_two_tools_have_the_same_resource_each(tmp_path: Path) -> None:
    files = {"schemas/a.json": STRICT, "schemas/b.json": {"$ref": "tree.defs.json"}, "schemas/tree.defs.json": TREE}
    schemas = bundled(tmp_path, files)
    assert schemas["a"]["$defs"] == schemas["b"]["$defs"]
    assert (verdicts(schemas["a"], LEAVES), verdicts(schemas["b"], LEAVES)) == (STRICTLY, LOOSELY)


def test_a_copied_definition_of_another_dialect_is_refused(tmp_path: Path) -> None:
    old = {"$id": "old", "$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}]}
    files = {"schemas/a.json": {"$ref": "b.defs.json#/$defs/B"}, "schemas/b.defs.json": {"$defs": {"B": old}}}
    lay_out(tmp_path, files)
    assert [item.code for item in definitions(tmp_path, {})[1]] == ["MG102"]


def test_a_long_way_through_a_file_is_followed(tmp_path: Path) -> None:
    chain: dict[str, Any] = {f"d{at}": {"$ref": f"#/$defs/d{at + 1}"} for at in range(2000)}
    files = {
        "schemas/a.json": {"$ref": "b.defs.json#/$defs/d0"},
        "schemas/b.defs.json": {"$defs": {**chain, "d2000": {"type": "integer"}}},
    }
    assert len(bundled(tmp_path, files)["a"]["$defs"]) == 2001


# --- addresses that say nothing -------------------------------------------------------------------------------------
def test_two_different_schemas_of_one_address_are_refused(tmp_path: Path) -> None:
    """jsonschema-rs takes one of them, or panics, by how it comes to them."""
    same = {"$id": "https://example.com/x", "properties": {"b": {"$ref": "#n"}}, "$defs": {"n": {"$anchor": "n"}}}
    lay_out(tmp_path, {"schemas/a.json": {"$ref": "#/$defs/m", "$defs": {"m": same, "other": {"$id": same["$id"]}}}})
    declared, findings = definitions(tmp_path, {})
    assert [(finding.code, finding.span.pointer if finding.span else "") for finding in findings] == [
        ("MG101", "/$defs/other/$id")
    ]
    assert declared.tools == []


def test_the_same_schema_twice_is_no_clash(tmp_path: Path) -> None:
    same = {"$id": "https://example.com/x", "type": "integer"}
    schema = bundled(tmp_path, {"schemas/a.json": {"properties": {"a": same, "b": same}}})["a"]
    assert verdicts(schema, [{"a": 1, "b": 1}, {"a": "x"}, {"b": "x"}]) == [True, False, False]


# --- the JSON Schema test suite -------------------------------------------------------------------------------------
REMOTE = {"http://localhost:1234/": str(suite.SUITE / "remotes")}


@needs_shared("corpus/json-schema-test-suite/remotes", "corpus/json-schema-test-suite/tests")
@pytest.mark.parametrize("dialect", suite.DIALECTS)
def test_other_validators_understand_the_groups_with_remote_files(dialect: str, tmp_path: Path) -> None:
    groups = [
        (f"{keyword}-{index}", group)
        for keyword in suite.keywords(dialect)
        for index, group in enumerate(suite.groups(dialect, keyword))
        if "http://localhost:1234/" in json.dumps(group["schema"]) and keyword != "vocabulary"
    ]
    tools = [
        {
            "name": name,
            "inputSchema": {"type": "object"},
            "outputSchema": suite.as_output_schema(group["schema"], dialect),
        }
        for name, group in groups
    ]
    schemas = bundled(tmp_path, {"schemas/tools.json": tools}, REMOTE)
    assert len(schemas) == len(groups) > 5
    for name, group in groups:
        values, expected = [test["data"] for test in group["tests"]], [test["valid"] for test in group["tests"]]
        assert verdicts(schemas[name], values) == expected, group["description"]
        assert python_verdicts(schemas[name], values) == expected, group["description"]


# --- random files ---------------------------------------------------------------------------------------------------
def of_seeds(folder: Path, seeds: range, plain: bool = False) -> tuple[dict[str, Files], dict[str, Any]]:
    """Return the files of each seed by the name of its tool, and the bundled schemas."""
    result = {f"tools{seed}": random_files(seed, plain) for seed in seeds}
    files = {f"schemas/{name}": schema for item in result.values() for name, schema in item.schemas.items()}
    return result, bundled(folder, files, {FOLDER: "schemas"})


@pytest.mark.ci
def test_random_files_are_bundled_right(tmp_path: Path) -> None:
    result, schemas = of_seeds(tmp_path, range(300))
    actual: list[bool] = []
    embedded = 0
    for name, files in result.items():
        oracle = Oracle(files.addresses(), FOLDER + files.main)
        expected = [oracle.is_valid(value) for value in files.values]
        assert verdicts(schemas[name], files.values) == expected, name
        actual += expected
        embedded += any("$id" in item for item in schemas[name].get("$defs", {}).values() if isinstance(item, dict))
    assert actual.count(True) > 500
    assert actual.count(False) > 500
    assert embedded > 100


def test_random_files_mean_the_same_to_the_python_library(tmp_path: Path) -> None:
    result, schemas = of_seeds(tmp_path, range(1000, 1200), plain=True)
    for name, files in result.items():
        registry = Registry[Any]().with_resources(
            (address, DRAFT202012.create_resource(schema)) for address, schema in files.addresses().items()
        )
        expected = python_verdicts({"$ref": FOLDER + files.main}, files.values, registry)
        assert verdicts(schemas[name], files.values) == expected, name
        assert python_verdicts(schemas[name], files.values) == expected, name


@pytest.mark.ci
def test_classes_of_random_files_accept_what_the_files_do(tmp_path: Path) -> None:
    result = {f"tools{seed}": random_files(seed) for seed in range(2000, 2040)}
    files = {f"schemas/{name}": schema for item in result.values() for name, schema in item.schemas.items()}
    values = {name: item.values for name, item in result.items()}
    oracles = {name: Oracle(item.addresses(), FOLDER + item.main) for name, item in result.items()}
    expected = {name: [oracles[name].is_valid(value) for value in data] for name, data in values.items()}
    assert accepted(tmp_path, files, {FOLDER: "schemas"}, values) == expected


# --- the document itself ---------------------------------------------------------------------------------------------
def test_each_definition_comes_after_those_that_it_refers_to() -> None:
    other_document = {"$defs": {"A": {"items": {"$ref": "#/$defs/B"}}, "B": {"type": "null"}, "C": {}}}
    reach, _ = collect({"$ref": "other.json#/$defs/A", "$defs": {"Own": {}}}, other_document)
    document: Any = build_compound_document(reach, Path()).value
    assert [*document["$defs"]] == ["Own", "B", "A"]
    assert document["$ref"] == "#/$defs/A"
    assert document["$defs"]["A"] == {"items": {"$ref": "#/$defs/B"}}


def test_a_copied_definition_loses_what_names_it() -> None:
    other_document = {"$defs": {"A": {"$anchor": "a", "$id": "https://x.test/a", "type": "string"}}}
    reach, _ = collect({"items": {"$ref": "other.json#/$defs/A"}}, other_document)
    document: Any = build_compound_document(reach, Path()).value
    assert document["$defs"] == {"A": {"type": "string"}}


def test_a_schema_that_reaches_nothing_stays() -> None:
    schema = {"type": "array", "items": {"$ref": "#/$defs/A"}, "$defs": {"A": True}}
    reach, _ = collect(schema, {})
    assert build_compound_document(reach, Path()).value == schema
    assert build_compound_document(collect(True, {})[0], Path()).value is True
