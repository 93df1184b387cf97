"""A synthetic treebank with planted regularities, and the whole way on it."""
