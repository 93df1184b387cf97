"""Parse reranking: trees, heads, PARSEVAL, features of whole trees."""
