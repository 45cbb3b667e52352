"""Cache keys: they differ whenever the result may differ, and only then."""

from __future__ import annotations

from dataclasses import replace

import pytest
from mcpgen.cache.memo import Memo
from mcpgen.ir.package import Package
from mcpgen.lower.assemble import lower_schemas
from mcpgen.lower.request import LoweringRequest
from mcpgen.names import tool_types
from mcpgen.names.allocator import allocate_names
from mcpgen.pipeline.cache_keys import CacheKeys, make_job_key, make_protocol_key
from mcpgen.pipeline.lowering import assemble_tool, make_package, make_tool_requests
from mcpgen.read.definitions import TemplateFile, ToolDefinition
from mcpgen.render.jobs import ImportScope, Job, render_job
from mcpgen.render.package import make_tool_jobs
from mcpgen.render.types import make_shared_types_jobs
from mcpgen.schema.document import Schema
from mcpgen.schema.formats import FormatChoices
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from support.definitions import PRICE, define_tool, make_settings

REQUEST = LoweringRequest("output", Schema(PRICE, DRAFT_2020_12))


def test_each_part_of_a_request_counts() -> None:
    requests = [
        REQUEST,
        replace(REQUEST, side="input"),
        replace(REQUEST, class_names=(("", "Cost"),)),
        replace(REQUEST, schema=Schema(PRICE, DRAFT_07)),
        replace(REQUEST, formats=FormatChoices(("date",))),
        replace(REQUEST, formats=FormatChoices((), (("/properties/a", True),))),
        replace(REQUEST, formats=FormatChoices((), (("/properties/a", False),))),
        replace(REQUEST, aliases=False),
    ]
    keys, settings = CacheKeys(Memo()), make_settings()
    roots_keys = {keys.make_roots_key([request], settings) for request in requests}
    roots_keys |= {
        keys.make_roots_key([REQUEST], make_settings(**more))
        for more in ({"limits": {"members": 4}}, {"limits": {"classes": 3}})
    }
    assert len(roots_keys) == len(requests) + 2
    equal = replace(REQUEST, schema=Schema({**PRICE}, DRAFT_2020_12))
    assert keys.make_roots_key([REQUEST], settings) == keys.make_roots_key([equal], make_settings())


def _make_package(definitions: list[ToolDefinition], **settings: object) -> Package:
    modules = []
    for definition in definitions:
        roots = lower_schemas(make_tool_requests(definition, make_settings()))
        modules.append(assemble_tool(definition, roots[0], roots[1]))
    return make_package(modules, [], make_settings(**settings))


def _make_keys(definitions: list[ToolDefinition], **settings: object) -> dict[str, str]:
    package = _make_package(definitions, **settings)
    return CacheKeys(Memo()).make_tool_keys(package, allocate_names(package)[0], definitions, make_settings(**settings))


def test_a_tool_depends_on_itself_its_template_and_the_target() -> None:
    buy, sell = define_tool("buy", PRICE), define_tool("sell", PRICE)
    old_keys = _make_keys([buy, sell])
    assert old_keys.keys() == {"tools/buy.py", "tools/sell.py"}
    described = replace(buy, tool={**buy.tool, "description": "Buys."})
    assert _make_keys([described, sell])["tools/sell.py"] == old_keys["tools/sell.py"]
    assert _make_keys([described, sell])["tools/buy.py"] != old_keys["tools/buy.py"]
    with_template = define_tool("buy", PRICE, template=TemplateFile("a.j2", "a.j2", "{{ price }}"))
    assert _make_keys([with_template, sell])["tools/buy.py"] != old_keys["tools/buy.py"]
    assert not old_keys.items() & _make_keys([buy, sell], sdk="mcp").items()


def test_a_tool_depends_on_the_shared_classes_that_it_reaches() -> None:
    def define(name: str, description: str) -> ToolDefinition:
        money = {"type": "object", "description": description, "properties": {"amount": {"type": "number"}}}
        schema = {"type": "object", "properties": {"sum": {"$ref": "#/$defs/Money"}}, "$defs": {"Money": money}}
        return define_tool(name, schema)

    alone = define_tool("alone", PRICE)
    old_keys, new_keys = (_make_keys([define("a", text), define("b", text), alone]) for text in ("Coins.", "Notes."))
    assert {path for path in old_keys if old_keys[path] != new_keys[path]} == {"tools/a.py", "tools/b.py"}


def test_a_shared_class_has_another_key_where_the_place_of_its_schema_changes() -> None:
    money = {"type": "object", "properties": {"amount": {"type": "number"}}}
    tools = [
        define_tool(
            f"t{number}",
            {"type": "object", "properties": {"sum": {"$ref": "#/$defs/Money"}}, "$defs": {"Money": money}},
        )
        for number in range(6)
    ]
    key_by_place: dict[str, str] = {}
    for left_out in range(6):
        package = _make_package([*tools[:left_out], *tools[left_out + 1 :]])
        names = allocate_names(package)[0]
        key = CacheKeys(Memo()).make_types_keys(package, names, make_settings())["types/money.py"]
        text = render_job(make_shared_types_jobs(package, names)["types/money.py"]())
        assert key_by_place.setdefault(key, text) == text
    assert len(key_by_place) == 2


def test_a_module_for_classes_of_a_tool_depends_on_those_that_it_reaches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_types, "MAX_ESTIMATED_LINES", 0)

    def make_object(**properties: object) -> dict[str, object]:
        return {"type": "object", "properties": properties}

    inner = make_object(x={"type": "number"}, deep=make_object(y={"type": "string"}))
    first = make_object(inner=inner, other=make_object(z={"type": "boolean"}))
    variants: list[ToolDefinition] = [define_tool("buy", first)]
    variants.append(replace(variants[0], tool={**variants[0].tool, "description": "Buys."}))
    variants.append(replace(variants[0], origin="schemas/moved.json"))
    deeper = make_object(x={"type": "number"}, deep=make_object(y={"type": "integer"}))
    variants.append(define_tool("buy", make_object(inner=deeper, other=make_object(z={"type": "boolean"}))))
    described = {**deeper, "description": "Inside."}
    variants.append(define_tool("buy", make_object(inner=described, other=make_object(z={"type": "boolean"}))))
    variants.append(
        define_tool("buy", make_object(inner=inner, other=make_object(deep=make_object(w={"type": "null"}))))
    )
    texts_by_key: dict[str, str] = {}
    all_keys: list[dict[str, str]] = []
    for definition in variants:
        package = _make_package([definition])
        names, _ = allocate_names(package)
        all_keys.append(CacheKeys(Memo()).make_tool_keys(package, names, [definition], make_settings()))
        for path, job in make_tool_jobs(package, names).items():
            text = render_job(job())
            assert texts_by_key.setdefault(all_keys[-1][path], text) == text
    paths = {path for path in all_keys[0] if path.startswith("tool_types/")}
    assert len(paths) == 3
    changes = [{path for path in paths if keys.get(path) != all_keys[0][path]} for keys in all_keys[1:4]]
    assert changes == [set(), paths, {"tool_types/buy/inner.py", "tool_types/buy/inner_deep.py"}]


def test_jobs_and_the_protocol_have_keys_of_their_own() -> None:
    job = Job("a.py", "a.py.j2", "", "view", ImportScope(".runtime", (("A", ".types.a"),)))
    other_jobs = (
        replace(job, view="another view"),
        replace(job, imports=ImportScope(".runtime", (("A", ".types.b"),))),
        replace(job, origin="b"),
    )
    assert make_job_key(job) == make_job_key(replace(job))
    assert len({make_job_key(item) for item in (job, *other_jobs)}) == 4
    assert make_protocol_key(make_settings(), {}) != make_protocol_key(make_settings(protocol="2025-06-18"), {})
