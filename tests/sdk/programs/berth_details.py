"""Describe a berth by its kind, and what a night there costs."""

from harbour.stubs import get_berth, quote_stay


async def main() -> object:
    """Return a sentence about the berth, and the price in cents."""
    berth = await get_berth(code="A12")
    if berth["kind"] == "pontoon":
        text = f"{berth['finger_length_m']} m finger, power {'pedestal' in berth}"
    elif berth["kind"] == "buoy":
        text = f"buoy at {berth['position']['lat']}, inspected {berth['last_inspected']}"
    else:
        text = f"bollards {berth['from_bollard']} to {berth['to_bollard']}, rafting {berth.get('rafting', False)}"
    quote = await quote_stay(
        length_m=9.5, arrival="2026-12-01T12:00:00Z", nights=2, extras_=[{"service": "sauna"}], tariff="club"
    )
    deposit = quote["deposit"]
    return {
        "text": text,
        "total": quote["total"]["minor"],
        "deposit": 0 if deposit is None else deposit["minor"],
        "lines": [line["text"] for line in quote["lines"]],
        "discount": quote.get("discount_percent"),
    }
