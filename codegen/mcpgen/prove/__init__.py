"""Tests of generated classes with values drawn from their schemas."""
