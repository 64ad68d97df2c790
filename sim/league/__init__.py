"""Policies against each other: tournaments, ladders of known strength, and the tuning of parameters."""
