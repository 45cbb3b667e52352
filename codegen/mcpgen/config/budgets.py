"""Settings that limit tokens. They affect `check` only, no cached result."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from mcpgen.config.settings_table import Affects, SettingsTable
from mcpgen.vocabularies import DEFAULT_VOCABULARY, VocabularyName


class ToolBudget(SettingsTable):
    """Limits for one tool, in tokens."""

    definition: Annotated[int | None, Affects()] = Field(
        None, gt=0, description="tokens of a tool's name, description and inputSchema"
    )
    result: Annotated[int | None, Affects()] = Field(
        None, gt=0, description="tokens of a whole example result, including structuredContent"
    )
    text: Annotated[int | None, Affects()] = Field(
        None, gt=0, description="tokens of the text of an example result, which the model reads"
    )


class BudgetSettings(ToolBudget):
    """Limits for every tool, and for all of them together."""

    definitions: Annotated[int | None, Affects()] = Field(
        None, gt=0, description="tokens of the definitions of all tools together"
    )
    vocabulary: Annotated[VocabularyName, Affects()] = Field(
        DEFAULT_VOCABULARY, description="vocabulary to count tokens with"
    )
