"""Breaking changes between two versions of the definitions."""
