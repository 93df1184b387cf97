"""Papers about roles that `runoff reproduce` runs again."""
