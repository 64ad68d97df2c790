"""Luck taken out of Caterpillars, see `rounds`."""
