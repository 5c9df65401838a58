"""The static site: what people read in this repository, laid out for Sphinx, and built.

Pages keep the folders that they have in the repository, so that most links stay as they are.
"""
