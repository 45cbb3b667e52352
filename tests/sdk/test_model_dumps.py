"""What handlers return: the structured content is what the SDK's own decorator sends for the same value."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import enum
import importlib
import json
import pathlib
import uuid
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, RootModel, SecretStr, TypeAdapter, computed_field, field_serializer
from pydantic.dataclasses import dataclass as validated_dataclass
from sdk.installed import SDK
from support.packages import package
from support.wire_forms import wire
from typing_extensions import TypedDict

pytestmark = [
    pytest.mark.ci,
    pytest.mark.skipif(SDK not in ("mcp", "fastmcp"), reason="neither mcp 2.x nor fastmcp 4 is installed here"),
]
NOON = datetime.datetime(2026, 7, 28, 12, tzinfo=datetime.UTC)
CLOCK, ZONED = NOON.timetz(), NOON.astimezone(datetime.timezone(datetime.timedelta(hours=1)))


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


class Inner(BaseModel):
    inner_name: int = Field(default=1, alias="innerName")
    price: Decimal = Decimal("1.10")


@dataclasses.dataclass
class Plain:
    count: int = 1
    note: str | None = None


@validated_dataclass
class Dated:
    when: datetime.datetime = NOON
    price: Decimal = Decimal("2.50")


class Numbers(RootModel[list[int]]):
    pass


class Everything(BaseModel):
    price: Decimal = Decimal("1.10")
    whole: Decimal = Decimal("3")
    uid: uuid.UUID = uuid.UUID(int=5)
    day: datetime.date = NOON.date()
    utc: datetime.datetime = NOON
    naive: datetime.datetime = NOON.replace(tzinfo=None)
    clock: datetime.time = NOON.timetz()
    span: datetime.timedelta = datetime.timedelta(days=1, seconds=-90)
    raw: bytes = b"abc"
    path: Path = pathlib.Path("/x/y")
    colour: Colour = Colour.RED
    level: Level = Level.HIGH
    kinds: set[int] = {1}
    pair: tuple[int, str] = (1, "a")
    inner: Inner = Inner()
    inners: list[Inner] = [Inner(innerName=2)]
    plain: Plain = Field(default_factory=Plain)
    dated: Dated = Field(default_factory=Dated)
    numbers: Numbers = Numbers([1, 2])
    secret: SecretStr = SecretStr("hidden")
    nothing: int | None = None
    by_name: dict[str, Decimal] = {"a": Decimal("0.50")}


class Aliased(BaseModel):
    required: int = Field(alias="theRequired")
    optional: int | None = Field(default=None, alias="theOptional")
    inner: Inner = Inner()


class ByAlias(BaseModel):
    model_config = ConfigDict(serialize_by_alias=True)
    required: int = Field(alias="theRequired")
    when: datetime.datetime = NOON


class Computed(BaseModel):
    model_config = ConfigDict(extra="allow")
    price: Decimal = Decimal("1.10")

    @field_serializer("price")
    def write_price(self, price: Decimal) -> str:
        return f"{price} EUR"

    @computed_field  # type: ignore[prop-decorator]
    @property
    def double(self) -> Decimal:
        return 2 * self.price


@dataclasses.dataclass
class Sale:
    """A plain dataclass."""

    price: Decimal = Decimal("1.10")
    whole: Decimal = Decimal("3")
    utc: datetime.datetime = NOON
    clock: datetime.time = CLOCK
    zoned: datetime.datetime = ZONED
    by_name: dict[str, Decimal] = dataclasses.field(default_factory=lambda: {"a": Decimal("0.50")})
    inner: Inner = dataclasses.field(default_factory=Inner)


class Bill(TypedDict):
    total: Decimal
    sales: list[Sale]


class Quick(BaseModel):
    """Only JSON's own types: read without a dump."""

    name: str = Field("a", alias="theName")
    colour: str = "red"
    height: float = 12


MODELS: list[BaseModel] = [
    Everything(),
    Aliased(theRequired=3),
    Aliased(theRequired=3, theOptional=4),
    ByAlias(theRequired=3),
    Computed(more=Decimal("3.30")),  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    Quick(theName="b"),
]


PLAIN: list[tuple[Any, Any]] = [
    (Sale, Sale()),
    (list[Sale], [Sale(), Sale(price=Decimal("-2.50"))]),
    (Bill, {"total": Decimal("10.0"), "sales": [Sale()]}),
    (dict[str, Decimal], {"a": Decimal("1E+2")}),
    (list[Decimal], [Decimal("1.50"), Decimal(2)]),
    (Decimal, Decimal("1.50")),
    (datetime.datetime, NOON),
]


def ask_server(handler: Callable[..., Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the tool that a decorator advertises, and its structured content."""

    async def ask() -> tuple[Any, Any]:
        if SDK == "fastmcp":
            fastmcp = importlib.import_module("fastmcp")
            server = fastmcp.FastMCP("models")
            server.tool(handler)
            async with fastmcp.Client(server) as client:
                return (await client.list_tools())[0], await client.call_tool_mcp("get", {})
        from mcp.client import Client
        from mcp.server.mcpserver import MCPServer

        server = MCPServer("models")
        server.tool()(handler)
        async with Client(server) as client:
            return (await client.list_tools()).tools[0], await client.call_tool("get", {})

    tool, result = asyncio.run(ask())
    dumped = tool.model_dump(mode="json", by_alias=True, exclude_none=True)
    return dumped, result.model_dump(mode="json", by_alias=True)["structuredContent"]


@pytest.mark.parametrize("model", MODELS, ids=[f"{n} {type(model).__name__}" for n, model in enumerate(MODELS)])
def test_the_decorator_sends_the_same(tmp_path: Path, model: BaseModel) -> None:
    if SDK == "mcp" and isinstance(model, Computed):
        pytest.skip("mcp advertises the schema of validation, which its own result violates")

    def get() -> Any:
        return model

    get.__annotations__["return"] = type(model)
    tool, sent = ask_server(get)
    generated = package(tmp_path, [{key: tool[key] for key in ("name", "inputSchema", "outputSchema")}])
    result = generated.RESULT_TYPES["get"].normalize_any(model)
    assert wire(result)["structuredContent"] == sent
    assert json.loads(generated.RESULT_TYPES["get"].normalize_to_json(model))["structuredContent"] == sent


@pytest.mark.parametrize("number", range(len(PLAIN)))
def test_other_values_are_written_as_pydantic_does(tmp_path: Path, number: int) -> None:
    """Decorators such as those of fastmcp advertise and send what pydantic serializes."""
    annotation, value = PLAIN[number]
    adapter: TypeAdapter[Any] = TypeAdapter(annotation)
    schema = adapter.json_schema(mode="serialization")
    generated = package(tmp_path, [{"name": "get", "inputSchema": {"type": "object"}, "outputSchema": schema}])
    result = generated.RESULT_TYPES["get"].normalize_any(value)
    assert wire(result)["structuredContent"] == adapter.dump_python(value, mode="json", by_alias=True)
