"""Whether every value of one schema is a value of another."""
