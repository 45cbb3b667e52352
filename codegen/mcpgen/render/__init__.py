"""From the IR and its names to the text of files."""
