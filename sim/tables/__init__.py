"""Big value tables: what a long computation needs beside arithmetic. Knows no game."""
