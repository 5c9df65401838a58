"""A reproducible companion to the Abstractor papers: library, experiments and records."""

__version__ = "0.1.0"
