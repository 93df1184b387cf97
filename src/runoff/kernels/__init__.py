"""Compiled loops over arrays: no classes, no strings, no files."""
