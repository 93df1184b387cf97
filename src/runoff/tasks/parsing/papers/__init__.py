"""Papers about parses that `runoff reproduce` runs again."""
