"""Intermediate representation (IR): types, the modules of a package, content templates, URI templates."""
