"""Fitting models, many trials at once."""
