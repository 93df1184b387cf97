"""Settings of the text featurizer."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runoff.errors import UsageError
from runoff.features.lm.kenlm import ENGINES
from runoff.features.neural import parse_models
from runoff.metrics import get, parse
from runoff.metrics.text_metric import TextMetric
from runoff.parameters import check_all, choice, optional, power_of_two, several, text, whole, words
from runoff.tasks.text.families import select_families

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.metrics import Metric
    from runoff.nbest import NBest
    from runoff.parameters import Check

FALLBACK = "chrf"  # compares texts if the metric cannot, such as human scores
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
    "neural": optional(words),
    "prompt": optional(text),
    "device": words,
    "folds": whole(2),
    "seed": whole(0),
    "group_by": optional(words),
}


@dataclass(frozen=True)
class TextSettings:
    """Feature families and their settings.

    Parameters
    ----------
    families
        Comma-separated names and sets, see `runoff text families`; a minus sign removes a family.
    similarity
        Metric that compares the texts of a list. Default: the metric of the task, or chrF if that one does not compare
        texts (human scores) or is too slow for all pairs (TER).
    word_orders, character_orders
        Lengths of the n-grams of the families `words` and `characters`.
    min_lists
        Number of lists in which the counts of an n-gram must differ between candidates for it to become a feature.
    hashed
        Number of hashed columns of an n-gram family, a power of two; 0: every n-gram has its own named column.
    lm_order, lm_engine, lm
        Order of the language model that is trained on the references, and the engine that estimates it: "own", "kenlm"
        (the program lmplz, which must be on the PATH) or "auto" (KenLM, if installed, for many millions of words). Both
        engines give the same model. `lm` is a model file to use instead (ARPA, or KenLM's binary).
    encoder
        Sentence encoder of the family `embedding`: a name or folder for sentence-transformers, or an object with a
        method `encode`.
    neural, prompt, device
        Models of the family `neural`, as in "cross-encoder=FOLDER,causal-lm=FOLDER"; what a causal language model reads
        before every candidate, where `{input}` stands for the input; and where they and the encoder compute: "auto",
        "cpu", "cuda".
    folds, seed
        In training, no list is scored by a language model of its own references: `folds` models are trained, each
        without one fold. `seed` assigns the folds.
    group_by
        What folds keep together, see `runoff.blocks`: the name of an attribute of the lists, or "none". Default: lists
        that share a reference or an input.

    Examples
    --------
    >>> TextSettings("length,repetition").names
    ('length', 'repetition')
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
    neural: str | None = None
    prompt: str | None = None
    device: str = "auto"
    folds: int = 5
    seed: int = 0
    group_by: str | None = None

    def __post_init__(self) -> None:
        check_all("TextSettings", vars(self), CHECKS)
        if "embedding" in select_families(self.families) and self.encoder is None:
            raise UsageError(
                "the family embedding needs an encoder: the name or folder of a sentence-transformers model, as in "
                "encoder=all-MiniLM-L6-v2."
            )
        self._check_neural()
        if self.similarity is not None:
            similarity_metric(self.similarity)

    def _check_neural(self) -> None:
        if ("neural" in select_families(self.families)) != (self.neural is not None):
            raise UsageError(
                "the family neural needs models, as in neural=cross-encoder=FOLDER; or leave it out: -neural."
                if self.neural is None
                else "neural models are used by the family neural: families=usual,neural."
            )
        if self.neural is not None:
            parse_models(self.neural, prompt=self.prompt)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the families."""
        return select_families(self.families)

    def similarity_for(self, data: NBest, metric: str | Metric | None) -> TextMetric:
        """The metric that compares texts: `similarity` if given, else the metric of the task if it can, else chrF."""
        if self.similarity is not None:
            return similarity_metric(self.similarity)
        wanted = metric if metric is not None else data.metric
        judge = parse(wanted)[0] if isinstance(wanted, str) else wanted
        if isinstance(judge, TextMetric) and judge.compares_quickly:
            return judge
        return similarity_metric(FALLBACK)


SETTINGS = tuple(field.name for field in dataclasses.fields(TextSettings))


def settings_from(options: Mapping[str, Any]) -> TextSettings:
    """Settings by name; an unknown name is an error that lists the known ones.

    Examples
    --------
    >>> settings_from({"lm_ordre": 3})
    Traceback (most recent call last):
    runoff.errors.UsageError: text features have no setting 'lm_ordre'; there are: families, similarity, ...
    """
    for name in options:
        if name not in SETTINGS:
            raise UsageError(f"text features have no setting {name!r}; there are: {', '.join(SETTINGS)}.")
    return TextSettings(**options)


def similarity_metric(name: str) -> TextMetric:
    """A metric that compares texts, by name.

    Examples
    --------
    >>> similarity_metric("ndcg@5")
    Traceback (most recent call last):
    runoff.errors.UsageError: ndcg@5 does not compare texts, so it cannot measure similarity; use chrf, bleu or wer.
    """
    found = get(name)
    if not isinstance(found, TextMetric):
        raise UsageError(
            f"{found.label} does not compare texts, so it cannot measure similarity; use chrf, bleu or wer."
        )
    return found
