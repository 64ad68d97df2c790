"""Other ways of playing the same games, for comparison only."""
