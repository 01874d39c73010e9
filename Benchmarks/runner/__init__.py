"""The modules of `Benchmarks/run`; they need only the standard library."""
