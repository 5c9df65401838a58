"""What notebook 02 says of its records."""
