"""Forms on whichever SDK is installed: asked by a handler, shown and answered by the SDK's own client."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ruamel.yaml import YAML
from sdk import exchange, wire
from sdk.connections import dump, open_own
from sdk.exchange import MODERN, NEW, OLD, SDK, VERSIONS
from sdk.harbour import UNCONFIRMED
from sdk.matrix_clients import Inspector
from sdk.served import Served
from support.checkers import CHECKERS, reported, wrong
from support.mocks import run_mock
from support.packages import mcpgen

pytestmark = pytest.mark.skipif(SDK is None, reason="no SDK is installed here")
STAY: dict[str, Any] = {
    "type": "object",
    "properties": {
        "nights": {"type": "integer", "title": "Nights", "minimum": 1, "maximum": 60, "default": 1},
        "email": {"type": "string", "format": "email", "minLength": 3},
        "tariff": {"type": "string", "enum": ["visitor", "club"], "enumNames": ["Visitor", "Club"]},
        "kind": {"type": "string", "oneOf": [{"const": "a", "title": "A boat"}, {"const": "b", "title": "A barge"}]},
        "extras": {"type": "array", "items": {"type": "string", "enum": ["water", "power"]}, "maxItems": 2},
        "wishes": {"type": "array", "items": {"anyOf": [{"const": "quiet", "title": "A quiet berth"}]}},
        "length": {"type": "number", "minimum": 2},
        "class": {"type": "boolean", "default": False},
    },
    "required": ["nights", "email"],
}
SURE: dict[str, Any] = {"type": "object", "properties": {"sure": {"type": "boolean"}}, "required": ["sure"]}
FORMS: list[dict[str, Any]] = [
    {"name": "confirm-stay", "message": "Stay at {{ berth }} for {{ price }} EUR?", "requestedSchema": STAY},
    {
        "name": "sure",
        "message": "Sure?",
        "requestedSchema": SURE,
        "x-mcpgen": {"name": "are_you_sure"},
    },
    {
        "name": "leave",
        "message": "Leave {{ berth }}?",
        "requestedSchema": SURE,
    },
]
TOOLS: list[dict[str, Any]] = [
    {
        "name": name,
        "inputSchema": {"type": "object", "properties": {"berth": {"type": "string"}}},
        "outputSchema": {"type": "object", "properties": {"said": {}}, "required": ["said"]},
    }
    for name in ("book", "book_by_sdk")
]
FILLED_IN = {"nights": 3, "email": "a@b", "extras": ["water"], "kind": "b", "class": True}
Answering = Callable[[dict[str, Any]], dict[str, Any]]


class User:
    """A person at the SDK's client, who notes the forms that they see, and answers as they are told."""

    def __init__(self, *answers: dict[str, Any]) -> None:
        self._answers = [*answers]
        self.seen: list[dict[str, Any]] = []

    async def __call__(self, *arguments: Any) -> Any:
        params = next(it for it in arguments if hasattr(it, "message") and not isinstance(it, type))
        self.seen.append(params.model_dump(mode="json", by_alias=True))
        module = "fastmcp.client.elicitation" if len(arguments) == 4 else "mcp_types" if MODERN else "mcp.types"
        return exchange.named(module, "ElicitResult")(**self._answers.pop(0))


def call(server: Any, callback: Any, protocol: str, tool: str = "book", **arguments: Any) -> Any:
    """Return the result of a call by the SDK's client."""

    async def run() -> Any:
        async with exchange.connected(server, protocol, callback) as client:
            if hasattr(client, "call_tool_mcp"):
                return await client.call_tool_mcp(tool, arguments)
            return await client.call_tool(tool, arguments)

    return asyncio.run(run())


def read(result: Any) -> tuple[bool, Any]:
    """Return whether a result is an error, and what it says."""
    wire = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    is_error = bool(wire.get("isError"))
    return is_error, exchange.text(wire) if is_error else wire["structuredContent"]["said"]


def serve(generated: Any, ask: Callable[[Any, Any, str], Any]) -> Any:
    """Return a server whose tool `book` says what comes of a form; `ask` gets the forms and the context."""
    forms = importlib.import_module(f"{generated.__name__}.forms")
    server = exchange.server()
    tools = generated.bind(server)

    async def book(ctx: Any = None, *, berth: str = "B4") -> Any:
        return {"said": await ask(forms, exchange.find_context(ctx), berth)}

    if SDK == "dedalus":
        handler: Any = lambda berth="B4": book(berth=berth)  # noqa: E731
    else:
        handler = book
        book.__annotations__["ctx"] = exchange.context_type()
    tools.book(handler)
    tools.book_by_sdk(handler)
    return server


async def confirm(forms: Any, ctx: Any, berth: str) -> Any:
    """Ask, and say the action with what was entered."""
    answer = await forms.confirm_stay(ctx, berth=berth, price=12.5)
    match answer:
        case forms.Accepted(data):
            assert type(data).__name__ == "ConfirmStayForm"
            return [answer.action, data.to_structured_content()]
        case forms.Declined() | forms.Cancelled():
            return [answer.action]


# --- asked by the helper ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("protocol", VERSIONS)
@pytest.mark.parametrize("action", ["accept", "decline", "cancel"])
def test_a_form_is_shown_as_declared_and_its_answer_is_typed(generated: Any, protocol: str, action: str) -> None:
    content = {"content": FILLED_IN} if action == "accept" else {}
    user = User({"action": action, **content})
    expected = [action, FILLED_IN] if action == "accept" else [action]
    assert read(call(serve(generated, confirm), user, protocol, berth="C1")) == (False, expected)
    assert [(it["message"], it["requestedSchema"]) for it in user.seen] == [("Stay at C1 for 12.5 EUR?", STAY)]
    assert [*user.seen[0]["requestedSchema"]["properties"]] == [*STAY["properties"]]  # people read them in this order


@pytest.mark.parametrize("protocol", VERSIONS)
def test_several_forms_in_one_call(generated: Any, protocol: str) -> None:
    """Under 2026-07-28 the handler starts again for each, and gets the answers of the rounds before."""

    async def ask(forms: Any, ctx: Any, berth: str) -> Any:
        first = await forms.are_you_sure(ctx)
        if not first.data.sure:
            return ["not sure"]
        return [first.data.sure, *await confirm(forms, ctx, berth), *await confirm(forms, ctx, f"{berth}a")]

    answers = [{"action": "accept", "content": {"sure": True}}, {"action": "accept", "content": FILLED_IN}]
    user = User(*answers, {"action": "decline"})
    assert read(call(serve(generated, ask), user, protocol)) == (False, [True, "accept", FILLED_IN, "decline"])
    assert len(user.seen) == 3


@pytest.mark.parametrize("protocol", VERSIONS)
@pytest.mark.parametrize(
    "content",
    [
        {"nights": 0, "email": "a@b"},
        {"nights": 3},
        {"nights": "3", "email": "a@b"},
        {"nights": 3, "email": "a@b", "more": 1},
        {"nights": 3, "email": "a@b", "kind": "c"},
        {"nights": 3, "email": "a@b", "extras": ["water", "power", "water"]},
        {"nights": 3, "email": "a@b", "tariff": "Visitor"},
    ],
    ids=["range", "missing", "type", "undeclared", "option", "too many", "name of an option"],
)
def test_an_answer_that_does_not_fit_is_refused(generated: Any, protocol: str, content: dict[str, Any]) -> None:
    errors: list[str] = []

    async def ask(forms: Any, ctx: Any, berth: str) -> Any:
        try:
            return await confirm(forms, ctx, berth)
        except forms.FormError as error:
            errors.append(str(error))
            return "refused"

    user = User({"action": "accept", "content": content}, {"action": "accept", "content": content})
    assert read(call(serve(generated, ask), user, protocol)) == (False, "refused")
    (text,) = errors
    assert text.startswith("the client's answer to the form confirm-stay is not valid: ")
    is_error, said = read(call(serve(generated, confirm), user, protocol))
    assert is_error
    assert text in said  # the model reads it


@pytest.mark.parametrize("state", ["", "{", "[]", '{"mcpgen.forms": 1}', '{"mcpgen.forms": {"x": 1}}', "[" * 100_000])
def test_a_state_that_a_client_made_up_is_ignored(generated: Any, state: str) -> None:
    """Some servers seal it, and some do not."""
    forms = importlib.import_module("mcpgen_runtime.sdk.forms")
    version = importlib.import_module("mcpgen_runtime.server_binding").session_version

    async def ask() -> Any:
        token = version.set(NEW)
        try:
            return await forms.ask_form(generated.ConfirmStayForm, SimpleNamespace(request_state=state), "Stay?")
        finally:
            version.reset(token)

    with pytest.raises(forms.InputRequired) as caught:
        asyncio.run(ask())
    ((_, asked),) = caught.value.input_required["inputRequests"].items()
    params = {"mode": "form", "message": "Stay?", "requestedSchema": STAY}
    assert asked == {"method": "elicitation/create", "params": params}
    assert "requestState" not in caught.value.input_required


# --- asked by the SDK's own calls ------------------------------------------------------------------------------------
@pytest.mark.skipif(SDK == "dedalus", reason="dedalus has no call that takes a class")
def test_the_sdks_own_call_sends_the_declared_schema(generated: Any) -> None:
    keyword = "response_type" if str(SDK).startswith("fastmcp") else "schema"

    async def ask(_: Any, ctx: Any, berth: str) -> Any:
        answer = await ctx.elicit(f"By the SDK: {berth}", **{keyword: generated.ConfirmStayForm})
        assert isinstance(answer.data, generated.ConfirmStayForm)
        return answer.data.to_structured_content()

    user = User({"action": "accept", "content": FILLED_IN})
    assert read(call(serve(generated, ask), user, OLD)) == (False, FILLED_IN)
    assert [(it["message"], it["requestedSchema"]) for it in user.seen] == [("By the SDK: B4", STAY)]


@pytest.mark.skipif(SDK != "mcp", reason="only mcp 2.x has resolvers")
@pytest.mark.parametrize("protocol", VERSIONS)
def test_resolvers_of_the_sdk_ask_with_the_class(generated: Any, protocol: str) -> None:
    resolve = importlib.import_module("mcp.server.mcpserver")
    annotated = importlib.import_module("typing").Annotated
    form = generated.ConfirmStayForm
    server = exchange.server()

    async def find_stay() -> Any:
        return resolve.Elicit("Resolved?", form)

    async def book(stay: Any) -> Any:
        return repr(stay.nights)

    find_stay.__annotations__["return"] = form | resolve.Elicit[form]
    book.__annotations__ |= {"stay": annotated[form, resolve.Resolve(find_stay)], "return": str}
    server.tool()(book)
    user = User({"action": "accept", "content": FILLED_IN})
    wire = call(server, user, protocol).model_dump(mode="json", by_alias=True)
    assert (wire["isError"], exchange.text(wire)) == (False, "3")
    assert [(it["message"], it["requestedSchema"]) for it in user.seen] == [("Resolved?", STAY)]


# --- answered by a program -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("protocol", VERSIONS)
def test_a_client_answers_known_forms_by_their_classes(generated: Any, protocol: str) -> None:
    forms: Any = importlib.import_module(f"{generated.__name__}.forms")
    answers, messages = forms.Answers(), []

    async def confirm_stay(request: Any) -> Any:
        messages.append(request.message)
        return generated.ConfirmStayForm(nights=2, email="a@b", kind="a")

    def are_you_sure(_: Any) -> Any:
        return forms.Declined()

    assert answers.confirm_stay(confirm_stay) is confirm_stay
    assert answers.are_you_sure(are_you_sure) is are_you_sure
    expected = ["accept", {"nights": 2, "email": "a@b", "kind": "a"}]
    assert read(call(serve(generated, confirm), answers, protocol)) == (False, expected)
    assert messages == ["Stay at B4 for 12.5 EUR?"]

    async def ask(forms: Any, ctx: Any, _: str) -> Any:
        return (await forms.are_you_sure(ctx)).action

    assert read(call(serve(generated, ask), answers, protocol)) == (False, "decline")
    assert read(call(serve(generated, ask), forms.Answers(), protocol)) == (False, "cancel")
    other = User({"action": "accept", "content": {"sure": False}})
    assert read(call(serve(generated, ask), forms.Answers(other), protocol)) == (False, "accept")


@pytest.mark.parametrize("protocol", VERSIONS)
def test_forms_of_one_schema_are_told_apart_by_their_messages(generated: Any, protocol: str) -> None:
    forms: Any = importlib.import_module(f"{generated.__name__}.forms")
    answers, said = forms.Answers(), list[str]()

    def note(name: str, request: Any, answer: Any) -> Any:
        said.append(f"{name} {request.message}")
        return answer

    answers.are_you_sure(lambda request: note("sure", request, forms.Declined()))
    answers.leave(lambda request: note("leave", request, generated.LeaveForm(sure=True)))

    async def ask(forms: Any, ctx: Any, berth: str) -> Any:
        return [(await forms.leave(ctx, berth=berth)).action, (await forms.are_you_sure(ctx)).action]

    result = read(call(serve(generated, ask), answers, protocol, berth="B 4\n(left)"))
    assert result == (False, ["accept", "decline"])
    assert {*said} == {"leave Leave B 4\n(left)?", "sure Sure?"}


def test_an_instance_of_another_form_is_no_answer(generated: Any) -> None:
    forms: Any = importlib.import_module(f"{generated.__name__}.forms")
    answers = forms.Answers()
    answers.are_you_sure(lambda _: generated.LeaveForm(sure=True))
    params = SimpleNamespace(message="Sure?", model_dump=lambda **_: {"message": "Sure?", "requestedSchema": SURE})
    with pytest.raises(TypeError, match="returned a LeaveForm, which does not answer it"):
        asyncio.run(answers(None, params))


@pytest.mark.parametrize("action", ["accept", "decline"])
def test_an_unknown_action_is_no_answer(generated: Any, action: str) -> None:
    forms = importlib.import_module("mcpgen_runtime.sdk.forms")
    with pytest.raises(forms.FormError, match="none of accept, decline, cancel"):
        forms.read_answer(generated.ConfirmStayForm, {"action": f"{action}ed"})


# --- over HTTP, from a mock ------------------------------------------------------------------------------------------
@pytest.mark.ci
@pytest.mark.skipif(SDK not in ("mcp", "fastmcp", "fastmcp3"), reason="the SDK has no client that takes a URL")
@pytest.mark.parametrize("protocol", VERSIONS)
def test_a_mock_shows_a_form_before_it_answers(tmp_path: Path, protocol: str) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas/all.json").write_text(json.dumps({"tools": TOOLS, "forms": FORMS}), "utf-8")
    rule = {"tool": "book", "form": "confirm-stay", "result": {"said": "booked"}}
    (tmp_path / "rules.json").write_text(json.dumps([rule]), "utf-8")
    with run_mock(tmp_path, "--rules", "rules.json") as mock:
        user = User({"action": "accept", "content": FILLED_IN})
        assert read(call(mock.url, user, protocol, berth="C1")) == (False, "booked")
        assert [(it["message"], it["requestedSchema"]) for it in user.seen] == [("Stay at C1 for … EUR?", STAY)]
        is_error, text = read(call(mock.url, User({"action": "decline"}), protocol))
        assert (is_error, text) == (True, "the user did not fill in the form confirm-stay: decline")
        is_error, text = read(call(mock.url, User({"action": "accept", "content": {}}), protocol))
        assert is_error
        assert "the client's answer to the form confirm-stay is not valid: /nights: is required" in text
        assert read(call(mock.url, User(), protocol, "book_by_sdk"))[0] is False
        mock.await_log("(book .*: rule, )")


def test_a_mocks_rule_names_a_form_that_there_is(tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas/all.json").write_text(json.dumps({"tools": TOOLS, "forms": FORMS}), "utf-8")
    (tmp_path / "rules.json").write_text('[{"form": "confirm"}]', "utf-8")
    run = mcpgen("mock", "--rules", "rules.json", cwd=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    assert 'a rule shows a form "confirm" that nothing defines' in run.stderr
    assert "the forms are confirm-stay, leave, sure" in run.stderr


# --- the example's form, over stdio and HTTP -------------------------------------------------------------------------
STAYS: list[tuple[dict[str, Any], str]] = [
    ({"action": "accept", "content": {"nights": 3, "email": "a@b.example", "breakfast": True}}, "QH-0003-BB"),
    ({"action": "accept", "content": {"nights": 60, "email": "a@b.example", "services": ["water"]}}, "QH-0060-XX"),
    ({"action": "decline"}, "No pass: decline."),
    ({"action": "cancel"}, "No pass: cancel."),
]
"""Answers to the example's form `confirm_stay`, and what the pass for such a stay, or its refusal, says."""


def hold_pass(result: dict[str, Any], text: str, protocol: str) -> None:
    """Compare what came of a stay with what it has to say; some SDKs begin an error's text with words of their own."""
    is_error = text.startswith("No")
    assert bool(result.get("isError")) == is_error
    assert exchange.text(result).endswith(text)
    structured = text if protocol == NEW else {"result": text}
    assert result.get("structuredContent") == (None if is_error else structured)


def hold_form(message: str, schema: dict[str, Any]) -> None:
    """Compare a form that a client shows with the definition in `schemas/`."""
    declared = YAML(typ="safe").load(wire.ROOT / "schemas/office/confirm_stay.yaml")
    assert message == "Book berth B4 for 12.5 EUR?"
    assert schema == declared["requestedSchema"]
    assert [*schema["properties"]] == [*declared["requestedSchema"]["properties"]]


@pytest.mark.ci
@pytest.mark.parametrize("protocol", VERSIONS)
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_sdks_client_fills_in_the_examples_form(served: Served, transport: str, protocol: str) -> None:
    if SDK == "dedalus" and transport == "stdio":
        pytest.skip("dedalus has no client over stdio")
    target = served.url if transport == "http" else wire.command(str(SDK), served.folder, "stdio")
    user = User(*(answer for answer, _ in STAYS))

    async def ask() -> None:
        async with open_own(target, protocol, user) as (client, session):
            caller = client if MODERN else session
            call = getattr(caller, "call_tool_mcp", caller.call_tool)
            for _, text in STAYS:
                hold_pass(dump(await call("issue_pass", {"stay_id": UNCONFIRMED})), text, protocol)

    asyncio.run(asyncio.wait_for(ask(), 90))
    assert len(user.seen) == len(STAYS)
    for form in user.seen:
        hold_form(form["message"], form["requestedSchema"])


@pytest.mark.ci
@pytest.mark.parametrize("protocol", VERSIONS)
def test_the_inspector_fills_in_the_examples_form(served: Served, protocol: str, scripts: Path) -> None:
    modules = scripts / "node_modules"
    if not (modules / "@modelcontextprotocol" / "inspector").is_dir():
        pytest.skip("NODE_MODULES names no folder with the Inspector")
    address = wire.command(str(SDK), served.folder, "stdio") if SDK == "dedalus" else [served.url]
    with tempfile.TemporaryDirectory() as folder, Inspector(modules, folder).connected(address, protocol) as request:
        for answer, text in STAYS:
            asked = request("tools/call", "issue_pass", "--tool-args-json", json.dumps({"stay_id": UNCONFIRMED}))
            form = asked["elicitationPending"]
            hold_form(form["message"], form["requestedSchema"])
            content = [f"{name}:={json.dumps(value)}" for name, value in answer.get("content", {}).items()]
            words = content or [f"--{answer['action']}"]
            hold_pass(request("elicitation/respond", form["elicitationId"], *words), text, protocol)


# --- what type checkers say ------------------------------------------------------------------------------------------
USER = """\
from typing import Any

import generated
from generated import ConfirmStayForm, forms

answers = forms.Answers()


async def ask(ctx: Any) -> int:
    answer = await forms.confirm_stay(ctx, berth="B4", price=2)
    await forms.confirm_stay(ctx, berth="B4")  # wrong
    await forms.confirm_stay(ctx, berth=[], price=2)  # wrong
    await forms.are_you_sure()  # wrong
    answer.data  # wrong
    match answer:
        case forms.Accepted(data):
            kind: str | None = data.kind
            data.tide  # wrong
            return data.nights + len(kind or "")
        case forms.Declined():
            return "no"  # wrong
        case forms.Cancelled():
            return 0


@answers.confirm_stay
async def confirm_stay(request: forms.FormRequest) -> ConfirmStayForm | forms.Declined:
    return ConfirmStayForm(nights=2, email="a@b", kind="a") if "B4" in request.message else forms.Declined()


@answers.are_you_sure
def are_you_sure(request: forms.FormRequest) -> generated.AreYouSureForm:
    return generated.AreYouSureForm(sure=True)


@answers.are_you_sure  # wrong
def returns_another(request: forms.FormRequest) -> ConfirmStayForm:
    return ConfirmStayForm(nights=2)  # wrong


ConfirmStayForm(nights="2", email="")  # wrong
ConfirmStayForm(nights=2, email="", kind="c")  # wrong
ConfirmStayForm(nights=2, email="", extras=["water"])  # wrong
ConfirmStayForm(nights=2, email="", extras_=["water"])
"""


@pytest.mark.ci
@pytest.mark.skipif(
    not (importlib.util.find_spec("mypy") and importlib.util.find_spec("pyright")), reason="no checkers here"
)
@pytest.mark.parametrize("checker", CHECKERS)
def test_checkers_infer_what_comes_of_a_form(tmp_path: Path, checker: str) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas/all.json").write_text(json.dumps({"tools": TOOLS, "forms": FORMS}), "utf-8")
    assert mcpgen("build", "--sdk", str(SDK), cwd=tmp_path).returncode == 0
    found, said = reported(tmp_path, checker, USER)
    assert found == wrong(USER), said
