"""Exact answers for Parlett's Caterpillar: open-hands optimal play of one deal, and what playing without it costs."""
