"""Answers: passages for a question, candidates in them, and which of them is the answer."""
