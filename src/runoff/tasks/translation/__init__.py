"""Translation: word alignments, phrases, a decoder that gives n-best lists, and features of whole translations."""
