"""Rewrite a schema into the core language, which Python types express exactly."""
