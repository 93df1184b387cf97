"""Synthetic parallel text, and the pipeline on it."""
