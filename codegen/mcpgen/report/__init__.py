"""Output of commands: one renderer of diagnostics per format, and the streams that they are written to."""
