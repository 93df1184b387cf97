"""Answers: questions, passages that may answer them, and answers as translations of questions."""
