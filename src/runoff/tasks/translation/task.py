"""Translations as a task; the rest of the room is imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from runoff.tasks import CommandGroup, Task, register

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.model import Explanation, LinearModel
    from runoff.nbest import NBest
    from runoff.tasks.drawing import LinkDrawing
    from runoff.tasks.translation.choice_explanation import TranslationExplanation
    from runoff.tasks.translation.translator_round import TranslatorRound

_ROOM = "runoff.tasks.translation"
_TERMS = ("lm", "words", "tm:direct", "tm:inverse")  # that every list of our own translators has


class TranslationTask(Task):
    """Translations of sentences: the source is the input, and a candidate is a translation."""

    name = "translation"
    title = "translations"
    reported = "bleu,chrf"
    default_recipes = ("crf", "loglinear", "orum")
    featurizers: ClassVar[Mapping[str, str]] = {"translation": f"{_ROOM}.featurizer:TranslationFeaturizer"}
    commands = CommandGroup(
        "translate",
        f"{_ROOM}.commands:translate",
        "Translations: a translator from parallel text, its weights, n-best lists, the pipeline.",
    )

    def recognises(self, data: NBest) -> bool:
        """Texts for inputs, with the terms of a translator's score; other translations are texts unless named so."""
        if data.texts is None or data.inputs is None or not data.features.n_columns:
            return False
        return set(_TERMS) <= set(data.features.column_names().to_pylist())

    def recipes(self) -> Mapping[str, Any]:
        """Learners that work well on lists of translations."""
        from runoff.tasks.translation.recipes import RECIPES

        return RECIPES

    def explain(
        self, model: LinearModel, data: NBest, group: str, against: str | int | None = None
    ) -> TranslationExplanation | Explanation:
        """The features that decided, and both translations with their differences, aligned to the source."""
        from runoff.tasks.translation.choice_explanation import explain

        return explain(model, data, group, against)

    def drawing(
        self, part: NBest, text: str, index: int | None = None, model: LinearModel | None = None
    ) -> LinkDrawing | None:
        """The words of a translation, linked to those of the source."""
        from runoff.tasks.translation.choice_explanation import draw_links

        return draw_links(part, text, index, model)

    def first_round(self, **settings: Any) -> TranslatorRound:
        """A translator, trained on parallel text."""
        from runoff.tasks.translation.translator_round import RoundSettings, TranslatorRound

        return TranslatorRound(RoundSettings(**settings))


register(TranslationTask())
