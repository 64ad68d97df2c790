"""Plays blocks of games for any game: random numbers, compiler options, block scheduling, counting. Knows no game."""
