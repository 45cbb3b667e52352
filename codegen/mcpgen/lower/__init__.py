"""From schemas to the IR: normalize, let datamodel-code-generator name the types, read its answer."""
