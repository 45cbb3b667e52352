"""Files: how they are opened, whose they are, and the journal of a run."""
