"""Planning what is missing, computing it, and checking what was computed."""
