"""Benchmarks, run side by side with other ways of doing the same work: ``python -m benchmarks.run``."""
