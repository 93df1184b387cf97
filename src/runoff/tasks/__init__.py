"""One room for each task."""
