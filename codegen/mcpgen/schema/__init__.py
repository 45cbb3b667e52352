"""JSON values, schemas, their keywords and what references resolve to."""
