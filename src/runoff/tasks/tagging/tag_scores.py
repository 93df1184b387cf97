"""Taggings of two files compared: the numbers of conlleval, with intervals."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import DataError, UsageError, brief
from runoff.metrics.resampling import Resampling
from runoff.tasks.tagging.corpus import WORD, Column
from runoff.tasks.tagging.metric import ConllEval
from runoff.tasks.tagging.phrase_statistics import (
    COLUMNS,
    CORRECT,
    GOLD,
    GUESSED,
    TOKENS,
    PhraseStatistics,
    compare,
)
from runoff.tasks.tagging.tag_letters import split_tag

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.arrays import Floats
    from runoff.metrics.significance import Interval
    from runoff.tasks.tagging.corpus import Corpus

PARTS = ("accuracy", "precision", "recall", "f")
_UNKNOWN_LETTERS = frozenset("SLUEM")


@dataclass(frozen=True, eq=False)
class TagScores:
    """Scores of taggings: of tags, of phrases, and of every type of phrase; as text, in the layout of conlleval.

    Examples
    --------
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> found = evaluate_tags(Corpus.of({"tag": ["B-NP", "O"], "guess": ["B-NP", "O"]}, sizes=[2]), "guess")
    >>> found.score("f"), found.by_type
    (100.0, {'NP': (1, 1, 1)})
    """

    rows: Floats  # statistics of every sentence
    by_type: Mapping[str, tuple[int, int, int]]  # right, guessed and gold phrases
    intervals: Mapping[str, Interval]
    signature: str
    notes: tuple[str, ...] = field(default=())

    @property
    def sums(self) -> Floats:
        """Statistics of all sentences."""
        found: Floats = self.rows.sum(axis=0)
        return found

    def score(self, part: str) -> float:
        """One of accuracy, precision, recall and f, 0 to 100."""
        return part_of(self.sums, part)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {
            "sentences": len(self.rows),
            **{name.replace(" ", "_"): int(count) for name, count in zip(COLUMNS, self.sums, strict=True)},
            **{part: self.score(part) for part in PARTS},
            "intervals": {part: [each.low, each.high] for part, each in self.intervals.items()},
            "types": {kind: type_scores(counts) for kind, counts in self.by_type.items()},
            "signature": self.signature,
            "notes": list(self.notes),
        }

    def conlleval(self) -> str:
        """What conlleval prints, but for a second line that it has for phrases without a type."""
        sums = self.sums
        lines = [
            f"processed {sums[TOKENS]:.0f} tokens with {sums[GOLD]:.0f} phrases; "
            f"found: {sums[GUESSED]:.0f} phrases; correct: {sums[CORRECT]:.0f}."
        ]
        if sums[TOKENS]:
            accuracy, precision, recall, f = map(self.score, PARTS)
            lines.append(
                f"accuracy: {accuracy:6.2f}%; precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {f:6.2f}"
            )
        for kind, counts in self.by_type.items():
            found = type_scores(counts)
            lines.append(
                f"{kind:>17}: precision: {found['precision']:6.2f}%; recall: {found['recall']:6.2f}%; "
                f"FB1: {found['f']:6.2f}  {counts[1]}"
            )
        return "\n".join(lines)

    def __str__(self) -> str:
        bounds = "; ".join(f"{part} {each.low:.2f} to {each.high:.2f}" for part, each in self.intervals.items())
        return "\n".join([self.conlleval(), "", f"Intervals: {bounds}.", self.signature, *self.notes])


def part_of(sums: Floats, part: str) -> float:
    """One part of the summed statistics of conlleval.

    Examples
    --------
    >>> part_of(np.array([1.0, 2.0, 4.0, 5.0, 10.0]), "precision")
    50.0
    """
    return float(ConllEval(part=part).score(sums))  # type: ignore[arg-type]  # the metric checks it


def type_scores(counts: tuple[int, int, int]) -> dict[str, Any]:
    """Precision, recall and F of a type, from its right, guessed and gold phrases.

    Examples
    --------
    >>> type_scores((1, 2, 1))["precision"]
    50.0
    """
    sums = np.array([*counts, 0, 0], np.float64)
    scores = {part: part_of(sums, part) for part in PARTS[1:]}
    return {**scores, "correct": counts[0], "guessed": counts[1], "gold": counts[2]}


def evaluate_tags(
    gold: Corpus,
    predicted: Corpus | str,
    *,
    column: str = "tag",
    raw: bool = False,
    resampling: Resampling | None = None,
) -> TagScores:
    """Compare tags with gold tags as conlleval does.

    Parameters
    ----------
    gold
        Sentences with gold tags.
    predicted
        The same sentences with other tags in a column of the same name; or the name of another column of `gold`.
    column
        The column of the tags.
    raw
        As conlleval with -r: every tag but O is a phrase of one token.
    resampling
        How intervals are found; with `group_by="document"`, documents are drawn as a whole, else sentences.

    Notes
    -----
    O(tokens + resamples sentences).

    Examples
    --------
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> gold = Corpus.of({"tag": ["B-NP", "I-NP", "O"], "guess": ["B-NP", "O", "O"]}, sizes=[3])
    >>> print(evaluate_tags(gold, "guess").conlleval())
    processed 3 tokens with 1 phrases; found: 1 phrases; correct: 0.
    accuracy:  66.67%; precision:   0.00%; recall:   0.00%; FB1:   0.00
                   NP: precision:   0.00%; recall:   0.00%; FB1:   0.00  1
    """
    right, guesses = same_sentences(gold, predicted, column)
    both = Column.of([*right.values, *guesses.values])
    codes, shifted = both.codes[: len(right.values)], both.codes[len(right.values) :]
    found = compare(both.values, codes[right.codes], gold.offsets[:-1], shifted[guesses.codes], gold.offsets, raw=raw)
    notes = [] if raw else _unread(both)
    return scores_of(found, gold, ConllEval(raw=raw), resampling, tuple(notes))


def same_sentences(gold: Corpus, predicted: Corpus | str, column: str) -> tuple[Column, Column]:
    """Two columns of the same sentences, which are checked to be the same."""
    if isinstance(predicted, str):
        return gold[column], gold[predicted]
    if len(gold) != len(predicted):
        raise DataError(f"expected the {len(gold):,} sentences of the gold tags; found {len(predicted):,}.")
    differing = np.flatnonzero(gold.sizes != predicted.sizes)
    if differing.size:
        at = int(differing[0])
        raise DataError(f"sentence {at + 1} has {gold.sizes[at]:,} gold tags; found {predicted.sizes[at]:,}.")
    if WORD in gold.columns and WORD in predicted.columns:
        for at, (one, other) in enumerate(zip(gold[WORD].texts(), predicted[WORD].texts(), strict=True)):
            if one != other:
                sentence = int(np.searchsorted(gold.offsets, at, side="right"))
                raise DataError(
                    f"sentence {sentence} has other words than the one with gold tags: expected {brief(one)}, "
                    f"found {brief(other)}."
                )
    return gold[column], predicted[column]


def scores_of(
    found: PhraseStatistics,
    gold: Corpus,
    metric: ConllEval,
    resampling: Resampling | None,
    notes: tuple[str, ...],
    what: str | None = None,
) -> TagScores:
    """Scores with their intervals; `what` names statistics that are not those of conlleval."""
    drawn = resampling or Resampling()
    if drawn.group_by == "document":
        if gold.documents is None:
            raise UsageError("the sentences have no documents to draw as a whole; leave out group_by.")
        drawn = dataclasses.replace(drawn, blocks=Column.of(gold.documents).codes.astype(np.int64))
    elif drawn.group_by not in (None, "none"):
        raise UsageError(f"sentences can be drawn by document or one by one; found group_by={drawn.group_by!r}.")
    intervals = {part: drawn.interval(found.rows, dataclasses.replace(metric, part=part)) for part in PARTS}  # type: ignore[arg-type]
    name = what or ("conlleval|phrases:raw" if metric.raw else "conlleval|phrases:conlleval-2004")
    parts = "|".join(part for part in drawn.signature_parts if not part.startswith("randomisation"))
    return TagScores(found.rows, found.by_type, intervals, f"{name}|{parts}", notes)


def _unread(tags: Column) -> list[str]:
    letters = {split_tag(value)[0] for value in tags.values} & _UNKNOWN_LETTERS
    if not letters:
        return []
    return [
        f"The tags have the letters {', '.join(sorted(letters))}, whose phrases conlleval does not all read; "
        "convert the tags to bio for the numbers of phrases."
    ]
