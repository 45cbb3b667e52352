"""Find the deepest free berth that a boat fits into, and who lies in the others."""

from harbour.stubs import count_free_berths, list_berths


async def main() -> object:
    """Return the code of the berth, and the names of the boats."""
    page = await list_berths(fits={"length_m": 9.5, "draught_m": None}, services=["water"], limit=50)
    free = [berth for berth in page["berths"] if berth["occupant"] is None]
    deepest = max(free, key=lambda berth: berth["min_depth_m"], default=None)
    names = [berth["occupant"]["name"] for berth in page["berths"] if berth["occupant"] is not None]
    return {
        "deepest": None if deepest is None else deepest["code"],
        "names": names,
        "more": page.get("next-page") is not None,
        "free": await count_free_berths(),
    }
