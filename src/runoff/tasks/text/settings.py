"""What is asked of the features of texts, before anything is learned."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runoff.errors import UsageError
from runoff.metrics import get, parse
from runoff.metrics.text_metric import TextMetric
from runoff.parameters import check_all, choice, optional, power_of_two, several, whole, words
from runoff.tasks.text.families import chosen
from runoff.tasks.text.lm.kenlm import ENGINES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.metrics import Metric
    from runoff.nbest import NBest
    from runoff.parameters import Check

FALLBACK = "chrf"  # compares texts where what they are judged by cannot: a person's scores, say
CHECKS: dict[str, Check] = {
    "families": words,
    "similarity": optional(words),
    "word_orders": several(whole(1, 8)),
    "character_orders": several(whole(1, 8)),
    "min_lists": whole(1),
    "hashed": power_of_two,
    "lm_order": whole(1, 6),
    "lm_engine": choice(*ENGINES),
    "lm": optional(words),
    "folds": whole(2),
    "seed": whole(0),
}


@dataclass(frozen=True)
class TextSettings:
    """Families of features and what they need to know.

    Parameters
    ----------
    families
        Names and sets with commas between them, see `runoff text families`; a minus takes one away.
    similarity
        Metric by which texts of a list are compared; by default the one that they are judged by, or chrF where that
        does not compare texts (people's scores) or takes too long for every pair (TER).
    word_orders, character_orders
        Lengths of the n-grams of the families `words` and `characters`.
    min_lists
        Lists in which an n-gram must tell candidates apart to get a column.
    hashed
        Columns that all n-grams of a family share by their hashes; 0: each has its own, with its name.
    lm_order, lm_engine, lm
        Order of the language model that is trained on the references, and what estimates it: "own", "kenlm" (the
        program lmplz, which must be on the PATH) or "auto" (KenLM for many millions of words, where it is there); both
        give the same model. Or a file with one (ARPA, or KenLM's binary).
    encoder
        Sentence encoder of the family `embedding`: a name or folder that sentence-transformers knows, or an object
        with `encode`.
    folds, seed
        In training, references of a list are never in the language model that scores it: so many models share that.
    """

    families: str = "usual"
    similarity: str | None = None
    word_orders: tuple[int, ...] = (1, 2)
    character_orders: tuple[int, ...] = (3, 4)
    min_lists: int = 5
    hashed: int = 0
    lm_order: int = 3
    lm_engine: str = "auto"
    lm: str | None = None
    encoder: Any = None
    folds: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        check_all("TextSettings", vars(self), CHECKS)
        if "embedding" in chosen(self.families) and self.encoder is None:
            raise UsageError(
                "the family embedding needs an encoder: the name or folder of a model for sentence-transformers, "
                "as in encoder=all-MiniLM-L6-v2."
            )
        if self.similarity is not None:
            similarity_metric(self.similarity)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the families."""
        return chosen(self.families)

    def compares_by(self, data: NBest, metric: str | Metric | None) -> TextMetric:
        """The metric by which texts are compared: as asked for, else the one they are judged by if it can."""
        if self.similarity is not None:
            return similarity_metric(self.similarity)
        wanted = metric if metric is not None else data.metric
        judge = parse(wanted)[0] if isinstance(wanted, str) else wanted
        if isinstance(judge, TextMetric) and judge.compares_quickly:
            return judge
        return similarity_metric(FALLBACK)


SETTINGS = tuple(field.name for field in dataclasses.fields(TextSettings))


def settings_of(options: Mapping[str, Any]) -> TextSettings:
    """Settings by name; one that there is not is an error that has those that there are.

    Examples
    --------
    >>> settings_of({"lm_ordre": 3})
    Traceback (most recent call last):
    runoff.errors.UsageError: features of texts have no setting 'lm_ordre'; there are: families, similarity, ...
    """
    for name in options:
        if name not in SETTINGS:
            raise UsageError(f"features of texts have no setting {name!r}; there are: {', '.join(SETTINGS)}.")
    return TextSettings(**options)


def similarity_metric(name: str) -> TextMetric:
    """A metric that compares texts, by name.

    Examples
    --------
    >>> similarity_metric("ndcg@5")
    Traceback (most recent call last):
    runoff.errors.UsageError: ndcg@5 does not compare texts, so it cannot say how similar two are; chrf, bleu or wer do.
    """
    found = get(name)
    if not isinstance(found, TextMetric):
        raise UsageError(
            f"{found.label} does not compare texts, so it cannot say how similar two are; chrf, bleu or wer do."
        )
    return found
