"""The balance report: stored sweeps → tables → figures → one page, with every quoted number in a register of facts."""
