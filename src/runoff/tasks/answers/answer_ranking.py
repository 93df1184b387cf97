"""From ranked candidates to answers: candidates that say the same vote for one answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from runoff.tasks.answers.candidates import answer_key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.arrays import Floats
    from runoff.model import LinearModel
    from runoff.model.calibration import Calibration
    from runoff.nbest import NBest
    from runoff.tasks.answers.candidates import AnswerCandidate

_MOST_REASONS = 5
_LEAST, _MOST = 3e-7, 15.0  # of a share, and of log odds: no held-out data can tell more


class SourcedSentence(NamedTuple):
    """A sentence, the passage that it is from, and its file and line."""

    text: str
    id: str
    file: str
    line: int


class Answer(NamedTuple):
    """An answer, its share of the votes, its best sentence, and how many sentences give it."""

    text: str
    share: float  # of the probability of all candidates
    source: SourcedSentence
    sentences: int
    features: Mapping[str, float]  # of its best candidate


@dataclass(frozen=True)
class Answers:
    """The answers to one question, the best first, and how likely it is that the first one is right.

    Examples
    --------
    >>> none = Answers("Who?", (), None, ())
    >>> none.best, none.at_least(0.5).abstained
    (None, True)
    """

    question: str
    answers: tuple[Answer, ...]
    confidence: float | None  # calibrated; None where the model has no calibration, or there are no candidates
    reasons: tuple[tuple[str, float], ...]  # what most speaks for the first answer against the second
    abstained: bool = False

    @property
    def best(self) -> Answer | None:
        """The first answer; None without any, or where the answerer abstained."""
        return self.answers[0] if self.answers and not self.abstained else None

    def at_least(self, confidence: float) -> Answers:
        """The same, abstained where the confidence is too low or there is no answer."""
        sure = self.confidence is None or self.confidence >= confidence
        return Answers(self.question, self.answers, self.confidence, self.reasons, not (self.answers and sure))

    def to_dict(self, most: int = 5) -> dict[str, Any]:
        """Plain values, for JSON, with the best answers."""
        return {
            "question": self.question,
            "answer": self.best.text if self.best else None,
            "confidence": self.confidence,
            "answers": [
                {"text": each.text, "share": each.share, "sentences": each.sentences, **_source(each.source)}
                for each in self.answers[:most]
            ],
            "reasons": dict(self.reasons),
        }


def ranked_answers(
    model: LinearModel,
    data: NBest,
    candidates: Sequence[Sequence[AnswerCandidate]],
    questions: Sequence[str],
    sources: Sequence[Sequence[SourcedSentence]],
) -> list[Answers]:
    """Answers of every list: candidates with the same words share their probability. O(candidates log)."""
    if not data.n_candidates:
        return [Answers(question, (), None, ()) for question in questions]
    probabilities, scores = model.probabilities(data), model.scores(data)
    table = data.features.to_scipy().toarray()
    names = data.features.column_names().to_pylist()
    out = []
    for at, (question, own) in enumerate(zip(questions, candidates, strict=True)):
        first, last = int(data.offsets[at]), int(data.offsets[at + 1])
        groups: dict[str, list[int]] = {}
        for row, candidate in enumerate(own):
            groups.setdefault(answer_key(candidate.text), []).append(row)
        answers, best_rows = [], []
        rows_of = [[first + row for row in rows] for rows in groups.values()]
        for rows in groups.values():
            best = max(rows, key=lambda row: (scores[first + row], -row))
            features = dict(zip(names, table[first + best].tolist(), strict=True))
            share = float(probabilities[first:last][rows].sum())
            n_sentences = len({own[row].sentence for row in rows})
            answers.append(Answer(own[best].text, share, sources[at][own[best].sentence], n_sentences, features))
            best_rows.append(first + best)
        order = sorted(range(len(answers)), key=lambda one: (-answers[one].share, best_rows[one]))
        reasons = _reasons(model, data[at], [best_rows[one] - first for one in order[:2]])
        confidence = None
        if model.calibration is not None and order:
            first_rows = [row - first for row in rows_of[order[0]]]
            confidence = _confidence(model.calibration, scores[first:last], first_rows)
        out.append(Answers(question, tuple(answers[one] for one in order), confidence, reasons))
    return out


def _confidence(calibration: Calibration, scores: Floats, rows: Sequence[int]) -> float:
    """That an answer is right, as the calibration has it: from the odds of all candidates that say it."""
    if len(rows) == scores.size:
        return calibration.alone
    shares = np.exp(calibration.sharpness * (scores - scores.max()))
    same = shares[rows].sum() / shares.sum()
    odds = np.log(np.maximum(same, _LEAST)) - np.log(np.maximum(1 - same, _LEAST))
    return float(1 / (1 + np.exp(-np.clip(calibration.intercept + calibration.slope * odds, -_MOST, _MOST))))


def _reasons(model: LinearModel, part: NBest, rows: Sequence[int]) -> tuple[tuple[str, float], ...]:
    """What adds most to the lead of the first answer over the second, by the best candidate of each."""
    if len(rows) < 2:
        return ()
    found, _ = model.contributions(model.prepare(part), *rows)
    return tuple((each.name, each.amount) for each in found[:_MOST_REASONS] if each.amount)


def _source(source: SourcedSentence) -> dict[str, Any]:
    return {"sentence": source.text, "passage": source.id, "file": source.file, "line": source.line}
