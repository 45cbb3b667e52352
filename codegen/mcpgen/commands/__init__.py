"""One module per command, each with a `run_…` function that returns the exit code, and the helpers of these modules."""
