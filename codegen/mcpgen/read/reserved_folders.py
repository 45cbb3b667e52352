"""Folders inside an input folder that belong to commands."""

from __future__ import annotations

PULLED_FOLDER = "pulled"
"""Folder that belongs to `mcpgen pull`."""
LEARNED_FOLDER = "learned"
"""Folder with what `mcpgen learn` has proposed: schemas that only the settings name."""
