"""Making the mathematics problems of v3 section 4.3 with the generator of Saxton et al. (2019)."""
