"""Features of all families together: what a list becomes depends on that list alone, and a model remembers how."""

from __future__ import annotations

import functools
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import LinearModel, NBest, load
from runoff.errors import DataError, ModelError, RunoffError
from runoff.tasks.text.families import FAMILIES
from runoff.tasks.text.featurizer import STEP, TextFeaturizer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

METRICS = ("wer", "bleu", "chrf", "exact", "rouge-l", "cer", "ter", "f1")
VOCABULARY = [
    "the",
    "a",
    "cat",
    "dog",
    "sat",
    "sat.",
    "on",
    "mat,",
    "Anna",
    "Bob",
    "3",
    "14",
    "(so)",
    "éa",
    "日本",
    "ran",
    "ran",
]


class Encoder:
    """A stand-in for a sentence encoder: eight sums over letters."""

    def encode(self, texts: Sequence[str], **_: Any) -> np.ndarray:
        return np.array(
            [[zlib.crc32(f"{at}{text}".encode()) % 97 - 48 for at in range(8)] for text in texts], np.float32
        )


def synthetic(seed: int, n: int = 12, *, base: bool = False, inputs: bool = True, supplied: bool = False) -> NBest:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 6, n)
    total = int(sizes.sum())
    references = [" ".join(rng.choice(VOCABULARY, 5)) for _ in range(n)]
    texts = []
    for reference, size in zip(references, sizes.tolist(), strict=True):
        for _ in range(size):
            words = reference.split()
            for place in rng.choice(5, rng.integers(0, 3), replace=False):
                words[place] = rng.choice(VOCABULARY)
            texts.append(" ".join(words[: rng.integers(3, 6)]))
    return NBest.from_arrays(
        rng.normal(size=(total, 2)) if supplied else None,
        texts=texts,
        sizes=sizes,
        references=references,
        inputs=[" ".join(rng.choice(VOCABULARY, 4)) for _ in range(n)] if inputs else None,
        base=rng.normal(size=total) if base else None,
        feature_names=["p", "q"] if supplied else None,
    )


def fit(train: NBest, families: str, metric: str = "chrf", **settings: Any) -> tuple[TextFeaturizer, NBest]:
    """A fitted featurizer, and the training lists with their features."""
    featurizer = TextFeaturizer(families=families, **settings)
    return featurizer, featurizer.fit_transform(train, metric)


@functools.cache
def fitted(families: str, metric: str = "chrf", *, base: bool = False, hashed: int = 0) -> TextFeaturizer:
    encoder = Encoder() if families in ("all", "embedding") else None
    train = synthetic(0, 25, base=base, supplied=True)
    return fit(train, families, metric, min_lists=2, encoder=encoder, hashed=hashed)[0]


def table(data: NBest) -> np.ndarray:
    return data.features.to_scipy().toarray().astype(np.float32)


# ---------------------------------------------------------------- what a list becomes depends on that list alone


@pytest.mark.parametrize("base", [False, True])
@pytest.mark.parametrize("family", list(FAMILIES))
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


@pytest.mark.parametrize("family", list(FAMILIES))
@pytest.mark.parametrize("seed", [1, 2])
def test_the_order_of_lists_does_not_matter(family: str, seed: int) -> None:
    featurizer, data = fitted(family, base=True), synthetic(seed, 20, base=True, supplied=True)
    order = np.random.default_rng(seed).permutation(len(data))
    every, moved = featurizer.transform(data), featurizer.transform(data[order])
    assert np.array_equal(table(every[order]), table(moved))


@pytest.mark.parametrize("family", [name for name in FAMILIES if name not in ("scores", "position")])
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
        here, there = table(featurizer.transform(one))[order][:, settled], table(featurizer.transform(moved))[:, settled]
        assert here == pytest.approx(there, abs=1e-6)


@settings(deadline=None, max_examples=30)
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
    differ = {name for name, fitted_, made in columns if not np.array_equal(fitted_, made)}
    assert differ
    assert all(name.startswith("lm:") for name in differ)


# ---------------------------------------------------------------- columns


def test_names_differ_and_families_come_in_order() -> None:
    featurizer = fitted("usual,characters", base=True)
    names = featurizer.transform(synthetic(1, base=True, supplied=True)).features.column_names().to_pylist()
    assert len(set(names)) == len(names)
    assert names[:2] == ["p", "q"]
    assert "words" in featurizer.families


@pytest.mark.parametrize("family", list(FAMILIES))
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
    with pytest.raises(DataError, match="have a feature 'length:words' already"):
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
        assert featurizer.transform(data).features.n_columns == featurizer.transform(synthetic(1, supplied=False)).features.n_columns


@pytest.mark.parametrize("sizes", [NO_LISTS, [0, 0]])
def test_fitting_on_lists_without_candidates(sizes: list[int]) -> None:
    data = NBest.from_arrays(texts=[], sizes=sizes, references=["a"] * len(sizes))
    _, featurized = fit(data, "usual", "wer")
    assert featurized.n_candidates == 0
    assert "length:words" in featurized.features.column_names().to_pylist()


# ---------------------------------------------------------------- in models


@pytest.mark.parametrize("hashed", [0, 64])
@pytest.mark.parametrize("metric", ["wer", "bleu[tokenize=none]", "exact[case=lower]"])
def test_a_saved_model_makes_the_same_features(tmp_path: Path, metric: str, hashed: int) -> None:
    featurizer = fitted("usual,characters", metric, base=True, hashed=hashed)
    test = synthetic(11, base=True, supplied=True)
    model = LinearModel(np.zeros(0), pa.array([], pa.large_string()), preparation=(featurizer.to_step(),))
    model.save(tmp_path / "m.runoff")
    again = load(tmp_path / "m.runoff")
    expected = featurizer.transform(test)
    for prepared in (model.prepare(test), again.prepare(test)):
        assert prepared.features.column_names().equals(expected.features.column_names())
        assert table(prepared).tobytes() == table(expected).tobytes()
    again.save(tmp_path / "n.runoff")
    assert (tmp_path / "m.runoff").read_bytes() == (tmp_path / "n.runoff").read_bytes()


def test_an_encoder_that_is_an_object_chooses_but_is_in_no_file(tmp_path: Path) -> None:
    featurizer = fitted("embedding")
    model = LinearModel(np.zeros(0), pa.array([], pa.large_string()), preparation=(featurizer.to_step(),))
    assert table(model.prepare(synthetic(1))).tobytes() == table(featurizer.transform(synthetic(1))).tobytes()
    with pytest.raises(ModelError, match="an object of Encoder that no file can keep"):
        model.save(tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_another_encoder_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other(Encoder):
        def encode(self, texts: Sequence[str], **_: Any) -> np.ndarray:
            return 1 + super().encode(texts) ** 2

    step = fitted("embedding").to_step()
    step["encoder"] = {"name": "some-model", "fingerprint": step["encoder"]["fingerprint"]}
    monkeypatch.setattr("runoff.tasks.text.featurizer.load_encoder", lambda _: Encoder())
    assert TextFeaturizer.from_step(step).encoder_name == "some-model"
    monkeypatch.setattr("runoff.tasks.text.featurizer.load_encoder", lambda _: Other())
    with pytest.raises(ModelError, match="some-model is another one than when the model was trained"):
        TextFeaturizer.from_step(step)


@pytest.mark.parametrize(
    "change",
    [
        {"families": "length"},
        {"families": ["lenght"]},
        {"families": [3]},
        {"families": None},
        {"similarity": 3},
        {"similarity": None},
        {"words": []},
        {"words": None},
        {"lm": 3},
    ],
)
def test_a_step_that_is_not_whole_is_seen(change: dict[str, Any]) -> None:
    step = fitted("usual").to_step()
    assert TextFeaturizer.is_step(step)
    assert not TextFeaturizer.is_step({**step, **change})
    assert not TextFeaturizer.is_step({name: value for name, value in step.items() if name not in change})


@pytest.mark.parametrize("change", [{"similarity": "nonsense"}, {"similarity": "ndcg@5"}, {"families": ["embedding"]}])
def test_a_step_that_cannot_be_applied_is_a_sentence(tmp_path: Path, change: dict[str, Any]) -> None:
    step = {"step": STEP, "families": ["length"], "similarity": "wer", **change}
    LinearModel(np.zeros(0), pa.array([], pa.large_string()), preparation=(step,)).save(tmp_path / "m")
    with pytest.raises(RunoffError):
        load(tmp_path / "m").prepare(synthetic(1))
