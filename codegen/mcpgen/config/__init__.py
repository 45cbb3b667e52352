"""Settings: their models, reading and validating the settings file, options of the command line."""
