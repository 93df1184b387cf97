"""Features of whole taggings: equal to counting candidate by candidate, and kept in a model."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runoff
from runoff.errors import DataError, UsageError
from runoff.nbest import NBest
from runoff.tasks.tagging.features.families import FAMILIES, Namer, chosen
from runoff.tasks.tagging.features.tagged_lists import TaggedPhrase
from runoff.tasks.tagging.featurizer import TaggingFeaturizer

if TYPE_CHECKING:
    from pathlib import Path

TAGS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")


def lists(seed: int, groups: int = 12) -> NBest:
    """Random taggings of random sentences in three documents; candidates of a list differ."""
    rng = np.random.default_rng(seed)
    texts, sizes, inputs, pos, gold = [], [], [], [], []
    for _ in range(groups):
        length = int(rng.integers(1, 6))
        words = rng.choice(["Paris", "Smith", "of", "the", "F-16"], length).tolist()
        found = {" ".join(rng.choice(TAGS, length, p=[0.5, 0.15, 0.1, 0.15, 0.1])) for _ in range(4)}
        texts += sorted(found)
        sizes.append(len(found))
        inputs.append(" ".join(words))
        pos.append(" ".join(rng.choice(["NNP", "IN"], length)))
        gold.append(sorted(found)[int(rng.integers(len(found)))])
    return NBest.from_arrays(
        texts=texts,
        sizes=sizes,
        inputs=inputs,
        base=rng.normal(size=len(texts)),
        references=[[each] for each in gold],
        attributes={"pos": pos, "document": [str(at % 3) for at in range(groups)]},
        metric="conlleval",
    )


def spans_of(tags: list[str]) -> list[tuple[int, int, str]]:
    """Phrases by the rule of conlleval for B, I and O."""
    found: list[tuple[int, int, str]] = []
    start, kind = None, ""
    for at, tag in enumerate([*tags, "O"]):
        letter, _, label = tag.partition("-")
        if start is not None and (letter != "I" or label != kind):
            found.append((start, at, kind))
            start = None
        if letter != "O" and start is None:
            start, kind = at, label
    return found


def parts_of(tags: list[str], base: int) -> tuple[set, set, set]:
    spans = [TaggedPhrase(base + start, base + stop, label) for start, stop, label in spans_of(tags)]
    pairs = set(zip([None, *spans], [*spans, None], strict=True)) if spans else set()
    padded = ["^", "^", *tags]
    windows = {(base + at, *padded[at : at + 3]) for at in range(len(tags))}
    return set(spans), pairs, windows


def slow_counts(data: NBest) -> list[Counter[str]]:
    """Features of every candidate, counted one by one; parts that all candidates of a list have do not count."""
    words = [word for text in data.inputs.to_pylist() for word in text.split()]
    pos = [tag for text in data.attributes["pos"].to_pylist() for tag in text.split()]
    ends = np.cumsum([0, *(len(text.split()) for text in data.inputs.to_pylist())]).tolist()
    namer = Namer(tuple(FAMILIES), words, {"pos": pos}, set(ends))
    found = []
    for group in range(len(data)):
        rows = range(int(data.offsets[group]), int(data.offsets[group + 1]))
        parts = [parts_of(data.texts[row].as_py().split(), ends[group]) for row in rows]
        shared = [set.intersection(*(each[kind] for each in parts)) for kind in range(3)]
        for spans, pairs, windows in parts:
            counts: Counter[str] = Counter()
            for span in spans - shared[0]:
                counts.update(namer.phrase(span))
            for pair in pairs - shared[1]:
                counts.update(namer.neighbours(*pair))
            for window in windows - shared[2]:
                counts.update(namer.window(*window))
            found.append(counts)
    return found


@settings(deadline=None)
@given(st.integers(0, 10_000))
def test_features_are_those_counted_one_by_one(seed: int) -> None:
    data = lists(seed)
    made = TaggingFeaturizer(families="all,-consensus,-document", min_lists=1).fit_transform(data).features
    table, names = made.to_scipy().toarray(), made.column_names().to_pylist()
    for row, counts in enumerate(slow_counts(data)):
        assert {name: value for name, value in zip(names, table[row], strict=True) if value} == dict(counts)


@pytest.mark.parametrize("seed", range(3))
def test_consensus_is_the_expectation_over_the_list(seed: int) -> None:
    data = lists(seed)
    made = TaggingFeaturizer(families="consensus").fit_transform(data).features.to_scipy().toarray()
    for group in range(len(data)):
        rows = range(int(data.offsets[group]), int(data.offsets[group + 1]))
        spans = [set(spans_of(data.texts[row].as_py().split())) for row in rows]
        p = np.exp(data.base[rows.start : rows.stop])
        p /= p.sum()
        for at, row in enumerate(rows):
            right = sum(p[other] * len(spans[at] & spans[other]) for other in range(len(spans)))
            gold = sum(p[other] * len(spans[other]) for other in range(len(spans)))
            assert made[row, :3] == pytest.approx([right, len(spans[at]) - right, gold - right], abs=1e-6)


def test_documents_tell_what_other_lists_make_of_the_same_words() -> None:
    data = NBest.from_arrays(
        texts=["B-PER O", "B-LOC O", "B-PER", "B-LOC", "O O", "B-LOC O"],
        base=np.log([0.5, 0.5, 0.8, 0.2, 0.5, 0.5]),
        sizes=[2, 2, 2],
        inputs=["Paris sings", "Paris", "Paris sings"],
        attributes={"document": ["a", "a", "b"]},
        metric="conlleval",
    )
    made = TaggingFeaturizer(families="document").fit_transform(data).features.to_scipy().toarray()[:, -3:]
    # The first two lists see each other; the third is alone in its document.
    votes = [[0.8, 0.2, np.log(1)], [0.2, 0.8, np.log(0.25)], [0.5, 0.5, 0.0], [0.5, 0.5, 0.0]]
    expected = [[np.log1p(same), np.log1p(other), odds] for same, other, odds in votes]
    assert made == pytest.approx(np.array([*expected, [0, 0, 0], [0, 0, 0]]), abs=1e-6)


def test_a_model_takes_raw_lists(tmp_path: Path) -> None:
    train, test = lists(1, 60), lists(2, 20)
    learner = runoff.tasks.get("tagging").learner("loglinear", min_lists=1, sigma=0.3)
    model = learner.fit(train).model
    scores = model.scores(test)
    model.save(tmp_path / "model.runoff")
    assert runoff.load(tmp_path / "model.runoff").scores(test).tolist() == scores.tolist()
    expected = learner.featurizer.transform(test)
    assert expected.features.n_columns


def test_mistakes_are_said() -> None:
    with pytest.raises(UsageError, match="no family 'phrases'"):
        chosen("phrases")
    with pytest.raises(UsageError, match="at least one family"):
        chosen("phrase,-phrase")
    with pytest.raises(UsageError, match="min_lists must be"):
        TaggingFeaturizer(min_lists=0)
    with pytest.raises(DataError, match="need the words as inputs"):
        TaggingFeaturizer().fit_transform(NBest.from_arrays(texts=["O"], sizes=[1]))
    with pytest.raises(DataError, match="candidate 0 of list '0' has 1 tags for 2 words"):
        TaggingFeaturizer().fit_transform(NBest.from_arrays(texts=["O"], sizes=[1], inputs=["a b"]))
    with pytest.raises(UsageError, match="not fitted"):
        TaggingFeaturizer().transform(lists(0))
    assert not TaggingFeaturizer.is_step({"step": "tagging", "families": ["x"], "vocabulary": None})
