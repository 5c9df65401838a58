"""Specs, run records, fingerprints and artifacts. Nothing here computes a run."""
