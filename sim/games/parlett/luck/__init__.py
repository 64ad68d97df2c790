"""Parlett's Caterpillar with the luck of its cards taken out: of the deal and of every draw."""
