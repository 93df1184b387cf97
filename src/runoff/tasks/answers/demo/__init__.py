"""A small synthetic almanac to ask questions of, with questions to learn from."""
