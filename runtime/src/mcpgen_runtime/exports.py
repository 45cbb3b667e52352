"""Names that every generated package exports in addition to its own classes."""

RUNTIME_EXPORTS = {
{%- for name, module in of_runtime %}
    "{{ name }}": "{{ module }}",
{%- endfor %}
}
"""Names from the run-time modules, and the module of each."""
SDK_EXPORTS = {
{%- for name, module in of_sdk %}
    "{{ name }}": "{{ module }}",
{%- endfor %}
}
"""Names of a package for an SDK, and the module of each."""

__all__ = ["RUNTIME_EXPORTS", "SDK_EXPORTS"]
