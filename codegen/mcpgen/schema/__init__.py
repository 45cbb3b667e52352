"""JSON values and JSON Schemas: keywords, references, validation."""
