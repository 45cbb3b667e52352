"""Say in which encoding a file probably is that is not UTF-8."""

from __future__ import annotations

import codecs

_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
"""Bytes at the start of a file → its encoding; the longer ones come first."""
ENCODING_HELP = "save the file as UTF-8; editors offer this when they save, or show the encoding in their status bar"


def explain_encoding(data: bytes) -> tuple[str, str]:
    """Return the message and the help for data that is not UTF-8; no byte of it is quoted."""
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            return (
                f"not valid UTF-8: the file is {encoding}",
                f"{ENCODING_HELP}; in PowerShell, write it with `Out-File -Encoding utf8`",
            )
    if b"\0" in data[:1000]:
        return "not valid UTF-8: the file is binary, or UTF-16 without a mark", ENCODING_HELP
    message = "not valid UTF-8: from here on, the file is in an older encoding, such as Windows-1252"
    return message, ENCODING_HELP
