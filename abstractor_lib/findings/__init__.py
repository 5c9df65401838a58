"""What records say: estimates with intervals, and the papers' claims held against them."""
