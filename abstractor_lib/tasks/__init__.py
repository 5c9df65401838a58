"""One module per task: a numpy Generator and sizes in, arrays out."""
