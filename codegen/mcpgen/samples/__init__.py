"""JSON values made from schemas."""
