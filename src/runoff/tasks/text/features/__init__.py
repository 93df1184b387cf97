"""Features of texts in lists, by families."""
