"""Begin a stay and end it again, and read what the logbook says."""

from harbour.stubs import assign_berth, logbook_entry, release_berth


async def main() -> object:
    """Return where the boat lies, and the sentence for the skipper."""
    stay = await assign_berth(
        register_no=17, stay={"arrival": "2026-12-01", "departure": None}, shore_power=True, remarks=["quiet, please"]
    )
    farewell = await release_berth(stay_id=stay["stay_id"], reason="storm", notify=["DK1234"])
    entry = await logbook_entry(entry=4)
    remarks = [remark["text"] for remark in entry.get("remarks", [])]
    return {
        "berth": stay["mooring"]["code"],
        "lines": stay["mooring"]["lines"] + 1,
        "socket": stay.get("socket"),
        "farewell": farewell.upper(),
        "remarks": [entry["text"], *remarks],
    }
