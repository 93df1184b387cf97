"""Winners assembled from parts of several candidates."""
