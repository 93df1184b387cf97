"""Weights of a translator, learned from its own n-best lists in rounds, until these have nothing new."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from runoff.errors import DataError, UsageError
from runoff.learners import CRF, LogLinear, Mert, Perceptron, Pro
from runoff.nbest import NBest
from runoff.tables import text_table
from runoff.tasks.translation.candidate_pool import CandidatePool
from runoff.tasks.translation.translation_scores import metric_of_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from runoff.learners import Learner
    from runoff.metrics.text_metric import TextMetric
    from runoff.tasks.translation.translator import Translator

# What the papers and our own learners make of the pooled lists. Where they rank, a candidate counts by what it adds to
# the score of all: by sentence BLEU, translations become too short.
TUNERS: dict[str, tuple[type[Learner], dict[str, Any]]] = {
    "mert": (Mert, {"restarts": 20}),
    "pro": (Pro, {"credit": "corpus"}),
    "crf": (CRF, {"objective": "el", "l2": [1e-4, 1e-2], "max_iter": 80}),
    "loglinear": (LogLinear, {"right": "tied"}),
    "best-vs-rest": (Perceptron, {"order": "best-vs-rest", "credit": "corpus"}),
    "splitting": (Perceptron, {"order": "gap", "credit": "corpus"}),
    "orum": (Perceptron, {"order": "orum", "credit": "corpus"}),
}
_OF_TUNING = ("metric", "seed", "calibration", "verbose", "start")  # which tuning gives to learners


class TuningRound(NamedTuple):
    """One decoding of the tuning sentences, and what was learned from all lists so far."""

    number: int
    score: float  # of the first translations, by the weights that the round began with
    reranked: float  # of the choices among all candidates so far, by the weights that it ended with
    candidates: int  # different ones so far
    new: int
    seconds: float


@dataclass(frozen=True)
class Tuning:
    """The rounds of a tuning and its best weights.

    Examples
    --------
    >>> Tuning("mert", "bleu", (), {"lm": 0.5}, best=1, finished=True).to_dict()["weights"]
    {'lm': 0.5}
    """

    method: str
    metric: str
    rounds: tuple[TuningRound, ...]
    weights: Mapping[str, float]
    best: int  # number of the round that began with these weights
    finished: bool  # whether the last round found next to nothing new, rather than being the last one allowed

    @property
    def best_score(self) -> float:
        """What the weights gave on the tuning sentences."""
        return self.rounds[self.best - 1].score

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "method": self.method,
            "metric": self.metric,
            "rounds": [each._asdict() for each in self.rounds],
            "weights": dict(self.weights),
            "best": self.best,
            "finished": self.finished,
        }

    def __str__(self) -> str:
        rows = [
            [
                str(each.number),
                f"{each.score:.2f}",
                f"{each.reranked:.2f}" if np.isfinite(each.reranked) else "",  # the last round learns nothing
                f"{each.candidates:,}",
                f"{each.new:,}",
                f"{each.seconds:.1f}",
            ]
            for each in self.rounds
        ]
        columns = ["round", f"{self.metric} of the first", "of the choices among all", "candidates", "new", "seconds"]
        return text_table(columns, rows)


def tune(
    translator: Translator,
    source: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    method: str = "mert",
    settings: Mapping[str, Any] | None = None,
    metric: str = "bleu",
    k: int = 100,
    rounds: int = 12,
    seed: int = 0,
    verbose: bool = False,
    say: Callable[[str], object] = print,
) -> tuple[Translator, Tuning]:
    """Decode, learn weights from all candidates so far, and decode again (Och 2003).

    It stops when a round finds next to nothing new (one candidate in a thousand) or after `rounds`. The weights are
    those whose own first translations were best; a last decoding judges the last ones.

    Parameters
    ----------
    translator
        Where to start.
    source, references
        Sentences that training has not seen, and their translations, one or more each.
    method
        One of `TUNERS`: "mert" (Och 2003), "pro" (Hopkins & May 2011), expected loss of a random field ("crf"), a
        log-linear model, or the perceptrons of Shen & Joshi.
    settings
        Parameters of the learner that differ from its defaults.
    metric
        What is tuned, such as bleu, chrf or ter.
    k
        Different translations a sentence and round.
    rounds
        Most rounds.
    seed
        Of the learner.

    Examples
    --------
    >>> better, tuning = tune(translator, ["das Haus"], [["the house"]], k=50)  # doctest: +SKIP
    >>> print(tuning)  # doctest: +SKIP
    """
    found = metric_of_texts(metric)
    if k < 2 or rounds < 1:
        raise UsageError(f"tuning takes lists of at least 2 in at least 1 round; found {k} in {rounds}.")
    if not len(source):
        raise DataError("there are no sentences to tune on.")
    learner = _tuner(method, settings or {}).set_params(metric=found, seed=seed, calibration="none", verbose=False)
    pool, weights = CandidatePool(found), dict(translator.weights)
    done: list[TuningRound] = []
    tried: list[dict[str, float]] = []
    finished = False
    while len(done) <= rounds:
        began, number = time.monotonic(), len(done) + 1
        is_last = number > rounds or finished
        decoded = translator.with_weights(weights)
        lists = decoded.nbest(source, 1 if is_last else k, references=references, verbose=verbose)
        new = pool.add(lists)
        if not new:  # there is nothing more to learn from
            is_last = finished = True
        score = _first(found, lists)
        tried.append(weights)
        data, reranked = pool.data, float("nan")
        if not is_last:
            weights, reranked = _learned(learner, data, weights, found)
        done.append(TuningRound(number, score, reranked, data.n_candidates, new, time.monotonic() - began))
        say(f"round {number}: {metric} {score:.2f}, {new:,} new candidates of {data.n_candidates:,}.")
        if is_last:
            break
        finished = new * 1000 <= data.n_candidates
    sign = 1 if found.higher_is_better else -1
    best = int(np.argmax([sign * each.score for each in done]))
    tuning = Tuning(method, metric, tuple(done), tried[best], best + 1, finished)
    provenance = {**translator.provenance, "tuning": _without_times(tuning.to_dict())}
    return replace(translator, weights=dict(tried[best]), provenance=provenance), tuning


def _learned(
    learner: Learner, data: NBest, weights: dict[str, float], metric: TextMetric
) -> tuple[dict[str, float], float]:
    """Weights by the learner, as long as the old ones, and the metric of their choices."""
    learner = learner.clone()
    model = (learner.set_params(start=weights) if isinstance(learner, Mert) else learner).fit(data).model
    if model.provenance.get("finished") is False:
        raise KeyboardInterrupt
    names = list(weights)
    # Scores are linear in the terms: the score of a unit vector is its weight.
    units = NBest.from_arrays(np.eye(len(names) + 1, len(names)), sizes=[len(names) + 1], feature_names=names)
    scores = model.scores(units)
    learned = dict(zip(names, (scores[:-1] - scores[-1]).tolist(), strict=True))
    differs = _varying(data, names)
    length = sum(abs(weights[name]) for name in names if differs[name])
    scale = length / (sum(abs(learned[name]) for name in names if differs[name]) or 1.0)
    out = {name: learned[name] * scale if differs[name] else weights[name] for name in names}
    rows = metric.rows(data, model.ranking(data))
    return out, float(metric.score(rows.sum(axis=0)))


def _tuner(method: str, settings: Mapping[str, Any]) -> Learner:
    """The learner of a method, with settings in place of its usual ones."""
    if method not in TUNERS:
        raise UsageError(f"there is no method {method!r} of tuning; there are: {', '.join(TUNERS)}.")
    for name in _OF_TUNING:
        if name in settings:
            raise UsageError(f"{name} is no setting of a method of tuning: the rounds have it for themselves.")
    kind, usual = TUNERS[method]
    return kind().set_params(**{**usual, **settings})


def _varying(data: NBest, names: Sequence[str]) -> dict[str, bool]:
    """Which terms differ within a list; of the others, nothing can be learned."""
    table = data.features.to_scipy().tocsc()
    columns = data.features.column_names().to_pylist()
    first = data.offsets[:-1][data.sizes > 0]
    out = dict.fromkeys(names, False)
    for at, name in enumerate(columns):
        values = table[:, [at]].toarray().ravel()
        out[name] = bool(np.any(values != np.repeat(values[first], data.sizes[data.sizes > 0])))
    return out


def _without_times(tuning: dict[str, Any]) -> dict[str, Any]:
    """What the same tuning always gives, so that files of the same translator are the same."""
    rounds = [{key: value for key, value in each.items() if key != "seconds"} for each in tuning["rounds"]]
    return {**tuning, "rounds": rounds}


def _first(metric: TextMetric, lists: NBest) -> float:
    rows = metric.statistics(lists)[lists.offsets[:-1][lists.sizes > 0]]
    return float(metric.score(rows.sum(axis=0)))
