"""What is written for readers from everything together: executed notebooks, pages, the site."""
