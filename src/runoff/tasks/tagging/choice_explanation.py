"""Why a model chose one tagging over another: the features that decided, and both with their differences marked."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from runoff.errors import DataError
from runoff.metrics import PickMetric, get
from runoff.tasks.drawing import SpanDrawing
from runoff.tasks.tagging.corpus import Corpus
from runoff.tasks.tagging.metric import ConllEval
from runoff.tasks.tagging.schemes import phrases
from runoff.tasks.tagging.span_rules import span_tags
from runoff.tasks.tagging.tagging_lists import split_entries

if TYPE_CHECKING:
    from runoff.model import Choice, Explanation, LinearModel
    from runoff.nbest import NBest

    Phrase = tuple[int, int, str]  # first token, token after the last, type
    Tagging = dict[Phrase, "PhraseMark | None"]

_WRAPPED = textwrap.TextWrapper(
    100, initial_indent="  ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
)


class PhraseMark(StrEnum):
    """Status of a phrase that only one of two taggings has; the value is its sign in text output."""

    ONLY = "*"
    RIGHT = "+"
    WRONG = "-"


_MEANINGS = {
    PhraseMark.ONLY: "* only in this tagging",
    PhraseMark.RIGHT: "+ only in this tagging, and right",
    PhraseMark.WRONG: "- only in this tagging, and wrong",
}


@dataclass(frozen=True)
class TaggingExplanation:
    """The features that decided between two taggings, and the sentence as both tag it.

    Where tags mark phrases, a phrase is written `[NP the cat]`; else every word has its tag, as in `cat/NN`.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> from runoff.nbest import NBest
    >>> candidates = [{"text": "NNS NN", "features": {"verb": 0.0}}, {"text": "NNS VBP", "features": {"verb": 1.0}}]
    >>> data = NBest.from_records(
    ...     [{"id": "a", "input": "dogs run", "metric": "tag-accuracy", "candidates": candidates}]
    ... )
    >>> print("\\n".join(explain(LinearModel.of({"verb": 1.0}), data, "a").to_text().splitlines()[-7:]))
    candidate 0, rival and first round's choice
      dogs/NNS *run/NN
    <BLANKLINE>
    candidate 1, winner
      dogs/NNS *run/VBP
    <BLANKLINE>
    Marked: * only in this tagging.
    """

    reasons: Explanation
    words: tuple[str, ...]
    rival: Tagging
    winner: Tagging
    are_phrases: bool
    scores: tuple[str, str] = ("", "")  # of the rival and of the winner, if there are gold tags

    def to_text(self, most: int = 15) -> str:
        """Text for a terminal, with at most that many features."""
        winner, rival = (replace(choice, text=None) for choice in (self.reasons.winner, self.reasons.rival))
        sides = (
            f"{title}\n{_WRAPPED.fill(self._sentence(tagging))}"
            for title, tagging in zip(self.titles(), (self.rival, self.winner), strict=True)
        )
        used = {*self.rival.values(), *self.winner.values()}
        signs = [_MEANINGS[mark] for mark in PhraseMark if mark in used]
        legend = f"Marked: {'; '.join(signs)}." if signs else "The two taggings have the same phrases."
        return "\n\n".join([replace(self.reasons, winner=winner, rival=rival).to_text(most), *sides, legend])

    def __str__(self) -> str:
        return self.to_text()

    def titles(self) -> tuple[str, str]:
        """Headings of the two taggings."""
        rival, winner = (
            f"candidate {choice.index}, {role}{_first(choice)}{score}"
            for role, choice, score in (
                ("rival", self.reasons.rival, self.scores[0]),
                ("winner", self.reasons.winner, self.scores[1]),
            )
        )
        return rival, winner

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        winner, rival = (
            [
                {"start": start, "end": end, "tag": tag, "mark": mark.name}
                for (start, end, tag), mark in tagging.items()
                if mark is not None
            ]
            for tagging in (self.winner, self.rival)
        )
        return {**self.reasons.to_dict(), "words": list(self.words), "only_winner": winner, "only_rival": rival}

    def _sentence(self, tagging: Tagging) -> str:
        parts: list[str] = []
        at = 0
        for (start, end, tag), mark in tagging.items():
            text = " ".join(self.words[start:end])
            shown = f"[{tag} {text}]" if self.are_phrases else f"{text}/{tag}"
            parts += [*self.words[at:start], f"{mark or ''}{shown}"]
            at = end
        return " ".join([*parts, *self.words[at:]])


def explain(
    model: LinearModel, data: NBest, group: str, against: str | int | None = None, *, mark_phrases: bool | None = None
) -> TaggingExplanation | Explanation:
    """Say why the model's winner in a list of taggings leads a rival, by default the first round's choice.

    For lists without words, only features are shown. `mark_phrases`: whether tags are those of phrases; default: where
    the metric is conlleval's.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> from runoff.nbest import NBest
    >>> texts = {"B-PER B-LOC O": 0.0, "B-PER I-PER O": 1.0}
    >>> candidates = [{"text": text, "features": {"long": value}} for text, value in texts.items()]
    >>> about = {"input": "Ann Lake sings", "references": ["B-PER I-PER O"], "metric": "conlleval"}
    >>> data = NBest.from_records([{"id": "a", **about, "candidates": candidates}])
    >>> print("\\n".join(explain(LinearModel.of({"long": 1.0}), data, "a").to_text().splitlines()[-7:]))
    candidate 0, rival and first round's choice, conlleval 0.00
      -[PER Ann] -[LOC Lake] sings
    <BLANKLINE>
    candidate 1, winner, conlleval 100.00
      +[PER Ann Lake] sings
    <BLANKLINE>
    Marked: + only in this tagging, and right; - only in this tagging, and wrong.
    """
    reasons = model.explain(data, group, against)
    if data.inputs is None:
        return reasons
    place = data.find(group)
    words = split_entries(data.inputs[place].as_py())
    sides = [split_entries(choice.text) for choice in (reasons.rival, reasons.winner)]
    references = None if data.references is None else data.references[place].as_py()
    gold = split_entries(references[0]) if references else None
    for name, tags in (("the rival", sides[0]), ("the winner", sides[1]), ("the gold tagging", gold)):
        if tags is not None and len(tags) != len(words):
            raise DataError(f"list {group!r} has {len(words):,} words; {name} has {len(tags):,} tags.")
    metric = get(data.metric or ConllEval.name)
    all_tags = [*sides[0], *sides[1], *(gold or ())]
    are_phrases = have_phrases(data, all_tags, mark_phrases)
    rival, winner = (phrases_of(tags, are_phrases) for tags in sides)
    right = None if gold is None else set(phrases_of(gold, are_phrases))
    scores = ("", "")
    if right is not None and isinstance(metric, PickMetric):
        values = metric.score(metric.statistics(data[[place]]))
        one, two = (f", {metric.label} {values[choice.index]:.2f}" for choice in (reasons.rival, reasons.winner))
        scores = one, two
    marked = _marked(rival, set(winner), right), _marked(winner, set(rival), right)
    return TaggingExplanation(reasons, tuple(words), *marked, are_phrases, scores)


def draw_spans(part: NBest, text: str, *, mark_phrases: bool | None = None) -> SpanDrawing | None:
    """The phrases of a tagging of the only list, for a viewer; None for a list without words.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_records([{"input": "Ann Lake sings", "metric": "conlleval", "candidates": ["O O O"]}])
    >>> draw_spans(data, "B-PER I-PER O").spans
    [(0, 2, 'PER')]
    """
    if part.inputs is None:
        return None
    words, tags = split_entries(part.inputs[0].as_py()), split_entries(text)
    if len(tags) != len(words):
        raise DataError(f"there are {len(words):,} words and {len(tags):,} tags.")
    return SpanDrawing(words, phrases_of(tags, have_phrases(part, tags, mark_phrases)))


def have_phrases(data: NBest, tags: list[str], mark_phrases: bool | None) -> bool:
    """Whether tags are those of phrases; by default, where the metric is conlleval's."""
    if mark_phrases is None:
        metric = get(data.metric or ConllEval.name)
        mark_phrases = isinstance(metric, ConllEval) and not metric.raw
    return mark_phrases and span_tags(tags) is not None


def phrases_of(tags: list[str], are_phrases: bool) -> list[Phrase]:
    """The phrases of a tagging, or every token with its tag."""
    if not are_phrases:
        return [(at, at + 1, tag) for at, tag in enumerate(tags)]
    corpus = Corpus.of({"tag": tags}, [len(tags)])
    return [(span.start, span.stop, span.label) for span in phrases(corpus).of(corpus.offsets)]


def _marked(own: list[Phrase], other: set[Phrase], right: set[Phrase] | None) -> Tagging:
    def mark(phrase: Phrase) -> PhraseMark:
        if right is None:
            return PhraseMark.ONLY
        return PhraseMark.RIGHT if phrase in right else PhraseMark.WRONG

    return {phrase: None if phrase in other else mark(phrase) for phrase in own}


def _first(choice: Choice) -> str:
    return " and first round's choice" if choice.index == choice.first else ""
