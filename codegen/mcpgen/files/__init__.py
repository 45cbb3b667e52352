"""Access to files: read input safely, find folders, recognise ownership, keep the journal of a run."""
