"""Results of earlier runs, in memory and on disk."""
