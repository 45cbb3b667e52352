"""Compatibility rules, one module for each subject; `compat/registry.py` lists them all."""
