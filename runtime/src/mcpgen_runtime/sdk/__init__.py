"""One package for each SDK; generated code imports their facade modules."""
