"""Why a model chose one translation over another: the features that decided, and both with their differences marked."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.metrics import PickMetric, get
from runoff.tasks import featurizer_of
from runoff.tasks.drawing import LinkDrawing
from runoff.tasks.translation.joined_tokens import JOINER, join
from runoff.tasks.translation.linked_words import linked
from runoff.tasks.translation.word_links import PREFIX, Link, links_of
from runoff.tasks.translation.word_marks import MEANINGS, WordMark, marked_text, tokens_of, word_marks

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.model import Choice, Explanation, LinearModel
    from runoff.nbest import NBest
    from runoff.tasks.translation.parallel_knowledge import ParallelKnowledge
    from runoff.tasks.translation.word_marks import Marks

_WRAPPED = textwrap.TextWrapper(
    100, initial_indent="  ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
)


@dataclass(frozen=True)
class MarkedTranslation:
    """One of two translations: its words, which of them differ, and the words of the source that they stand for."""

    title: str
    words: tuple[str, ...]  # tokens with joiners
    marks: Marks
    links: tuple[Link, ...] = ()

    def __str__(self) -> str:
        return marked_text(self.words, self.marks)

    def behind_marks(self) -> frozenset[int]:
        """Places of the source words that marked words stand for."""
        return frozenset(
            at
            for link in self.links
            if any(self.marks[link.target_start : link.target_stop])
            for at in range(link.start, link.stop)
        )


@dataclass(frozen=True)
class TranslationExplanation:
    """The features that decided between two translations, both texts, and how they are aligned to the source.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> from runoff.nbest import NBest
    >>> texts = {"die Bank": {"phrase:the bank=die Bank": 1.0}, "das Ufer": {"phrase:the bank=das Ufer": 1.0}}
    >>> candidates = [{"text": text, "features": features} for text, features in texts.items()]
    >>> data = NBest.from_records([{"id": "a", "input": "the bank", "candidates": candidates}])
    >>> found = explain(LinearModel.of({"phrase:the bank=das Ufer": 1.0}), data, "a")
    >>> found.winner.links
    (Link(start=0, stop=2, target_start=0, target_stop=2),)
    """

    reasons: Explanation
    source: tuple[str, ...]  # tokens with joiners
    rival: MarkedTranslation
    winner: MarkedTranslation

    def to_text(self, most: int = 15) -> str:
        """Text for a terminal, with at most that many features."""
        winner, rival = (replace(choice, text=None) for choice in (self.reasons.winner, self.reasons.rival))
        sides = [("source", join(list(self.source)))]
        sides += [(side.title, str(side)) for side in (self.rival, self.winner)]
        texts = [f"{title}\n{_WRAPPED.fill(text) or '  (no words)'}" for title, text in sides if text or self.source]
        used = {*self.rival.marks, *self.winner.marks}
        signs = [f"{mark} {MEANINGS[mark]}" for mark in WordMark if mark in used]
        legend = f"Marked: {'; '.join(signs)}." if signs else "The two translations have the same words."
        reasons = replace(self.reasons, winner=winner, rival=rival).to_text(most)
        return "\n\n".join([reasons, *texts, legend, *self._behind()])

    def __str__(self) -> str:
        return self.to_text()

    def _behind(self) -> list[str]:
        """What the source says where the translations differ, if it is known and not too much."""
        places = sorted(self.rival.behind_marks() | self.winner.behind_marks())
        if not places or 2 * len(places) > len(self.source) + 2:
            return []
        runs = groupby(enumerate(places), key=lambda item: item[1] - item[0])
        parts = [join([self.source[at] for _, at in run]) for _, run in runs]
        return [f"The source has there: {' … '.join(parts)}"]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""

        def side(found: MarkedTranslation) -> dict[str, Any]:
            marks = [None if mark is None else mark.name for mark in found.marks]
            return {"words": list(found.words), "marks": marks, "links": [list(link) for link in found.links]}

        return {
            **self.reasons.to_dict(),
            "source": list(self.source),
            "rival_words": side(self.rival),
            "winner_words": side(self.winner),
        }

    def draw(self, path: str | Path) -> None:
        """Draw both translations, aligned to the source, and what decided, to a PNG, SVG or PDF file."""
        from runoff.tasks.translation.translation_drawing import draw_translations

        draw_translations(self, path)


def explain(
    model: LinearModel, data: NBest, group: str, against: str | int | None = None
) -> TranslationExplanation | Explanation:
    """Say why the model's winner in a list of translations leads a rival, by default the first round's choice.

    Words are aligned by the phrases that the lists name (`phrase:SOURCE=TARGET`), else by a lexicon of the model's
    featurizer. For lists without texts, only features are shown.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> from runoff.nbest import NBest
    >>> texts = {"Er sieht die Bank.": 0.0, "Er sieht das Ufer.": 1.0}
    >>> candidates = [{"text": text, "features": {"fisherman": value}} for text, value in texts.items()]
    >>> about = {"input": "He sees the bank.", "references": ["Er sieht das Ufer."], "metric": "chrf"}
    >>> data = NBest.from_records([{"id": "a", **about, "candidates": candidates}])
    >>> print("\\n".join(explain(LinearModel.of({"fisherman": 1.0}), data, "a").to_text().splitlines()[-7:]))
    candidate 0, rival and first round's choice, chrf 46.25
      Er sieht -[die Bank].
    <BLANKLINE>
    candidate 1, winner, chrf 100.00
      Er sieht +[das Ufer].
    <BLANKLINE>
    Marked: + only in this translation, and as in a reference; - only in this translation, and ...
    """
    reasons = model.explain(data, group, against)
    if reasons.winner.text is None or reasons.rival.text is None:
        return reasons
    part = data[[data.find(group)]]
    source = tokens_of(part.inputs[0].as_py() or "") if part.inputs is not None else ()
    known = part.references[0].as_py() if part.references is not None else None
    references = [tokens_of(text) for text in known or ()]
    rival, winner = (tokens_of(choice.text or "") for choice in (reasons.rival, reasons.winner))
    knowledge = getattr(featurizer_of(model), "knowledge", None)

    def side(words: tuple[str, ...], other: tuple[str, ...], choice: Choice, role: str) -> MarkedTranslation:
        by_words = _linked_words(part, choice.text or "", knowledge)
        links = links_of(source, words, _phrases_of(part, choice.index), by_words)
        title = f"candidate {choice.index}, {role}{_first(choice)}{_score(part, choice, bool(references))}"
        return MarkedTranslation(title, words, word_marks(words, other, references), links)

    return TranslationExplanation(
        reasons,
        source,
        side(rival, winner, reasons.rival, "rival"),
        side(winner, rival, reasons.winner, "winner"),
    )


def draw_links(
    part: NBest, text: str, index: int | None = None, model: LinearModel | None = None
) -> LinkDrawing | None:
    """A translation in the only list, or its reference, linked to the source; None where no link is known.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> candidate = {"text": "die Bank", "features": {"phrase:the bank=die Bank": 1.0}}
    >>> data = NBest.from_records([{"id": "a", "input": "the bank", "candidates": [candidate]}])
    >>> draw_links(data, "die Bank", 0).to_dict()["links"]
    [[0, 2, 0, 2]]
    """
    if part.inputs is None:
        return None
    source, words = tokens_of(part.inputs[0].as_py() or ""), tokens_of(text)
    knowledge = None if model is None else getattr(featurizer_of(model), "knowledge", None)
    phrases = [] if index is None else _phrases_of(part, index)
    links = links_of(source, words, phrases, _linked_words(part, text, knowledge))
    shown_source, shown = ([word.strip(JOINER) for word in side] for side in (source, words))
    return LinkDrawing(shown_source, shown, links) if links else None


def _phrases_of(part: NBest, candidate: int) -> list[str]:
    """Names of the phrases of a candidate of the only list, each as often as it is used."""
    table = part.features.to_scipy()
    row = slice(table.indptr[candidate], table.indptr[candidate + 1])
    names = part.features.column_names()
    found = []
    for column, value in zip(table.indices[row].tolist(), table.data[row].tolist(), strict=True):
        name = names[column].as_py()
        if name.startswith(PREFIX) and np.isfinite(value) and 0 < value < 100:
            found += [name] * round(value)
    return found


def _linked_words(part: NBest, text: str, knowledge: ParallelKnowledge | None) -> list[int]:
    """The source token of every token of a translation, -1 for none, by what the model's featurizer has learned."""
    if knowledge is None or part.inputs is None:
        return []
    lexicon = knowledge.lexicon
    source = lexicon.source.tokens([part.inputs[0].as_py() or ""]).of(0)
    target = lexicon.target.tokens([text]).of(0)
    return linked(source, target, lexicon) if source and target else []


def _score(part: NBest, choice: Choice, has_references: bool) -> str:
    metric = get(part.metric or "bleu")
    if not has_references or not isinstance(metric, PickMetric):
        return ""
    score = float(metric.score(metric.statistics(part)[choice.index]))
    return f", {metric.label} {score:.2f}"


def _first(choice: Choice) -> str:
    return " and first round's choice" if choice.index == choice.first else ""
