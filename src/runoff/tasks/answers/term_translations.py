"""How likely a question is, given a sentence that answers it: words translate into others (Xue, Jeon & Croft 2008)."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runoff.errors import ModelError
from runoff.metrics.tokens import tokenised
from runoff.tasks.translation.aligner import align_bitext
from runoff.tasks.translation.bitext import Bitext

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.tasks.answers.term_counts import TermCounts

_LEAST = 0.01  # of the probabilities that are kept
_TRANSLATED, _BACKGROUND = 0.4, 0.2  # shares of translations, beside words as they are, and of the collection


@dataclass(frozen=True)
class TermTranslations:
    """p(term of a question | term of a sentence), by IBM model 1 over questions and the sentences that answer them.

    Examples
    --------
    >>> from runoff.tasks.answers.term_counts import TermCounts
    >>> translations = TermTranslations.learn([(["write"], ["author"]), (["write", "sing"], ["author", "song"])])
    >>> counts = TermCounts(9, {})
    >>> one, other = (translations.likelihood(["write"], [term], counts) for term in ("author", "song"))
    >>> one > other
    True
    """

    table: Mapping[str, Mapping[str, float]]  # by the sentence's term, then the question's

    @classmethod
    def learn(cls, pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> TermTranslations:
        """From terms of questions and of sentences that answer them. O(terms of the one times those of the other)."""
        filled = [(asked, told) for asked, told in pairs if asked and told]
        if not filled:
            return cls({})
        asked, told = ([" ".join(side) for side in sides] for sides in zip(*filled, strict=True))
        bitext = Bitext(tokenised(told, str.split), tokenised(asked, str.split))
        direct = align_bitext(bitext, "model1").direct.pruned(_LEAST)
        ours, theirs = direct.source_words.to_pylist(), direct.target_words.to_pylist()
        starts, words, chances = direct.starts.tolist(), direct.words.tolist(), direct.probabilities.tolist()
        return cls(
            {
                ours[row - 1]: {theirs[words[at]]: chances[at] for at in range(starts[row], starts[row + 1])}
                for row in range(1, len(ours) + 1)
                if starts[row] < starts[row + 1]
            }
        )

    def likelihood(self, asked: Sequence[str], told: Sequence[str], counts: TermCounts) -> float:
        """Mean logarithm of the probability of the question's terms: they stand there, are translated, or by chance."""
        if not asked:
            return 0.0
        here = Counter(told)
        size = max(len(told), 1)
        total = 0.0
        for term in asked:
            translated = sum(many * self.table.get(each, {}).get(term, 0.0) for each, many in here.items())
            own = (1 - _TRANSLATED) * here[term] + _TRANSLATED * translated
            chance = (counts.counts.get(term, 1) + 0.5) / ((counts.sentences + 1) * counts.mean_length)
            total += math.log((1 - _BACKGROUND) * own / size + _BACKGROUND * chance)
        return total / len(asked)

    @classmethod
    def from_dict(cls, values: Any) -> TermTranslations:
        """From `table`, with a full check."""
        if not isinstance(values, dict) or not all(
            isinstance(row, dict) and all(type(chance) is float and 0 <= chance <= 1 for chance in row.values())
            for row in values.values()
        ):
            raise ModelError("its translations of terms are damaged.")
        return cls(values)
