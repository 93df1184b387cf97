"""Features of all families together: what a list becomes depends on that list alone."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.text_featurizers import fit, fitted, synthetic, table
from runoff import NBest
from runoff.errors import DataError
from runoff.tasks.text.families import FAMILIES

# Neural scores have tests of their own, where PyTorch is there.
WITHOUT_MODELS = [name for name in FAMILIES if name != "neural"]
METRICS = ("wer", "bleu", "chrf", "exact", "rouge-l", "cer", "ter", "f1")


# ---------------------------------------------------------------- what a list becomes depends on that list alone


@pytest.mark.parametrize("base", [False, True])
@pytest.mark.parametrize("family", WITHOUT_MODELS)
def test_all_lists_at_once_or_one_by_one(family: str, base: bool) -> None:
    featurizer, data = fitted(family, base=base), synthetic(3, 30, base=base, supplied=True)
    every, at = table(featurizer.transform(data)), 0
    assert every.any()
    for one in data:
        alone = table(featurizer.transform(one))
        assert np.array_equal(alone, every[at : at + len(alone)])
        at += len(alone)
    assert at == len(every)


@pytest.mark.parametrize("metric", METRICS)
def test_agreement_at_once_or_one_by_one(metric: str) -> None:
    featurizer, data = fitted("agreement", metric, base=True), synthetic(5, 40, base=True)
    every, at = table(featurizer.transform(data)), 0
    for one in data:
        assert np.array_equal(table(featurizer.transform(one)), every[at : at + one.n_candidates])
        at += one.n_candidates


@pytest.mark.parametrize("family", WITHOUT_MODELS)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_order_of_lists_does_not_matter(family: str, seed: int) -> None:
    featurizer, data = fitted(family, base=True), synthetic(seed, 20, base=True, supplied=True)
    order = np.random.default_rng(seed).permutation(len(data))
    every, moved = featurizer.transform(data), featurizer.transform(data[order])
    assert np.array_equal(table(every[order]), table(moved))


@pytest.mark.parametrize("family", [name for name in WITHOUT_MODELS if name not in ("scores", "position")])
def test_copies_of_a_candidate_get_equal_features(family: str) -> None:
    data = synthetic(8, 20, base=True)
    twice = [text for one in data for text in (*one.texts.to_pylist(), *one.texts.to_pylist()[::-1])]
    # Other scores for the copies: what a text gets may not go by which of its copies is looked at.
    base = np.random.default_rng(0).normal(size=len(twice))
    doubled = NBest.from_arrays(
        texts=twice, sizes=2 * data.sizes, base=base, inputs=data.inputs, references=data.references
    )
    for one in fitted(family, base=True).transform(doubled):
        rows = table(one)
        assert np.array_equal(rows, rows[::-1])


@pytest.mark.parametrize(
    "family", ["length", "agreement", "posteriors", "repetition", "shape", "overlap", "lm", "words"]
)
def test_the_order_of_candidates_does_not_matter(family: str) -> None:
    # But for the first choice, and what is settled by order where texts are equally good ("most").
    featurizer, data = fitted(family, base=True), synthetic(9, 20, base=True)
    for one in data:
        order = np.random.default_rng(1).permutation(one.n_candidates)
        moved = one.replace(texts=one.texts.take(pa.array(order)), base=one.base[order])
        names = featurizer.transform(one).features.column_names().to_pylist()
        settled = [at for at, name in enumerate(names) if "most" not in name]
        here, there = (
            table(featurizer.transform(one))[order][:, settled],
            table(featurizer.transform(moved))[:, settled],
        )
        assert here == pytest.approx(there, abs=1e-6)


@settings(deadline=None)
@given(st.lists(st.lists(st.text(max_size=8), max_size=4), min_size=1, max_size=4), st.booleans())
def test_any_texts_have_finite_features(groups: list[list[str]], base: bool) -> None:
    texts = [text for group in groups for text in group]
    data = NBest.from_arrays(
        texts=texts,
        sizes=[len(group) for group in groups],
        inputs=[group[0] if group else "" for group in groups],
        references=[["a b"] for _ in groups],
        base=np.arange(len(texts)) if base else None,
    )
    featurizer, featurized = fit(data, "usual,characters", "wer", min_lists=1)
    assert np.isfinite(table(featurized)).all()
    again = table(featurizer.transform(data))
    at = 0
    for one in data:
        assert np.array_equal(table(featurizer.transform(one)), again[at : at + one.n_candidates])
        at += one.n_candidates


def test_fit_transform_differs_from_transform_in_the_language_model_alone() -> None:
    train = synthetic(0, 25)
    featurizer, featurized = fit(train, "usual", min_lists=2)
    names = featurized.features.column_names().to_pylist()
    again = featurizer.transform(train)
    assert again.features.column_names().to_pylist() == names
    columns = zip(names, table(featurized).T, table(again).T, strict=True)
    differ = {name for name, one, other in columns if not np.array_equal(one, other)}
    assert differ
    assert all(name.startswith("lm:") for name in differ)


# ---------------------------------------------------------------- columns


def test_names_differ_and_families_come_in_order() -> None:
    featurizer = fitted("usual,characters", base=True)
    names = featurizer.transform(synthetic(1, base=True, supplied=True)).features.column_names().to_pylist()
    assert len(set(names)) == len(names)
    assert names[:2] == ["p", "q"]
    assert "words" in featurizer.families


@pytest.mark.parametrize("family", WITHOUT_MODELS)
def test_only_a_family_is_that_family(family: str) -> None:
    whole, data = fitted("all", base=True), synthetic(4, base=True, supplied=True)
    part = whole.only([family]).transform(data)
    names = whole.transform(data).features.column_names().to_pylist()
    kept = [names.index(name) for name in part.features.column_names().to_pylist()]
    assert kept
    assert np.array_equal(table(part), table(whole.transform(data))[:, kept])


def test_supplied_features_stay_only_where_asked_for() -> None:
    data = synthetic(2, supplied=True)
    assert fitted("scores,length").transform(data).features.column_names().to_pylist()[:2] == ["p", "q"]
    assert "p" not in fitted("length").transform(data).features.column_names().to_pylist()
    assert np.array_equal(table(fitted("scores").transform(data)), table(data))


def test_features_that_are_there_already_are_said() -> None:
    featurizer = fitted("scores,length")
    with pytest.raises(DataError, match="already have a feature 'length:words'"):
        featurizer.transform(featurizer.transform(synthetic(2)))


def test_nothing_else_of_the_data_changes() -> None:
    data = synthetic(6, base=True, supplied=True)
    featurized = fitted("usual").transform(data)
    for name in ("texts", "inputs", "references", "group_ids"):
        assert getattr(featurized, name).equals(getattr(data, name))
    assert featurized.base.tolist() == data.base.tolist()
    assert featurized.offsets.tolist() == data.offsets.tolist()


def test_rows_that_came_interleaved() -> None:
    data = NBest.from_arrays(texts=["a b", "x", "a", "x x y"], groups=["p", "q", "p", "q"])
    featurized = fitted("length").transform(data)
    assert featurized.in_input_order(table(featurized)[:, 0]).tolist() == [2.0, 1.0, 1.0, 3.0]


def test_without_references_there_is_no_language_model_and_that_is_said() -> None:
    data = synthetic(0, 10).replace(references=None)
    featurizer, featurized = fit(data, "length,lm", "wer")
    assert featurizer.families == ("length",)
    assert "lm is left out" in featurizer.notes[0]
    assert not any(name.startswith("lm:") for name in featurized.features.column_names().to_pylist())


NO_LISTS = []


@pytest.mark.parametrize("sizes", [NO_LISTS, [0], [0, 0, 0]])
def test_lists_without_candidates(sizes: list[int]) -> None:
    data = NBest.from_arrays(texts=[], sizes=sizes)
    for families in ("usual", "characters", "all"):
        featurizer = fitted(families)
        assert featurizer.transform(data).n_candidates == 0
        assert (
            featurizer.transform(data).features.n_columns
            == featurizer.transform(synthetic(1, supplied=False)).features.n_columns
        )


@pytest.mark.parametrize("sizes", [NO_LISTS, [0, 0]])
def test_fitting_on_lists_without_candidates(sizes: list[int]) -> None:
    data = NBest.from_arrays(texts=[], sizes=sizes, references=["a"] * len(sizes))
    _, featurized = fit(data, "usual", "wer")
    assert featurized.n_candidates == 0
    assert "length:words" in featurized.features.column_names().to_pylist()
