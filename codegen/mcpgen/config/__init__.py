"""The settings: models, files and positions."""
