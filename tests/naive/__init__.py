"""The three games a second time: slow, obvious, standard library only.

Written from the rules text and ``docs/randomness.md`` alone, without sight of the compiled kernels, so that a fault in
one of the two programs shows as a difference between them. Nothing here imports the package; rules are plain
dictionaries of parameters, positions are plain dictionaries, dice and cards are plain lists.

Every game module offers ``full_rules`` (defaults filled in), ``play_game`` (one game as a trace) and ``rows`` (the
result columns, one dictionary per game and seat).
"""
