"""Features of whole taggings, for the second round (after Collins 2002)."""
