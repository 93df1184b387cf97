"""The demonstration of roles on synthetic sentences."""
