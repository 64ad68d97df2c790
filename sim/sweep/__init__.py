"""Sweeps: a YAML file becomes a plan of scenarios, the plan becomes Parquet, exactly once and resumable.

The package can be called: ``sim.sweep("sweeps/levels.yaml", workers=2)`` is `sim.api.sweep`.
"""
