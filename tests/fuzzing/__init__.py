"""Attacks on every kind of file that Runoff opens, in processes of their own so that a crash is seen."""
