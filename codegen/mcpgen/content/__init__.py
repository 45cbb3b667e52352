"""Content templates: from Jinja's syntax to statements that are checked against a tool's types."""
