"""Results of earlier runs, on disk and in this process."""
