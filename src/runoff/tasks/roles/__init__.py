"""Roles: who did what to whom, as labelled stretches of words for every predicate (CoNLL-2005)."""
