"""Lower schemas to the IR: normalize, generate types with datamodel-code-generator, parse its annotations."""
