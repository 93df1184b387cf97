"""Translations as a task: which lists are recognised, and the learners of its pipelines."""

from __future__ import annotations

import numpy as np
import pytest

import runoff
from runoff import tasks
from runoff.nbest import NBest
from runoff.tasks.translation.recipes import RECIPES
from runoff.tasks.translation.task import TranslationTask
from runoff.tasks.translation.terms import term_names

TERMS = term_names(reordering=False)


def lists(*, names: tuple[str, ...] = TERMS, inputs: bool = True, count: int = 12) -> NBest:
    """Lists in which the language model is right, and the first round is not."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(5 * count, len(names)))
    return NBest.from_arrays(
        table,
        table[:, 0] + 0.1 * rng.normal(size=len(table)),
        base=table[:, 1],
        sizes=[5] * count,
        texts=[f"Satz {at}" for at in range(5 * count)],
        inputs=[f"sentence {at}" for at in range(count)] if inputs else None,
        feature_names=list(names),
    )


def test_lists_with_a_translators_terms_are_recognised() -> None:
    assert tasks.recognise(lists()).name == "translation"
    assert tasks.recognise(lists(names=term_names(reordering=True))).name == "translation"
    assert tasks.recognise(lists(names=("forward", "channel"))).name == "rows"
    assert tasks.recognise(lists(inputs=False)).name != "translation"


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_learns_what_is_there_to_learn(name: str) -> None:
    train, test = lists(count=60), lists(count=30)
    model = RECIPES[name].build("quality", 0).fit(train, lists(count=20)).model
    found = runoff.evaluate(model, test, metric="quality").results[0]
    assert found.chosen.score > found.first.score + 0.5


def test_pipelines_try_recipes_that_there_are() -> None:
    task = tasks.get("translation")
    assert set(TranslationTask.default_recipes) <= set(task.recipes())
    assert task.first_round().proposer_file == "translator.runoff"
