"""Generation of JSON values from schemas."""
