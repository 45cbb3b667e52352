"""Rewrite a schema into the core language that Python types say exactly."""
