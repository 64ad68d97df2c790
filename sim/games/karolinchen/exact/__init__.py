"""Exact answers for Karolinchen: who wins how often and how long it takes, without sampling."""
