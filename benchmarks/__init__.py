"""How fast generated code and the generator are, beside what people use instead: `python -m benchmarks`."""
