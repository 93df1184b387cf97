"""Tagging: columns of words and tags, taggers that give n-best lists, and features of whole taggings."""
