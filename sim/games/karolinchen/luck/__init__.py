"""Karolinchen with the luck of its dice taken out: a race of independent players says what positions are worth."""
