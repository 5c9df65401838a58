"""Specs, run records, statistics and claims. Nothing here computes a run."""
