"""Parquet in and out: one register of columns, provenance in every file, files complete or not there at all."""
