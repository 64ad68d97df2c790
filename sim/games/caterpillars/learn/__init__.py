"""Learning the fitted value of a level by backward induction: see `train`."""
