"""Answers as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.tables import counted, shorten

if TYPE_CHECKING:
    from runoff.tasks.answers.answer_ranking import Answers

_SHOWN = 300  # characters of a question or sentence
_REASONS = 3  # for, and against
# What a column compares, in a few words; any other goes by its own name.
SAID = {
    "context:B": "sentence like the abstract translations (B)",
    "context:R": "sentence like the abstract translations (R)",
    "language:Lb": "sentence like the translations (Lb)",
    "language:Lr": "sentence like the translations (Lr)",
    "language:Lf": "words of the translations in the sentence (Lf)",
    "type:E": "of a type that is expected",
    "type:affinity": "of a type that answers such questions",
    "translation:model 1": "question likely, given the sentence",
    "window:B": "surroundings like those in the abstract translations (B)",
    "window:R": "surroundings like those in the abstract translations (R)",
    "window:Lb": "surroundings like those in the translations (B)",
    "window:Lr": "surroundings like those in the translations (R)",
    "sentence:bm25": "sentence found by the question's words",
    "sentence:overlap": "share of the question's words in the sentence",
    "sentence:pairs": "words in the order of the question",
    "sentence:length": "length of the sentence",
    "near:closest": "distance to a word of the question",
    "near:weighted": "words of the question near it",
    "near:before": "words of the question just before it",
    "near:after": "words of the question just after it",
    "near:focus": "what is asked for near it",
    "own:in question": "words that the question has too",
    "own:rarity": "rarity of its words",
    "own:words": "number of its words",
    "own:capitals": "capitals",
    "own:digits": "digits",
    "own:year": "a year",
    "own:entity": "an entity",
    "own:kind of focus": "a kind of what is asked for",
    "own:quoted": "quotation marks or brackets",
    "votes:sentences": "sentences that give it",
    "votes:weighted": "fit of the sentences that give it",
    "votes:inside others": "part of other answers",
    "votes:share of all": "rare but for these sentences",
}


def shown(answers: Answers, count: int) -> str:
    """A question with its best answers, the sentence and place of each, and why the first is before the second.

    Examples
    --------
    >>> from runoff.tasks.answers.answer_ranking import Answers
    >>> print(shown(Answers("Who?", (), None, ()), 3))
    Who?
      no answer found: no passage has any of its words.
    """
    lines = [shorten(answers.question, _SHOWN)]
    if answers.best is None:
        return "\n".join([*lines, f"  no answer found{_why_none(answers)}."])
    for rank, each in enumerate(answers.answers[:count], 1):
        sure = f", confidence {answers.confidence:.2f}" if rank == 1 and answers.confidence is not None else ""
        lines.append(
            f"  {rank}. {each.text}  ({each.share:.0%} of the votes, {counted(each.sentences, 'sentences')}{sure})"
        )
        lines.append(f"     {each.source.file}, line {each.source.line}: {shorten(each.source.text, _SHOWN)}")
    for title, sign in (("For the first, against the second", 1), ("For the second", -1)):
        reasons = [(name, amount) for name, amount in answers.reasons if sign * amount > 0][:_REASONS]
        if reasons:
            lines.append(f"  {title}: {'; '.join(f'{SAID.get(name, name)} ({abs(x):.2f})' for name, x in reasons)}.")
    return "\n".join(lines)


def _why_none(answers: Answers) -> str:
    if answers.answers:
        return "" if answers.confidence is None else f" (confidence {answers.confidence:.2f})"
    has_words = any(map(str.isalnum, answers.question))
    return ": no passage has any of its words" if has_words else ": the question has no words"
