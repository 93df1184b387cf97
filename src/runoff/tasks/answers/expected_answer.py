"""E: whether a candidate is of the type that the question asks for, and how sure that is; learned from answers."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import ModelError
from runoff.tasks.answers.candidates import PHRASE
from runoff.tasks.answers.levels import entity_tag, sense_tag
from runoff.tasks.answers.question_types import coarse_class

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from runoff.arrays import Floats
    from runoff.tasks.answers.annotated import AnnotatedSentence
    from runoff.tasks.answers.candidates import AnswerCandidate
    from runoff.tasks.answers.levels import SenseSource

NUMBER = "number"
_LIFT, _LEAST = 1.5, 0.1  # how much more of the right candidates than of all have an expected type, and their share
_NOTHING = 1e-3  # probability of a class that is left out
_PRIOR = 4.0  # questions that the shares of a coarse class, or of all questions, count for in a finer one


def answer_types(candidate: AnswerCandidate, sentence: AnnotatedSentence, senses: SenseSource) -> tuple[str, ...]:
    """Class of the entity, supersenses of its nouns, "number" for one with a digit, "phrase" where nothing is known.

    Examples
    --------
    >>> from runoff.tasks.answers.annotated import AnnotatedSentence
    >>> from runoff.tasks.answers.candidates import AnswerCandidate
    >>> class Few:
    ...     def of(self, word, pos):
    ...         return {"miles": "noun.quantity"}.get(word)
    >>> sentence = AnnotatedSentence(("about", "30", "miles"), ("RB", "CD", "NNS"))
    >>> answer_types(AnswerCandidate(0, 1, 3, "phrase", "30 miles"), sentence, Few())
    ('nounQuantity', 'number')
    """
    found = {entity_tag(candidate.kind)} if candidate.kind != PHRASE else set()
    for word, pos in zip(
        sentence.words[candidate.start : candidate.stop], sentence.pos[candidate.start : candidate.stop], strict=True
    ):
        if pos.startswith("N") and (sense := senses.of(word, pos)):
            found.add(sense_tag(sense))
        if any(map(str.isdigit, word)):
            found.add(NUMBER)
    return tuple(sorted(found)) or (PHRASE,)


@dataclass(frozen=True)
class ExpectedAnswer:
    """For every class of questions, the share of right candidates that have each type, beside that of all candidates.

    A type is expected where right candidates have it half as often again as others, and at least every tenth has it.
    Shares of a class with few questions lean on its coarse class, the part before a colon, and this on all questions.

    Examples
    --------
    >>> person, date = ("PERSON",), ("DATE",)
    >>> expected = ExpectedAnswer.learn([{"HUM:ind": 1.0}, {"NUM:date": 1.0}] * 9, [[person, date]] * 18,
    ...                                 [[True, False], [False, True]] * 9)
    >>> expected.types("HUM:ind"), expected.scores({"HUM:ind": 0.75, "NUM:date": 0.25}, [person, date]).tolist()
    (('PERSON',), [0.75, 0.25])
    """

    classes: Mapping[str, Mapping[str, float]]  # share of right candidates with a type, by class; "" is of all
    usual: Mapping[str, float]  # of all candidates

    @classmethod
    def learn(
        cls,
        questions: Sequence[Mapping[str, float]],
        types: Sequence[Sequence[tuple[str, ...]]],
        right: Sequence[Sequence[bool]],
    ) -> ExpectedAnswer:
        """From probabilities of the classes of questions, the types of their candidates, and which of them are right.

        Every question counts once, its candidates share it. O(candidates).
        """
        usual: dict[str, float] = defaultdict(float)
        sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        weights: dict[str, float] = defaultdict(float)
        filled = 0
        for question, own, good in zip(questions, types, right, strict=True):
            if not own:
                continue
            filled += 1
            _add(usual, own, 1.0)
            chosen = [each for each, is_right in zip(own, good, strict=True) if is_right]
            if not chosen:
                continue
            for kind, probability in question.items():
                for name in {kind, coarse_class(kind), ""}:
                    weights[name] += probability
                    _add(sums[name], chosen, probability)
        shares: dict[str, dict[str, float]] = {}
        # Coarse classes come before fine ones, which lean on them.
        for name in sorted(sums, key=lambda each: (each != "", coarse_class(each) != each, each)):
            above = shares.get("" if coarse_class(name) == name else coarse_class(name), {})
            own_sums, prior = sums[name], _PRIOR if name else 0.0
            shares[name] = {
                kind: (own_sums[kind] + prior * above.get(kind, 0.0)) / (weights[name] + prior)
                for kind in sorted({*own_sums, *above})
            }
        return cls(shares, {kind: count / max(filled, 1) for kind, count in sorted(usual.items())})

    def types(self, question_class: str) -> tuple[str, ...]:
        """Expected types of the answers to questions of a class; those of its coarse class if it is not known."""
        shares = self._shares(question_class)
        return tuple(
            kind for kind, share in shares.items() if share >= _LEAST and share >= _LIFT * self.usual.get(kind, 0)
        )

    def scores(self, question: Mapping[str, float], candidates: Sequence[tuple[str, ...]]) -> Floats:
        """E of candidates by their types: the probability of the classes that expect one of them."""
        out = np.zeros(len(candidates))
        for name, probability in question.items():
            if probability < _NOTHING:
                continue
            expected = self._expected(name)
            out += probability * np.array([not expected.isdisjoint(own) for own in candidates], np.float64)
        return np.minimum(out, 1.0)

    def affinity(self, question: Mapping[str, float], candidates: Sequence[tuple[str, ...]]) -> Floats:
        """Logarithm of how much more often right candidates have a type than all have; of a candidate's types the best.

        The shares of the classes are averaged by their probabilities.
        """
        mixed: dict[str, float] = defaultdict(float)
        for name, probability in question.items():
            for kind, share in self._shares(name).items() if probability >= _NOTHING else ():
                mixed[kind] += probability * share
        little = 0.01
        lift = {kind: float(np.log((mixed[kind] + little) / (share + little))) for kind, share in self.usual.items()}
        worst = min(lift.values(), default=0.0)
        return np.array([max((lift.get(kind, worst) for kind in own), default=worst) for own in candidates], np.float64)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for a file."""
        return {"classes": {name: dict(each) for name, each in self.classes.items()}, "usual": dict(self.usual)}

    @classmethod
    def from_dict(cls, values: Any) -> ExpectedAnswer:
        """From `to_dict`, with a full check."""
        tables = [values["usual"], *values["classes"].values()]
        if not all(isinstance(table, dict) and all(_is_share(each) for each in table.values()) for table in tables):
            raise ModelError("its types of answers must have shares from 0 to 1.")
        return cls(values["classes"], values["usual"])

    def _shares(self, name: str) -> Mapping[str, float]:
        return next((self.classes[each] for each in (name, coarse_class(name), "") if each in self.classes), {})

    def _expected(self, name: str) -> frozenset[str]:
        if name not in self._cache:
            self._cache[name] = frozenset(self.types(name))
        return self._cache[name]

    @cached_property
    def _cache(self) -> dict[str, frozenset[str]]:
        return {}


def _add(counts: dict[str, float], candidates: Iterable[tuple[str, ...]], weight: float) -> None:
    """Let every type count by its share of the candidates."""
    all_of_them = list(candidates)
    for own in all_of_them:
        for kind in own:
            counts[kind] += weight / len(all_of_them)


def _is_share(value: object) -> bool:
    return type(value) in (int, float) and 0 <= value <= 1 + 1e-9  # type: ignore[operator]
