"""Who is measured: in each module a function that gives the Cases of one environment's SDK, or of generated code."""
