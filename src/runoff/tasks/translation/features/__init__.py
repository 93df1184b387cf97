"""Features of whole translations, one module per family."""
