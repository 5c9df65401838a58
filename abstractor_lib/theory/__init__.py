"""What the papers prove, made computable."""
