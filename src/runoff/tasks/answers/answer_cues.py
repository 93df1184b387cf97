"""Cues that a sentence has the kind of thing that a question asks for; which go with which is learned."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runoff.errors import ModelError
from runoff.tasks.answers.annotated import leading_letter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from runoff.tasks.answers.supersenses import Supersenses

_ASKS = re.compile(
    r"\b(?:who|whom|whose|when|where|why|which|what|how(?: (?:many|much|long|old|far|big|tall|often))?)\b"
)
_SHAPES = (
    ("year", re.compile(r"(?:1[0-9]|20)\d\ds?")),
    ("ordinal", re.compile(r"\d+(?:st|nd|rd|th)")),
    ("number", re.compile(r"[\d.,]*\d[\d.,]*(?:-\w+)?")),
    ("money", re.compile(r"[$£€]")),
    ("percent", re.compile(r"%|percent")),
    ("bracket", re.compile(r"[()]|-[LR]RB-")),
    ("quote", re.compile(r"``|''|\"")),
)
_MONTHS = frozenset(
    ["january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december"]
)
_AMOUNTS = frozenset(
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "hundred", "thousand", "million"]
)
_TOLD = frozenset(["because", "by", "due", "called", "named", "known", "born", "located", "means", "is", "was", "in"])
_OPEN = ("what", "which", "none")  # what the next noun says
_PRIOR = 4.0  # sentences that the chances of all questions count for in those of one kind
_STOP = frozenset(
    ["a", "an", "the", "of", "is", "are", "was", "were", "did", "do", "does", "'s", "in", "to", "for", "?"]
)


def question_keys(question: Sequence[str], senses: Supersenses) -> tuple[str, ...]:
    """What a question asks for, the general first: its question word, the sense of the noun after it, the noun.

    Examples
    --------
    >>> from runoff.tasks.answers.supersenses import Supersenses
    >>> question_keys(["what", "bird", "sings", "?"], Supersenses.shipped())
    ('', 'what', 'what noun.animal', 'what bird')
    """
    text = " ".join(question).lower()
    found = _ASKS.search(text)
    asks = found[0] if found else "none"
    after = [word for word in (text[found.end() :] if found else text).split() if word not in _STOP]
    if asks not in _OPEN or not after:
        return ("", asks)
    sense = senses.of(after[0], "NN")
    return ("", "what", f"what {sense}", f"what {after[0]}")


def class_keys(name: str) -> tuple[str, ...]:
    """The same for the class of a question.

    Examples
    --------
    >>> class_keys("NUM:date"), class_keys("")
    (('', 'NUM', 'NUM:date'), ('',))
    """
    return tuple(dict.fromkeys(("", name.partition(":")[0], name)))


def sentence_cues(
    sentence: Sequence[str], question: Sequence[str], senses: Supersenses, entities: Sequence[str] | None = None
) -> frozenset[str]:
    """What a sentence has that the question has not: numbers, dates, names, entities, supersenses.

    Examples
    --------
    >>> from runoff.tasks.answers.supersenses import Supersenses
    >>> sorted(sentence_cues(["born", "1815"], ["When"], Supersenses.shipped()))
    ['noun.person', 'shape year', 'told born']
    """
    asked = {word.lower() for word in question}
    found: set[str] = set()
    for at, word in enumerate(sentence):
        lower = word.lower()
        if lower in asked:
            continue
        for name, shape in _SHAPES:
            if shape.fullmatch(lower):
                found.add(f"shape {name}")
                break
        if lower in _MONTHS:
            found.add("month")
        elif lower in _AMOUNTS:
            found.add("amount")
        elif lower in _TOLD:
            found.add(f"told {lower}")
        if at and word[:1].isupper():
            found.add("capital")
        if len(lower) > 2 and lower.isalpha():
            sense = senses.of(lower, "NN")
            if sense is not None:
                found.add(sense)
        tag = "O" if entities is None else leading_letter(entities[at])
        if tag != "O":
            found.add(f"entity {tag[2:]}")
    return frozenset(found)


@dataclass(frozen=True)
class AnswerCues:
    """For every kind of question, the logarithm of how much likelier each cue is in sentences that answer.

    Examples
    --------
    >>> keys, year, name = ("", "when"), frozenset(["year"]), frozenset(["name"])
    >>> cues = AnswerCues.learn([(keys, year, True), (keys, name, False)] * 9)
    >>> cues.total(keys, year) > 0 > cues.total(keys, name)
    True
    """

    weights: Mapping[str, Mapping[str, float]]  # by key and cue

    @classmethod
    def learn(cls, seen: Iterable[tuple[Sequence[str], frozenset[str], bool]]) -> AnswerCues:
        """From keys of questions, cues of their sentences, and whether these answer. O(keys x cues)."""
        totals: Counter[tuple[str, bool]] = Counter()
        counts: dict[tuple[str, bool], Counter[str]] = {}
        parent: dict[str, str] = {}
        for keys, cues, answers in seen:
            for before, key in zip(("", *keys), keys, strict=False):
                parent[key] = before
                totals[key, answers] += 1
                counts.setdefault((key, answers), Counter()).update(cues)
        names = sorted({cue for own in counts.values() for cue in own})
        chances: dict[tuple[str, bool], dict[str, float]] = {}
        weights: dict[str, dict[str, float]] = {}
        for key in sorted(parent, key=lambda each: _depth(each, parent)):
            for answers in (True, False):
                own, total = counts.get((key, answers), Counter()), totals[key, answers]
                above = chances[parent[key], answers] if key else dict.fromkeys(names, 0.1)
                chances[key, answers] = {cue: (own[cue] + _PRIOR * above[cue]) / (total + _PRIOR) for cue in names}
            right, wrong = chances[key, True], chances[key, False]
            weights[key] = {cue: math.log(right[cue] / wrong[cue]) for cue in names}
        return cls(weights)

    def total(self, keys: Sequence[str], cues: frozenset[str]) -> float:
        """The sum for the most particular key that is known; 0 without any cue."""
        own = next((self.weights[key] for key in reversed(keys) if key in self.weights), {})
        return sum(own.get(cue, 0.0) for cue in sorted(cues))

    def best(self, keys: Sequence[str], cues: frozenset[str]) -> float:
        """The largest of the cues; 0 without any."""
        own = next((self.weights[key] for key in reversed(keys) if key in self.weights), {})
        return max((own.get(cue, 0.0) for cue in cues), default=0.0)

    @classmethod
    def from_dict(cls, values: Any) -> AnswerCues:
        """From `weights`, with a full check."""
        if not isinstance(values, dict) or not all(
            isinstance(own, dict) and all(type(weight) is float and math.isfinite(weight) for weight in own.values())
            for own in values.values()
        ):
            raise ModelError("the weights of answer cues are damaged.")
        return cls(values)


def _depth(key: str, parent: Mapping[str, str]) -> int:
    steps = 0
    while key:
        key, steps = parent[key], steps + 1
    return steps
