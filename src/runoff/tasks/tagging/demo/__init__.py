"""The demonstration of taggings on a synthetic corpus."""
