"""A bundled schema means what its files mean as they were written, by jsonschema-rs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jsonschema_rs
import pytest
from mcpgen.schema.index import SchemaIndex
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from mcpgen.schema.values import Json, follow_pointer, format_pointer, parse_pointer
from support.bundle_cases import BUNDLES, MIXED, Case
from support.documents import (
    OBJECT,
    make_validator,
    props,
    read_folder,
    read_tool,
    ref,
    write_files,
)


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
    found, findings = read_folder(tmp_path)
    if findings.failed:
        return
    bundled = next(one for one in found.tools if one.name == "a").output
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
    found = read_tool(tmp_path, "a")
    assert found.output is not None
    assert json.dumps(found.output.value) == json.dumps(schema)
    assert json.dumps(found.tool) == json.dumps({"name": "a", "inputSchema": OBJECT, "outputSchema": schema})


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
