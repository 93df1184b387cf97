"""Answers as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.tables import counted, shorten

if TYPE_CHECKING:
    from runoff.tasks.answers.answer_ranking import Answers

_SHOWN = 300  # characters of a sentence


def shown(answers: Answers, count: int) -> str:
    """A question with its best answers, the sentence and place of each, and what spoke for the first.

    Examples
    --------
    >>> from runoff.tasks.answers.answer_ranking import Answers
    >>> print(shown(Answers("Who?", (), None, ()), 3))
    Who?
      no answer found: no passage has any of its words.
    """
    lines = [answers.question]
    if answers.best is None:
        low = f" (confidence {answers.confidence:.2f})" if answers.confidence is not None and answers.answers else ""
        why = "no answer found" if answers.answers else "no answer found: no passage has any of its words"
        return "\n".join([*lines, f"  {why}{low}."])
    for rank, each in enumerate(answers.answers[:count], 1):
        sure = f", confidence {answers.confidence:.2f}" if rank == 1 and answers.confidence is not None else ""
        lines.append(
            f"  {rank}. {each.text}  ({each.share:.0%} of the votes, {counted(each.sentences, 'sentences')}{sure})"
        )
        lines.append(f"     {each.source.file}, line {each.source.line}: {shorten(each.source.text, _SHOWN)}")
    if answers.reasons:
        reasons = ", ".join(f"{name} ({amount:+.2f})" for name, amount in answers.reasons[:4])
        lines.append(f"  Why the first one: {reasons}.")
    return "\n".join(lines)
