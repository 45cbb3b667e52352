"""What goes on in the office: the notice, the flags, the charges of a stay, and the lights."""

from harbour.stubs import flags_today, harbour_notice, list_charges, set_lights


async def main() -> object:
    """Return the first line of the notice, and what is still to be paid."""
    entries = await list_charges(stay_id=3, since=None)
    charged = sum(entry["amount"]["minor"] for entry in entries if entry["type"] == "charge")
    paid = sum(entry["amount"]["minor"] for entry in entries if entry["type"] == "payment")
    return {
        "notice": (await harbour_notice(language="en")).splitlines()[:1],
        "flags": await flags_today(),
        "open": charged - paid,
        "lights": sorted(await set_lights(lights=["A1", "A2"], on=False)),
    }
