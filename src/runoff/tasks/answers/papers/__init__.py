"""Papers about answers that `runoff reproduce` runs again."""
