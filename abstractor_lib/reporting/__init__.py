"""Figures, tables, executed notebooks and the index: what people look at."""
