"""Text features, one module per family; `words` and `characters` are in `ngrams`."""
