"""A bundled schema means what its files mean as they were written, by jsonschema-rs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jsonschema_rs
import pytest
from mcpgen.diagnostics import Findings
from mcpgen.read.bundler import Bundler, FileResolver
from mcpgen.read.document import SourceDocument
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from mcpgen.schema.values import Json, follow_pointer, format_pointer, parse_pointer
from support.bundle_cases import BUNDLES, MIXED, Case
from support.documents import OBJECT, make_validator, props, read_folder, read_tool, ref, write_files


def oracle(case: Case) -> Any:
    """A validator of the files as they were written, each below `https://folder/` and its mapped prefixes."""
    resources: list[tuple[str, Any]] = []
    for file, value in case.files.items():
        resources.append((f"https://folder/{quote(file)}", value))
        for prefix, where in case.ref_map.items():
            if file.startswith(where + "/"):
                resources.append((prefix + quote(file.removeprefix(where + "/")), value))
    name, _, at_pointer = case.main.partition("#")
    main = follow_pointer(case.files[name], parse_pointer(at_pointer))
    dialect = main.get("$schema", DRAFT_2020_12) if isinstance(main, dict) else DRAFT_2020_12
    resources.append(("https://folder/schemas/.main.json", main))
    draft = jsonschema_rs.Draft7 if DRAFT_07 in str(dialect) else jsonschema_rs.Draft202012
    registry = jsonschema_rs.Registry(resources, draft=draft)
    schema = {"$schema": dialect, "allOf": [{"$ref": "https://folder/schemas/.main.json"}]}
    return jsonschema_rs.validator_for(schema, registry=registry, validate_formats=False)


@pytest.mark.parametrize("name", BUNDLES)
def test_a_bundled_schema_means_what_its_files_mean(tmp_path: Path, name: str) -> None:
    case = BUNDLES[name]
    write_files(tmp_path, case.files)
    expected = [oracle(case).is_valid(instance) for instance in case.instances]
    assert {*expected} == {True, False}, "instances of both kinds"
    bundled = read_tool(tmp_path, "a", case.ref_map).output
    assert bundled is not None
    validator = make_validator(bundled.value, bundled.dialect)
    assert [validator.is_valid(instance) for instance in case.instances] == expected


@pytest.mark.parametrize("name", BUNDLES)
def test_bundling_leaves_no_reference_outside(tmp_path: Path, name: str) -> None:
    case = BUNDLES[name]
    write_files(tmp_path, case.files)
    bundled = read_tool(tmp_path, "a", case.ref_map).output
    assert bundled is not None
    index = SchemaIndex(bundled.value, bundled.dialect)

    def check(value: Json, where: str) -> None:
        if isinstance(value, dict):
            for keyword in ("$ref", "$dynamicRef"):
                if isinstance(target := value.get(keyword), str) and target != "nothing.json":
                    assert index.find_target(where, target) is not None, (where, target)
            for key, inner in value.items():
                check(inner, where + format_pointer(key))
        elif isinstance(value, list):
            for position, inner in enumerate(value):
                check(inner, where + format_pointer(position))

    check(bundled.value, "")


@pytest.mark.parametrize("name", MIXED)
def test_a_file_of_another_dialect_is_understood_or_refused(tmp_path: Path, name: str) -> None:
    case = MIXED[name]
    write_files(tmp_path, case.files)
    actual, findings = read_folder(tmp_path)
    if findings.failed:
        return
    bundled = next(tool for tool in actual.tools if tool.name == "a").output
    assert bundled is not None
    validator = make_validator(bundled.value, bundled.dialect)
    assert [validator.is_valid(instance) for instance in case.instances] == [True, False, False]


def test_a_schema_without_outward_references_stays_as_it_is(tmp_path: Path) -> None:
    schema: Json = {
        "$id": "https://example.com/a",
        "$comment": "kept",
        "x-vendor": {"$ref": "kept.json"},
        "unknown": 1.0,
        **props(b=ref("#/$defs/B"), c=ref("https://json-schema.org/draft/2020-12/schema")),
        "$defs": {"B": {"type": "integer", "maximum": 1e3}},
    }
    write_files(tmp_path, {"schemas/a.json": schema})
    tool = read_tool(tmp_path, "a")
    assert tool.output is not None
    assert json.dumps(tool.output.value) == json.dumps(schema)
    assert json.dumps(tool.tool) == json.dumps({"name": "a", "inputSchema": OBJECT, "outputSchema": schema})


def test_what_is_taken_in_does_not_depend_on_the_order_of_properties(tmp_path: Path) -> None:
    case = BUNDLES["the same name in several files"]
    main = case.files["schemas/a.json"]
    names = ["own", "b", "c"]
    meanings: list[dict[str, Json]] = []
    for order in (names, names[::-1]):
        reordered = {**main, "properties": {name: main["properties"][name] for name in order}}
        write_files(tmp_path / order[0], {**case.files, "schemas/a.json": reordered})
        output = read_tool(tmp_path / order[0], "a").output
        assert output is not None
        meanings.append({name: follow_pointer(output.value, ["properties", name]) for name in names})
    assert meanings[0] == meanings[1]


# --- the bundler alone -----------------------------------------------------------------------------------------------
def make_bundler(folder: Path, schema: Json, files: dict[str, Json]) -> tuple[Bundler, Findings]:
    """Return a bundler of a document beside other files, those that are None being unreadable."""
    findings = Findings()
    documents = {
        folder / name: SourceDocument(folder / name, name, json.dumps(value), value) for name, value in files.items()
    }

    def load(path: Path) -> SourceDocument | None:
        return None if documents[path].value is None else documents[path]

    text = json.dumps(schema)
    resolver = FileResolver(folder, (), load, documents.__contains__)
    return Bundler(SourceDocument(folder / "a.json", "a.json", text, schema), resolver, findings), findings


def test_a_schema_without_outward_references_is_returned_unchanged(tmp_path: Path) -> None:
    schema: Json = {"items": {"$ref": "#/$defs/A"}, "$defs": {"A": True}}
    bundler, findings = make_bundler(tmp_path, schema, {})
    assert bundler.bundle(schema, "", DRAFT_2020_12).value is schema
    assert not [*findings]


def test_a_file_that_could_not_be_read_is_not_reported_again(tmp_path: Path) -> None:
    schema: Json = {"items": {"$ref": "other.json#/$defs/A"}}
    bundler, findings = make_bundler(tmp_path, schema, {"other.json": None})
    bundler.bundle(schema, "", DRAFT_2020_12)
    assert bundler.failed
    assert not [*findings]


@pytest.mark.parametrize(
    ("reference", "code", "message", "help"),
    [
        ("https://x.test/a", "MG104", "https://x.test/a is not in the input", "nothing is fetched"),
        ("../b.json", "MG104", "../b.json leaves the input folder", "references stay inside the input folder"),
        ("/b.json", "MG104", "/b.json leaves the input folder", "references stay inside the input folder"),
        ("b.json", "MG103", "b.json: there is no such file", ""),
        ("other.json#/$defs/Az", "MG103", "other.json has no /$defs/Az", "did you mean other.json#/$defs/A?"),
        ("#/$defs/Q", "MG103", "#/$defs/Q points nowhere", "references are resolved inside the schema"),
        ("b\0.json", "MG103", "there is no such file", ""),
    ],
)
def test_what_cannot_be_resolved_says_why(tmp_path: Path, reference: str, code: str, message: str, help: str) -> None:
    schema: Json = {"items": {"$ref": reference}}
    bundler, findings = make_bundler(tmp_path, schema, {"other.json": {"$defs": {"A": {}}}})
    bundler.bundle(schema, "", DRAFT_2020_12)
    (finding,) = findings
    assert finding.code == code
    assert message in finding.message
    assert finding.help.startswith(help)
    assert not bundler.failed


def test_other_files_are_written_in_the_same_dialect(tmp_path: Path) -> None:
    schema: Json = {"$ref": "other.json"}
    bundler, findings = make_bundler(tmp_path, schema, {"other.json": {"$schema": f"{DRAFT_07}#", "items": [{}]}})
    bundler.bundle(schema, "", DRAFT_2020_12)
    assert [finding.code for finding in findings] == ["MG102"]
