"""Counters that end a query."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from mcpgen.config.models import Limits, suggest_raising
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.limits import MOST_MESSAGES, MOST_REQUESTS, Meter


def make_meter(**limits: int) -> Meter:
    return Meter(Limits.model_validate({name.replace("_", "-"): value for name, value in limits.items()}))


class Scope:
    cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


@pytest.mark.parametrize(
    ("setting", "count"),
    [
        ("transfer_size", lambda meter: meter.count_transferred(51)),
        ("response_size", lambda meter: meter.count_answered(51)),
        ("pages", lambda meter: meter.count_page("tools/list", 51)),
        ("definitions", lambda meter: meter.count_definitions(51)),
        ("response_values", lambda meter: meter.count_structure(51, 1)),
        ("depth", lambda meter: meter.count_structure(1, 51)),
    ],
)
def test_limits_of_the_settings(setting: str, count: Callable[[Meter], Any]) -> None:
    meter, scope = make_meter(**{setting: 50}), Scope()
    meter.watch(scope)
    with pytest.raises(IntrospectionError) as caught:
        count(meter)
    assert caught.value.code == "MG712"
    assert caught.value.help == suggest_raising(setting.replace("_", "-"))
    assert scope.cancelled
    assert meter.error is caught.value


def test_counts_add_up() -> None:
    meter = make_meter(definitions=10)
    meter.count_definitions(6)
    meter.restart_definitions()
    meter.count_definitions(6)
    with pytest.raises(IntrospectionError, match="more than 10 definitions"):
        meter.count_definitions(6)


def test_requests_and_messages_of_the_server() -> None:
    for count, most in (("count_request", MOST_REQUESTS), ("count_message", MOST_MESSAGES)):
        meter = make_meter()
        for _ in range(most):
            getattr(meter, count)()
        with pytest.raises(IntrospectionError):
            getattr(meter, count)()


def test_the_first_error_counts() -> None:
    meter, first = make_meter(), IntrospectionError("MG708", "first")
    assert meter.fail(first) is first
    assert meter.fail(IntrospectionError("MG708", "second")) is first
