"""Plain texts as words in slots of a confusion network, for combinations."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeGuard

from runoff.combine.parts import Part, PartReader, Shape
from runoff.errors import ModelError, UsageError
from runoff.metrics import CER, get
from runoff.metrics.normalisation import NormalisedMetric
from runoff.tasks.text.confusion_network import NOTHING, ConfusionNetwork
from runoff.tasks.text.word_clues import word_clues
from runoff.tasks.text.word_counts import WordCounts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

TOKENS = ("words", "characters")
_KEPT = 8  # networks: a list is split, judged and joined in a row


@dataclass(frozen=True)
class TextParts(PartReader):
    """Words of a list's texts, aligned into a confusion network: in every slot each text has a word or none.

    Parameters
    ----------
    tokens
        words: what stands between white space; characters: every character, white space being one blank, for
        languages that are written without blanks.
    metric
        A metric whose normalisation says which words are the same, such as `wer[case=lower]`; a combined text then has
        a word in the form that most candidates have it in. Default: words are the same if they are written the same.

    counts
        How often words occur in references, see `learned`.

    Examples
    --------
    >>> reader = TextParts(metric="wer[case=lower]")
    >>> texts = ["The cat sat", "the cat sat down", "A cat sad"]
    >>> [[part.label for part in parts] for parts in reader.split(texts)]
    [['the', 'cat', 'sat', ''], ['the', 'cat', 'sat', 'down'], ['a', 'cat', 'sad', '']]
    >>> reader.join([Part(0, 1, "a"), Part(1, 2, "cat"), Part(2, 3, "sat"), Part(3, 4, "")], texts)
    'A cat sat'
    >>> reader.right([Part(2, 3, "sat"), Part(2, 3, "sad"), Part(3, 4, "")], texts, ["the cat sad"])
    [False, True, True]
    """

    tokens: str = "words"
    metric: str | None = None
    counts: WordCounts | None = field(default=None, compare=False, repr=False)
    unit: ClassVar[str] = "words"
    shape: ClassVar[Shape] = "slots"

    def __post_init__(self) -> None:
        if self.tokens not in TOKENS:
            raise UsageError(f"the tokens of texts are {' or '.join(TOKENS)}; found {self.tokens!r}.")
        _normaliser(self.metric)

    @classmethod
    def judged_by(cls, metric: str | None) -> TextParts:
        """Parts of texts that are judged by a metric: characters for cer, and words that its options make the same.

        Examples
        --------
        >>> TextParts.judged_by("cer[case=lower]"), TextParts.judged_by("bleu")
        (TextParts(tokens='characters', metric='cer[case=lower]'), TextParts(tokens='words', metric=None))
        """
        try:
            found = None if metric is None else get(metric)
        except UsageError:  # a metric of somebody's own says nothing of words
            found = None
        if not isinstance(found, NormalisedMetric):
            return cls()
        return cls("characters" if isinstance(found, CER) else "words", found.label if found != type(found)() else None)

    def split(self, texts: Sequence[str]) -> list[list[Part]]:
        """The word of every candidate in every slot, "" for none. Cost of `ConfusionNetwork.of`."""
        return [[Part(slot, slot + 1, word) for slot, word in enumerate(row)] for row in self.network(texts).rows()]

    def join(self, parts: Sequence[Part], texts: Sequence[str]) -> str:
        """The words of these slots from left to right, written as most of the candidates that have them write them."""
        said = [part for part in sorted(parts) if part.label != NOTHING]
        written = {} if self.metric is None else self._written(texts)
        return ("" if self.tokens == "characters" else " ").join(written.get(part, part.label) for part in said)

    def right(self, parts: Sequence[Part], texts: Sequence[str], references: Sequence[str]) -> list[bool]:
        """Whether each part is what the reference has in its slot.

        The reference is aligned so that as few of its words as possible are in no slot that has them; of several
        references the first that lies nearest to the network counts.
        """
        if not references:
            return [False for _ in parts]
        said = self.network(texts).against(self._nearest(texts, references))
        return [part.start < len(said) and said[part.start] == part.label for part in parts]

    def size(self, texts: Sequence[str], references: Sequence[str]) -> int:
        """Words of the nearest reference."""
        return len(self._nearest(texts, references)) if references else 0

    def outline(self, parts: Sequence[Part], text: str) -> str | None:  # noqa: ARG002 - there are too many
        """None: few texts have the same words throughout."""
        return None

    def clues(
        self,
        parts: Sequence[Part],
        texts: Sequence[str],
        given: str | None,  # noqa: ARG002 - words say enough
        attributes: Mapping[str, str],  # noqa: ARG002
    ) -> list[list[str]]:
        """The words themselves, what stands beside them and against them; see `word_clues`."""
        network = self.network(texts)
        return word_clues(parts, network.rows(), network.likeness, self.counts)

    def learned(self, references: Iterable[Sequence[str]]) -> TextParts:
        """Count words and their neighbours in the references."""
        return replace(self, counts=WordCounts.of(self._forms(text)[0] for own in references for text in own))

    def without(self, references: Sequence[str]) -> TextParts:
        """The counts less those of these references."""
        if self.counts is None:
            return self
        return replace(self, counts=self.counts.without(self._forms(text)[0] for text in references))

    def state(self) -> dict[str, Any]:
        """The counts."""
        return {} if self.counts is None else {"words": dict(self.counts.words), "pairs": dict(self.counts.pairs)}

    def restored(self, state: Mapping[str, Any]) -> TextParts:
        """A reader with these counts; they are checked."""
        if not state:
            return self
        words, pairs = state.get("words"), state.get("pairs")
        if not (_are_counts(words) and _are_counts(pairs)):
            raise ModelError("the counts of words that its reader learned must be whole numbers above 0")
        return replace(self, counts=WordCounts.restored(words, pairs))

    def network(self, texts: Sequence[str]) -> ConfusionNetwork:
        """The confusion network of a list; the last few are kept."""
        return _network(tuple(texts), TextParts(self.tokens, self.metric))

    def _nearest(self, texts: Sequence[str], references: Sequence[str]) -> list[str]:
        """Words of the reference with the fewest edits to a path; of several the first."""
        words = [self._forms(reference)[0] for reference in references]
        return words[0] if len(words) == 1 else min(words, key=self.network(texts).fewest_edits)

    def _forms(self, text: str) -> tuple[list[str], list[str]]:
        """Tokens of a text as they are compared, and as they are written."""
        written = text.split() if self.tokens == "words" else list(" ".join(text.split()))
        metric = _normaliser(self.metric)
        if metric is None:
            return written, written
        # What the metric does not see, such as a dash, is a word all the same: a combined text should have it.
        return [" ".join(metric.prepared(token).split()) or token for token in written], written

    def _written(self, texts: Sequence[str]) -> dict[Part, str]:
        """How most of the candidates write each part; of equally many the first."""
        forms: dict[Part, Counter[str]] = {}
        for text, row in zip(texts, self.network(texts).rows(), strict=True):
            written = iter(self._forms(text)[1])
            for slot, label in enumerate(row):
                if label != NOTHING:
                    forms.setdefault(Part(slot, slot + 1, label), Counter())[next(written)] += 1
        return {part: found.most_common(1)[0][0] for part, found in forms.items()}


def _normaliser(metric: str | None) -> NormalisedMetric | None:
    found = None if metric is None else get(metric)
    if found is None or isinstance(found, NormalisedMetric):
        return found
    raise UsageError(f"{metric} does not say how words are normalised; give wer or cer with options, or no metric.")


def _are_counts(found: object) -> TypeGuard[dict[str, int]]:
    return isinstance(found, dict) and all(type(count) is int and count > 0 for count in found.values())


@lru_cache(_KEPT)
def _network(texts: tuple[str, ...], reader: TextParts) -> ConfusionNetwork:
    return ConfusionNetwork.of([reader._forms(text)[0] for text in texts])  # noqa: SLF001 - the same file
