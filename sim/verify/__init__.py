"""Simulated results against exact ones: many comparisons, one error rate, one verdict. See ``docs/verification.md``."""

from sim.verify.run import Check, Verification, chosen, settings, verify, write
from sim.verify.trials import Quantity, Trial, all_trials

__all__ = ["Check", "Quantity", "Trial", "Verification", "all_trials", "chosen", "settings", "verify", "write"]
