"""Draw strings of the formats of JSON Schema."""

from __future__ import annotations

from random import Random

from mcpgen.samples.text import draw_base64

_FORMAT_EXAMPLES: dict[str, tuple[str, ...]] = {
    "duration": ("P1D", "PT2H30M", "P1Y2M3DT4H5M6S", "P2W"),
    "email": ("ada@example.org", "a.b+c@sub.example.com"),
    "hostname": ("example.org", "a-b.example.com", "localhost"),
    "ipv6": ("::1", "2001:db8::8a2e:370:7334", "fe80::1"),
    "json-pointer": ("", "/a/b", "/a~1b/0"),
    "regex": ("^a+$", "[0-9]{2}"),
    "relative-json-pointer": ("0", "1/a"),
    "uri": ("https://example.org/a?b=c#d", "urn:isbn:0451450523", "file:///tmp/x"),
    "uri-reference": ("/a/b", "?q=1", "https://example.org"),
    "uri-template": ("https://example.org/{id}", "/{a}{?b,c}"),
}
_FORMAT_ALIASES = {
    "idn-email": "email",
    "idn-hostname": "hostname",
    "iri": "uri",
    "iri-reference": "uri-reference",
    "url": "uri",
}


def draw_format(name: str, random: Random) -> str | None:
    """Draw a string of a format; None where the format is unknown."""
    number = random.randint
    date = f"{number(1970, 2099)}-{number(1, 12):02}-{number(1, 28):02}"
    time = f"{number(0, 23):02}:{number(0, 59):02}:{number(0, 59):02}"
    match _FORMAT_ALIASES.get(name, name):
        case "date":
            return date
        case "time":
            return time + random.choice(("Z", "+02:00", ".5Z"))
        case "date-time":
            return f"{date}T{time}{random.choice(('Z', '+02:00', '.125Z'))}"
        case "ipv4":
            return ".".join(str(number(0, 255)) for _ in range(4))
        case "uuid":
            digits = f"{number(0, 2**128 - 1):032x}"
            return "-".join((digits[:8], digits[8:12], "4" + digits[13:16], "8" + digits[17:20], digits[20:]))
        case "byte" | "binary":
            return draw_base64(random)
        case base_name:
            return random.choice(_FORMAT_EXAMPLES[base_name]) if base_name in _FORMAT_EXAMPLES else None
