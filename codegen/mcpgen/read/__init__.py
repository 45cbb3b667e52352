"""From files to definitions: parse, recognise, resolve references, validate."""
