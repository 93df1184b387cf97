"""Settings of the featurizer of translations."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from runoff.errors import UsageError
from runoff.parameters import check_all, whole, words
from runoff.tasks.text.families import FAMILIES as OF_TEXTS
from runoff.tasks.text.settings import TextSettings
from runoff.tasks.translation.families import TAGS, select_families

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from runoff.parameters import Check
    from runoff.tasks.tagging.tagger import Tagger

_CHECKS: dict[str, Check] = {
    "families": words,
    "min_lists": whole(1),
    "lm_order": whole(1, 6),
    "folds": whole(2),
    "seed": whole(0),
}
_OF_TEXTS = tuple(each.name for each in dataclasses.fields(TextSettings))


@dataclass(frozen=True)
class FeatureSettings:
    """Feature families of translations and their settings.

    Parameters
    ----------
    families
        Comma-separated names and sets, see `runoff.tasks.translation.FAMILIES`; a minus sign removes a family.
    source_text, target_text
        Parallel text that words and their translations are learned from: files, or sentences and their translations.
        Default: the inputs and references of the training lists. No list is measured by what was learned from its own
        sentence, wherever that comes from.
    target_tagger
        A tagger of the target language (`runoff tag train`) that looks at words alone, for the family `tags`; it is
        kept in the model.
    min_lists
        Lists in which something must differ in number between candidates to become a sparse feature.
    lm_order
        Order of the language model of parallel text.
    folds, seed, group_by
        As `runoff.tasks.text.TextSettings` has them: models are trained on all folds but one.
    texts
        Other settings of the families that texts have, see `runoff.tasks.text.TextSettings`.

    Examples
    --------
    >>> FeatureSettings.of({"families": "length,lexicon", "word_orders": (1,)}).names
    ('length', 'lexicon')
    """

    families: str = "usual"
    source_text: str | Path | Sequence[str] | None = None
    target_text: str | Path | Sequence[str] | None = None
    target_tagger: str | Path | Tagger | None = None
    min_lists: int = 5
    lm_order: int = 5
    folds: int = 5
    seed: int = 0
    group_by: str | None = None
    texts: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_all("FeatureSettings", {name: getattr(self, name) for name in _CHECKS}, _CHECKS)
        if (self.source_text is None) != (self.target_text is None):
            raise UsageError("parallel text has two sides; give both source_text and target_text, or neither.")
        if (TAGS in self.names) != (self.target_tagger is not None):
            raise UsageError("the family tags and the setting target_tagger need each other; give both, or neither.")
        self.of_texts()  # raises for a wrong setting

    @classmethod
    def of(cls, options: dict[str, Any]) -> FeatureSettings:
        """Settings by name; those that texts have too go to `texts`."""
        own = {name: value for name, value in options.items() if name in OWN_SETTINGS}
        for name in options:
            if name not in SETTINGS:
                raise UsageError(
                    f"features of translations have no setting {name!r}; there are: {', '.join(SETTINGS)}."
                )
        return cls(**own, texts={name: value for name, value in options.items() if name not in own})

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the families."""
        return select_families(self.families)

    def of_texts(self) -> TextSettings | None:
        """Settings of the families that texts have; None if none of them is wanted."""
        families = [name for name in self.names if name in OF_TEXTS]
        if not families:
            return None
        shared = {"min_lists": self.min_lists, "folds": self.folds, "seed": self.seed, "group_by": self.group_by}
        return TextSettings(**{"families": ",".join(families), **shared, **self.texts})


OWN_SETTINGS = tuple(each.name for each in dataclasses.fields(FeatureSettings) if each.name != "texts")
SETTINGS = tuple(dict.fromkeys((*OWN_SETTINGS, *_OF_TEXTS)))
