"""Record where the types accept more than the schema."""

from __future__ import annotations

from mcpgen.lower.normalize.core import ANY_CORE, Core, SchemaPart
from mcpgen.lower.normalize.limits import LoweringLimits
from mcpgen.schema.keywords import CHECKED_KEYWORDS, is_vacuous


class NormalizationFindings:
    """Collects the keywords that need the exact check, and notes for the user."""

    def __init__(self, limits: LoweringLimits) -> None:
        self._limits = limits
        self._checks: dict[str, None] = {}
        self._notes: dict[str, str] = {}

    @property
    def checks(self) -> list[str]:
        """Keywords that the types do not express, sorted."""
        return sorted(self._checks)

    @property
    def notes(self) -> list[tuple[str, str]]:
        """Notes, as JSON pointer and sentence, at most one for each pointer."""
        return [*self._notes.items()]

    def require_check(self, *keywords: str) -> None:
        """Record that the types do not fully express these keywords."""
        self._checks.update(dict.fromkeys(keywords))

    def require_checks_in(self, parts: tuple[SchemaPart, ...]) -> None:
        """Record the keywords of some parts that no type can express."""
        for part in parts:
            for keyword, value in part.schema.items():
                if keyword in CHECKED_KEYWORDS and not is_vacuous(keyword, value):
                    self.require_check("dynamicRef" if keyword == "$dynamicRef" else keyword)

    def widen_to_any(self, pointer: str, keyword: str, reason: str = "") -> Core:
        """Return the type of any value, with a note why.

        Args:
            pointer: where the type is needed.
            keyword: the keyword that the type does not express.
            reason: the start of the note; by default, that there is no value at all.
        """
        self.require_check(keyword)
        reason = reason or f'"{keyword}" leaves no value here'
        self._notes.setdefault(pointer, f"{reason}, so the type is that of any JSON value")
        return ANY_CORE

    def leave_out_members(self, pointer: str, keyword: str, amount: str) -> None:
        """Record that a keyword has more members than a type may have, such as `2000 values`."""
        self.require_check(keyword)
        self._notes.setdefault(
            pointer,
            f"{amount} are more than {self._limits.members} (`limits.members`), so the type does not say them",
        )
